/** The only access to payout_batches and payout_batch_rows. Every read of a merchant's batch takes its owner. */
import type { BatchItemStatus, BatchRowState, BatchStatus } from '../../domain/payout-batch.ts'
import type { Network } from '../../domain/network.ts'
import type { ApprovalFailure } from '../../domain/approval.ts'
import type { Environment } from '../../domain/environment.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { sql, type Runner, type Sql, type Tx } from '../../platform/db/db.ts'
import { columnNames, newRows, recordset } from '../../platform/db/recordset.ts'
import { newestFirst } from '../../platform/http/list-range.sql.ts'
import type { ListRange } from '../../platform/http/page.ts'
import { renewApproval } from '../../accounts/members/approval.sql.ts'
import { isClockBehind, moved } from '../../platform/db/clock-mark.sql.ts'
import { leftOutCodes } from './left-out.ts'
import type { Batch, BatchItem, BatchView, Progress, Twin } from './batch.ts'
import type { Cells, NumberedRow, RowError } from './batch-row.ts'

/** What a batch has from its request on. */
const requestedColumns = {
  home: 'smallint',
  id: 'uuid',
  merchantId: 'uuid',
  environment: 'text',
  title: 'text',
  requestedBy: 'text',
  requestedByUser: 'uuid',
  requestId: 'text',
} as const

const newColumns = { ...requestedColumns, contentHash: 'bytea', requestHash: 'bytea' } as const

const columns = sql`${columnNames(requestedColumns, 'b')}, b.status, b.version, b.row_count, b.invalid_count, b.warned_count, b.total, b.fees, b.approval,
  b.failure_code as approval_failure, b.edited_by, b.created_at, b.updated_at, b.approved_at, b.stopped_at, b.finished_at`

const ofOwner = ({ merchant, environment }: Owner): Sql =>
  sql`b.home = ${merchant.home} and b.merchant_id = ${merchant.id} and b.environment = ${environment}`

export type NewBatch = Pick<Batch, keyof typeof requestedColumns> & { contentHash: Buffer; requestHash: Buffer }

/** Stores a draft without rows; false if the key is in use. */
export async function insertBatch(tx: Tx, batch: NewBatch): Promise<boolean> {
  return tx.any(sql`
    insert into payout_batches ${newRows([batch], newColumns)}
    on conflict do nothing
    returning id`)
}

/** A row as it is stored. */
export type StoredRow = NumberedRow & { state: BatchRowState; nameDiffers: boolean }

/** What a merchant has sent for a row. */
const cellColumns = {
  amount: 'bigint',
  phoneNumber: 'text',
  recipientName: 'text',
  narration: 'text',
  reference: 'text',
} as const

/** What a change of a row replaces. */
const changedColumns = { ...cellColumns, network: 'text', state: 'text', errors: 'jsonb', nameDiffers: 'boolean' } as const
const rowColumns = { home: 'smallint', batchId: 'uuid', rowNumber: 'integer', line: 'integer', ...changedColumns } as const

type Key = { home: number; id: string }

const storedForm = ({ home, id: batchId }: Key, { errors, ...row }: StoredRow) => ({
  ...row,
  home,
  batchId,
  errors: JSON.stringify(errors),
})

export async function insertRows(tx: Tx, batch: Key, rows: StoredRow[]): Promise<void> {
  const items = rows.map((row) => storedForm(batch, row))
  await tx.rows(sql`insert into payout_batch_rows ${newRows(items, rowColumns)}`)
}

/** Replaces a row of a draft; its fee is asked for again. */
export async function replaceRow(tx: Tx, batch: Key, row: StoredRow): Promise<void> {
  await tx.rows(sql`
    update payout_batch_rows r
    set (${columnNames(changedColumns)}) = (${columnNames(changedColumns, 'n')}), fee = null, duplicate_of = null
    from ${recordset([storedForm(batch, row)], 'n', rowColumns)}
    where r.home = n.home and r.batch_id = n.batch_id and r.row_number = n.row_number`)
}

/**
 * Computes what follows from the rows of a draft: its duplicates, counts and sums. Fees that are not known are due now, and are added up
 * when they are.
 */
export async function sumUpBatch(tx: Tx, batch: Key): Promise<void> {
  await tx.rows(sql`
    with changed as (
      select place, first
      from (
        -- Found again by their places: a table without statistics would be joined row by row.
        select ctid as place, duplicate_of, nullif(min(row_number) over (partition by phone_number, amount), row_number) as first
        from payout_batch_rows
        where home = ${batch.home} and batch_id = ${batch.id} and state = 'ready'
      ) r
      where duplicate_of is distinct from first
    )
    update payout_batch_rows r set duplicate_of = c.first
    from changed c
    where r.home = ${batch.home} and r.ctid = c.place`)
  await tx.rows(sql`
    update payout_batches b
    set row_count = s.row_count, invalid_count = s.invalid_count, warned_count = s.warned_count, total = s.total,
      fees = case when s.unquoted = 0 then s.fees end,
      fees_due_at = case when s.unquoted > 0 then clock_now() end, updated_at = clock_now()
    from (
      select count(*) filter (where state <> 'removed')::integer as row_count, count(*) filter (where state = 'invalid')::integer as invalid_count,
        count(*) filter (where state = 'ready' and (duplicate_of is not null or name_differs))::integer as warned_count,
        coalesce(sum(amount) filter (where state = 'ready'), 0)::bigint as total,
        coalesce(sum(fee) filter (where state = 'ready'), 0)::bigint as fees,
        count(*) filter (where state = 'ready' and fee is null) as unquoted
      from payout_batch_rows
      where home = ${batch.home} and batch_id = ${batch.id}
    ) s
    where b.home = ${batch.home} and b.id = ${batch.id} and b.status in ('draft', 'waiting')`)
}

/** Rows of the batch `b` that were never sent, with its payouts as `p`: a batch that was not approved has made no payouts. */
const cancelledRows = sql`case when b.failure_code is null then count(*) filter (where p.status = 'cancelled') else b.row_count end`

/** The payouts of the batch `b` by their state, as `g`. */
export const withProgress = sql`
  cross join lateral (
    select count(*) filter (where p.status = 'pending') as waiting, count(*) filter (where p.status = 'processing') as sent,
      count(*) filter (where p.status = 'completed') as completed, count(*) filter (where p.status in ('failed', 'reversed')) as failed,
      ${cancelledRows} as cancelled, coalesce(sum(p.amount) filter (where p.status = 'completed'), 0)::bigint as paid_amount
    from payouts p
    where p.home = b.home and p.batch_id = b.id
  ) g`

/** Why a row was left out: it was paid already, or may have been. Null for every other row. */
const leftOutReasons = sql`(select jsonb_agg(e) from jsonb_array_elements(errors) e where e ->> 'code' = any(${leftOutCodes}::text[]))`

const withLeftOut = sql`
  cross join lateral (
    select count(*) as left_out_count from payout_batch_rows r
    where r.home = b.home and r.batch_id = b.id and r.state = 'removed'
      and ${leftOutReasons} is not null
  ) l`

const twinsShown = 5

type BatchRow = Batch & Pick<BatchView, 'leftOutCount'> & Progress & { twinIds: string[] | null; twinTimes: Date[] | null }

function viewOf({ waiting, sent, completed, failed, cancelled, paidAmount, twinIds, twinTimes, ...batch }: BatchRow): BatchView {
  const twins = (twinIds ?? []).map((id, place): Twin => ({ id, createdAt: twinTimes![place]! }))
  return { ...batch, progress: { waiting, sent, completed, failed, cancelled, paidAmount }, twins }
}

const view = sql`
  select ${columns}, g.waiting, g.sent, g.completed, g.failed, g.cancelled, g.paid_amount, t.twin_ids, t.twin_times, l.left_out_count
  from payout_batches b
  ${withProgress}
  ${withLeftOut}
  left join lateral (
    select array_agg(id) as twin_ids, array_agg(created_at) as twin_times
    from (
      select e.id, e.created_at from payout_batches e
      where e.home = b.home and e.merchant_id = b.merchant_id and e.environment = b.environment and e.content_hash = b.content_hash
        and (e.created_at, e.id) < (b.created_at, b.id)
      order by e.created_at desc, e.id desc limit ${twinsShown}
    ) e
  ) t on true`

export async function findBatch(db: Runner, owner: Owner, id: string): Promise<BatchView | undefined> {
  const [row] = await db.rows<BatchRow>(sql`${view} where ${ofOwner(owner)} and b.id = ${id}`)
  return row && viewOf(row)
}

/** The hash of the body that made a batch. */
export async function findRequestHash(db: Runner, owner: Owner, id: string): Promise<Buffer | undefined> {
  return db.maybeValue<Buffer>(sql`select b.request_hash from payout_batches b where ${ofOwner(owner)} and b.id = ${id}`)
}

/** The newest batches of an owner, one more than requested. */
export async function listBatches(
  db: Runner,
  owner: Owner,
  filter: { status?: BatchStatus },
  range: ListRange,
): Promise<BatchView[]> {
  const { status = null } = filter
  const rows = await db.rows<BatchRow>(sql`
    ${view}
    where ${ofOwner(owner)} and (${status}::text is null or b.status = ${status}::text)
      ${newestFirst(range, sql`b`)}`)
  return rows.map(viewOf)
}

/** Any batch, locked until the transaction ends. */
export async function lockAnyBatch(tx: Tx, key: Key): Promise<Batch | undefined> {
  return tx.maybeOne<Batch>(sql`
    select ${columns} from payout_batches b where b.home = ${key.home} and b.id = ${key.id} for no key update`)
}

/** Locks a batch until the transaction ends. */
export async function lockBatch(tx: Tx, owner: Owner, id: string): Promise<Batch | undefined> {
  return tx.maybeOne<Batch>(sql`
    select ${columns} from payout_batches b where ${ofOwner(owner)} and b.id = ${id} for no key update`)
}

/** A row without a payout is cancelled if the members did not approve its batch. */
const itemStatus = sql`coalesce(p.status, case when b.failure_code is not null and r.state = 'ready' then 'cancelled' else r.state end)`

const itemColumns = sql`r.row_number, r.line, ${itemStatus} as status, ${columnNames(cellColumns, 'r')}, r.fee, r.errors,
  r.duplicate_of, r.name_differs, p.id as payout_id,
  coalesce(p.failure_code, case when r.state = 'ready' then b.failure_code end) as failure_code, p.completed_at`

/** `isWarned`: rows that can be paid, but should be checked first. */
export type ItemFilter = { status?: BatchItemStatus; isWarned?: boolean }

/** The rows of a batch after a row, in their order; as many as `limit`. */
export async function listItems(
  db: Runner,
  batch: Key,
  filter: ItemFilter,
  range: { afterRow: number; limit: number },
): Promise<BatchItem[]> {
  const { status = null, isWarned = null } = filter
  return db.rows<BatchItem>(sql`
    select ${itemColumns}
    from payout_batch_rows r
    join payout_batches b on b.home = r.home and b.id = r.batch_id
    -- One by one by their key, also while the table has no statistics of this batch.
    left join lateral (
      select * from payouts where home = r.home and batch_id = r.batch_id and batch_row = r.row_number offset 0
    ) p on true
    where r.home = ${batch.home} and r.batch_id = ${batch.id} and r.row_number > ${range.afterRow}
      and (${status}::text is null or ${itemStatus} = ${status}::text)
      and (${isWarned}::boolean is null or (r.state = 'ready' and (r.duplicate_of is not null or r.name_differs)) = ${isWarned}::boolean)
    order by r.row_number
    limit ${range.limit}`)
}

export async function findItem(db: Runner, batch: Key, rowNumber: number): Promise<BatchItem | undefined> {
  const [row] = await listItems(db, batch, {}, { afterRow: rowNumber - 1, limit: 1 })
  return row?.rowNumber === rowNumber ? row : undefined
}

export type ReadyRow = Pick<StoredRow, 'rowNumber' | 'network' | 'narration' | 'reference' | 'nameDiffers'> & {
  amount: number
  phoneNumber: string
  recipientName: string
  /** Null: not asked yet. */
  fee: number | null
}

/** The rows that can be paid after a row, in their order. */
export async function listReady(db: Runner, batch: Key, range: { afterRow: number; limit: number }): Promise<ReadyRow[]> {
  return db.rows<ReadyRow>(sql`
    select row_number, ${columnNames(cellColumns)}, network, fee, name_differs
    from payout_batch_rows
    where home = ${batch.home} and batch_id = ${batch.id} and state = 'ready' and row_number > ${range.afterRow}
    order by row_number
    limit ${range.limit}`)
}

/** What each phone gets, for the sums of the rule. */
export async function listShares(db: Runner, batch: Key): Promise<{ phoneNumber: string; amount: number }[]> {
  return db.rows<{ phoneNumber: string; amount: number }>(sql`
    select phone_number, sum(amount)::bigint as amount from payout_batch_rows
    where home = ${batch.home} and batch_id = ${batch.id} and state = 'ready' group by phone_number`)
}

/** The recipients of a batch: each number once, under the name of its last row. Numbers of erased people are left out. */
export async function listRecipientsOf(
  db: Runner,
  batch: Key,
): Promise<{ phoneNumber: string; network: Network | null; name: string }[]> {
  return db.rows<{ phoneNumber: string; network: Network | null; name: string }>(sql`
    select distinct on (phone_number) phone_number, network, recipient_name as name
    from payout_batch_rows
    where home = ${batch.home} and batch_id = ${batch.id} and state = 'ready' and phone_number like '+%'
    order by phone_number, row_number desc`)
}

/** What a change replaces: a row as it was, or the request for approval that it ends. */
export type Replaced = { row?: Pick<StoredRow, 'rowNumber' | 'state' | keyof Cells>; requestedAt?: Date | null }
const replacedColumns = { rowNumber: 'integer', state: 'text', ...cellColumns, requestedAt: 'timestamptz' } as const

/** Gives a batch that this transaction has locked its next version, before it changes, and keeps what it replaces. */
export async function nextVersion(tx: Tx, batch: Key, { row, requestedAt = null }: Replaced): Promise<number> {
  return tx.value<number>(sql`
    with next as (
      update payout_batches set version = version + 1, updated_at = clock_now() where home = ${batch.home} and id = ${batch.id}
      returning home, id, version, total, row_count
    )
    insert into payout_batch_changes (home, batch_id, version, total, row_count, ${columnNames(replacedColumns)})
    select v.home, v.id, v.version, v.total, v.row_count, n.*
    from next v, ${recordset([{ ...row, requestedAt }], 'n', replacedColumns)}
    returning version`)
}

type Earlier = { total: number; rowCount: number; changedRows: number; requestedAt: Date | null; requestedNow: Date | null }

/** The batch as a whole when it had this version, and the time of its request for approval then and now; undefined: it has not changed. */
export async function findEarlier(db: Runner, batch: Key, version: number): Promise<Earlier | undefined> {
  return db.maybeOne<Earlier>(sql`
    select (array_agg(c.total order by c.version))[1] as total, (array_agg(c.row_count order by c.version))[1] as row_count,
      count(distinct c.row_number) as changed_rows,
      (array_agg(c.requested_at order by c.version) filter (where c.requested_at is not null))[1] as requested_at,
      (select r.created_at from approval_requests r where r.home = ${batch.home} and r.id = ${batch.id}) as requested_now
    from payout_batch_changes c
    where c.home = ${batch.home} and c.batch_id = ${batch.id} and c.version > ${version}
    having count(*) > 0`)
}

export type CellChange = { row: number; field: string; was: string | null; now: string | null }

/** The cells that differ from a version, of the first \`limit\` rows that have changed since. */
export async function listCellChanges(db: Runner, batch: Key, version: number, limit: number): Promise<CellChange[]> {
  return db.rows<CellChange>(sql`
    with earlier as materialized (
      select distinct on (row_number) row_number, state, ${columnNames(cellColumns)}
      from payout_batch_changes
      where home = ${batch.home} and batch_id = ${batch.id} and version > ${version} and row_number is not null
      order by row_number, version
      limit ${limit}
    )
    select e.row_number as row, f.field, f.was, f.now
    from earlier e
    join payout_batch_rows r on r.home = ${batch.home} and r.batch_id = ${batch.id} and r.row_number = e.row_number
    cross join lateral (values
      (1, 'status', e.state, r.state), (2, 'amount', e.amount::text, r.amount::text), (3, 'phone_number', e.phone_number, r.phone_number),
      (4, 'recipient_name', e.recipient_name, r.recipient_name), (5, 'narration', e.narration, r.narration),
      (6, 'reference', e.reference, r.reference)) f (place, field, was, now)
    where f.was is distinct from f.now
    order by e.row_number, f.place`)
}

/** A decided batch is not compared with earlier versions any more. */
const forgetChanges = (batch: Key): Sql => sql`
  delete from payout_batch_changes where home = ${batch.home} and batch_id = ${batch.id}`

/** Records an approval: from here on the rows do not change. What removed rows contained is dropped, but not why they were left out. */
export async function setRunning(tx: Tx, batch: Key, approvedBy: string): Promise<void> {
  await tx.rows(sql`
    with dropped as (
      update payout_batch_rows
      set amount = null, phone_number = null, network = null, recipient_name = null, narration = null, reference = null, fee = null,
        errors = coalesce(${leftOutReasons}, '[]')
      where home = ${batch.home} and batch_id = ${batch.id} and state = 'removed'
    ),
    forgotten as (${forgetChanges(batch)})
    update payout_batches set status = 'running', approval = case approval when 'required' then 'approved' else approval end, approved_by = ${approvedBy}, approved_at = clock_now(), updated_at = clock_now()
    where home = ${batch.home} and id = ${batch.id}`)
}

/** Records that members are asked: from here on the rows do not change. */
export async function setWaiting(tx: Tx, batch: Key): Promise<void> {
  await tx.rows(sql`
    update payout_batches set status = 'waiting', approval = 'required', updated_at = clock_now()
    where home = ${batch.home} and id = ${batch.id}`)
}

/** Records that members did not approve it: none of its rows is paid. */
export async function setRefused(tx: Tx, batch: Key, code: ApprovalFailure): Promise<void> {
  await tx.rows(sql`
    with forgotten as (${forgetChanges(batch)})
    update payout_batches set status = 'stopped', approval = 'refused', failure_code = ${code}, stopped_at = clock_now(), updated_at = clock_now()
    where home = ${batch.home} and id = ${batch.id}`)
}

/** A batch that waits for members becomes a draft again. */
export async function setDraft(tx: Tx, batch: Key): Promise<void> {
  await tx.rows(sql`
    update payout_batches set status = 'draft', approval = 'none', updated_at = clock_now() where home = ${batch.home} and id = ${batch.id}`)
}

/** Records that this person has changed rows of a draft. */
export async function addEditor(tx: Tx, batch: Batch, userId: string): Promise<void> {
  if (userId === batch.requestedByUser || batch.editedBy.includes(userId)) return
  await tx.rows(sql`
    update payout_batches set edited_by = array_append(edited_by, ${userId}::uuid) where home = ${batch.home} and id = ${batch.id}`)
}

/** Records that no further row is sent. */
export async function setStopped(tx: Tx, batch: Key): Promise<void> {
  await tx.rows(sql`
    update payout_batches set status = 'stopped', stopped_at = clock_now(), updated_at = clock_now()
    where home = ${batch.home} and id = ${batch.id}`)
}

/** Deletes a locked draft with its rows. */
export async function deleteDraft(tx: Tx, batch: Key): Promise<void> {
  await tx.rows(sql`delete from payout_batches where home = ${batch.home} and id = ${batch.id}`)
}

/** Removes drafts `days` after their last change, and refused batches `days` after the refusal; returns them, at most `limit`. */
export async function pruneDrafts(tx: Tx, days: number, limit: number): Promise<Batch[]> {
  return tx.rows<Batch>(sql`
    with old as (
      select home, id from payout_batches
      where (status = 'draft' or approval = 'refused') and created_at < clock_now() - make_interval(days => ${days})
        and coalesce(stopped_at, updated_at) < clock_now() - make_interval(days => ${days})
      order by created_at limit ${limit}
      for update skip locked
    )
    delete from payout_batches b using old where b.home = old.home and b.id = old.id
    returning ${columns}`)
}

/** Locks the batches that pay this phone: none of them is approved while its row is removed. */
export async function lockBatchesTo(tx: Tx, phoneNumber: string): Promise<void> {
  await tx.rows(sql`
    select from payout_batches where (home, id) in (select home, batch_id from payout_batch_rows where phone_number = ${phoneNumber})
    order by home, id
    for no key update`)
}

/** Removes the recipient of a phone from the rows: a draft no longer pays it. Returns the number of rows and earlier rows; their payouts are erased apart. */
export async function eraseRowsTo(tx: Tx, phoneNumber: string, pseudonym: string): Promise<number> {
  const changes = await tx.rows(sql`
    update payout_batch_changes set phone_number = ${pseudonym}, recipient_name = ${pseudonym}, narration = null, reference = null
    where phone_number = ${phoneNumber}
    returning version`)
  const rows = await tx.rows<{ home: number; batchId: string; isDraft: boolean }>(sql`
    with erased as (
      update payout_batch_rows r
      set phone_number = ${pseudonym}, recipient_name = ${pseudonym}, narration = null, reference = null, errors = '[]',
        state = case when b.status in ('draft', 'waiting') then 'removed' else r.state end
      from payout_batches b
      where r.phone_number = ${phoneNumber} and b.home = r.home and b.id = r.batch_id
      returning r.home, r.batch_id, b.status in ('draft', 'waiting') as is_draft
    ),
    hashes as (
      -- The hash of a short file can be guessed.
      update payout_batches b
      set content_hash = sha256(gen_random_uuid()::text::bytea), request_hash = sha256(gen_random_uuid()::text::bytea)
      from (select distinct home, batch_id from erased) e
      where b.home = e.home and b.id = e.batch_id
    )
    select home, batch_id, is_draft from erased`)
  const drafts = new Map(rows.filter(({ isDraft }) => isDraft).map((row) => [row.batchId, row]))
  for (const { home, batchId: id } of drafts.values()) {
    const version = await nextVersion(tx, { home, id }, {})
    await sumUpBatch(tx, { home, id })
    const batch = await lockAnyBatch(tx, { home, id })
    await renewApproval(tx, { home, id }, { version, amount: batch!.total })
  }
  return rows.length + changes.length
}

/** Removes the titles and the drafts of merchants whose account is erased. */
export async function eraseBatchesOf(tx: Tx, merchants: readonly Key[]): Promise<void> {
  await tx.rows(sql`
    with m as materialized (
      select * from unnest(${merchants.map(({ home }) => home)}::smallint[], ${merchants.map(({ id }) => id)}::uuid[]) as m (home, id)
    ),
    dropped as (
      delete from payout_batches b using m where b.home = m.home and b.merchant_id = m.id and (b.status = 'draft' or b.approval = 'refused')
    )
    update payout_batches b set title = null from m where b.home = m.home and b.merchant_id = m.id and b.status <> 'draft' and b.approval <> 'refused'`)
}

/** A draft whose fees are asked for by this process until its lease ends. */
export type UnquotedBatch = Key & { environment: Environment; merchantId: string }

/** Claims drafts whose fees are due, or the named one. */
export async function claimUnquoted(
  db: Runner,
  wanted: { limit: number; leaseSeconds: number; only?: Key },
): Promise<UnquotedBatch[]> {
  const { limit, leaseSeconds, only } = wanted
  return db.rows<UnquotedBatch>(sql`
    with due as (
      select home, id from payout_batches
      where fees_due_at <= clock_now() + interval '1 millisecond' and not ${isClockBehind}
        ${only ? sql`and home = ${only.home} and id = ${only.id}` : sql``}
      order by fees_due_at limit ${limit}
      for no key update skip locked
    )
    update payout_batches b set fees_due_at = clock_now() + make_interval(secs => ${leaseSeconds})
    from due where b.home = due.home and b.id = due.id
    returning b.home, b.id, b.environment, b.merchant_id`)
}

export type Unquoted = { amount: number; phoneNumber: string | null }

/** Amounts of rows without a fee after one of them, each once; with the phone of each row if the fee depends on it. */
export async function listUnquoted(
  db: Runner,
  batch: Key,
  wanted: { perPhone: boolean; after: Unquoted | undefined; limit: number },
): Promise<Unquoted[]> {
  const phone = wanted.perPhone ? sql`phone_number` : sql`null::text`
  const { amount = 0, phoneNumber = null } = wanted.after ?? {}
  return db.rows<Unquoted>(sql`
    select distinct amount, ${phone} as phone_number from payout_batch_rows
    where home = ${batch.home} and batch_id = ${batch.id} and state = 'ready' and fee is null
      and (amount > ${amount} or amount = ${amount} and phone_number > ${phoneNumber}::text)
    order by amount, phone_number
    limit ${wanted.limit}`)
}

const feeColumns = { amount: 'bigint', phoneNumber: 'text', fee: 'bigint' } as const

/** Stores fees for rows of a draft that have none. */
export async function storeFees(db: Runner, batch: Key, fees: (Unquoted & { fee: number })[]): Promise<void> {
  await db.rows(sql`
    update payout_batch_rows r set fee = f.fee
    from ${recordset(fees, 'f', feeColumns)}, payout_batches b
    where r.home = ${batch.home} and r.batch_id = ${batch.id} and r.state = 'ready' and r.fee is null
      and r.amount = f.amount and (f.phone_number is null or r.phone_number = f.phone_number)
      and b.home = r.home and b.id = r.batch_id and b.status = 'draft'`)
}

const refusedColumns = { amount: 'bigint', phoneNumber: 'text', errors: 'jsonb' } as const

/** Rows of a locked draft have an error until they are changed. */
async function refuseRows(tx: Tx, batch: Key, refused: Turn['refused']): Promise<void> {
  const items = refused.map(({ error, ...row }) => ({ ...row, errors: JSON.stringify([error]) }))
  await tx.rows(sql`
    update payout_batch_rows r set state = 'invalid', errors = f.errors, duplicate_of = null
    from ${recordset(items, 'f', refusedColumns)}, payout_batches b
    where r.home = ${batch.home} and r.batch_id = ${batch.id} and r.state = 'ready' and r.fee is null
      and r.amount = f.amount and (f.phone_number is null or r.phone_number = f.phone_number)
      and b.home = r.home and b.id = r.batch_id and b.status = 'draft'`)
  await sumUpBatch(tx, batch)
}

/** The outcome of a turn: rows that the provider refuses, and the seconds until the next turn if fees are still unknown. */
export type Turn = { refused: (Unquoted & { error: RowError })[]; seconds: number }

/** Ends a turn: refused rows are invalid, and the fees are added up if all are known. */
export async function endTurn(tx: Tx, batch: Key, { refused, seconds }: Turn): Promise<void> {
  // A row may just be changing: its fee is added up only when that is visible.
  await tx.rows(sql`select from payout_batches where home = ${batch.home} and id = ${batch.id} for no key update`)
  if (refused.length > 0) await refuseRows(tx, batch, refused)
  await tx.rows(sql`
    update payout_batches b
    set fees = case when s.unquoted = 0 then s.fees end,
      fees_due_at = case when s.unquoted > 0 then clock_now() + make_interval(secs => ${seconds}) end,
      -- A turn without a result is no change: it would keep a draft whose fees stay unknown.
      updated_at = case when s.unquoted > 0 then b.updated_at else clock_now() end
    from (
      select coalesce(sum(fee), 0)::bigint as fees, count(*) filter (where fee is null) as unquoted
      from payout_batch_rows
      where home = ${batch.home} and batch_id = ${batch.id} and state = 'ready'
    ) s
    where b.home = ${batch.home} and b.id = ${batch.id} and b.status = 'draft'`)
}

/** Moves the times at which fees are due together with a clock that was set back by this many seconds. */
export async function moveBatchTimes(tx: Tx, seconds: number): Promise<void> {
  await tx.rows(sql`update payout_batches set fees_due_at = ${moved(sql`fees_due_at`, seconds)} where fees_due_at is not null`)
}

/** Counts of an ended batch, for the mail to its owner. */
export type EndedBatch = Batch & Pick<Progress, 'completed' | 'failed' | 'cancelled' | 'paidAmount'>

/** Ended batches whose owners were not mailed yet, marked as mailed; skips rows that another process has locked. */
export async function claimUnnotifiedBatches(tx: Tx, limit: number): Promise<EndedBatch[]> {
  return tx.rows<EndedBatch>(sql`
    with untold as (
      select home, id from payout_batches
      where finished_at is not null and notified_at is null
      order by finished_at limit ${limit}
      for no key update skip locked
    ),
    told as (
      update payout_batches b set notified_at = clock_now()
      from untold u
      where b.home = u.home and b.id = u.id
      returning b.*
    )
    select ${columns}, g.completed, g.failed, g.cancelled, g.paid_amount from told b ${withProgress}`)
}
