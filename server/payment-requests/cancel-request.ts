/** Cancels a payment request: no payment starts on it afterwards. A payment that has started goes on, and may still complete. */
import type { Owner } from '../identity/merchant.ts'
import { closePage } from '../pages/page.sql.ts'
import type { Confirm } from '../pages/save-page.ts'
import type { Db } from '../platform/db/db.ts'
import { assert, invalidState, notFound } from '../platform/refusal.ts'
import type { PaymentRequest } from './payment-request.ts'
import { findRequest, lockRequest, markCancelled } from './payment-request.sql.ts'

/** Refuses a paid and an expired request with 409 `invalid_state`. A cancelled one stays as it is. */
export async function cancelRequest(deps: { db: Db }, owner: Owner, id: string, confirm: Confirm): Promise<PaymentRequest> {
  return deps.db.tx(async (tx) => {
    await confirm(tx)
    const request = await lockRequest(tx, owner, id)
    if (!request) throw notFound()
    if (request.status === 'cancelled') return request
    if (request.status === 'paid') throw invalidState('The request is paid. Refund its payment instead.')
    if (request.status === 'expired') throw invalidState('The request has expired, so no payment can start on it.')
    await closePage(tx, request)
    await markCancelled(tx, request)
    const cancelled = await findRequest(tx, owner, id)
    assert(cancelled, 'a request does not vanish')
    return cancelled
  })
}
