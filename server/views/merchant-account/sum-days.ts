/**
 * Stores what each closed day brought to every wallet. Invariant: days are summed in order, each once its ledger is closed, so a day up to
 * the last summed one is complete.
 */
import { rangesOf } from '../../money/ledger/home-ranges.ts'
import type { Db } from '../../platform/db/db.ts'
import type { Log } from '../../platform/process/log.ts'
import { findDayToSum, insertWalletDays, listHomesOfDay, markSummed, sumWalletDays, type WalletDay } from './wallet-day.sql.ts'

/** Reading the transfers of a day takes longer than the limit of a request. */
const statementTimeoutMs = 60_000
const rowsAtOnce = 5_000

/** Sums one day, if one is closed and not summed; returns whether it did. What a stopped process has stored is stored again unchanged. */
export async function sumDay({ db, log }: { db: Db; log: Log }): Promise<boolean> {
  const day = await findDayToSum(db)
  if (day === undefined) return false
  let stored = 0
  const homes = await db.snapshot((tx) => listHomesOfDay(tx, day), statementTimeoutMs)
  for (const range of rangesOf(homes)) {
    const rows: WalletDay[] = await db.snapshot((tx) => sumWalletDays(tx, day, range), statementTimeoutMs)
    for (let from = 0; from < rows.length; from += rowsAtOnce) {
      await db.tx((tx) => insertWalletDays(tx, day, rows.slice(from, from + rowsAtOnce)))
    }
    stored += rows.length
  }
  await db.tx((tx) => markSummed(tx, day))
  log.info('ledger.day_summed', { day, rows: stored })
  return true
}
