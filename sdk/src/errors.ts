/**
 * The errors: the service refused (`MalipoError`), there was no answer (`MalipoConnectionError`), your signal ended a call that creates
 * something (`MalipoAbortedError`), or a final status was not reached in time.
 */
import type { ErrorAnswer as ApiErrorBody, PaymentStatus, Payout } from './api-types.js'

type ApiError = ApiErrorBody['error']

/**
 * The service refused the request. Branch on `code`, never on `message`: it may change. With an `httpStatus` of 500 or more, and with the
 * code `unexpected_answer`, it is unknown whether the request was executed.
 */
export class MalipoError extends Error {
  override readonly name = 'MalipoError'
  readonly type: ApiError['type']
  readonly code: string
  readonly httpStatus: number
  /** Include it when you contact us: it identifies this request in our log. */
  readonly requestId: string | undefined
  /** The invalid field, if it is one. */
  readonly param: string | undefined
  /** Each violated rule; empty when the refusal is not about fields. */
  readonly errors: NonNullable<ApiError['errors']>
  readonly details: Record<string, unknown>
  /** A sentence in Swahili about the same error, for a person. Undefined if the answer was not one of the service. */
  readonly messageSw: string | undefined
  readonly retryAfterSeconds: number | undefined
  /** For a call that creates something: retry it under this key only. */
  idempotencyKey: string | undefined

  constructor(
    error: Omit<ApiError, 'request_id' | 'doc_url' | 'message_sw'> & { message_sw?: string },
    answer: { status: number; requestId?: string; retryAfterSeconds?: number },
  ) {
    super(error.message)
    this.type = error.type
    this.code = error.code
    this.httpStatus = answer.status
    this.requestId = answer.requestId
    this.param = error.param
    this.errors = error.errors ?? []
    this.details = error.details ?? {}
    this.messageSw = error.message_sw
    this.retryAfterSeconds = answer.retryAfterSeconds
  }
}

/**
 * No complete answer arrived, even after retries. It is unknown whether the request was executed: never treat it as a failed payment.
 */
export class MalipoConnectionError extends Error {
  override readonly name = 'MalipoConnectionError'
  readonly reason: 'network' | 'timeout'
  /** For a call that creates something: retry it under this key only. */
  idempotencyKey: string | undefined

  constructor(reason: MalipoConnectionError['reason'], message: string, cause?: unknown) {
    super(message, { cause })
    this.reason = reason
  }
}

/**
 * Your signal aborted a call that creates something; `cause` is the signal's reason. It is unknown whether the request was executed: repeat
 * it under the key, with a new signal. This is no `MalipoConnectionError`: a loop that repeats those with the same signal would never end.
 */
export class MalipoAbortedError extends Error {
  override readonly name = 'MalipoAbortedError'
  readonly idempotencyKey: string

  constructor(idempotencyKey: string, reason: unknown) {
    super('The call was aborted before its whole answer came.', { cause: reason })
    this.idempotencyKey = idempotencyKey
  }
}

/** The waiting time is over and the payment is not final. It has not failed: it may still be completed. */
export class PaymentNotFinalError extends Error {
  override readonly name = 'PaymentNotFinalError'
  /** The last known payment; undefined when none was received. */
  readonly payment: PaymentStatus | undefined

  constructor(reference: string, payment: PaymentStatus | undefined, cause?: unknown) {
    super(`${reference} is not final yet: ${payment?.status ?? 'no status was received'}.`, { cause })
    this.payment = payment
  }
}

/**
 * The waiting time is over and the payout has not ended. It has not failed: the money may have arrived, and stays reserved until
 * the outcome is known.
 */
export class PayoutNotEndedError extends Error {
  override readonly name = 'PayoutNotEndedError'
  /** The last known payout; undefined when none was received. */
  readonly payout: Payout | undefined

  constructor(id: string, payout: Payout | undefined, cause?: unknown) {
    super(`${id} has not ended yet: ${payout?.status ?? 'no status was received'}.`, { cause })
    this.payout = payout
  }
}
