/** What the holder of a payment's checkout proves, to have the prompt shown again or to cancel. */
import { timingSafeEqual } from 'node:crypto'
import type { Config } from '../config.ts'
import { fromWire } from '../platform/ids.ts'
import { hmacSha256 } from '../platform/keyed.ts'

type Deps = { config: Pick<Config, 'keys'> }

/** Derived from the payment's id, so that a replay gets the same one, and nothing has to be looked up to check one. */
export function checkoutToken({ config }: Deps, paymentId: string): string {
  return `ct_${hmacSha256(config.keys.checkoutToken).update(paymentId).digest('base64url')}`
}

/** The id of the payment behind a reference, for who holds its token; undefined for everybody else, whether or not there is one. */
export function provenPayment(deps: Deps, wireReference: string, given: string): string | undefined {
  const id = fromWire('pay', wireReference)
  if (id === undefined) return undefined
  const [expected, sent] = [Buffer.from(checkoutToken(deps, id)), Buffer.from(given)]
  return sent.length === expected.length && timingSafeEqual(sent, expected) ? id : undefined
}
