/** What the audit log records about payouts and refunds: the actor and the amount, without the recipient. */
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import type { Tx } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import type { Payout } from './payout.ts'

/** The merchant that reads an entry about this payout; none for a system payout. */
export function ofMerchant({ merchantId }: Pick<Payout, 'merchantId'>): { merchantId?: string } {
  return merchantId === null ? {} : { merchantId }
}

/** A signed-in person requested or cancelled it. What keys do is in the log of requests, because an entry here makes others wait. */
export async function auditByPerson(tx: Tx, person: Origin, payout: Payout, what: 'requested' | 'cancelled'): Promise<void> {
  const isRefund = payout.purpose === 'refund'
  const { environment, amount, fee, status } = payout
  await appendAudit(tx, person, {
    action: `${isRefund ? 'refund' : 'payout'}.${what}`,
    object: toWire(isRefund ? 'rf' : 'po', payout.id),
    ...ofMerchant(payout),
    after: { environment, amount, fee, status },
  })
}
