/** What was read of a provider's list, while its run lasts: the only statements on `reconciliation_records` that know no subject. */
import { sql, type Runner } from '../platform/db/db.ts'
import { recordset } from '../platform/db/recordset.ts'
import type { Outcome, ReadRecord } from './book.ts'

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

/** Keeps what was read of a list; a record that a page shows again is the same record. */
export async function keepRecords(db: Runner, runId: string, records: ReadRecord[]): Promise<void> {
  await db.rows(sql`
    insert into reconciliation_records (run_id, reference, in_day, network, status, amount, home, subject_id, outcome)
    select ${runId}, r.* from ${recordset(records, 'r', recordColumns)}
    on conflict (run_id, reference) do nothing`)
}

/** What came of asking about one that the list does not have. */
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

/** Open breaks about what the list had lacked, and what the provider shows now with the end that our books have. */
export async function listFoundAfterAll(db: Runner, runId: string): Promise<{ home: number; id: string }[]> {
  return db.rows<{ home: number; id: string }>(sql`
    select b.home, b.id
    from reconciliation_runs r
    join reconciliation_records n on n.run_id = r.id and n.outcome in ('matched', 'repaired') and n.amount is not null
    join breaks b on b.provider = r.provider and b.environment = r.environment and b.provider_reference = n.reference
      and coalesce(b.payment_id, b.payout_id) = n.subject_id
    where r.id = ${runId} and b.kind = 'missing_at_provider' and b.resolved_at is null`)
}

/** Removes what was read: the run has its sums. */
export async function pruneRecords(db: Runner, runId: string): Promise<void> {
  await db.rows(sql`delete from reconciliation_records where run_id = ${runId}`)
}
