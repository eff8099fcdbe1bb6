/** The exact order for the provider, as it is stored with its payout and sent. */
import type { Config } from '../../config/config.ts'
import { toWire } from '../../platform/ids.ts'
import type { RecordMac } from '../../platform/crypto/record-mac.ts'
import { callbackUrlOf } from '../../config/providers.ts'
import type { Providers } from '../../money/providers/provider.ts'
import { payoutOrderMac, payoutReleaseMac } from './order-mac.ts'
import type { NewPayout } from './payout.sql.ts'

export type ComposeDeps = { config: Pick<Config, 'urls' | 'cell'>; providers: Providers; recordMac: RecordMac }

type Ordered = Pick<
  NewPayout,
  'home' | 'id' | 'merchantId' | 'environment' | 'amount' | 'fee' | 'phoneNumber' | 'recipientName' | 'narration'
>

/**
 * No part of the order depends on time or randomness. After a restore the same request must give the same bytes. If a setting that is part
 * of them (the callback address) has changed since, the provider refuses the key, and the outcome is unknown, never a second payout.
 */
export function orderOf(
  deps: ComposeDeps,
  payout: Ordered,
): Record<'provider' | 'providerKey' | 'providerBody' | 'orderMac' | 'approvalMac', string> {
  const { id, environment, amount, phoneNumber, recipientName, narration } = payout
  const provider = deps.providers[environment].payouts
  const { idempotencyKey, body: requestBody } = provider.composePayout({
    reference: toWire('po', id),
    amount,
    phoneNumber,
    recipientName,
    narration,
    callbackUrl: callbackUrlOf(deps.config, provider.name, environment),
  })
  const orderMac = payoutOrderMac(deps.recordMac, { ...payout, provider: provider.name, idempotencyKey, requestBody })
  const approvalMac = payoutReleaseMac(deps.recordMac, { ...payout, approval: 'none', approvalBy: null })
  return { provider: provider.name, providerKey: idempotencyKey, providerBody: requestBody, orderMac, approvalMac }
}
