/**
 * HTTP routes of the two dashboards: their pages and files. Invariant: a page runs only our scripts and styles, connects only to
 * us, cannot be framed and is not cached; a file never changes under its name, so every cache may keep it.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { FastifyReply } from 'fastify'
import type { Config } from '../../config.ts'
import type { Http } from '../../platform/http/http.ts'
import { encodings } from '../../platform/http/public-file.ts'
import { notFound, Refusal } from '../../platform/refusal.ts'
import { readBuiltFiles, type BuiltFiles } from './built-files.ts'

export type DashboardRouteDeps = { config: Pick<Config, 'urls'> }

const builtFolder = join(import.meta.dirname, '../../../dashboard/dist')
/** Placeholder in the built pages for the nonce of an answer. */
const noncePlace = 'CSP_NONCE'

const notBuilt = new Refusal(503, 'not_ready', 'The dashboards are not built. Run: node scripts/ensure-dashboard.mjs')

/** Documents go directly to the document host; files shown before upload, or loaded from that host, are blobs of the page. */
function policyOf(nonce: string, storageUrl: string): string {
  return [
    `default-src 'none'`,
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    `style-src-attr 'none'`,
    `font-src 'self'`,
    `img-src 'self' data: blob:`,
    `connect-src 'self' ${new URL(storageUrl).origin}`,
    `frame-src blob:`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ')
}

export async function dashboardRoutes(http: Http, { config }: DashboardRouteDeps): Promise<void> {
  let reading: Promise<BuiltFiles | undefined> | undefined
  // Most test processes show no page, so the files are read only on the first request.
  const built = async (): Promise<BuiltFiles> => {
    const files = await (reading ??= readBuiltFiles(builtFolder))
    if (files) return files
    reading = undefined
    throw notBuilt
  }

  async function sendPage(face: keyof BuiltFiles['pages'], reply: FastifyReply): Promise<FastifyReply> {
    const { pages } = await built()
    const nonce = randomBytes(18).toString('base64url')
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', policyOf(nonce, config.urls.storage))
      .send(pages[face].replaceAll(noncePlace, nonce))
  }

  http.get('/dashboard/assets/:name', { schema: { hide: true } }, async (request, reply) => {
    const { assets } = await built()
    const file = assets.get((request.params as { name: string }).name)
    if (!file) throw notFound()
    const accepted = request.headers['accept-encoding'] ?? ''
    const encoding = encodings.find((name) => file.compressed[name] && accepted.includes(name))
    if (encoding) void reply.header('content-encoding', encoding)
    return reply
      .type(file.type)
      .header('vary', 'accept-encoding')
      .header('cache-control', 'public, max-age=31536000, immutable')
      .send(encoding ? file.compressed[encoding] : file.bytes)
  })

  // The dashboards link to the notice on their own host, whose address they know.
  http.get('/privacy', { schema: { hide: true } }, (request, reply) => {
    const { lang } = request.query as { lang?: unknown }
    return reply.redirect(`${config.urls.checkout}/privacy${lang === 'en' || lang === 'sw' ? `?lang=${lang}` : ''}`, 302)
  })

  // The page reads its route from its address: every address of a dashboard serves the same page.
  for (const path of ['/dashboard', '/dashboard/*'])
    http.get(path, { schema: { hide: true } }, (_request, reply) => sendPage('merchant', reply))
  for (const path of ['/admin', '/admin/*'])
    http.get(path, { schema: { hide: true } }, (_request, reply) => sendPage('admin', reply))
}
