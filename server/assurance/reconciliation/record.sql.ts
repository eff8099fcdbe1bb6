/**
 * The records of a provider's list, stored while its run lasts: the only statements on `reconciliation_records` that are the same for both
 * subjects.
 */
import { sql, type Runner, type Sql } from '../../platform/db/db.ts'
import { columnNames, recordset } from '../../platform/db/recordset.ts'
import type { Named, Outcome, ReadRecord } from './book.ts'
import type { Run } from './run.ts'

const recordColumns = {
  reference: 'text',
  inDay: 'boolean',
  network: 'text',
  status: 'text',
  amount: 'bigint',
  home: 'smallint',
  subjectId: 'uuid',
  outcome: 'text',
} as const

/** Stores the records of a list. A record that a page shows again is stored once. */
export async function keepRecords(db: Runner, runId: string, records: ReadRecord[]): Promise<void> {
  await db.rows(sql`
    insert into reconciliation_records (run_id, ${columnNames(recordColumns)})
    select ${runId}, r.* from ${recordset(records, 'r', recordColumns)}
    on conflict (run_id, reference) do nothing`)
}

const namedColumns = { reference: 'text', home: 'smallint', id: 'uuid' } as const

/** The records to find ours for, as `i`; `ord` is their place in the list. */
export const namedRecords = (records: Named[]): Sql => recordset(records, 'i', namedColumns, 'ord')

export type DayRun = Pick<Run, 'id' | 'environment' | 'provider'> & { dayFrom: Date; dayTo: Date }

/** Stores those of ours that are missing in the list; the statement goes on with our payments or payouts `p` and their orders `c`. */
export const insertMissing = (run: DayRun): Sql => sql`
    insert into reconciliation_records (run_id, reference, in_day, network, status, home, subject_id, outcome)
    select ${run.id}, c.provider_reference, true, p.network, 'missing', p.home, p.id, 'missing'`

/** The end of that statement: completed on the run's day and not in the list, at most `most`. Returns the references. */
export const missingOfDay = (run: DayRun, most: number): Sql => sql`
    where p.environment = ${run.environment} and p.status = 'completed' and p.completed_at >= ${run.dayFrom} and p.completed_at < ${run.dayTo}
      and c.provider = ${run.provider} and c.provider_reference is not null
      and not exists (select from reconciliation_records r where r.run_id = ${run.id} and r.reference = c.provider_reference)
    limit ${most}
    on conflict (run_id, reference) do nothing
    returning reference`

/** Records the outcome of a query about a record that is missing in the list. */
export async function recordMissing(
  db: Runner,
  runId: string,
  reference: string,
  found: { outcome: Outcome; status: string; amount: number | null },
): Promise<void> {
  await db.rows(sql`
    update reconciliation_records set outcome = ${found.outcome}, status = ${found.status}, amount = ${found.amount}
    where run_id = ${runId} and reference = ${reference}`)
}

/** Open breaks about records that were missing in the list, and that the provider now shows with the same outcome as our books. */
export async function listFoundAfterAll(db: Runner, runId: string): Promise<{ home: number; id: string }[]> {
  return db.rows<{ home: number; id: string }>(sql`
    select b.home, b.id
    from reconciliation_runs r
    join reconciliation_records n on n.run_id = r.id and n.outcome in ('matched', 'repaired') and n.amount is not null
    join breaks b on b.provider = r.provider and b.environment = r.environment and b.provider_reference = n.reference
      and coalesce(b.payment_id, b.payout_id) = n.subject_id
    where r.id = ${runId} and b.kind = 'missing_at_provider' and b.resolved_at is null`)
}

/** Removes the stored records: the run has its sums. */
export async function pruneRecords(db: Runner, runId: string): Promise<void> {
  await db.rows(sql`delete from reconciliation_records where run_id = ${runId}`)
}
