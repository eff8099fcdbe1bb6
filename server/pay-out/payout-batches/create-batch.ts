/**
 * Creates a draft from the rows of a file or of a JSON body: one per idempotency key of the wallet. Invariant: every row is stored, with
 * what is wrong with it, and no money moves.
 */
import { createHash } from 'node:crypto'
import { hasEntry } from '../../base/audit/audit.sql.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import type { Requester } from '../../accounts/members/ask-approval.ts'
import type { Db } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { must, Refusal } from '../../platform/refusal.ts'
import { leastOf, type Providers } from '../../money/providers/provider.ts'
import { hashOf } from '../../platform/crypto/hash-of.ts'
import { batchIdOf, type BatchView } from './batch.ts'
import { cellsOfItem, readRow, type NumberedRow, type ReadRow, type RowError, type TypedRow } from './batch-row.ts'
import { findBatch, findRequestHash, insertBatch, insertRows, sumUpBatch, type StoredRow } from './batch.sql.ts'
import { isLeftOut, whyLeftOut } from './left-out.ts'
import { nameWarningsOf } from './name-warnings.ts'
import { batchRows, FileRow, tooManyRows } from './read-csv.ts'

export type CreateBatchDeps = { db: Db; providers: Providers }

export type BatchRequest = {
  title: string | null
  /** Rows of a file (`FileRow`), or the items of a JSON body as they were sent. */
  items: readonly unknown[]
  idempotencyKey: string
}

/** What was sent as a row: normalised where it is valid. */
const contentOf = (typed: TypedRow, row: ReadRow): unknown[] => [
  row.amount ?? typed.amount ?? null,
  row.phoneNumber ?? typed.phone_number ?? null,
  row.recipientName ?? typed.recipient_name ?? null,
  row.narration ?? typed.narration ?? null,
  row.reference ?? typed.reference ?? null,
]

const tooManyCells: RowError = {
  column: null,
  code: 'too_many_cells',
  message: 'The row has more cells than the first line. Put a text with the delimiter into quotes.',
  value: null,
}

function readItem(item: unknown, least: number): { typed: TypedRow; line: number | null; row: ReadRow } {
  if (item instanceof FileRow) {
    const { typed, line } = item
    const row = readRow(typed, 'file', least)
    if (item.hasMore) row.errors.unshift(tooManyCells)
    return { typed, line, row }
  }
  const { typed, errors } = cellsOfItem(item)
  const row = readRow(typed, 'json', least)
  return { typed, line: null, row: { ...row, errors: [...errors, ...row.errors] } }
}

function readItems(items: readonly unknown[], least: number): { rows: NumberedRow[]; contentHash: Buffer } {
  const hash = createHash('sha256')
  const rows = items.map((item, index) => {
    const { typed, line, row } = readItem(item, least)
    hash.update(JSON.stringify(contentOf(typed, row)))
    return { ...row, rowNumber: index + 1, line }
  })
  return { rows, contentHash: hash.digest() }
}

/** What turns rows of a batch into stored ones: a function, so that no second copy of ten thousand rows is in memory. */
export async function storedFormOf(
  db: Parameters<typeof nameWarningsOf>[0],
  owner: Owner,
  rows: readonly NumberedRow[],
): Promise<(row: NumberedRow) => StoredRow> {
  // A row without errors has both.
  const ready = rows
    .filter(({ errors }) => errors.length === 0)
    .map((row) => ({ rowNumber: row.rowNumber, phoneNumber: row.phoneNumber!, recipientName: row.recipientName! }))
  const differing = await nameWarningsOf(db, owner, ready)
  return (row) => ({
    ...row,
    state: row.errors.length === 0 ? 'ready' : row.errors.some(isLeftOut) ? 'removed' : 'invalid',
    nameDiffers: differing.has(row.rowNumber),
  })
}

const keyReused = new Refusal(
  422,
  'idempotency_key_reused',
  'This idempotency key was used for a different batch. Use a new key for a new one.',
  { param: 'idempotency_key' },
)

/** Its id would come back with its first versions: who has seen the deleted batch would approve rows that were never shown. */
const keyOfDeleted = new Refusal(
  422,
  'idempotency_key_reused',
  'The batch of this idempotency key was deleted. Use a new key for a new one.',
  { param: 'idempotency_key' },
)

/** Rows in one statement. */
const storedAtOnce = 1_000

/**
 * Stores the draft. A repeat of the same request finds it. Refuses with 422 another request under the key, and every request after its
 * batch was deleted, and with 400 a batch without rows or with too many. `admit` runs before anything new is made, `confirm` first in the
 * transaction; both refuse by throwing.
 */
export async function createBatch(
  deps: CreateBatchDeps,
  owner: Owner,
  request: BatchRequest,
  by: Requester,
  gates: { admit(): Promise<void>; confirm(tx: Parameters<typeof insertBatch>[0]): Promise<unknown> },
): Promise<{ batch: BatchView; isReplay: boolean }> {
  const { merchant, environment } = owner
  if (request.items.length === 0) throw new Refusal(400, 'batch_empty', 'The batch has no rows.')
  if (request.items.length > batchRows) throw tooManyRows()
  const { rows, contentHash } = readItems(request.items, leastOf(deps.providers[environment].payouts))
  const requestHash = hashOf([request.title, contentHash.toString('hex')])
  const id = batchIdOf(owner, request.idempotencyKey)

  async function replay(): Promise<BatchView | undefined> {
    const made = await findRequestHash(deps.db, owner, id)
    if (!made) return undefined
    if (!made.equals(requestHash)) throw keyReused
    return findBatch(deps.db, owner, id)
  }

  const known = await replay()
  if (known) return { batch: known, isReplay: true }
  await gates.admit()
  const tellings = request.items.map((item) => (item instanceof FileRow ? item.told : undefined))
  const whyOf = await whyLeftOut(
    deps.db,
    owner,
    tellings.filter((told) => told !== undefined),
  )
  for (const [place, row] of rows.entries()) row.errors.push(...[whyOf(tellings[place])].filter((reason) => reason !== undefined))
  const toStored = await storedFormOf(deps.db, owner, rows)
  const isNew = await deps.db.tx(async (tx) => {
    await gates.confirm(tx)
    const { actor: requestedBy, userId: requestedByUser, requestId } = by
    const batch = { home: merchant.home, id }
    const facts = {
      merchantId: merchant.id,
      environment,
      title: request.title,
      contentHash,
      requestHash,
      requestedBy,
      requestedByUser,
      requestId,
    }
    if (!(await insertBatch(tx, { ...batch, ...facts }))) return false
    // After the insert, which waits for a deletion that is under way.
    if (await hasEntry(tx, { object: toWire('pb', id), action: 'payout_batch.deleted' })) throw keyOfDeleted
    for (let first = 0; first < rows.length; first += storedAtOnce) {
      await insertRows(tx, batch, rows.slice(first, first + storedAtOnce).map(toStored))
    }
    await sumUpBatch(tx, batch)
    return true
  })
  const batch = must(isNew ? await findBatch(deps.db, owner, id) : await replay(), 'a batch that was stored is there')
  return { batch, isReplay: !isNew }
}
