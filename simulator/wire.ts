/**
 * Snippe's answer formats: envelopes, money, times, error codes in two dialects. Invariant: every /v1 answer has one of the
 * documented envelopes.
 */

export const apiVersion = '2026-01-25'

export const money = (value: number): { value: number; currency: string } => ({ value, currency: 'TZS' })

export const settlement = (
  gross: number,
  fees: number,
): Record<'gross' | 'fees' | 'net', { value: number; currency: string }> => ({
  gross: money(gross),
  fees: money(fees),
  net: money(gross - fees),
})

export const isoTime = (at: number): string => new Date(at).toISOString()

/**
 * RFC 3339 with nine fractional digits, as in `expires_at`. The digits below the millisecond are drawn from `salt`, so they stay
 * the same.
 */
export function nanoTime(at: number, salt: string): string {
  const below = (Number.parseInt(salt.replaceAll('-', '').slice(0, 8), 16) % 1_000_000).toString().padStart(6, '0')
  return new Date(at).toISOString().replace('Z', `${below}Z`)
}

/** The answer to one request: the HTTP status and the text, JSON unless stated otherwise. */
export type Answer = { status: number; body: string; contentType?: string }

/** Thrown where the connection is reset instead of answered. */
export class ConnectionCut extends Error {}

/** Thrown when something other than the provider answers: a proxy's error page. */
export class Spoiled extends Error {
  readonly answer: Answer

  constructor(answer: Answer) {
    super('spoiled answer')
    this.answer = answer
  }
}

/** `{"status":"success","code":…,"data":…}`, the form of payments, payouts, balance and fee. */
export const success = (code: number, data: Record<string, unknown>): Answer => ({
  status: code,
  body: JSON.stringify({ status: 'success', code, data }),
})

/** The push answer has a numeric `status` and no `code`. */
export const pushed = (data: Record<string, unknown>): Answer => ({
  status: 200,
  body: JSON.stringify({ status: 200, message: 'USSD push sent successfully', data }),
})

export type RefusalKind = keyof typeof refusals

/**
 * Each refusal in both generations of the documents. Of the prefixed table only AUTH_005, AUTH_007, AUTHZ_002, VAL_001, VAL_002 and
 * PAY_001 are published, and INT_003 is seen in production; the others are this simulator's guesses in the same style.
 */
const refusals = {
  missingKey: { http: 401, snake: 'unauthorized', prefix: 'AUTH_005' },
  invalidKey: { http: 401, snake: 'unauthorized', prefix: 'AUTH_007' },
  scope: { http: 403, snake: 'insufficient_scope', prefix: 'AUTHZ_002' },
  forbidden: { http: 403, snake: 'forbidden', prefix: 'AUTHZ_001' },
  validation: { http: 400, snake: 'validation_error', prefix: 'VAL_001' },
  unreadableBody: { http: 400, snake: 'validation_error', prefix: 'VAL_002' },
  notPending: { http: 400, snake: 'invalid_request', prefix: 'PAY_002' },
  notFound: { http: 404, snake: 'not_found', prefix: 'RES_001' },
  conflict: { http: 409, snake: 'conflict', prefix: 'RES_002' },
  keyReused: { http: 422, snake: 'validation_error', prefix: 'VAL_001' },
  rateLimit: { http: 429, snake: 'rate_limit_exceeded', prefix: 'RATE_001' },
  insufficientBalance: { http: 500, snake: 'payment_failed', prefix: 'PAY_003' },
  notInitiated: { http: 500, snake: 'PAY_001', prefix: 'PAY_001' },
  internal: { http: 500, snake: 'internal_error', prefix: 'INT_001' },
  unreachable: { http: 503, snake: 'INT_003', prefix: 'INT_003' },
} as const

export class ProviderRefusal extends Error {
  readonly kind: RefusalKind

  constructor(kind: RefusalKind, message: string) {
    super(message)
    this.kind = kind
  }
}

type StatusSwitches = { pay001Status: number; int003Status: number }

export function refusalStatus({ kind }: ProviderRefusal, switches: StatusSwitches): number {
  if (kind === 'notInitiated') return switches.pay001Status
  return kind === 'unreachable' ? switches.int003Status : refusals[kind].http
}

/** The error envelope in the dialect that is switched on. */
export function refused(refusal: ProviderRefusal, switches: StatusSwitches & { errorDialect: 'snake' | 'prefix' }): Answer {
  const { snake, prefix } = refusals[refusal.kind]
  const code = refusalStatus(refusal, switches)
  const prefixed = switches.errorDialect === 'prefix'
  const message = prefixed && prefix === 'VAL_001' ? `validation failed: ${refusal.message}` : refusal.message
  return { status: code, body: JSON.stringify({ status: 'error', code, error_code: prefixed ? prefix : snake, message }) }
}
