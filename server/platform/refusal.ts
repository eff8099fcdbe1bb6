/**
 * The only way to refuse a caller that broke a rule. Mapped to HTTP once, in `http.ts`; never used for an external outcome or for
 * our own bugs (an assertion).
 */

export const errorTypes = [
  'invalid_request',
  'authentication',
  'permission',
  'not_found',
  'conflict',
  'idempotency',
  'rate_limit',
  'payment',
  'api_error',
] as const
export type ErrorType = (typeof errorTypes)[number]

/** `messageSw`: the same sentence in Swahili, for payers. */
export type FieldError = { field: string; code: string; message: string; messageSw?: string }

/** Fields for the security log about a refusal, besides its code: our ids and words, never input of the caller. */
export type Evidence = Partial<
  Record<'reason' | 'limit' | 'user_id' | 'key_id' | 'session_id' | 'generation' | 'provider' | 'environment', string | number>
>

export type RefusalDetail = {
  /** The invalid field, if it is one. */
  param?: string
  errors?: FieldError[]
  details?: Record<string, unknown>
  /** Whole seconds after which the same request may succeed; sent as Retry-After. */
  retryAfterSeconds?: number
  /** The same sentence for a payer, in Swahili. */
  messageSw?: string
  /** For the security log only: a refusal with evidence is logged whatever its code. */
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

/** A refusal because of one or more invalid fields; `param` names the first one. */
export function invalidFields(
  errors: FieldError[],
  code = 'validation_error',
  message = 'Some fields are invalid. See errors.',
): Refusal {
  return new Refusal(400, code, message, { errors, param: errors[0]?.field })
}

/** Codes of a field that say no more than `validation_error`. */
export const plainFieldCodes: ReadonlySet<string> = new Set(['required', 'invalid', 'unknown_field'])

/** The refusal of broken rules: the first one gives its code and message, and all of them are in `errors`. */
export function brokenFields(errors: readonly [FieldError, ...FieldError[]]): Refusal {
  const [{ code, message }] = errors
  return invalidFields([...errors], plainFieldCodes.has(code) ? 'validation_error' : code, message)
}

/** A missing object and an object of another owner look exactly the same. */
export function notFound(): Refusal {
  return new Refusal(404, 'not_found', 'The object does not exist, or it is not yours.')
}

/** What was found; refuses with 404 where there is nothing. */
export function orNotFound<Found>(found: Found | undefined): Found {
  if (found === undefined) throw notFound()
  return found
}

/** The object exists, but its state does not allow the action. Both sentences: the general one of the code would say to reload. */
export function invalidState(message: string, messageSw: string, detail: RefusalDetail = {}): Refusal {
  return new Refusal(409, 'invalid_state', message, { ...detail, messageSw })
}

/** The same for a command, which prints English only. */
export function invalidCommand(message: string): Refusal {
  return new Refusal(409, 'invalid_state', message)
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`Broken assumption: ${message}`)
}

/** A value that is always there: `why` says why. */
export function must<Value>(value: Value, why: string): NonNullable<Value> {
  assert(value, why)
  return value
}

/** Refuses another object with 409 `too_many_objects` when `count` of them exist already. `way` says how there is room again. */
export function requireRoom(of: string, count: number, most: number, [way, waySw]: readonly [en: string, sw: string]): void {
  if (count < most) return
  throw new Refusal(409, 'too_many_objects', `There are ${count} ${of}, and at most ${most} may exist. ${way}`, {
    details: { of, most },
    messageSw: `Umefikia idadi ya juu, ${most}. ${waySw}`,
  })
}
