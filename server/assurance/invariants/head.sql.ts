/** The facts of a head, and the current facts of the database about it. */
import { sql, type Runner } from '../../platform/db/db.ts'
import { sealedNames } from './sealed-span.sql.ts'

/** `what` is a table, or `day` for a closed day; `from` is the start of the stretch, or the day. */
export type Digest = { what: string; from: string; digest: string }

export type HeadFacts = { at: string; audit: { seq: number; hash: string }; days: Digest[]; spans: Digest[] }

const iso = sql`'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`

const days = sql`select 'day' as what, to_char(day, 'YYYY-MM-DD') as "from", encode(digest, 'hex') as digest from closed_days`
const spans = sql`
  select s.what, to_char(s.from_at at time zone 'UTC', ${iso}) as "from", encode(s.digest, 'hex') as digest from sealed_spans s`

/** Those of one table are sealed in order: they are read from the newest to the first that is older, because old ones stay. */
const spansOfLastHour = sql`
  ${spans} join unnest(${sealedNames}::text[]) as w (what) on s.what = w.what and s.from_at > coalesce((
    select o.from_at from sealed_spans o where o.what = w.what and o.sealed_at <= clock_now() - interval '1 hour'
    order by o.from_at desc limit 1), '-infinity')`

/** The end of the audit log, the last closed days and the last sealed stretches; in one statement, so they are from one moment. */
export async function readHeadNow(db: Runner): Promise<HeadFacts> {
  return db.one<HeadFacts>(sql`
    select to_char(clock_now() at time zone 'UTC', ${iso}) as at,
      (select json_build_object('seq', h.seq, 'hash', encode(h.hash, 'hex')) from audit_head h) as audit,
      (select coalesce(json_agg(d order by d."from"), '[]') from (${days} order by day desc limit 3) d) as days,
      -- Those of an hour: the writer leaves out what its heads have already.
      (select coalesce(json_agg(s order by s.what, s."from"), '[]')
        from (${spansOfLastHour}) s) as spans`)
}

export const keyOf = ({ what, from }: Pick<Digest, 'what' | 'from'>): string => `${what} ${from}`

export type Known = {
  /** The last entry of the audit log. */
  seq: number
  /** By `keyOf`. */
  digests: Map<string, string>
  /** The first and the last `from` of each `what`. */
  oldest: Record<string, string>
  newest: Record<string, string>
}

export async function readKnown(db: Runner): Promise<Known> {
  const [head] = await db.rows<{ seq: number }>(sql`select seq from audit_head`)
  const known: Known = { seq: head?.seq ?? 0, digests: new Map(), oldest: {}, newest: {} }
  for (const digest of await db.rows<Digest>(sql`${days} union all ${spans} order by 1, 2`)) {
    const { what, from } = digest
    known.digests.set(keyOf(digest), digest.digest)
    known.oldest[what] ??= from
    known.newest[what] = from
  }
  return known
}

/** The hashes of these entries of the audit log. */
export async function readHashes(db: Runner, seqs: number[]): Promise<Map<number, string>> {
  const hashes = await db.rows<{ seq: number; hash: string }>(sql`
    select seq, encode(hash, 'hex') as hash from audit_log where seq = any(${seqs}::bigint[])
    -- A head from before the first entry.
    union all select 0, encode(sha256('malipo audit log'), 'hex')`)
  return new Map(hashes.map(({ seq, hash }) => [seq, hash]))
}

/** The last entry of the audit log that records a restore, made after this moment. */
export async function findNotedRestore(db: Runner, since: string): Promise<number | undefined> {
  return db.maybeValue<number>(sql`
    select seq from audit_log where action = 'database.restored' and at >= ${since}::timestamptz order by seq desc limit 1`)
}
