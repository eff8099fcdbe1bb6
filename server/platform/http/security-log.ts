/**
 * Logs suspected attacks: one line for each refusal of a kind that operators must see. Invariant: a line contains the code, our
 * ids, the route's template, and the sender only as a keyed hash; and a minute has a limited number of lines, of which a single
 * source gets at most a tenth, so that an attacker cannot hide among many lines.
 */
import type { Clock } from '../clock.ts'
import { hmacSha256 } from '../crypto/keyed.ts'
import { networkOf } from './limits.ts'
import type { Log } from '../process/log.ts'
import type { Refusal } from '../refusal.ts'

/** The request that was refused: never with a path, a header or a body, because each of them may contain a secret. */
export type RefusedRequest = {
  requestId: string
  /** Method and template, for example `GET /v1/payments/:reference/status`. */
  route: string
  ip: string
  /** The key or person that the request is proven to come from. */
  actor: string | null
}

export type SecurityLog = { note(refusal: Refusal, request: RefusedRequest): void }

export type SecurityLogOptions = { log: Log; clock: Clock; hashKey: Buffer; linesPerMinute: number }

/** Codes that are logged for every caller. Other refusals are logged when they carry `evidence`. */
const suspiciousCodes = new Set([
  'session_inactive',
  'invalid_credentials',
  'invalid_challenge',
  'token_invalid',
  'invalid_api_key',
  'api_key_revoked',
  'api_key_expired',
  'ip_not_allowed',
  'origin_not_allowed',
  'insufficient_role',
  'insufficient_scope',
  'admin_required',
  'two_factor_required',
  'self_review_forbidden',
  'self_approval_forbidden',
  'rate_limited',
  'phone_busy',
  'cursor_invalid',
  'document_url_invalid',
  'document_content_mismatch',
  'document_active_content',
  'document_infected',
  'document_too_complex',
  'signature_required',
  'signature_invalid',
  'address_used',
  'not_your_view',
  'event_changed',
])

function isSuspicious({ code, detail }: Refusal, { actor }: RefusedRequest): boolean {
  // Ids cannot be guessed: a signed-in caller that asks for another owner's object has the id from somewhere.
  return detail.evidence !== undefined || suspiciousCodes.has(code) || (code === 'not_found' && actor !== null)
}

const minuteMs = 60_000

export function createSecurityLog({ log, clock, hashKey, linesPerMinute }: SecurityLogOptions): SecurityLog {
  const linesPerSource = Math.ceil(linesPerMinute / 10)
  const linesOfSource = new Map<string, number>()
  let minute = 0
  let lines = 0
  let withheld = 0

  function beginMinute(now: number): void {
    if (now === minute) return
    if (withheld > 0) log.warn('security.lines_withheld', { count: withheld })
    minute = now
    lines = 0
    withheld = 0
    linesOfSource.clear()
  }

  return {
    note(refusal, request) {
      if (!isSuspicious(refusal, request)) return
      beginMinute(Math.floor(clock.now() / minuteMs))
      const source = hmacSha256(hashKey).update(networkOf(request.ip)).digest('base64url').slice(0, 16)
      const ofSource = linesOfSource.get(source) ?? 0
      if (lines >= linesPerMinute || ofSource >= linesPerSource) {
        withheld += 1
        return
      }
      lines += 1
      linesOfSource.set(source, ofSource + 1)
      log.warn('security.refused', {
        code: refusal.code,
        status: refusal.httpStatus,
        route: request.route,
        request_id: request.requestId,
        source,
        ...(request.actor !== null && { actor: request.actor }),
        ...refusal.detail.evidence,
      })
    },
  }
}
