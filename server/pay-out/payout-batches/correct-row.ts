/**
 * Changes or removes a row of a draft, or the draft. Invariant: the version, the counts and the sums of the batch follow in the same
 * transaction, and the audit log has what was and what is.
 */
import { appendAudit, bySystem, type Origin } from '../../base/audit/audit.ts'
import { isProviderFailure } from '../../domain/payout.ts'
import { maskPhone } from '../../domain/phone.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import type { Requester } from '../../accounts/members/ask-approval.ts'
import type { Db, Tx } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { invalidFields, invalidState, notFound, orNotFound } from '../../platform/refusal.ts'
import { leastOf, type Providers } from '../../money/providers/provider.ts'
import type { Batch, BatchItem } from './batch.ts'
import { readRow, requiredColumns, rowColumns, type TypedRow } from './batch-row.ts'
import {
  addEditor,
  deleteDraft,
  findItem,
  lockBatch,
  nextVersion,
  pruneDrafts,
  replaceRow,
  sumUpBatch,
  type StoredRow,
} from './batch.sql.ts'
import { isLeftOut } from './left-out.ts'
import { storedFormOf } from './create-batch.ts'

/** The cells to change, or `removed`. Cells that are left out stay. */
export type RowChange = TypedRow & { removed?: true }

const typedOf = (item: BatchItem): TypedRow => ({
  amount: item.amount,
  phone_number: item.phoneNumber,
  recipient_name: item.recipientName,
  narration: item.narration,
  reference: item.reference,
})

/** A row in the audit log: without names, and the number masked. */
const factsOf = ({ state, amount, phoneNumber }: Pick<StoredRow, 'state' | 'amount' | 'phoneNumber'>) => ({
  state,
  amount,
  phone_number: phoneNumber === null ? null : maskPhone(phoneNumber),
})

/** Refuses with 404 an unknown row, with 409 a batch that is no draft, with 400 a removal together with a change. */
export async function correctRow(
  deps: { db: Db; providers: Providers },
  owner: Owner,
  at: { id: string; rowNumber: number },
  change: RowChange,
  by: { requester: Requester; confirm(tx: Tx): Promise<unknown> },
): Promise<BatchItem> {
  const { removed, ...cells } = change
  if (removed && Object.keys(cells).length > 0) {
    throw invalidFields([{ field: 'removed', code: 'invalid', message: 'Send either the changes of the row, or `removed`.' }])
  }
  return deps.db.tx(async (tx) => {
    await by.confirm(tx)
    const batch = await lockBatch(tx, owner, at.id)
    const item = batch && (await findItem(tx, batch, at.rowNumber))
    if (!batch || !item) throw notFound()
    if (batch.status !== 'draft') throw invalidState('Only a draft can be changed.', 'Rasimu tu ndiyo inaweza kubadilishwa.')
    const { rowNumber, line } = item
    const read = readRow({ ...typedOf(item), ...cells }, 'json', leastOf(deps.providers[owner.environment].payouts))
    // What is wrong with a cell that was not changed stays, with the value that was sent. Of a row whose cells are doubtful as a whole,
    // all that decide about the money must be sent.
    const isWhole = requiredColumns.every((column) => column in cells)
    const isOfCell = (column: string | null): boolean => (rowColumns as readonly (string | null)[]).includes(column)
    // The provider is asked again about another number or another amount: it may have refused either.
    const isAskedAgain = 'phone_number' in cells || 'amount' in cells
    const kept = item.errors
      .filter(({ code }) => !(isAskedAgain && isProviderFailure(code)))
      .filter((error) => !isLeftOut(error) && (isOfCell(error.column) ? !(error.column! in cells) : !isWhole))
    const isKept = (column: string | null): boolean => kept.some((error) => error.column === column)
    const errors = [...kept, ...read.errors.filter(({ column }) => !isKept(column))]
    const row = { ...read, errors, rowNumber, line }
    const stored = (await storedFormOf(tx, owner, [row]))(row)
    const next: StoredRow = removed ? { ...stored, state: 'removed' } : stored
    // The row of a draft has no payout, so its status is its state.
    const prior = { ...item, state: item.status as StoredRow['state'] }
    const version = await nextVersion(tx, batch, { row: prior })
    await replaceRow(tx, batch, next)
    await sumUpBatch(tx, batch)
    await addEditor(tx, batch, by.requester.userId)
    await appendAudit(tx, by.requester, {
      action: removed ? 'payout_batch.row_removed' : 'payout_batch.row_changed',
      object: toWire('pb', batch.id),
      merchantId: batch.merchantId,
      before: { row: rowNumber, ...factsOf(prior) },
      after: {
        row: rowNumber,
        ...factsOf(next),
        version,
        changed: rowColumns.filter((column) => typedOf(item)[column] !== typedOf({ ...item, ...next })[column]),
      },
    })
    return (await findItem(tx, batch, rowNumber))!
  })
}

/** A deletion by the merchant or by age is in the audit log: the entry keeps the key of the batch from making another one (`createBatch`). */
function auditDeletion(tx: Tx, { id, merchantId, status, version, rowCount: rows, total }: Batch, origin: Origin): Promise<void> {
  const before = { status, version, rows, total }
  return appendAudit(tx, origin, { action: 'payout_batch.deleted', object: toWire('pb', id), merchantId, before })
}

/** Removes a draft. Refuses with 404 an unknown batch, with 409 one that is no draft. */
export async function removeDraft(
  deps: { db: Db },
  owner: Owner,
  id: string,
  by: { requester: Requester; confirm(tx: Tx): Promise<unknown> },
): Promise<void> {
  await deps.db.tx(async (tx) => {
    await by.confirm(tx)
    const batch = orNotFound(await lockBatch(tx, owner, id))
    if (batch.status !== 'draft')
      throw invalidState(
        'An approved batch cannot be deleted. Stop it instead.',
        'Orodha iliyoidhinishwa haiwezi kufutwa. Isimamishe badala yake.',
      )
    await deleteDraft(tx, batch)
    await auditDeletion(tx, batch, by.requester)
  })
}

/** Removes drafts and refused batches that were not changed for `days`; returns how many, at most `limit`. */
export async function removeOldDrafts(db: Db, days: number, limit: number): Promise<number> {
  return db.tx(async (tx) => {
    const removed = await pruneDrafts(tx, days, limit)
    for (const batch of removed) await auditDeletion(tx, batch, bySystem)
    return removed.length
  })
}
