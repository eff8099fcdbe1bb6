/**
 * What the answer to a form keeps over the redirect to a page, so that Back and reload show a page and never ask to send the form again.
 * Invariant: it stays sealed in a cookie of this browser, for this one page and a few minutes, and nothing of it stands in an address. A
 * browser without cookies gets the answer itself, without a redirect.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Config } from '../../../config/config.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Sealer } from '../../../platform/crypto/secrets.ts'
import { forgetCookie, keptCookie, readKeptCookie } from './cookies.ts'
import type { Language } from './messages.ts'

export type KeptDeps = { clock: Clock; sealer: Sealer; config: Pick<Config, 'urls'> }

/** On a shared phone, the next person must not find what was typed. */
const keptSeconds = 300
/** Browsers drop a cookie above 4,096 bytes. */
const maxCookieValue = 3_800

const envelope = z.object({ atMs: z.number(), answer: z.unknown() })

const contextOf = (path: string): string => `checkout form ${path}`

/** Without its query. */
export const pathOf = (request: FastifyRequest): string => request.url.replace(/^\/+/, '/').split('?')[0]!

/**
 * Answers with a redirect to the page at `path`, which then shows `answer`. False: this browser cannot keep it, so that the caller answers
 * at once. Every page sets a cookie, so that a browser that sends none back keeps none.
 */
export function redirectWith(
  { clock, sealer, config }: KeptDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { path, language, answer }: { path: string; language: Language; answer: unknown },
): boolean {
  if (request.headers.cookie === undefined) return false
  const sealed = sealer.seal(JSON.stringify({ atMs: clock.now(), answer }), contextOf(path))
  if (sealed.length > maxCookieValue) return false
  void reply
    .code(303)
    .header('location', `${path}?lang=${language}&form=again`)
    .header('set-cookie', keptCookie(sealed, path, config.urls.checkout, keptSeconds))
    .send()
  return true
}

/** Whether the address asks for a kept answer: a page that is opened in any other way shows none. */
const isAsked = (request: FastifyRequest): boolean => (request.query as { form?: unknown }).form === 'again'

/** What a redirect kept for this page, if it has this shape; undefined if it is too old, or not of this page. */
export function readKept<Answer>(
  { clock, sealer }: KeptDeps,
  request: FastifyRequest,
  shape: z.ZodType<Answer>,
): Answer | undefined {
  if (!isAsked(request)) return undefined
  for (const sealed of readKeptCookie(request.headers.cookie)) {
    const opened = openOne(sealer, sealed, contextOf(pathOf(request)))
    const isFresh = opened !== undefined && Math.abs(clock.now() - opened.atMs) <= keptSeconds * 1000
    const answer = isFresh ? shape.safeParse(opened.answer).data : undefined
    if (answer !== undefined) return answer
  }
  return undefined
}

function openOne(sealer: Sealer, sealed: string, context: string): z.infer<typeof envelope> | undefined {
  try {
    return envelope.parse(JSON.parse(sealer.open(sealed, context)))
  } catch {
    // From another page, changed, or sealed under a key that is gone: the page opens as if nothing was kept.
    return undefined
  }
}

/** Once the payment has started, or the page was opened again, nothing typed stays. */
export function forgetKept({ config }: KeptDeps, request: FastifyRequest, reply: FastifyReply, path: string): void {
  if (isAsked(request) || readKeptCookie(request.headers.cookie).length === 0) return
  void reply.header('set-cookie', forgetCookie(path, config.urls.checkout))
}
