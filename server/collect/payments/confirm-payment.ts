/**
 * Confirms a checkout that was held back as a possible part of a flood; its phone is prompted only now. Invariant: the same charge is
 * sent once; the limits per phone count here, because nothing was sent before.
 */
import { createHash } from 'node:crypto'
import { homeOfId, toWire } from '../../platform/ids.ts'
import { providerNamed } from '../../money/providers/provider.ts'
import { isAsOrdered } from './check-charges.ts'
import { claimConfirmed, findUnconfirmed } from './payer.sql.ts'
import { pageRefusal, providerRefusal, sendFirst, type CheckoutDeps } from './start-checkout.ts'

/**
 * Sends the charge that waits for its payer, or finds nothing to send because it was confirmed before, was cancelled or is too late.
 * Refuses with 429 `phone_busy`; with 409 `page_sold_out` or `request_busy` when other payers have taken the last place; and with 503 when the network or
 * the provider is unavailable. The payer can confirm again after a 503.
 */
export async function confirmPayment(
  deps: CheckoutDeps,
  paymentId: string,
  address: string | undefined,
  requestId: string,
): Promise<void> {
  const payment = { home: homeOfId(paymentId), id: paymentId }
  const charge = await findUnconfirmed(deps.db, payment)
  if (!charge) return
  const provider = providerNamed(deps.providers, charge.environment, charge.provider)
  const refused = (await deps.switches.checkoutRefusal(charge.environment, charge.network)) ?? providerRefusal(provider)
  if (refused) throw refused
  if (!(await isAsOrdered(deps, charge))) {
    deps.log.error('order.forged', new Error('forged_order'), {
      alert: true,
      payment_id: toWire('pay', paymentId),
      request_id: requestId,
    })
    return
  }
  // Not given back when another request has claimed the charge: that request may have sent it.
  const prompt = await deps.promptLimit.take({
    page: { home: charge.home, id: charge.pageId },
    idempotencyHash: createHash('sha256').update(`confirmation of ${paymentId}`).digest(),
    repeats: charge.idempotencyHash,
    isConfirmed: true,
    phoneNumber: charge.phoneNumber,
    watched: { merchantId: null, address },
  })
  const { claimLeaseSeconds: lease, expirySeconds: expiry } = deps.config.payments
  const claimed = await deps.db.tx((tx) => claimConfirmed(tx, payment, { lease, expiry }))
  if (!claimed) return
  if (typeof claimed === 'string') {
    await prompt.refund()
    throw pageRefusal(claimed)
  }
  const { idempotencyKey, requestBody: body, attempts } = claimed
  await sendFirst(deps, { ...charge, requestId, request: { idempotencyKey, body }, attempts, address })
}
