/** Rows of our own files that were paid, or may still be: they are left out, and a person puts them back on purpose. */
import type { Owner } from '../../accounts/identity/merchant.ts'
import type { PayoutStatus } from '../../domain/payout.ts'
import type { Runner } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { fatesOf } from '../payouts/payout.sql.ts'
import type { RowError } from './batch-row.ts'

/** What a row of our own file says of itself: its payout, and the status that it had when the file was made. */
export type Told = { payoutId: string; status: string | undefined }

const reasons = {
  already_paid: 'was paid already',
  payout_under_way: 'is still under way',
} as const
type Reason = keyof typeof reasons

/** The money of every other payout is in the wallet again, or was never taken. */
const reasonOf: Partial<Record<string, Reason>> = {
  completed: 'already_paid',
  pending: 'payout_under_way',
  processing: 'payout_under_way',
} satisfies Partial<Record<PayoutStatus, Reason>>

export const leftOutCodes = Object.keys(reasons)
export const isLeftOut = ({ code }: Pick<RowError, 'code'>): boolean => leftOutCodes.includes(code)

/**
 * Why a row is not paid again. What its payout is now counts, or the one that repeated it; of one that this merchant does not have, what the
 * file says. A file of the test environment says nothing about live money.
 */
export async function whyLeftOut(
  db: Runner,
  owner: Owner,
  told: readonly Told[],
): Promise<(row: Told | undefined) => RowError | undefined> {
  const fates = await fatesOf(db, owner, [...new Set(told.map(({ payoutId }) => payoutId))])
  return (row) => {
    if (!row) return undefined
    const fate = fates.get(row.payoutId)
    const status = fate?.isPaidByDecision ? 'completed' : (fate?.status ?? row.status ?? '')
    const code = fate?.isElsewhere ? undefined : reasonOf[status]
    if (!code) return undefined
    const value = toWire('po', fate?.id ?? row.payoutId)
    return {
      column: null,
      code,
      message: `This row ${reasons[code]}, as ${value}. It is left out; put it back to pay it again.`,
      value,
    }
  }
}
