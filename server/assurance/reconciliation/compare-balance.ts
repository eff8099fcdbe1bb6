/**
 * Compares a provider's balance with our books. Invariant: a difference opens its break only when it is still there after the runs that
 * settle missed outcomes; an answer that cannot be used is no difference. Fees that no record names explain at most what charges since the
 * last comparison can have cost: each answer narrows what they were.
 */
import { feeRange } from '../../money/providers/fee.ts'
import { lockOpenBreak, openOrAddEvidence, resolveBreak } from '../../money/breaks/break.sql.ts'
import type { Finding } from '../../money/breaks/break.ts'
import type { Tx } from '../../platform/db/db.ts'
import { newMoneyId } from '../../platform/ids.ts'
import type { Log } from '../../platform/process/log.ts'
import { insertBalance, listBalances, type Balance, type Books, type Compared } from './balance.sql.ts'
import type { Run } from './run.ts'

/** The balance and our books are read at slightly different moments: a difference counts when it was read this often. */
export const readingsOfDifference = 3
/** By then, recent and late runs have settled what was missed. */
export const secondsBetweenReadings = 600

const between = (value: number, low: number, high: number): number => Math.max(low, Math.min(high, value))

/** `before`: the last comparison of the account; `percent`: the configured fee of a charge. */
export function compare(reported: number, books: Books, before: Balance | undefined, percent: number | undefined): Compared {
  const { booked, moved, hasOpening, arriving, leaving, disputed, unnamed, unnamedCount } = books
  const first = { unnamed: 0, unnamedCount: 0, feesLow: 0, feesHigh: 0, difference: 0 }
  const last = before?.hasOpening && !books.isCorrected ? before : first
  const added = feeRange({ amount: unnamed - last.unnamed, count: unnamedCount - last.unnamedCount }, percent)
  const least = Math.max(0, last.feesLow + added.low)
  const most = Math.max(least, last.feesHigh + added.high)
  const [low, high] = [booked + moved - most - leaving - disputed, booked + moved - least + arriving + disputed]
  const outside = (balance: number): number => balance - between(balance, low, high)
  // What was unexplained and still is, is no fee: later fees hide no part of it.
  const difference = outside(reported) === 0 ? 0 : last.difference + outside(reported - last.difference)
  const rest = booked + moved - reported + difference
  const [feesLow, feesHigh] = [between(rest - leaving - disputed, least, most), between(rest + arriving + disputed, least, most)]
  return { reported, booked, moved, hasOpening, unnamed, unnamedCount, feesLow, feesHigh, low, high, difference }
}

/** Whether the reading needs no other one: nothing is concluded without an opening balance. */
export const isExplained = ({ hasOpening, difference }: Compared): boolean => !hasOpening || difference === 0

/** Stores the last reading of a run, and opens, updates or ends the break of the account. */
export async function closeReading(tx: Tx, log: Log, run: Run, reading: Compared): Promise<void> {
  const { environment, provider } = run
  const { reported, hasOpening, low, high, difference } = reading
  const [before] = await listBalances(tx, run, 1)
  await insertBalance(tx, run.id, run, reading)
  const who = { environment, provider }
  if (!hasOpening) {
    if (!before) log.warn('reconciliation.no_opening_balance', who)
    return
  }
  const details = { reported, expected_low: low, expected_high: high, difference }
  const finding: Finding = { ...who, home: 0, kind: 'balance_differs', reference: 'balance', details }
  const open = await lockOpenBreak(tx, finding)
  if (difference === 0) {
    if (open) await resolveBreak(tx, open, { resolution: 'already_settled', by: 'system' })
    return
  }
  if (open?.details['difference'] === difference) return
  if (await openOrAddEvidence(tx, finding, newMoneyId(0)))
    log.error('reconciliation.break_opened', new Error('balance_differs'), {
      ...who,
      kind: 'balance_differs',
      reference: 'balance',
    })
}
