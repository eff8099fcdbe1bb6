/**
 * Stops a batch. Invariant: the money of a row that was never sent returns once, in the transaction that stops the batch; a row that was
 * sent, or may have been, ends as the provider says.
 */
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { withdrawApproval } from '../../accounts/members/approval.sql.ts'
import type { Db, Tx } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { invalidState, orNotFound } from '../../platform/refusal.ts'
import { cancelUnsentOfBatch } from '../payouts/batch-payout.sql.ts'
import { returnAllReserved, type Money } from '../payouts/post-payout.ts'
import type { Batch, BatchView } from './batch.ts'
import { findBatch, lockBatch, nextVersion, setDraft, setStopped } from './batch.sql.ts'

/** Payouts in one statement. */
const cancelledAtOnce = 1_000

/** A batch that no one has approved yet becomes a draft again. */
async function withdraw(tx: Tx, batch: Batch, origin: Origin): Promise<void> {
  const requestedAt = await withdrawApproval(tx, batch)
  const next = await nextVersion(tx, batch, { requestedAt })
  await setDraft(tx, batch)
  const { id, merchantId, status, version, rowCount: rows, total } = batch
  await appendAudit(tx, origin, {
    action: 'approval.withdrawn',
    object: toWire('pb', id),
    merchantId,
    before: { status, version, rows, total },
    after: { kind: 'payout_batch', status: 'draft', version: next },
  })
}

/** Refuses with 404 an unknown batch, with 409 one that neither runs nor waits. Rows whose order is just being sent are left to the sender. */
export async function stopBatch(
  deps: { db: Db },
  owner: Owner,
  id: string,
  origin: Origin,
  confirm: (tx: Tx) => Promise<unknown>,
): Promise<BatchView> {
  await deps.db.tx(async (tx) => {
    await confirm(tx)
    const batch = orNotFound(await lockBatch(tx, owner, id))
    if (batch.status === 'waiting') return withdraw(tx, batch, origin)
    if (batch.status !== 'running')
      throw invalidState('Only a running batch can be stopped.', 'Orodha inayoendelea tu ndiyo inaweza kusimamishwa.')
    await setStopped(tx, batch)
    const cancelled: Money[] = []
    let some: Money[]
    do {
      some = await cancelUnsentOfBatch(tx, batch, cancelledAtOnce)
      cancelled.push(...some)
    } while (some.length === cancelledAtOnce)
    // Last, so that the wallet is locked for a short time.
    await returnAllReserved(tx, cancelled, { actor: origin.actor, requestId: origin.requestId })
    await appendAudit(tx, origin, {
      action: 'payout_batch.stopped',
      object: toWire('pb', id),
      merchantId: batch.merchantId,
      before: { status: batch.status, rows: batch.rowCount, total: batch.total },
      after: { status: 'stopped', cancelled: cancelled.length },
    })
  })
  return (await findBatch(deps.db, owner, id))!
}
