/**
 * Calls to ClickPesa with the account's token, which is exchanged when necessary. Invariant: one deadline for a call and its exchanges, and
 * one exchange at a time.
 */
import { decodeJwt } from 'jose'
import { systemClock, type Clock } from '../../platform/clock.ts'
import { createJsonClient, type JsonCall, type JsonMethod } from '../../platform/outbound/json-client.ts'
import { isSuccess, tokenData, troubleOf } from './clickpesa-data.ts'
import { waitOf } from './provider-fields.ts'
import type { Trouble } from './provider.ts'

export type ClickPesaCallerOptions = {
  baseUrl: string
  clientId: string
  apiKey: string
  timeoutMs: number
  maxResponseBytes: number
  connections: number
  clock?: Clock
}

/** How long a token is valid if the token itself does not say so. */
const tokenSeconds = 3600
/** A token is exchanged this long before its end, or after nine tenths of a short life, so that no call is in flight when it ends. */
const tokenMarginSeconds = 300

/** The outcome of a call that failed before it reached its own endpoint. */
export type Unreached = { kind: 'unreached'; afterMs: number; reason: string; trouble: Trouble }

/** Makes calls with the account's token, which is exchanged when necessary. */
export function createCaller(options: ClickPesaCallerOptions) {
  const { clock = systemClock, timeoutMs } = options
  const client = createJsonClient(options)
  let held: { text: string; untilMs: number } | undefined
  let exchanging: Promise<string | Unreached> | undefined

  async function exchange(): Promise<string | Unreached> {
    const result = await client.call('POST', '/generate-token', {
      headers: { 'client-id': options.clientId, 'api-key': options.apiKey },
      // A call may need two exchanges, and all of it ends by one deadline.
      timeoutMs: timeoutMs / 3,
    })
    const outage = { kind: 'unreached', afterMs: 5_000, trouble: 'outage' } as const
    if (result.kind !== 'answered') return { ...outage, reason: `token_${result.reason}` }
    const { answer } = result
    if (answer.status === 429) return { ...outage, afterMs: waitOf(answer, 'retry-after'), reason: 'token_rate_limited' }
    const given = isSuccess(answer) ? tokenData.safeParse(answer.body) : undefined
    if (!given?.success) return { ...outage, ...troubleOf(answer), reason: `token_http_${answer.status}` }
    // Tokens have been seen without the word that the documentation puts before them.
    const token = given.data.token.startsWith('Bearer ') ? given.data.token : `Bearer ${given.data.token}`
    held = { text: token, untilMs: clock.now() + usableSeconds(token) * 1000 }
    return token
  }

  /** The lifetime by the token's own claims; with `iat`, if present, the result does not depend on the provider's clock. */
  function usableSeconds(token: string): number {
    let seconds = tokenSeconds
    try {
      const { iat = clock.now() / 1000, exp } = decodeJwt(token.slice('Bearer '.length))
      if (exp !== undefined && exp > iat) seconds = exp - iat
    } catch {
      // A token that is no JWT is valid as long as the documentation says.
    }
    return seconds - Math.min(tokenMarginSeconds, seconds / 10)
  }

  /** The held token, or a new one; one exchange at a time. */
  async function readToken(refused?: string): Promise<string | Unreached> {
    // Another call may already have exchanged the refused token.
    if (held && held.text === refused) held = undefined
    if (held && clock.now() < held.untilMs) return held.text
    exchanging ??= exchange().finally(() => (exchanging = undefined))
    return exchanging
  }

  /**
   * One call with a token. A 401 proves that nothing was started, so the same request is sent again with a new token. One deadline
   * for everything.
   */
  async function call(
    method: JsonMethod,
    path: string,
    { body, maxResponseBytes, withinMs = timeoutMs }: { body?: string; maxResponseBytes?: number; withinMs?: number } = {},
  ): Promise<JsonCall | Unreached> {
    const startedAt = performance.now()
    const attempt = (token: string): Promise<JsonCall> =>
      client.call(method, path, {
        headers: { authorization: token },
        ...(body !== undefined && { body }),
        ...(maxResponseBytes !== undefined && { maxResponseBytes }),
        timeoutMs: withinMs - (performance.now() - startedAt),
      })
    const token = await readToken()
    if (typeof token !== 'string') return token
    const first = await attempt(token)
    if (first.kind !== 'answered' || first.answer.status !== 401) return first
    const renewed = await readToken(token)
    return typeof renewed === 'string' ? attempt(renewed) : first
  }

  return { call, close: () => client.close() }
}
