/** What is different between an earlier version of a batch and now. */
import type { ApprovalChange, ChangesSince } from '../../accounts/members/decide-approval.ts'
import type { Runner } from '../../platform/db/db.ts'
import type { Batch } from './batch.ts'
import { findEarlier, listCellChanges } from './batch.sql.ts'

/** Rows that a refusal names; the others are counted. */
const shownRows = 50

/** The sums first, then the cells in the order of their rows. A change that was taken back is none. */
export async function changesSince(db: Runner, batch: Batch, version: number): Promise<ChangesSince> {
  // A version that the batch never had may be larger than the column holds.
  const earlier = version < batch.version ? await findEarlier(db, batch, version) : undefined
  if (!earlier) return { changes: [], moreRows: 0 }
  const { requestedAt, requestedNow, rowCount, total, changedRows } = earlier
  const ofBatch: ApprovalChange[] = [
    {
      row: null,
      field: 'requested_at',
      was: requestedAt?.toISOString() ?? null,
      is: requestedAt && (requestedNow?.toISOString() ?? null),
    },
    { row: null, field: 'rows', was: rowCount, is: batch.rowCount },
    { row: null, field: 'total', was: total, is: batch.total },
  ]
  const ofRows = (await listCellChanges(db, batch, version, shownRows)).map(({ row, field, was, now }): ApprovalChange => {
    const read = (value: string | null) => (field === 'amount' && value !== null ? Number(value) : value)
    return { row, field, was: read(was), is: read(now) }
  })
  return {
    changes: [...ofBatch.filter(({ was, is }) => was !== is), ...ofRows],
    moreRows: Math.max(0, changedRows - shownRows),
  }
}
