/** The checkout token: proof of holding a payment's checkout, needed to send the prompt again or to cancel. */
import type { Config } from '../../config/config.ts'
import { fromWire } from '../../platform/ids.ts'
import { hmacSha256 } from '../../platform/crypto/keyed.ts'
import { isMadeUnder } from '../../platform/crypto/rotating-key.ts'

type Deps = { config: Pick<Config, 'keys'> }

function tokenUnder(key: Buffer, paymentId: string): string {
  return `ct_${hmacSha256(key).update(paymentId).digest('base64url')}`
}

/** Derived from the payment's id, so that a replay gets the same token and a check needs no lookup. */
export function checkoutToken({ config }: Deps, paymentId: string): string {
  return tokenUnder(config.keys.checkoutToken[0], paymentId)
}

/**
 * The payment id of a reference, for the holder of its token. Returns undefined for all other callers, whether the payment exists or not.
 */
export function provenPayment(deps: Deps, wireReference: string, given: string): string | undefined {
  const id = fromWire('pay', wireReference)
  if (id === undefined) return undefined
  const isProven = isMadeUnder(deps.config.keys.checkoutToken, Buffer.from(given), (key) => Buffer.from(tokenUnder(key, id)))
  return isProven ? id : undefined
}

function confirmationUnder(key: Buffer, paymentId: string, browserKey: string): string {
  return hmacSha256(key).update(`confirm ${paymentId} ${browserKey}`).digest('base64url')
}

/** The proof that the page of an unconfirmed payment sends back from the browser that displayed it. */
export function confirmationProof({ config }: Deps, paymentId: string, browserKey: string): string {
  return confirmationUnder(config.keys.checkoutToken[0], paymentId, browserKey)
}

export function isConfirmationProof({ config }: Deps, paymentId: string, browserKey: string, given: string): boolean {
  return isMadeUnder(config.keys.checkoutToken, Buffer.from(given), (key) =>
    Buffer.from(confirmationUnder(key, paymentId, browserKey)),
  )
}
