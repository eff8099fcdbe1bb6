/**
 * HTTP routes of the documentation: pages, their Markdown, a search, and a list for programs. Invariant: a page runs no script,
 * loads only our style, and is the same for every reader.
 */
import { z } from 'zod'
import type { FastifyReply } from 'fastify'
import type { Config } from '../../config.ts'
import type { Http } from '../../platform/http/http.ts'
import { Refusal } from '../../platform/refusal.ts'
import { sections } from './contents.ts'
import { finderOf, type Finder } from './find-in-docs.ts'
import { hitsHtml, pageHtml } from './frame.ts'
import { policy, style } from './look.ts'
import { markdownAddress, readSite, type Site } from './site.ts'

export type DocsRouteDeps = { config: Pick<Config, 'urls'> }

const notInstalled = new Refusal(503, 'not_ready', 'The documentation is not installed here.')
const hidden = { schema: { hide: true } } as const
/** Public and the same for every reader; a new release is visible within minutes. */
const kept = 'public, max-age=300'

function llmsText(site: Site, apiUrl: string): string {
  const parts = sections.map(({ title, entries }) => {
    const pages = entries.flatMap(({ path }) => site.pages.get(path) ?? [])
    const lines = pages.map(({ path, title: name, about }) => `- [${name}](${apiUrl}${markdownAddress(path)}): ${about}`)
    return `## ${title}\n\n${lines.join('\n')}\n`
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

export async function docsRoutes(http: Http, { config }: DocsRouteDeps): Promise<void> {
  let reading: Promise<{ site: Site; find: Finder } | undefined> | undefined
  // Most test processes show no page, so the files are read only on the first request.
  async function installed(): Promise<{ site: Site; find: Finder }> {
    const read = await (reading ??= readSite().then((site) => site && { site, find: finderOf(site) }))
    if (read) return read
    reading = undefined
    throw notInstalled
  }
  const sendPage = (reply: FastifyReply, html: string): FastifyReply =>
    reply.type('text/html; charset=utf-8').header('content-security-policy', policy).header('cache-control', kept).send(html)
  const sendText = (reply: FastifyReply, text: string): FastifyReply =>
    reply.type('text/plain; charset=utf-8').header('cache-control', kept).send(text)

  http.get('/docs', hidden, async (_request, reply) => {
    const { site } = await installed()
    return sendPage(reply, pageHtml(site, site.pages.get('')!))
  })
  http.get('/docs/style.css', hidden, (_request, reply) =>
    reply.type('text/css; charset=utf-8').header('cache-control', 'public, max-age=31536000, immutable').send(style),
  )
  const question = z.object({ q: z.string().trim().max(100).default('') })
  http.get('/docs/search', { schema: { hide: true, querystring: question } }, async (request, reply) => {
    const { site, find } = await installed()
    return sendPage(reply, hitsHtml(site, request.query.q, find(request.query.q)))
  })
  http.get('/docs/pictures/:name', hidden, async (request, reply) => {
    const { site } = await installed()
    const picture = site.pictures.get((request.params as { name: string }).name)
    if (picture === undefined) throw noSuchPage
    return reply.type('image/svg+xml').header('cache-control', kept).send(picture)
  })
  http.get('/docs/*', hidden, async (request, reply) => {
    const { site } = await installed()
    const asked = (request.params as { '*': string })['*']
    const path = asked.replace(/\.md$/, '')
    const page = site.pages.get(path === 'index' ? '' : path)
    if (!page) throw noSuchPage
    return asked.endsWith('.md') ? sendText(reply, page.markdown) : sendPage(reply, pageHtml(site, page))
  })
  http.get('/llms.txt', hidden, async (_request, reply) => {
    const { site } = await installed()
    return sendText(reply, llmsText(site, config.urls.api))
  })
}
