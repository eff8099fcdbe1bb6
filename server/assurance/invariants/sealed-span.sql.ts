/**
 * The only access to sealed_spans: the rows written in a stretch of time, digested soon afterwards. Invariant: a row that is changed,
 * removed or added in a sealed stretch, by anyone, is found as long as the digest is unchanged; the newest digests are reported outside
 * the database (heads).
 */
import { sql, type Db, type Runner, type Sql, type Tx } from '../../platform/db/db.ts'
import type { Check, Scope } from './scope.sql.ts'

const ms = (column: Sql): Sql => sql`(extract(epoch from ${column}) * 1000)::bigint`

/**
 * The columns of each table that never change, not even when a person is erased; a table has two names if some columns were omitted at
 * first.
 */
const sealed: readonly { what: string; table: Sql; columns: Sql }[] = [
  {
    what: 'ledger_transfers',
    table: sql`ledger_transfers`,
    columns: sql`r.home, r.id, r.movement_id, r.environment, r.kind, r.debit_account_id, r.credit_account_id, r.amount, r.debit_seq, r.credit_seq,
      r.debit_balance_after, r.credit_balance_after, r.payment_id, r.page_id, r.payout_id, r.actor, r.request_id, ${ms(sql`r.created_at`)}`,
  },
  { what: 'breaks_of_transfers', table: sql`ledger_transfers`, columns: sql`r.home, r.id, r.break_id` },
  {
    what: 'payments',
    table: sql`payments`,
    columns: sql`r.home, r.id, r.merchant_id, r.environment, r.page_id, r.amount, r.currency, encode(r.idempotency_hash, 'hex'), r.request_id,
      ${ms(sql`r.created_at`)}`,
  },
  {
    what: 'events',
    table: sql`events`,
    columns: sql`r.home, r.id, r.type, r.merchant_id, r.environment, r.payment_id, r.payout_id, r.occurrence, r.data::text,
      ${ms(sql`r.created_at`)}`,
  },
  {
    what: 'payouts',
    table: sql`payouts`,
    columns: sql`r.home, r.id, r.merchant_id, r.environment, r.amount, r.fee, r.currency, encode(r.idempotency_hash, 'hex'), r.requested_by,
      r.request_id, ${ms(sql`r.created_at`)}`,
  },
]

export const sealedNames = sealed.map(({ what }) => what)

/** Each row with a digest of the JSON text of its columns. */
const linesOf = ({ table, columns }: (typeof sealed)[number]): Sql => sql`
  select r.home, r.id, r.created_at, sha256(convert_to(jsonb_build_array(${columns})::text, 'utf8')) as line from ${table} r`

/** The digest of the lines of the stretch `s`, in the order of homes and ids. */
const digestOf = (lines: Sql): Sql => sql`
  select count(*) as row_count, sha256(coalesce(string_agg(l.line, ''::bytea order by l.home, l.id), ''::bytea)) as digest
  from ${lines} l where l.created_at >= s.from_at and l.created_at < s.to_at`

/** The maximum length of a stretch. */
const longest = sql`interval '1 hour'`
/** The maximum number in one statement, so that it stays short after a pause of the workers. */
const stretchesAtOnce = 12

const sealedUntil = (lagSeconds: number): Sql =>
  sql`date_trunc('milliseconds', clock_now() - make_interval(secs => ${lagSeconds}::double precision))`

/** The next stretches of a table that can be sealed, as a common table expression `stretches (place, from_at, to_at)`. */
const stretchesToSeal = (what: string, lagSeconds: number): Sql => sql`
  stretches as materialized (
    select g.place, b.from_at + g.place * ${longest} as from_at, least(b.from_at + (g.place + 1) * ${longest}, b.until) as to_at
    from (
      select coalesce((select to_at from sealed_spans where what = ${what} order by from_at desc limit 1), u.until - ${longest}) as from_at, u.until
      from (select ${sealedUntil(lagSeconds)} as until) u
    ) b
    cross join generate_series(0, ${stretchesAtOnce}::integer - 1) as g (place)
    where b.from_at + g.place * ${longest} < b.until
  )`

/** Whether no other process seals now. Two that begin a table at once would otherwise each begin it at a moment of their own. */
async function isFirst(tx: Tx): Promise<boolean> {
  return tx.value<boolean>(sql`select pg_try_advisory_xact_lock(hashtext('malipo sealed spans')) as is_mine`)
}

/**
 * Seals the rows written until `lagSeconds` ago, in at most `steps` steps of twelve hours. The lag is longer than the maximum duration of
 * a transaction of the service: a row that becomes visible later, with an earlier time, would look like an added row.
 */
export async function sealSpans(db: Pick<Db, 'tx'>, { lagSeconds, steps }: { lagSeconds: number; steps: number }): Promise<void> {
  for (const one of sealed) {
    for (let step = 0; step < steps; step += 1) {
      const sealedNow = await db.tx(async (tx) => {
        if (!(await isFirst(tx))) return []
        return tx.rows<{ isLast: boolean }>(sql`
        with ${stretchesToSeal(one.what, lagSeconds)},
        found as (
          select l.place, count(*) as row_count, sha256(string_agg(l.line, ''::bytea order by l.home, l.id)) as digest
          from (
            select l.*, floor(extract(epoch from l.created_at - step.from_at) / extract(epoch from ${longest}))::integer as place
            from (select min(from_at) as from_at, max(to_at) as to_at from stretches having count(*) > 0) step
            cross join lateral (${linesOf(one)} where r.created_at >= step.from_at and r.created_at < step.to_at) l
          ) l
          group by l.place
        )
        insert into sealed_spans (what, from_at, to_at, row_count, digest, sealed_at)
        select ${one.what}, s.from_at, s.to_at, coalesce(d.row_count, 0), coalesce(d.digest, sha256(''::bytea)), clock_now()
        from stretches s
        left join found d on d.place = s.place
        on conflict do nothing
        returning to_at >= ${sealedUntil(lagSeconds)} as "isLast"`)
      })
      // The end moves forward with the clock: the step that has reached it is the last one; otherwise each further step would seal a
      // millisecond.
      if (sealedNow.length === 0 || sealedNow.some(({ isLast }) => isLast)) break
    }
  }
}

/**
 * Removes stretches that ended this many days ago, at most `limit`, of the tables that another digest covers by then: closed days, or the
 * seals of rows. Those of payments and events stay. Returns how many.
 */
export async function pruneSpans(db: Runner, olderThanDays: number, limit: number): Promise<number> {
  return db.rowCount(sql`
    delete from sealed_spans where (what, from_at) in (
      select what, from_at from sealed_spans
      where what in ('ledger_transfers', 'breaks_of_transfers', 'payouts') and to_at < clock_now() - make_interval(days => ${olderThanDays}::integer)
      order by from_at limit ${limit})
    returning what`)
}

/** Removes the stretches that end in the future of a clock that was set back: they were sealed while it was ahead, and get new rows. */
export async function removeFutureSpans(tx: Tx): Promise<void> {
  await tx.rows(sql`delete from sealed_spans where to_at > clock_now()`)
}

/** Not one of a clock that was ahead and has just been set back. */
const hasEnded = sql`s.to_at <= clock_now()`

const differs = sql`format('of %s from %s to %s there were %s rows, and now there are %s or others', s.what, s.from_at, s.to_at, s.row_count,
  coalesce(d.row_count, 0)) as what`

/** The rows written since a moment are read once, and not for each stretch. */
const changedSince = (one: (typeof sealed)[number], since: Date | null): Sql => sql`
  with lines as materialized (${linesOf(one)} where r.created_at >= ${since}::timestamptz - ${longest})
  select ${differs}
  from sealed_spans s
  cross join lateral (${digestOf(sql`lines`)}) d
  where s.what = ${one.what} and s.to_at > ${since}::timestamptz and ${hasEnded} and (d.row_count, d.digest) is distinct from (s.row_count, s.digest)`

/** The stretches of a step follow each other: their rows are read once, and each row is assigned to its stretch. */
const changedIn = (one: (typeof sealed)[number], ids: readonly string[]): Sql => sql`
  with spans as materialized (
    select s.* from sealed_spans s where s.what = ${one.what} and ${hasEnded} and s.what || '|' || ${ms(sql`s.from_at`)} = any(${ids}::text[])
  ),
  found as (
    select s.from_at, count(*) as row_count, sha256(string_agg(l.line, ''::bytea order by l.home, l.id)) as digest
    from (select min(from_at) as from_at, max(to_at) as to_at from spans having count(*) > 0) step
    cross join lateral (${linesOf(one)} where r.created_at >= step.from_at and r.created_at < step.to_at) l
    cross join lateral (
      select s.from_at, s.to_at from sealed_spans s where s.what = ${one.what} and s.from_at <= l.created_at order by s.from_at desc limit 1
    ) s
    where l.created_at < s.to_at
    group by s.from_at
  )
  select ${differs}
  from spans s
  left join found d on d.from_at = s.from_at
  where (coalesce(d.row_count, 0), coalesce(d.digest, sha256(''::bytea))) is distinct from (s.row_count, s.digest)`

const changed = (one: (typeof sealed)[number], { since, keys }: Scope): Sql =>
  keys ? changedIn(one, keys.ids) : changedSince(one, since)

export const sealPromises: readonly Check[] = [
  ...sealed.map((one): Check => ({ invariant: 'seals', over: 'sealed_spans', broken: (scope) => changed(one, scope) })),
  {
    invariant: 'seals',
    over: 'glance',
    broken: () => sql`
      select format('the digest of %s before %s is missing', n.what, n.from_at) as what
      from (select s.what, s.from_at, lag(s.to_at) over (partition by s.what order by s.from_at) as before from sealed_spans s) n
      where n.before <> n.from_at`,
  },
]
