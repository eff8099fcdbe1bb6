/** Stores payments: those of payers with one statement for all of one moment, those of a member or a key each with a check of its caller. */
import type { Config } from '../../config/config.ts'
import { blockedAfterMs, type Batch } from '../../platform/db/batch.ts'
import type { Db, Runner, Tx } from '../../platform/db/db.ts'
import { createIsolatingBatch } from '../../platform/db/isolating-batch.ts'
import { insertPayments, type InsertedPayment, type NewPayment } from './payment.sql.ts'

/** A locked page delays only the payments of its home. A payment waits for it as long as any request would, but the batch that it shares with others only a moment. */
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

/** For a caller whose right may end while the request runs: `confirm` refuses, in the transaction, one that may no longer. */
export function storeConfirmed(db: Db, confirm: (tx: Tx) => Promise<unknown>): (payment: NewPayment) => Promise<InsertedPayment> {
  return (payment) =>
    db.tx(async (tx) => {
      await confirm(tx)
      const [stored] = await insertPayments(tx, [payment])
      return stored!
    })
}
