/**
 * Asks the provider how much arrived for a held payment, before operators credit it. Invariant: no one credits more than the provider's
 * own answer shows, whatever its messages claimed.
 */
import { shillings } from '../../domain/currency.ts'
import type { Break } from '../../money/breaks/break.ts'
import { findHeldMoney } from '../../collect/payments/release-held.sql.ts'
import type { Db } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { assert, invalidState, must, Refusal } from '../../platform/refusal.ts'
import { providerNamed, type Providers } from '../../money/providers/provider.ts'
import { findChargeFacts } from './break-subject.sql.ts'

/** TZS that may be credited. Refuses with 409 if the answer shows less than is held, with 503 `provider_unavailable` without an answer. */
export async function findProvenAmount(deps: { db: Db; providers: Providers }, { home, paymentId }: Break): Promise<number> {
  assert(paymentId, 'money that differs has a payment')
  const charge = must(await findChargeFacts(deps.db, { home, id: paymentId }), 'a payment has a charge')
  const { environment, provider, providerReference: reference } = charge
  const held = await findHeldMoney(deps.db, { home, paymentId })
  const key = { reference, ourReference: toWire('pay', paymentId) }
  const answer = await providerNamed(deps.providers, environment, provider).fetchCharge(key)
  if (answer.kind !== 'found') {
    const message = 'The provider did not return how much was paid. Nothing was credited. Try again shortly.'
    throw new Refusal(503, 'provider_unavailable', message, { retryAfterSeconds: 30 })
  }
  const { status, amount, currency } = answer.snapshot
  const shown = status === 'completed' && currency === 'TZS' ? (amount ?? 0) : 0
  if (shown < held) {
    throw invalidState(
      `${shillings(held)} are in suspense, but the provider’s own record shows ${shillings(shown)}. Ask the provider to correct it.`,
      `${shillings(held)} zimewekwa pembeni, lakini rekodi ya mtoa huduma inaonyesha ${shillings(shown)}. Mwombe airekebishe.`,
    )
  }
  return held
}
