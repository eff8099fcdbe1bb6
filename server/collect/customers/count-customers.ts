/**
 * Brings the customers of a wallet up to date with its ledger: by the reader who opens the list, for a limited time, and by the worker for
 * what is left. Settling knows nothing of it, and what any version of the service has booked is counted.
 */
import { steadyClock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/db.ts'
import { countLines, findBehind, isBehind, type Wallet } from './customer.sql.ts'

/** Lines in one transaction: short enough for the erasure of a payer that waits for it. */
const linesAtOnce = 2_000
const readerMs = 1_000

/** Returns whether lines are left for the worker. */
export async function countForReader({ db }: { db: Db }, wallet: Wallet): Promise<boolean> {
  if (!(await isBehind(db, wallet))) return false
  const endsAt = steadyClock.now() + readerMs
  for (;;) {
    const waits = await db.tx((tx) => countLines(tx, wallet, linesAtOnce))
    if (!waits || steadyClock.now() >= endsAt) return waits
  }
}

/** Continues the counts that readers have left. Returns how many wallets it continued, at most `limit`. */
export async function countBehind({ db }: { db: Db }, limit: number): Promise<number> {
  const wallets = await findBehind(db, limit)
  for (const wallet of wallets) await db.tx((tx) => countLines(tx, wallet, linesAtOnce))
  return wallets.length
}
