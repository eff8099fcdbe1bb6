/** Stores the payments of one moment with one statement. A locked page delays only the payments of its home. */
import type { Config } from '../../config/config.ts'
import { blockedAfterMs, type Batch } from '../../platform/db/batch.ts'
import type { Runner } from '../../platform/db/db.ts'
import { createIsolatingBatch } from '../../platform/db/isolating-batch.ts'
import { insertPayments, type InsertedPayment, type NewPayment } from './payment.sql.ts'

/** A payment waits for a locked page as long as any request would, but the batch that it shares with others only a moment. */
export function createPaymentStore(
  db: Runner,
  { lockTimeoutMs, batchLockTimeoutMs }: Pick<Config['database'], 'lockTimeoutMs' | 'batchLockTimeoutMs'>,
): Batch<NewPayment, InsertedPayment> {
  return createIsolatingBatch({
    run: (payments: NewPayment[]) => insertPayments(db, payments, batchLockTimeoutMs),
    groupOf: (payment) => payment.home,
    patienceMs: lockTimeoutMs,
    shedAfterMs: blockedAfterMs,
    // The remaining places of a limited page are counted before the batch, so one batch takes at most one of them.
    keyOf: (payment) => (payment.needsPlace ? payment.pageId : payment.id),
  })
}
