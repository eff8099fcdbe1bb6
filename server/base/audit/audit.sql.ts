/** The only statements on `audit_log` and `audit_head`. The row of the head is the lock that puts entries in order. */
import { sql, type Runner, type Sql, type Tx } from '../../platform/db/db.ts'
import type { AuditEntry, Origin } from './audit.ts'

/** The place of an entry in the chain; no other entry is appended before the transaction ends. */
export type Place = { seq: number; at: Date; previousHash: Buffer; hash: Buffer }

const jsonOf = (facts: object | undefined): string | null => (facts === undefined ? null : JSON.stringify(facts))

/** Locks the end of the chain and extends it by this entry. */
export async function lockChainEnd(tx: Tx, { actor, requestId, ip }: Origin, entry: AuditEntry): Promise<Place> {
  // A transaction that waits for the head uses the row of the previous one: after the wait, an update reads its row again.
  return tx.one<Place>(sql`
    with wanted as (select date_trunc('milliseconds', clock_now()) as at)
    update audit_head h set seq = h.seq + 1, previous_hash = h.hash,
      hash = audit_entry_hash(h.hash, h.seq + 1, w.at, ${actor}::text, ${entry.action}::text, ${entry.object}::text,
        ${jsonOf(entry.before)}::jsonb, ${jsonOf(entry.after)}::jsonb, ${requestId}::text, ${ip}::text,
        ${entry.merchantId ?? null}::uuid)
    from wanted w
    where h.only_row
    returning h.seq, w.at, h.previous_hash, h.hash`)
}

export async function insertEntry(
  tx: Tx,
  { actor, requestId, ip }: Origin,
  entry: AuditEntry,
  place: Place,
  mac: string,
): Promise<void> {
  await tx.rows(sql`
    insert into audit_log (seq, at, actor, action, object, before, after, request_id, ip, merchant_id, previous_hash, hash, mac)
    values (${place.seq}, ${place.at}, ${actor}, ${entry.action}, ${entry.object}, ${jsonOf(entry.before)}::jsonb,
      ${jsonOf(entry.after)}::jsonb, ${requestId}, ${ip}, ${entry.merchantId ?? null}, ${place.previousHash}, ${place.hash}, ${mac})`)
}

/** A place in the chain, with its hash as hexadecimal digits and its code; the code is null for an entry from before codes existed. */
type CodedPlace = { seq: number; hash: string; mac: string | null }

/** An entry with all that its code covers. */
export type CodedEntry = CodedPlace & Omit<AuditRow, 'at'> & { merchantId: string | null }

/** The next entries after `afterSeq`, oldest first. */
export async function readCodedEntries(runner: Runner, afterSeq: number, limit: number): Promise<CodedEntry[]> {
  return runner.rows<CodedEntry>(sql`
    select seq, encode(hash, 'hex') as hash, mac, actor, action, object, before, after, request_id, ip, merchant_id
    from audit_log where seq > ${afterSeq} order by seq limit ${limit}`)
}

/** `isOfEntry`: the entry of this number has this hash. Number 0 is the start of the log. */
export type KeyedAfter = CodedPlace & { isOfEntry: boolean; headSeq: number; headHash: string }

/** The entry up to which the code of `audit_head` covers the log; each later entry has its own code. */
export async function readKeyedAfter(runner: Runner): Promise<KeyedAfter> {
  const [row] = await runner.rows<KeyedAfter>(sql`
    select h.keyed_after as seq, encode(h.keyed_after_hash, 'hex') as hash, h.keyed_after_mac as mac,
      h.keyed_after = 0 or exists (select from audit_log l where l.seq = h.keyed_after and l.hash = h.keyed_after_hash) as is_of_entry,
      h.seq as head_seq, encode(h.hash, 'hex') as head_hash
    from audit_head h`)
  return row ?? { seq: 0, hash: '', mac: null, isOfEntry: true, headSeq: 0, headHash: '' }
}

/** Moves that point forward, unless it was moved since it was read. Returns whether it did. */
export async function moveKeyedAfter(runner: Runner, was: number, { seq, hash, mac }: CodedPlace): Promise<boolean> {
  return runner.any(sql`
    update audit_head set keyed_after = ${seq}, keyed_after_hash = decode(${hash}, 'hex'), keyed_after_mac = ${mac}
    where keyed_after = ${was} returning 1`)
}

/** How many codes of the log are in use, by the key that they were made with. */
export async function countAuditCodes(runner: Runner): Promise<{ keyId: string; count: number }[]> {
  return runner.rows(sql`
    select split_part(mac, '.', 1) as key_id, count(*) as count
    from (
      select l.mac from audit_head h join audit_log l on l.seq > h.keyed_after
      union all
      select keyed_after_mac from audit_head
    ) codes
    where mac is not null group by 1 order by 1`)
}

export type AuditHead = { seq: number; hash: Buffer }

/** The current end of the chain. */
export async function readAuditHead(runner: Runner): Promise<AuditHead> {
  return runner.one<AuditHead>(sql`select seq, hash from audit_head`)
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

/** Entries are in the order of time, except for the time that each waited for the end of the chain, which is much less than this. */
const outOfOrder = sql`interval '1 minute'`

/** The condition for a time. Its place is looked up once, so that a list of last year does not start with a scan of this year. */
function within(from: string | undefined, to: string | undefined): Sql {
  return sql`
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
}

/** Entries newest first, one more than requested. */
export async function listEntries(runner: Runner, wanted: WantedEntries): Promise<AuditRow[]> {
  const { beforeSeq, object, actor, action, from, to, limit } = wanted
  return runner.rows<AuditRow>(sql`
    select seq, at, actor, action, object, before, after, request_id, ip from audit_log
    where (${beforeSeq}::bigint is null or seq < ${beforeSeq}::bigint)
      ${object === null ? sql`` : sql`and object = ${object}::text`}
      ${actor === null ? sql`` : sql`and actor = ${actor}::text`}
      ${action === null ? sql`` : sql`and action = ${action}::text`}
      ${within(from, to)}
    order by seq desc
    limit ${limit + 1}`)
}

export type WantedActivity = Pick<WantedEntries, 'beforeSeq' | 'from' | 'to' | 'limit'>

/** The entries about one merchant's business, newest first, one more than requested. */
export async function listActivity(
  runner: Runner,
  merchantId: string,
  { beforeSeq, from, to, limit }: WantedActivity,
): Promise<AuditRow[]> {
  return runner.rows<AuditRow>(sql`
    select seq, at, actor, action, object, before, after, request_id, ip from audit_log
    where merchant_id = ${merchantId}
      and (${beforeSeq}::bigint is null or seq < ${beforeSeq}::bigint)
      ${within(from, to)}
    order by seq desc
    limit ${limit + 1}`)
}

export type Deed = Pick<AuditRow, 'seq' | 'at' | 'action' | 'object' | 'after'>

/** What one actor did in a merchant's business by these actions, newest first. */
export async function listDeeds(
  runner: Runner,
  { actor, merchantId, actions, limit }: { actor: string; merchantId: string; actions: readonly string[]; limit: number },
): Promise<Deed[]> {
  return runner.rows<Deed>(sql`
    select seq, at, action, object, after from audit_log
    where actor = ${actor} and merchant_id = ${merchantId} and action = any(${[...actions]}::text[])
    order by seq desc
    limit ${limit}`)
}

export type ChainCheck = {
  fromSeq: number
  toSeq: number
  headSeq: number
  headHash: Buffer
  brokenAt: number | null
  checkedAt: Date
}

/** Computes the newest `entries` of the chain again: whether each continues the previous one, up to the head. */
export async function checkChain(runner: Runner, entries: number): Promise<ChainCheck> {
  return runner.one<ChainCheck>(sql`
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
        or hash <> audit_entry_hash(previous_hash, seq, at, actor, action, object, before, after, request_id, ip, merchant_id))
    ),
    ends as (select coalesce(min(seq), 0) as first, coalesce(max(seq), 0) as last from newest)
    select e.first as from_seq, e.last as to_seq, h.seq as head_seq, h.hash as head_hash, clock_now() as checked_at,
      coalesce(b.seq, case
        when h.seq <> e.last or h.hash <> coalesce((select hash from newest order by seq desc limit 1), h.hash) then e.last + 1 end) as broken_at
    from head h cross join ends e cross join broken b`)
}

/** Whether this was ever done to the object: entries stay for good. */
export async function hasEntry(runner: Runner, { object, action }: { object: string; action: string }): Promise<boolean> {
  return runner.any(sql`select 1 from audit_log where object = ${object} and action = ${action} limit 1`)
}

export async function hasRecentEntry(
  runner: Runner,
  wanted: { actor: string; action: string; withinSeconds: number },
): Promise<boolean> {
  return runner.any(sql`
    select 1 from audit_log
    where actor = ${wanted.actor} and action = ${wanted.action} and at > clock_now() - make_interval(secs => ${wanted.withinSeconds})
    order by seq desc limit 1`)
}
