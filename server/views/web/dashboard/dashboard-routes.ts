/**
 * HTTP routes of the two dashboards: their pages and files. Invariant: a page runs only our scripts and styles, connects only to
 * us, cannot be framed and is not cached; a file never changes under its name, so every cache may keep it.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../../config/config.ts'
import { permissionsPolicyWith, type Http } from '../../../platform/http/http.ts'
import { encodings } from '../../../platform/http/public-file.ts'
import { orNotFound, Refusal } from '../../../platform/refusal.ts'
import { readBuiltFiles, type BuiltFiles } from './built-files.ts'
import { firstLinks } from './first-files.ts'
import { offlinePage, offlinePolicy, tillIcon, tillManifest, tillWorker } from './till-files.ts'

export type DashboardRouteDeps = { config: Pick<Config, 'urls'> }

const builtFolder = join(import.meta.dirname, '../../../../dashboard/dist')
/** Placeholder in the built pages for the nonce of an answer. */
const noncePlace = 'CSP_NONCE'
/** The beginning of the module that starts the app. */
const firstScript = '<script type="module"'

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
    `manifest-src 'self'`,
    `worker-src 'self'`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ')
}

/** The till fills the screen and keeps it on. */
const devicePolicies = { merchant: permissionsPolicyWith(['fullscreen', 'screen-wake-lock']), admin: permissionsPolicyWith([]) }

/** A day: the files have no hash in their names. */
const dayCache = 'public, max-age=86400'

function tillRoutes(http: Http): void {
  http.get('/dashboard/till.webmanifest', { schema: { hide: true } }, (_request, reply) =>
    reply.type('application/manifest+json').header('cache-control', dayCache).send(JSON.stringify(tillManifest)),
  )
  for (const side of [192, 512]) {
    let icon: Promise<Buffer> | undefined
    http.get(`/dashboard/till-icon-${side}.png`, { schema: { hide: true } }, async (_request, reply) =>
      reply
        .type('image/png')
        .header('cache-control', dayCache)
        .send(await (icon ??= tillIcon(side))),
    )
  }
  // A worker obeys the policy of its own file. Browsers look for a new one themselves.
  http.get('/dashboard/till-worker.js', { schema: { hide: true } }, (_request, reply) =>
    reply
      .type('text/javascript; charset=utf-8')
      .header('content-security-policy', `default-src 'none'; connect-src 'self'`)
      .header('cache-control', 'no-cache')
      .send(tillWorker),
  )
  http.get('/dashboard/till-offline', { schema: { hide: true } }, (_request, reply) =>
    reply.type('text/html; charset=utf-8').header('content-security-policy', offlinePolicy).send(offlinePage),
  )
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

  async function sendPage(app: keyof BuiltFiles['pages'], request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { html, manifest } = (await built()).pages[app]
    // Only whether there is one: the page is the same for everybody, and its scripts use the cookie.
    const hasCookie = (request.headers.cookie ?? '').includes(`malipo_${app}`)
    const links = firstLinks({ app, path: request.url.split('?')[0]!, hasCookie }, manifest)
    const nonce = randomBytes(18).toString('base64url')
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', policyOf(nonce, config.urls.storage))
      .header('permissions-policy', devicePolicies[app])
      .send(html.replace(firstScript, (script) => `${links}${script}`).replaceAll(noncePlace, nonce))
  }

  http.get('/dashboard/assets/:name', { schema: { hide: true } }, async (request, reply) => {
    const { assets } = await built()
    const file = orNotFound(assets.get((request.params as { name: string }).name))
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

  tillRoutes(http)

  // The page reads its route from its address: every address of a dashboard serves the same page.
  for (const path of ['/dashboard', '/dashboard/*'])
    http.get(path, { schema: { hide: true } }, (request, reply) => sendPage('merchant', request, reply))
  for (const path of ['/admin', '/admin/*'])
    http.get(path, { schema: { hide: true } }, (request, reply) => sendPage('admin', request, reply))
}
