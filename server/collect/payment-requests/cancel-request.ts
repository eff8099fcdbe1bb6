/** Cancels a payment request: no payment starts on it afterwards. A payment that has started goes on, and may still complete. */
import { appendAudit } from '../../base/audit/audit.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { closePage } from '../pages/page.sql.ts'
import type { ChangedBy } from '../../accounts/developers/owner-auth.ts'
import type { Db } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { invalidState, must, orNotFound } from '../../platform/refusal.ts'
import type { PaymentRequest } from './payment-request.ts'
import { findRequest, lockRequest, markCancelled } from './payment-request.sql.ts'

/** Refuses a paid and an expired request with 409 `invalid_state`. A cancelled one stays as it is. */
export async function cancelRequest(
  deps: { db: Db },
  owner: Owner,
  id: string,
  { confirm, person }: ChangedBy,
): Promise<PaymentRequest> {
  return deps.db.tx(async (tx) => {
    await confirm?.(tx)
    const request = orNotFound(await lockRequest(tx, owner, id))
    if (request.status === 'cancelled') return request
    if (request.status === 'paid')
      throw invalidState(
        'The request is paid. Refund its payment instead.',
        'Ombi hili limeshalipwa. Rudisha fedha za malipo yake badala yake.',
      )
    if (request.status === 'expired')
      throw invalidState(
        'The request has expired, so no payment can start on it.',
        'Muda wa ombi hili umekwisha, kwa hiyo haliwezi kulipwa tena.',
      )
    await closePage(tx, request)
    await markCancelled(tx, request)
    const cancelled = must(await findRequest(tx, owner, id), 'a request does not vanish')
    if (person) {
      await appendAudit(tx, person, {
        action: 'payment_request.cancelled',
        object: toWire('preq', id),
        merchantId: owner.merchant.id,
        after: { environment: owner.environment },
      })
    }
    return cancelled
  })
}
