/**
 * The page of a local start, `/local`. Invariant: it exists only in local mode, and answers only under a name of this machine, because
 * it shows passwords, keys and one-time codes to every visitor.
 */
import type { FastifyReply } from 'fastify'
import type { Config } from '../../../config/config.ts'
import { codeAt } from '../../../accounts/identity/totp.ts'
import type { Clock } from '../../../platform/clock.ts'
import { wantsFile } from '../../../platform/http/csv.ts'
import type { Http } from '../../../platform/http/http.ts'
import { refuseOtherNames } from '../../../platform/http/local-names.ts'
import { assert, notFound } from '../../../platform/refusal.ts'
import { codeHtml, localHtml, policyOf } from './local-page.ts'
import { readDemo, type KeptDemo } from './kept-demo.ts'
import type { Html } from '../checkout/html.ts'

export type LocalDeps = {
  config: Pick<Config, 'mode' | 'urls' | 'mail' | 'dataDir'>
  clock: Clock
}

export async function localRoutes(http: Http, { config, clock }: LocalDeps): Promise<void> {
  assert(config.mode === 'local', 'the page of a local start is shown on a developer’s machine alone')
  const hidden = { schema: { hide: true }, onRequest: refuseOtherNames(config.urls.api) } as const

  function send(reply: FastifyReply, page: Html, demo: KeptDemo | undefined): FastifyReply {
    const simulator = demo && new URL(demo.simulator_url).origin
    return reply
      .headers({ 'content-security-policy': policyOf(simulator), 'cache-control': 'no-store', 'x-robots-tag': 'noindex' })
      .type('text/html; charset=utf-8')
      .send(page.text)
  }

  http.get('/local', hidden, async (_request, reply) => {
    const demo = await readDemo(config)
    return send(reply, localHtml({ urls: config.urls, demo, hasMailbox: config.mail.smtpUrl === undefined }), demo)
  })

  /** For a browser a frame that loads itself again when the code changes; for a program JSON. */
  http.get('/local/code', hidden, async (request, reply) => {
    const demo = await readDemo(config)
    if (!demo?.admin) throw notFound()
    const shown = codeAt(demo.admin.totp_secret, clock.now())
    if (!wantsFile(request, 'text/html')) return { data: { code: shown.code, seconds_left: shown.secondsLeft } }
    return send(reply.header('refresh', String(shown.secondsLeft)), codeHtml(shown), demo)
  })
}
