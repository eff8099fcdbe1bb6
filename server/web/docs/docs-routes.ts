/**
 * HTTP routes of the documentation: pages, their Markdown, a search, and a list for programs. Each language has its own addresses, so
 * that a page is the same for every reader. Invariant: a page runs no script and loads only our style.
 */
import { z } from 'zod'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import type { Http } from '../../platform/http/http.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { Language } from '../checkout/messages.ts'
import { sections } from './contents.ts'
import { finderOf, type Finder } from './find-in-docs.ts'
import { hitsHtml, pageHtml } from './frame.ts'
import { policy, style } from './look.ts'
import { addressOf, home, markdownAddress, pictureFolders, readSites, searchAddress, type Page, type Site } from './site.ts'

export type DocsRouteDeps = { config: Pick<Config, 'urls'> }

const notInstalled = new Refusal(503, 'not_ready', 'The documentation is not installed here.')
const hidden = { schema: { hide: true } } as const
/** Public and the same for every reader; a new release is visible within minutes. */
const kept = 'public, max-age=300'

function llmsText(site: Site, apiUrl: string): string {
  const parts = sections.map(({ title, entries }) => {
    const pages = entries.flatMap(({ path }) => site.pages.get(path) ?? [])
    const lines = pages.map(({ path, title: name, about }) => `- [${name}](${apiUrl}${markdownAddress(path, 'en')}): ${about}`)
    return `## ${title.en}\n\n${lines.join('\n')}\n`
  })
  return `# Malipo

> Mobile money payments for Tanzania over M-Pesa, Airtel Money, Mixx by Yas and HaloPesa: payment pages, checkout, wallets, payouts, signed webhooks.

The API as OpenAPI 3.1: ${apiUrl}/openapi.json

${parts.join('\n')}`
}

/** Logged as evidence: a client that scans for addresses also scans here. */
const noSuchPage = new Refusal(404, 'not_found', 'There is no such page of the documentation. It begins at /docs.', {
  evidence: { reason: 'unknown_route' },
})

const yearSeconds = 31_536_000
const choice = 'docs_language'

/** Swahili is remembered, English is the language without a choice. */
function choiceCookie(language: Language, apiUrl: string): string {
  const secure = apiUrl.startsWith('https://') ? '; Secure' : ''
  return `${choice}=sw; Path=/docs; Max-Age=${language === 'sw' ? yearSeconds : 0}; HttpOnly; SameSite=Lax${secure}`
}

const hasChosenSwahili = ({ headers }: FastifyRequest): boolean =>
  new RegExp(`(?:^|;\\s*)${choice}=sw(?:;|$)`).test(headers.cookie ?? '')

type Installed = Record<Language, { site: Site; find: Finder }>

async function readInstalled(): Promise<Installed | undefined> {
  const sites = await readSites()
  return sites && { en: { site: sites.en, find: finderOf(sites.en) }, sw: { site: sites.sw, find: finderOf(sites.sw) } }
}

export async function docsRoutes(http: Http, { config }: DocsRouteDeps): Promise<void> {
  let reading: Promise<Installed | undefined> | undefined
  // Most test processes show no page, so the files are read only on the first request.
  async function installed(): Promise<Installed> {
    const read = await (reading ??= readInstalled())
    if (read) return read
    reading = undefined
    throw notInstalled
  }
  const sendHtml = (reply: FastifyReply, html: string): FastifyReply =>
    reply.type('text/html; charset=utf-8').header('content-security-policy', policy).header('cache-control', kept).send(html)
  const sendText = (reply: FastifyReply, text: string): FastifyReply =>
    reply.type('text/plain; charset=utf-8').header('cache-control', kept).send(text)

  /** Stores the choice of a language, and leads to the plain address. */
  const choose = (reply: FastifyReply, language: Language, address: string): FastifyReply =>
    reply.headers({ 'set-cookie': choiceCookie(language, config.urls.api), 'cache-control': 'no-store' }).redirect(address, 303)

  /** With Swahili chosen, an English address leads to the Swahili one. */
  function sendPage(request: FastifyRequest, reply: FastifyReply, site: Site, page: Page): FastifyReply {
    const { lang } = request.query as { lang?: unknown }
    if (lang === 'en' || lang === 'sw') return choose(reply, lang, addressOf(page.path, lang))
    void reply.header('vary', 'cookie')
    if (site.language === 'en' && hasChosenSwahili(request)) {
      return reply.header('cache-control', 'no-store').redirect(addressOf(page.path, 'sw'), 302)
    }
    return sendHtml(reply, pageHtml(site, page))
  }

  http.get('/docs/style.css', hidden, (_request, reply) =>
    reply.type('text/css; charset=utf-8').header('cache-control', 'public, max-age=31536000, immutable').send(style),
  )
  const question = z.object({ q: z.string().trim().max(100).default(''), lang: z.enum(['en', 'sw']).optional() })
  for (const language of ['en', 'sw'] as const) {
    const base = home[language]
    http.get(base, hidden, async (request, reply) => {
      const { site } = (await installed())[language]
      return sendPage(request, reply, site, site.pages.get('')!)
    })
    http.get(`${base}/search`, { schema: { hide: true, querystring: question } }, async (request, reply) => {
      const { site, find } = (await installed())[language]
      const { q, lang } = request.query
      if (lang !== undefined) return choose(reply, lang, searchAddress(q, lang))
      return sendHtml(reply, hitsHtml(site, q, find(q)))
    })
    http.get(`${base}/pictures/:name`, hidden, async (request, reply) => {
      const { site } = (await installed())[language]
      const picture = site.pictures.get(`${pictureFolders[language]}/${(request.params as { name: string }).name}`)
      if (picture === undefined) throw noSuchPage
      return reply.type('image/svg+xml').header('cache-control', kept).send(picture)
    })
    http.get(`${base}/*`, hidden, async (request, reply) => {
      const { site } = (await installed())[language]
      const asked = (request.params as { '*': string })['*']
      const path = asked.replace(/\.md$/, '')
      const page = site.pages.get(path === 'index' ? '' : path)
      if (!page) throw noSuchPage
      return asked.endsWith('.md') ? sendText(reply, page.markdown) : sendPage(request, reply, site, page)
    })
  }
  http.get('/llms.txt', hidden, async (_request, reply) => {
    const { site } = (await installed()).en
    return sendText(reply, llmsText(site, config.urls.api))
  })
}
