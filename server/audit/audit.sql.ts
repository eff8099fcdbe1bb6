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

export type WantedEntries = {
  beforeSeq: number | null
  object: string | null
  actor: string | null
  action: string | null
  from?: string
  to?: string
  limit: number
}

/** Entries are in the order of time but for what each waited for the end of the chain, which is much less than this. */
const outOfOrder = sql`interval '1 minute'`

/** Entries newest first, one more than asked for. */
export async function listEntries(runner: Runner, wanted: WantedEntries): Promise<AuditRow[]> {
  const { beforeSeq, object, actor, action, from, to, limit } = wanted
  // A time is looked up once, so that a list of last year's does not begin with walking through this year's.
  const ofTime = sql`
    ${
      from === undefined
        ? sql``
        : sql`and at >= ${from}::timestamptz
      and seq > coalesce((select e.seq from audit_log e where e.at < ${from}::timestamptz - ${outOfOrder} order by e.at desc limit 1), 0)`
    }
    ${
      to === undefined
        ? sql``
        : sql`and at < ${to}::timestamptz
      and seq <= coalesce((select e.seq from audit_log e where e.at >= ${to}::timestamptz + ${outOfOrder} order by e.at limit 1), 9223372036854775807)`
    }`
  return runner.rows<AuditRow>(sql`
    select seq, at, actor, action, object, before, after, request_id, ip from audit_log
    where (${beforeSeq}::bigint is null or seq < ${beforeSeq}::bigint)
      ${object === null ? sql`` : sql`and object = ${object}::text`}
      ${actor === null ? sql`` : sql`and actor = ${actor}::text`}
      ${action === null ? sql`` : sql`and action = ${action}::text`}
      ${ofTime}
    order by seq desc
    limit ${limit + 1}`)
}

export type ChainCheck = {
  fromSeq: number
  toSeq: number
  headSeq: number
  headHash: Buffer
  brokenAt: number | null
  checkedAt: Date
}

/** Computes the newest `entries` of the chain again: whether each continues the one before, up to the head. */
export async function checkChain(runner: Runner, entries: number): Promise<ChainCheck> {
  const [row] = await runner.rows<ChainCheck>(sql`
    with head as (select seq, hash from audit_head),
    newest as materialized (
      select * from audit_log order by seq desc limit ${entries + 1}
    ),
    chain as (
      select l.*, lag(l.seq) over w as before_seq, lag(l.hash) over w as before_hash
      from newest l window w as (order by l.seq)
    ),
    broken as (
      select min(seq) as seq from chain
      -- The oldest one that was read has its predecessor unread, unless it is the first of all.
      where (before_seq is not null or seq = 1) and (
        seq <> coalesce(before_seq, 0) + 1
        or previous_hash <> coalesce(before_hash, sha256('malipo audit log'))
        or hash <> audit_entry_hash(previous_hash, seq, at, actor, action, object, before, after, request_id, ip))
    ),
    ends as (select coalesce(min(seq), 0) as first, coalesce(max(seq), 0) as last from newest)
    select e.first as from_seq, e.last as to_seq, h.seq as head_seq, h.hash as head_hash, clock_now() as checked_at,
      coalesce(b.seq, case
        when h.seq <> e.last or h.hash <> coalesce((select hash from newest order by seq desc limit 1), h.hash) then e.last + 1 end) as broken_at
    from head h cross join ends e cross join broken b`)
  return row!
}

/** Whether this actor has an entry of this action within so many seconds. */
export async function hasRecentEntry(
  runner: Runner,
  wanted: { actor: string; action: string; withinSeconds: number },
): Promise<boolean> {
  const rows = await runner.rows(sql`
    select 1 from audit_log
    where actor = ${wanted.actor} and action = ${wanted.action} and at > clock_now() - make_interval(secs => ${wanted.withinSeconds})
    order by seq desc limit 1`)
  return rows.length > 0
}
