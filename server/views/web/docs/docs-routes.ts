/**
 * HTTP routes of the documentation: pages, their Markdown, a search, and a list for programs. Each language has its own addresses, so
 * that a page is the same for every reader. Invariant: a page loads only our style and our script, whose one request is the search; the form of
 * the reference also sends requests to this host.
 */
import { textTyped } from '../../../domain/typed.ts'
import { z } from 'zod'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type {} from '@fastify/swagger'
import type { Config } from '../../../config/config.ts'
import { payerLanguages, payerLanguageSchema } from '../../../domain/language.ts'
import type { Http } from '../../../platform/http/http.ts'
import { networkOf, type Limit } from '../../../platform/http/limits.ts'
import { publicFile, sendPublicFile, type PublicFile } from '../../../platform/http/public-file.ts'
import { Refusal } from '../../../platform/refusal.ts'
import type { Language } from '../checkout/messages.ts'
import { pricesOf, type PriceDeps } from '../front/price-facts.ts'
import { pricesHtml, pricesTitle } from '../front/prices-page.ts'
import { forMerchants, type OpenApi } from '../../description/document.ts'
import { sections } from './contents.ts'
import { finderOf, type Finder } from './find-in-docs.ts'
import { hitsHtml, pageHtml } from './frame.ts'
import { textOf } from './markdown.ts'
import { policy, styleFile } from './look.ts'
import { readReference, referencePath } from './reference-pages.ts'
import { scriptFile } from './script.ts'
import { sendScriptFile, sendStyleFile } from './send-form.ts'
import {
  addressOf,
  home,
  markdownAddress,
  pictureFolders,
  readSites,
  searchAddress,
  type OwnAddress,
  type Page,
  type Site,
} from './site.ts'

export type DocsRouteDeps = PriceDeps & {
  config: Pick<Config, 'urls' | 'mode' | 'providers'>
  limits: { docsSearch: Limit }
}

const notInstalled = new Refusal(503, 'not_ready', 'The documentation is not installed here.')
const hidden = { schema: { hide: true } } as const
/** Public and the same for every reader; a new release is visible within minutes. */
const kept = 'public, max-age=300'
const keptForever = 'public, max-age=31536000, immutable'
const html = 'text/html; charset=utf-8'
const plain = 'text/plain; charset=utf-8'
const hitsWhileTyping = 7
const saidOfPrices = 'fee for the merchant, fees, cost, charges, commission, how much, gharama, makato'

function llmsText(site: Site, apiUrl: string): string {
  const parts = sections.map(({ title, entries }) => {
    const pages = entries.flatMap(({ path }) => site.pages.get(path) ?? [])
    const lines = pages.map(({ path, title: name, about }) => `- [${name}](${apiUrl}${markdownAddress(path, 'en')}): ${about}`)
    return `## ${title.en}\n\n${lines.join('\n')}\n`
  })
  return `# Malipo

> Mobile money payments for Tanzania over M-Pesa, Airtel Money, Mixx by Yas and HaloPesa: payment pages, checkout, wallets, payouts, signed webhooks.

The API for merchants as OpenAPI 3.1: ${apiUrl}/openapi-merchants.json. Every operation, also those of the dashboards: ${apiUrl}/openapi.json

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

type Shown = {
  site: Site
  reference: Site
  find: Finder
  /** What was asked for, by its name below the first page: each is compressed once. */
  files: Map<string, PublicFile>
}
type Installed = Record<Language, Shown>

/** Other addresses than of this machine are no links of our pages: such a start shows what is written. */
function ownAddresses({ config: { mode, urls, providers } }: DocsRouteDeps): OwnAddress[] {
  if (mode !== 'local') return []
  const own = [urls.api, urls.checkout, urls.storage, providers.test.snippe?.baseUrl]
  return own.flatMap((address, place) =>
    address?.startsWith('http://127.0.0.1:') ? [[`http://127.0.0.1:${3000 + place}`, address]] : [],
  )
}

async function readInstalled(http: Http, deps: DocsRouteDeps): Promise<Installed | undefined> {
  const sites = await readSites(deps.config.urls.api, ownAddresses(deps))
  if (!sites) return undefined
  const facts = pricesOf(deps)
  const reference = await readReference(forMerchants(http.swagger() as OpenApi), deps.config.urls.api)
  const show = async (site: Site): Promise<Shown> => {
    const { language } = site
    const text = textOf(pricesHtml(language, facts).text.split('<main>')[1]!.replaceAll('<', ' <'))
    const prices = { address: `/prices?lang=${language}`, language, title: pricesTitle[language], text, also: saidOfPrices }
    const { site: operations, passages } = reference[language]
    return { site, reference: operations, find: await finderOf(site, [prices, ...passages]), files: new Map() }
  }
  return { en: await show(sites.en), sw: await show(sites.sw) }
}

function fileOf({ files }: Shown, name: string, type: string, content: () => string): PublicFile {
  const file = files.get(name) ?? publicFile(type, content())
  files.set(name, file)
  return file
}

export async function docsRoutes(http: Http, deps: DocsRouteDeps): Promise<void> {
  const { config } = deps
  let reading: Promise<Installed | undefined> | undefined
  // Most test processes show no page, so the files are read only on the first request.
  async function installed(): Promise<Installed> {
    const read = await (reading ??= readInstalled(http, deps))
    if (read) return read
    reading = undefined
    throw notInstalled
  }

  /** Stores the choice of a language, and leads to the plain address. */
  const choose = (reply: FastifyReply, language: Language, address: string): FastifyReply =>
    reply.headers({ 'set-cookie': choiceCookie(language, config.urls.api), 'cache-control': 'no-store' }).redirect(address, 303)

  /** With Swahili chosen, an English address leads to the Swahili one. */
  function sendPage(
    request: FastifyRequest,
    reply: FastifyReply,
    shown: Shown,
    page: Page,
  ): FastifyReply | Promise<FastifyReply> {
    const { site, reference } = shown
    const { lang } = request.query as { lang?: unknown }
    if (lang === 'en' || lang === 'sw') return choose(reply, lang, addressOf(page.path, lang))
    void reply.header('vary', 'cookie')
    if (site.language === 'en' && hasChosenSwahili(request)) {
      return reply.header('cache-control', 'no-store').redirect(addressOf(page.path, 'sw'), 302)
    }
    const file = fileOf(shown, page.path, html, () => pageHtml(reference.pages.has(page.path) ? reference : site, page))
    return sendPublicFile(file, request, reply.header('content-security-policy', policy), kept)
  }

  const assets = { 'style.css': styleFile, 'script.js': scriptFile, 'send.css': sendStyleFile, 'send.js': sendScriptFile }
  for (const [name, file] of Object.entries(assets)) {
    http.get(`/docs/${name}`, hidden, (request, reply) => {
      // During an upgrade a page of the other version may ask here: its cache must not keep our bytes under the address of other ones.
      const isAsked = (request.query as { v?: unknown }).v === file.hash
      return sendPublicFile(file, request, reply, isAsked ? keptForever : 'no-store')
    })
  }
  http.get('/reference', hidden, (_request, reply) => reply.redirect(`${home.en}/${referencePath}`, 301))
  const question = z.object({ q: z.string().overwrite(textTyped).max(100).default(''), lang: payerLanguageSchema.optional() })
  for (const language of payerLanguages) {
    const base = home[language]
    http.get(base, hidden, async (request, reply) => {
      const shown = (await installed())[language]
      return sendPage(request, reply, shown, shown.site.pages.get('')!)
    })
    http.get(`${base}/search`, { schema: { hide: true, querystring: question } }, async (request, reply) => {
      await deps.limits.docsSearch.take(networkOf(request.ip), reply)
      const { site, find } = (await installed())[language]
      const { q, lang } = request.query
      if (lang !== undefined) return choose(reply, lang, searchAddress(q, lang))
      void reply.headers({ 'content-security-policy': policy, 'cache-control': kept })
      return reply.type(html).send(hitsHtml(site, q, find(q)))
    })
    http.get(`${base}/search.json`, { schema: { hide: true, querystring: question } }, async (request, reply) => {
      await deps.limits.docsSearch.take(networkOf(request.ip), reply)
      const { find } = (await installed())[language]
      return reply.header('cache-control', kept).send({ data: find(request.query.q, hitsWhileTyping) })
    })
    http.get(`${base}/pictures/:name`, hidden, async (request, reply) => {
      const shown = (await installed())[language]
      const name = `${pictureFolders[language]}/${(request.params as { name: string }).name}`
      const picture = shown.site.pictures.get(name)
      if (picture === undefined) throw noSuchPage
      return sendPublicFile(
        fileOf(shown, name, 'image/svg+xml', () => picture),
        request,
        reply,
        kept,
      )
    })
    http.get(`${base}/*`, hidden, async (request, reply) => {
      const shown = (await installed())[language]
      const asked = (request.params as { '*': string })['*']
      const path = asked.replace(/\.md$/, '')
      const page = shown.site.pages.get(path === 'index' ? '' : path) ?? shown.reference.pages.get(path)
      if (!page) throw noSuchPage
      if (!asked.endsWith('.md')) return sendPage(request, reply, shown, page)
      const file = fileOf(shown, asked, plain, () => page.markdown)
      return sendPublicFile(file, request, reply, kept)
    })
  }
  http.get('/llms.txt', hidden, async (request, reply) => {
    const { en } = await installed()
    const file = fileOf(en, 'llms.txt', plain, () => llmsText(en.site, config.urls.api))
    return sendPublicFile(file, request, reply, kept)
  })
}
