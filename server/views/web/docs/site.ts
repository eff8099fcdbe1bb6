/** The pages of the documentation in each language, read from their files once and cached: their HTML, their Markdown, and their summary. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Language } from '../checkout/messages.ts'
import { entries, type Entry, type Section } from './contents.ts'
import { renderMarkdown, targetOf, textOf, type Heading, type Rendered } from './markdown.ts'

export type Page = Rendered & {
  path: string
  /** The language of its text, which is English where a page has no Swahili file. */
  language: Language
  title: string
  /** Its first paragraph. */
  about: string
  /** The source text; its links lead to the Markdown of other pages. */
  markdown: string
}

/** Stands in the Markdown for the address of the API that serves the page. */
export const exampleApiUrl = 'https://api.malipo.example'

/** All pages for readers of one language, and the drawings of both by their files. */
export type Site = {
  language: Language
  pages: ReadonlyMap<string, Page>
  pictures: ReadonlyMap<string, string>
  /** Another menu than that of the guides. */
  menu?: readonly Section[]
}

const root = join(import.meta.dirname, '../../../..')

export const home: Record<Language, string> = { en: '/docs', sw: '/docs/sw' }
export const pictureFolders: Record<Language, string> = { en: 'docs/pictures', sw: 'docs/sw/pictures' }

export function addressOf(path: string, language: Language): string {
  return path === '' ? home[language] : `${home[language]}/${path}`
}

export function searchAddress(question: string, language: Language): string {
  return `${home[language]}/search?q=${encodeURIComponent(question)}`
}

/** The Markdown of a page has the address of the page with `.md`. */
export function markdownAddress(path: string, language: Language): string {
  return `${home[language]}/${path || 'index'}.md`
}

const codeBlock = /^```(\w*)\n([\s\S]*?)^```$/gm

/** A translation with the code of its original: an empty block stands for the block at the same place there. */
export function withCodeOf(original: string, translation: string): string {
  const blocks = [...original.matchAll(codeBlock)].map(([block]) => block)
  let place = -1
  return translation.replaceAll(codeBlock, (block, _language: string, code: string) => {
    place += 1
    return code === '' ? (blocks[place] ?? block) : block
  })
}

/**
 * The same text, with links that lead to the Markdown of other pages. A link to a file of the repository, which has no address
 * here, becomes its words and the name of the file, as on the page.
 */
function withRawLinks(markdown: string, file: string, rawAddressOf: (file: string) => string | undefined): string {
  const codeOrLink = /^```[\s\S]*?^```|`[^`\n]+`|(!?)\[([^\]]*)\]\(([^)\s]+)\)/gm
  return markdown.replace(codeOrLink, (whole, mark: string | undefined, words: string, href: string) => {
    if (mark === undefined) return whole
    const [path, anchor] = href.split('#') as [string, string?]
    const target = path === '' ? undefined : targetOf(path, { file, addressOf: rawAddressOf })
    if (target === undefined) return whole
    if ('file' in target) {
      if (target.file.endsWith('.svg')) return `${mark}[${words}](/${target.file})`
      return words.replaceAll('`', '') === target.file ? words : `${words} (\`${target.file}\`)`
    }
    if (target.address === path) return whole
    return `${mark}[${words}](${target.address}${anchor === undefined ? '' : `#${anchor}`})`
  })
}

async function readPictures(): Promise<Map<string, string>> {
  const folders = await Promise.all(
    Object.values(pictureFolders).map(async (folder) =>
      (await readdir(join(root, folder))).filter((name) => name.endsWith('.svg')).map((name) => `${folder}/${name}`),
    ),
  )
  return new Map(
    await Promise.all(
      folders.flat().map(async (file): Promise<[string, string]> => [file, await readFile(join(root, file), 'utf8')]),
    ),
  )
}

function firstHeading(headings: Heading[]): string {
  return headings[0]?.text ?? ''
}

/** Undefined when the file is not installed. */
async function readFileOf(file: string, apiUrl: string): Promise<string | undefined> {
  try {
    return (await readFile(join(root, file), 'utf8')).replaceAll(exampleApiUrl, apiUrl)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

type Installed = Entry & { text: string; swahili: { file: string; text: string } | undefined }

/** Pages about a start on one's own machine write the ports that it has without settings. */
const localPages = new Set(['operations/local', 'operations/quick-start', 'tour'])

/** An address that the pages write, and the one of the service that shows them. */
export type OwnAddress = readonly [written: string, own: string]

async function readEntry(entry: Entry, apiUrl: string, local: readonly OwnAddress[]): Promise<Installed | undefined> {
  const { swahiliFile } = entry
  const readInstalled = async (file: string): Promise<string | undefined> => {
    const text = await readFileOf(file, apiUrl)
    const own = localPages.has(entry.path) ? local : []
    return text && own.reduce((changed, [written, address]) => changed.replaceAll(written, address), text)
  }
  const [text, swahili] = await Promise.all([readInstalled(entry.file), swahiliFile && readInstalled(swahiliFile)])
  if (text === undefined) return undefined
  return { ...entry, text, swahili: swahili ? { file: swahiliFile!, text: withCodeOf(text, swahili) } : undefined }
}

async function siteOf(language: Language, installed: readonly Installed[], pictures: Site['pictures']): Promise<Site> {
  const paths = new Map(
    installed.flatMap(({ file, path, swahili }) => [[file, path] as const, ...(swahili ? [[swahili.file, path] as const] : [])]),
  )
  const linked = (address: typeof addressOf) => (file: string) => {
    const path = paths.get(file)
    return path === undefined ? undefined : address(path, language)
  }
  const pages = new Map<string, Page>()
  for (const { path, file, name, text, swahili } of installed) {
    const context = { addressOf: linked(addressOf), pictureOf: (picture: string) => pictures.get(picture) }
    const english = renderMarkdown(text, { ...context, file, language: 'en' })
    const own = language === 'sw' ? swahili : undefined
    const ids = english.headings.map(({ id }) => id)
    const rendered = own ? renderMarkdown(own.text, { ...context, file: own.file, language, ids }) : english
    const about = textOf(/<p>([\s\S]*?)<\/p>/.exec(rendered.html)?.[1] ?? '').replaceAll('\n', ' ')
    const title = name ?? firstHeading(rendered.headings)
    const markdown = withRawLinks(own?.text ?? text, own?.file ?? file, linked(markdownAddress))
    pages.set(path, { ...rendered, path, language: own ? language : 'en', title, about, markdown })
    // Payments use the same process: a page takes some milliseconds.
    await setImmediate()
  }
  return { language, pages, pictures }
}

/** The pages whose files are installed: a release may omit the packages for integrators. Undefined without the first page. */
export async function readSites(apiUrl: string, local: readonly OwnAddress[] = []): Promise<Record<Language, Site> | undefined> {
  const installed = (await Promise.all(entries.map((entry) => readEntry(entry, apiUrl, local)))).filter(
    (entry) => entry !== undefined,
  )
  if (installed[0]?.path !== '') return undefined
  const pictures = await readPictures()
  return { en: await siteOf('en', installed, pictures), sw: await siteOf('sw', installed, pictures) }
}
