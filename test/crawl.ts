/** Follows every link of the running service, as a reader or a browser would, and names each one that has no target. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import assert from 'node:assert/strict'

const root = join(import.meta.dirname, '..')

type Kind = 'page' | 'style' | 'script' | 'text' | 'other'
type Link = { from: string; address: string }
type Answer = { kind: Kind; text: string; addresses: string[] }

export type Crawl = {
  /** Addresses that answered 200. */
  pages: number
  assets: number
  /** Links inside the service, counted once for each page that has them. */
  links: number
  anchors: number
  /** Links to other hosts, which are not followed. */
  outside: number
  /** A sentence for each link without a target. */
  faults: string[]
}

function kindOf(type: string): Kind {
  if (type.startsWith('text/html')) return 'page'
  if (type.startsWith('text/css')) return 'style'
  if (type.startsWith('text/javascript')) return 'script'
  return type.startsWith('text/') ? 'text' : 'other'
}

const all = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map((match) => match[1]!)

/** What a reader can open, or a browser loads, from each kind of file. */
const addressesIn: Record<Kind, (text: string) => string[]> = {
  page: (text) => all(text, /<[a-z][^>]*?\s(?:href|src|poster)="([^"]+)"/g).map((address) => address.replaceAll('&amp;', '&')),
  style: (text) => [...all(text, /url\(["']?([^"')]+)/g), ...all(text, /@import\s+["']([^"']+)/g)],
  // The parts that a built script loads later.
  script: (text) => all(text, /["'`](\.\/[\w.-]+\.(?:js|css))["'`]/g),
  // Markdown outside of code blocks, and the fields of robots.txt and security.txt.
  text: (text) => [
    ...all(text.replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, ''), /\]\(([^)\s]+)\)/g),
    ...all(text, /^[A-Z][\w-]+: (https?:\S+)$/gm),
  ],
  other: () => [],
}

/** The dashboard finds its screens in the browser: every address below it answers with the same page. */
function isScreen(path: string): boolean {
  const screen = path.replace(/^\/dashboard(?:\/me\/test)?(?=\/)/, '')
  return screen === '/' || readFileSync(join(root, 'dashboard/src/merchant/routes.ts'), 'utf8').includes(`'${screen}',`)
}

/** Where a reader of the service begins: addresses that people type, and those that browsers and programs ask for by themselves. */
export function publicStarts(api: string, checkout: string, slug: string): string[] {
  const onBoth = ['/robots.txt', '/favicon.ico', '/.well-known/security.txt']
  const onApi = [
    '/',
    '/docs',
    '/docs/sw',
    '/reference',
    '/prices',
    '/dashboard',
    '/admin',
    '/llms.txt',
    '/openapi.json',
    ...onBoth,
  ]
  return [...onApi.map((path) => `${api}${path}`), ...[`/pay/${slug}`, ...onBoth].map((path) => `${checkout}${path}`)]
}

/**
 * Opens the addresses and everything that they lead to. `hosts` has the public addresses of the service, and where each answers
 * now.
 */
export async function crawl(starts: readonly string[], hosts: Readonly<Record<string, string>>): Promise<Crawl> {
  const answers = new Map<string, Answer | undefined>()
  const faults: string[] = []
  const links: Link[] = []
  let outside = 0

  async function open({ from, address }: Link): Promise<Answer | undefined> {
    const { origin, pathname, search } = new URL(address)
    const response = await fetch(`${hosts[origin]}${pathname}${search}`, { redirect: 'manual' })
    const text = await response.text()
    const target = response.headers.get('location')
    if (target !== null && [301, 302, 303, 307, 308].includes(response.status))
      return { kind: 'other', text: '', addresses: [new URL(target, address).href] }
    if (response.status !== 200) faults.push(`${from} leads to ${address}, which answers ${response.status}`)
    if (response.status !== 200) return undefined
    if (pathname.startsWith('/dashboard/') && !pathname.includes('.') && !isScreen(pathname))
      faults.push(`${from} leads to ${address}, which is no screen`)
    const kind = kindOf(response.headers.get('content-type') ?? '')
    const addresses = addressesIn[kind](text)
      .filter((found) => !/^(?:data|mailto|tel|blob):/.test(found))
      .map((found) => new URL(found, address).href)
    return { kind, text, addresses }
  }

  const waiting: Link[] = starts.map((address) => ({ from: 'the start', address }))
  for (let link = waiting.shift(); link !== undefined; link = waiting.shift()) {
    const url = new URL(link.address)
    if (hosts[url.origin] === undefined) {
      outside += 1
      continue
    }
    links.push(link)
    url.hash = ''
    if (answers.has(url.href)) continue
    const answer = await open({ ...link, address: url.href })
    answers.set(url.href, answer)
    for (const address of new Set(answer?.addresses)) waiting.push({ from: url.href, address })
  }

  const toAnchors = links.filter(({ address }) => new URL(address).hash !== '')
  for (const { from, address } of toAnchors) {
    const url = new URL(address)
    const id = decodeURIComponent(url.hash.slice(1))
    url.hash = ''
    const target = answers.get(url.href)
    // A text has no anchors for a browser; its reader searches for the words.
    if (target?.kind === 'page' && !target.text.includes(`id="${id}"`))
      faults.push(`${from} leads to ${address}, which has no such part`)
  }
  const opened = [...answers.values()].filter((answer) => answer !== undefined)
  const pages = opened.filter(({ kind }) => kind === 'page').length
  assert.ok(pages > 0, 'nothing was opened')
  return {
    pages,
    assets: opened.length - pages,
    links: links.length - starts.length,
    anchors: toAnchors.length,
    outside,
    faults,
  }
}
