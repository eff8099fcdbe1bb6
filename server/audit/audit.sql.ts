/** The only statements on `audit_log` and `audit_head`. The row of the head is the lock under which entries take turns. */
import { sql, type Runner } from '../platform/db.ts'
import type { AuditEntry, Origin } from './audit.ts'

export async function insertEntry(runner: Runner, origin: Origin, entry: AuditEntry): Promise<void> {
  const before = entry.before === undefined ? null : JSON.stringify(entry.before)
  const after = entry.after === undefined ? null : JSON.stringify(entry.after)
  // Whoever waits for the head computes with the row that the one before has left: an update reads its row again.
  await runner.rows(sql`
    with wanted as (
      select date_trunc('milliseconds', clock_now()) as at, ${origin.actor}::text as actor, ${entry.action}::text as action,
        ${entry.object}::text as object, ${before}::jsonb as before, ${after}::jsonb as after,
        ${origin.requestId}::text as request_id, ${origin.ip}::text as ip
    ),
    head as (
      update audit_head h set seq = h.seq + 1, previous_hash = h.hash,
        hash = audit_entry_hash(h.hash, h.seq + 1, w.at, w.actor, w.action, w.object, w.before, w.after, w.request_id, w.ip)
      from wanted w
      where h.only_row
      returning h.seq, h.previous_hash, h.hash
    )
    insert into audit_log (seq, at, actor, action, object, before, after, request_id, ip, previous_hash, hash)
    select h.seq, w.at, w.actor, w.action, w.object, w.before, w.after, w.request_id, w.ip, h.previous_hash, h.hash
    from head h cross join wanted w`)
}

export type AuditHead = { seq: number; hash: Buffer }

/** Where the chain ends now. */
export async function readAuditHead(runner: Runner): Promise<AuditHead> {
  const [head] = await runner.rows<AuditHead>(sql`select seq, hash from audit_head`)
  return head!
}

export type AuditRow = {
  seq: number
  at: Date
  actor: string
  action: string
  object: string
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  requestId: string
  ip: string | null
}

/** Entries newest first, one more than asked for. */
export async function listEntries(
  runner: Runner,
  wanted: { beforeSeq: number | null; object: string | null; actor: string | null; action: string | null; limit: number },
): Promise<AuditRow[]> {
  const { beforeSeq, object, actor, action, limit } = wanted
  return runner.rows<AuditRow>(sql`
    select seq, at, actor, action, object, before, after, request_id, ip from audit_log
    where (${beforeSeq}::bigint is null or seq < ${beforeSeq}::bigint)
      and (${object}::text is null or object = ${object}::text)
      and (${actor}::text is null or actor = ${actor}::text)
      and (${action}::text is null or action = ${action}::text)
    order by seq desc
    limit ${limit + 1}`)
}
