/** What can go wrong: the service said no (`MalipoError`), it could not be heard (`MalipoConnectionError`), or what was waited for is not there yet. */
import type { Error as ApiErrorBody, PaymentStatus, Payout } from './api-types.js'

type ApiError = ApiErrorBody['error']

/** The service refused. Branch on `code`, never on `message`: it may change. */
export class MalipoError extends Error {
  override readonly name = 'MalipoError'
  readonly type: ApiError['type']
  readonly code: string
  readonly httpStatus: number
  /** Quote it to us: it finds this request in our log. */
  readonly requestId: string | undefined
  /** The field that is wrong, where there is one. */
  readonly param: string | undefined
  /** Each broken rule; empty where the refusal is not about fields. */
  readonly errors: NonNullable<ApiError['errors']>
  readonly details: Record<string, unknown>
  /** The message in Swahili, on errors that a payer may see. */
  readonly messageSw: string | undefined
  readonly retryAfterSeconds: number | undefined
  /** Of a payout that was asked for: under this key, and no other, it may be asked for again. */
  idempotencyKey: string | undefined

  constructor(
    error: Omit<ApiError, 'request_id' | 'doc_url'>,
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

/** No whole answer came, also not when tried again. Whether the request was carried out is unknown: never take it for a failed payment. */
export class MalipoConnectionError extends Error {
  override readonly name = 'MalipoConnectionError'
  readonly reason: 'network' | 'timeout'
  /** Of a payout that was asked for: under this key, and no other, it may be asked for again. */
  idempotencyKey: string | undefined

  constructor(reason: 'network' | 'timeout', message: string, cause?: unknown) {
    super(message, { cause })
    this.reason = reason
  }
}

/** The time to wait is over and the payment has not come to an end. It has not failed: it may still be completed. */
export class PaymentNotFinalError extends Error {
  override readonly name = 'PaymentNotFinalError'
  /** What was last heard; undefined when nothing was. */
  readonly payment: PaymentStatus | undefined

  constructor(reference: string, payment: PaymentStatus | undefined, cause?: unknown) {
    super(`${reference} has not come to an end yet: ${payment?.status ?? 'its status was not heard'}.`, { cause })
    this.payment = payment
  }
}

/** The time to wait is over and the payout has not ended. It has not failed: the money may have arrived, and stays set aside until that is known. */
export class PayoutNotEndedError extends Error {
  override readonly name = 'PayoutNotEndedError'
  /** What was last heard; undefined when nothing was. */
  readonly payout: Payout | undefined

  constructor(id: string, payout: Payout | undefined, cause?: unknown) {
    super(`${id} has not ended yet: ${payout?.status ?? 'its status was not heard'}.`, { cause })
    this.payout = payout
  }
}
