/** The front door of the API host, and the small files that browsers, crawlers and security researchers ask every host for. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../../config/config.ts'
import type { Networks } from '../../../money/controls/read-networks.ts'
import { languageOf } from '../../../collect/payments/payer-language.ts'
import type { Clock } from '../../../platform/clock.ts'
import { wantsFile } from '../../../platform/http/csv.ts'
import type { Http } from '../../../platform/http/http.ts'
import { publicFile, sendPublicFile, type PublicFile } from '../../../platform/http/public-file.ts'
import type { Html } from '../checkout/html.ts'
import type { Language } from '../checkout/messages.ts'
import { policy } from './front-frame.ts'
import { frontHtml } from './front-page.ts'
import { iconFile } from './icon.ts'
import { missingHtml } from './missing-page.ts'
import { pricesOf, type PriceDeps } from './price-facts.ts'
import { pricesHtml } from './prices-page.ts'

export type FrontDeps = PriceDeps & {
  config: Pick<Config, 'urls' | 'mode' | 'disclosure'>
  clock: Clock
  networks: Pick<Networks, 'view'>
  version: string
}

const hidden = { schema: { hide: true } } as const
const keptForAnHour = 'public, max-age=3600'
const dayMs = 86_400_000

const html = 'text/html; charset=utf-8'

const send = (reply: FastifyReply, page: Html): FastifyReply =>
  reply.type(html).header('content-security-policy', policy).send(page.text)

/** A page of the documentation says its language in its address. */
export function sendMissing(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const language = /^\/docs\/sw(?:[/?]|$)/.test(request.url) ? 'sw' : readLanguage(request)
  return send(reply.header('vary', 'accept, accept-language'), missingHtml(language))
}

/** `GET /`: a page for browsers, JSON for programs. `GET /prices`: prices and limits. */
export async function frontRoutes(http: Http, { config, networks, providers, version }: FrontDeps): Promise<void> {
  const { api } = config.urls
  http.get('/', hidden, (request, reply) => {
    void reply.headers({ 'cache-control': 'public, max-age=30', vary: 'accept, accept-language' })
    if (!wantsFile(request, 'text/html')) {
      return {
        data: {
          name: 'Malipo',
          version,
          docs_url: `${api}/docs`,
          reference_url: `${api}/reference`,
          openapi_url: `${api}/openapi.json`,
          dashboard_url: `${api}/dashboard/`,
          prices_url: `${api}/prices`,
          networks_url: `${api}/v1/networks`,
          health_url: `${api}/readyz`,
        },
      }
    }
    const page = frontHtml({ language: readLanguage(request), networks: networks.view('live'), isLocal: config.mode === 'local' })
    return send(reply, page)
  })

  const facts = pricesOf({ config, providers })
  const prices: Partial<Record<Language, PublicFile>> = {}
  http.get('/prices', hidden, (request, reply) => {
    const language = readLanguage(request)
    const file = (prices[language] ??= publicFile(html, pricesHtml(language, facts).text))
    void reply.headers({ 'content-security-policy': policy, vary: 'accept-language' })
    return sendPublicFile(file, request, reply, 'public, max-age=300')
  })
}

function readLanguage(request: FastifyRequest): Language {
  const { lang } = request.query as { lang?: unknown }
  return languageOf({ chosen: lang, acceptLanguage: request.headers['accept-language'] })
}

/** Crawlers read the documentation. Pages for one payer say `noindex` themselves, which a crawler must be able to read. */
const robots = {
  api: 'User-agent: *\nDisallow: /v1/\nDisallow: /developers/\nDisallow: /dashboard\nDisallow: /admin\n',
  checkout: 'User-agent: *\nAllow: /\n',
  storage: 'User-agent: *\nDisallow: /\n',
} as const

/** `favicon.ico`, `robots.txt` and, except on the document host, `security.txt` (RFC 9116). */
export async function hostFileRoutes(
  http: Http,
  host: keyof typeof robots,
  { config, clock }: Pick<FrontDeps, 'config' | 'clock'>,
): Promise<void> {
  const icon = publicFile('image/x-icon', iconFile())
  const crawlers = publicFile('text/plain; charset=utf-8', robots[host])
  http.get('/favicon.ico', hidden, (request, reply) => sendPublicFile(icon, request, reply, 'public, max-age=86400'))
  http.get('/robots.txt', hidden, (request, reply) => sendPublicFile(crawlers, request, reply, keptForAnHour))
  if (host === 'storage') return
  http.get('/.well-known/security.txt', hidden, (_request, reply) => {
    const { contact, validDays } = config.disclosure
    const expires = new Date(clock.now() + validDays * dayMs).toISOString()
    const lines = [
      `Contact: ${contact}`,
      `Expires: ${expires}`,
      'Preferred-Languages: sw, en',
      `Canonical: ${config.urls[host]}/.well-known/security.txt`,
    ]
    return reply
      .type('text/plain; charset=utf-8')
      .header('cache-control', keptForAnHour)
      .send(`${lines.join('\n')}\n`)
  })
}
