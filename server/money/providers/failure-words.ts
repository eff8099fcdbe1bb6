/**
 * What the free text of providers proves, and our code for a failure that it describes. The first matching pattern decides; a text without
 * a match only says that it failed.
 */
import type { ProviderFailure } from '../../domain/payout.ts'
import type { FailureCode } from '../../domain/payment.ts'

const failurePatterns: [RegExp, FailureCode][] = [
  [/insufficient|not enough|low balance/i, 'insufficient_funds'],
  [/pin.*(wrong|incorrect|invalid)|(wrong|incorrect|invalid) pin/i, 'wrong_pin'],
  [/cancel|declin|reject|not approved/i, 'declined_by_payer'],
  [/time ?out|timed out|no response|unreachable/i, 'prompt_timeout'],
  [/not found|not registered|phone number|no wallet|inactive|does not exist/i, 'payer_not_found'],
  [/limit/i, 'payer_limit'],
  [/busy|another session|in progress/i, 'payer_busy'],
]

const payoutFailurePatterns: [RegExp, ProviderFailure][] = [
  [/not found|not registered|phone number|no wallet|inactive|does not exist/i, 'recipient_not_found'],
  [/limit/i, 'recipient_limit'],
  [/unreachable|time ?out|timed out|unavailable/i, 'network_unavailable'],
]

/**
 * Texts about an order that may exist, of an earlier call or of one in flight, or about what the network or the payer answered: they
 * prove nothing, whatever status comes with them.
 */
const ofAnOrder =
  /duplicate|already|reference|idempotency|exists|(being|still|been|yet) process|processing|in progress|in flight|pending|under way|response|time ?out|timed out|time limit|waiting|operator|gateway|upstream|approv|confirm/i
/** Texts that say that the request was invalid, so nothing was started. */
const ofTheRequest =
  /validation failed|invalid|unsupported|required|must |should |minimum|maximum|at least|at most|insufficient|limit|not enough|not registered/i

/** Whether a text may be about an order that the provider has. */
export function mayNameAnOrder(text: string | null): boolean {
  return text !== null && ofAnOrder.test(text)
}

/** Whether the text of a refusal proves that nothing was started. A text that we do not know proves nothing. */
export function provesRefusal(text: string | null): boolean {
  return text !== null && ofTheRequest.test(text) && !mayNameAnOrder(text)
}

/** Why a charge failed, from a provider's free text. */
export function failureCodeOf(text: string | null): FailureCode {
  return failurePatterns.find(([pattern]) => text !== null && pattern.test(text))?.[1] ?? 'provider_error'
}

/** Why a payout failed, from a provider's free text. */
export function payoutFailureCodeOf(text: string | null): ProviderFailure {
  return payoutFailurePatterns.find(([pattern]) => text !== null && pattern.test(text))?.[1] ?? 'provider_error'
}
