/**
 * The one way to say no to a caller who broke a rule. Mapped to HTTP once, in `http.ts`; never used for what the world answered
 * (an outcome) nor for our own mistakes (an assertion).
 */

export type ErrorType =
  | 'invalid_request'
  | 'authentication'
  | 'permission'
  | 'not_found'
  | 'conflict'
  | 'idempotency'
  | 'rate_limit'
  | 'payment'
  | 'api_error'

export type FieldError = { field: string; code: string; message: string }

/** What the security log says of a refusal besides its code: ids and words of ours, never what the caller sent. */
export type Evidence = Partial<
  Record<'reason' | 'limit' | 'user_id' | 'key_id' | 'session_id' | 'generation' | 'provider' | 'environment', string | number>
>

export type RefusalDetail = {
  /** The field that is wrong, where it is one. */
  param?: string
  errors?: FieldError[]
  details?: Record<string, unknown>
  /** Whole seconds after which the same request may succeed; sent as Retry-After. */
  retryAfterSeconds?: number
  /** The same sentence for a payer, in Swahili. */
  messageSw?: string
  /** For the security log alone: what has it is written there whatever its code. */
  evidence?: Evidence
}

export class Refusal extends Error {
  readonly httpStatus: number
  readonly code: string
  readonly detail: RefusalDetail

  constructor(httpStatus: number, code: string, message: string, detail: RefusalDetail = {}) {
    super(message)
    this.name = 'Refusal'
    this.httpStatus = httpStatus
    this.code = code
    this.detail = detail
  }
}

/** A refusal whose cause is one or more fields; the first field's error is what `code` names when `code` is not given. */
export function invalidFields(
  errors: FieldError[],
  code = 'validation_error',
  message = 'Some fields are invalid. See errors.',
): Refusal {
  return new Refusal(400, code, message, { errors, param: errors[0]?.field })
}

/** What is missing and what belongs to somebody else look exactly the same. */
export function notFound(): Refusal {
  return new Refusal(404, 'not_found', 'The object does not exist, or it is not yours.')
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`Broken assumption: ${message}`)
}
