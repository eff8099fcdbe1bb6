/** The rows of each step of a full check: some hundreds or thousands, in the order of their keys, so that a step is short. */
import { literal, sql, type Runner, type Sql } from '../../platform/db/db.ts'
import { lastHome } from '../../platform/ids.ts'
import type { Cursor, Keys, Walked } from './scope.sql.ts'

/** Before the first row. */
export const start: Cursor = { home: -1, id: '' }

type Step = { keys: Keys; after: Cursor; isLast: boolean }

/** The next step; undefined at the end. `size`: the maximum number of rows, but always at least one. */
type Next = (db: Runner, after: Cursor, size: number) => Promise<Step | undefined>

type Walk = {
  next: Next
  /** Rows of a step. */
  size: number
  /** Each check of a step reads ranges of its tables, in one pass each; a row of another order is looked up by a subquery. */
  inPasses?: true
  /** The rows that each incremental check takes in turn, of a table without times of change. */
  turn?: { next: Next; size: number }
}

const noId = '00000000-0000-0000-0000-000000000000'
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

function stepOf(rows: Cursor[], size: number): Step | undefined {
  const after = rows.at(-1)
  return (
    after && { keys: { homes: rows.map(({ home }) => home), ids: rows.map(({ id }) => id) }, after, isLast: rows.length < size }
  )
}

const rowsAfter = (table: Sql, { home, id }: Cursor, size: number): Sql => sql`
  select r.home, r.id::text as id from ${table} r where (r.home, r.id) > (${home}::smallint, ${id || noId}::uuid) order by r.home, r.id limit ${size}`

/** The rows of a table by home and id. */
const byHome =
  (table: Sql): Next =>
  async (db, after, size) =>
    stepOf(await db.rows<Cursor>(rowsAfter(table, after, size)), size)

/** The same rows as a range, which each check of the step reads in one pass: all rows of some homes, or a part of a home with more rows. */
const rangeByHome =
  (table: Sql): Next =>
  async (db, after, size) => {
    const homes = await db.rows<Cursor & { rows: number }>(sql`
      select distinct on (r.home) r.home, r.id, (count(*) over (partition by r.home))::integer as rows
      from (${rowsAfter(table, after, size)}) r order by r.home, r.id::uuid desc`)
    const [first] = homes
    if (!first) return undefined
    const isEnd = homes.reduce((sum, { rows }) => sum + rows, 0) < size
    const isCut = homes.length === 1 && !isEnd
    const isContinued = first.home === after.home
    if (isCut || isContinued) {
      const upTo = isCut ? first.id : lastId
      const range = { home: first.home, after: isContinued ? after.id : undefined, upTo }
      return { keys: { homes: [], ids: [], range }, after: { home: first.home, id: upTo }, isLast: isEnd && homes.length === 1 }
    }
    const toHome = homes.at(isEnd ? -1 : -2)!.home
    const range = { fromHome: after.home + 1, toHome }
    return { keys: { homes: [], ids: [], range }, after: { home: toHome, id: lastId }, isLast: isEnd }
  }

/** The rows of a table without homes. */
const byId =
  (table: Sql): Next =>
  async (db, after, size) =>
    stepOf(
      await db.rows<Cursor>(sql`
        select 0 as home, r.id::text as id from ${table} r where r.id > ${after.id || noId}::uuid order by r.id limit ${size}`),
      size,
    )

/** Takes rows while the sum of their weights is at most `size`, and always the first. */
function take<Row extends { weight: number }>(rows: Row[], size: number): Row[] {
  let sum = 0
  const end = rows.findIndex(({ weight }, index) => (sum += weight) > size && index > 0)
  return end < 0 ? rows : rows.slice(0, end)
}

/** Homes with accounts: only `home` is used. */
const nextHomes: Next = async (db, after, size) =>
  stepOf(
    await db.rows<Cursor>(sql`
      select h.home::integer as home, '' as id from generate_series(${after.home}::integer + 1, ${literal(lastHome)}) as h (home)
      where exists (select from ledger_accounts a where a.home = h.home) order by h.home limit ${size}`),
    size,
  )

/** Entries of the audit log: `ids` are the entry before the first one, and the last one. */
const nextEntries: Next = async (db, { id }, size) => {
  const from = id || '0'
  const [last] = await db.rows<{ seq: string | null; count: number }>(sql`
    select max(seq)::text as seq, count(*)::integer as count from (
      select seq from audit_log where seq > ${from}::bigint order by seq limit ${size}) entries`)
  if (!last || last.seq === null) return undefined
  return { keys: { homes: [], ids: [from, last.seq] }, after: { home: 0, id: last.seq }, isLast: last.count < size }
}

/** The cost of a day in addition to its transfers, in transfers: the index by time points to some hundred pages at once. */
const dayWeight = 1_000

/**
 * Homes of closed days, of as many days as fit: `ids` are the first and the last day, `homes` the first home of the first day and the
 * last home of the last day; `size` counts transfers.
 */
const nextOfDays: Next = async (db, after, size) => {
  const afterDay = after.id || '0001-01-01'
  const rows = await db.rows<{ day: string; home: number | null; weight: number }>(sql`
    with days as (
      select d.day, sum(d.transfers + ${dayWeight}::integer) over (order by d.day) - d.transfers - ${dayWeight}::integer as before
      from (
        select day, transfers from closed_days
        where day > ${afterDay}::date or (day = ${afterDay}::date and ${after.home}::integer < ${literal(lastHome)})
        order by day limit ${Math.ceil(size / dayWeight)}
      ) d
    )
    select to_char(d.day, 'YYYY-MM-DD') as day, h.home,
      coalesce(h.transfers, 0)::integer + case when row_number() over (partition by d.day order by h.home) = 1 then ${dayWeight}::integer else 0 end as weight
    from days d
    left join closed_day_homes h on h.day = d.day and (d.day <> ${afterDay}::date or h.home > ${after.home}::integer)
    where d.before < ${size}
    order by d.day, h.home`)
  const [first] = rows
  if (!first) return undefined
  const taken = take(rows, size)
  const last = taken.at(-1)!
  const isCut = rows[taken.length]?.day === last.day
  const upToHome = isCut ? last.home! : lastHome
  const firstHome = first.day === afterDay ? after.home + 1 : 0
  return {
    keys: { homes: [firstHome, upToHome], ids: [first.day, last.day] },
    after: { home: upToHome, id: last.day },
    isLast: false,
  }
}

/** Sealed stretches: `ids` are the table and the first millisecond; `size` counts their rows. */
const nextSpans: Next = async (db, { id }, size) => {
  const [what = '', from = '0'] = id.split('|')
  const rows = await db.rows<{ id: string; weight: number }>(sql`
    select s.what || '|' || (extract(epoch from s.from_at) * 1000)::bigint as id, s.row_count::integer as weight from sealed_spans s
    where (s.what, s.from_at) > (${what}::text, to_timestamp(${from}::bigint / 1000.0)) order by s.what, s.from_at limit 200`)
  const ids = take(rows, size).map((row) => row.id)
  return ids.length === 0 ? undefined : { keys: { homes: [], ids }, after: { home: 0, id: ids.at(-1)! }, isLast: false }
}

/** Seals of rows: `ids` are the table and key before the first one, and those of the last one. */
const nextSeals: Next = async (db, { id }, size) => {
  const [what = '', from = ''] = id.split('\n')
  const rows = await db.rows<{ what: string; id: string }>(sql`
    select what, id from row_seals where (what, id) > (${what}::text, ${from}::text) order by what, id offset ${size - 1} limit 1`)
  const [last] =
    rows.length > 0
      ? rows
      : await db.rows<{ what: string; id: string }>(sql`
    select what, id from row_seals where (what, id) > (${what}::text, ${from}::text) order by what desc, id desc limit 1`)
  if (!last) return undefined
  return {
    keys: { homes: [], ids: [what, from, last.what, last.id] },
    after: { home: 0, id: `${last.what}\n${last.id}` },
    isLast: false,
  }
}

/** Rows of the next sealed table that has some, of those whose old rows are all sealed: before, no row is known to lack its seal. `ids` are the table, the key before the first row, and that of the last one. */
const nextSealed: Next = async (db, { id }, size) => {
  const [name = '', after = ''] = id.split('\n')
  const place = await db.maybeOne<{ name: string; from: string; upTo: string }>(sql`
    select t.name, f.from_key as "from", p.up_to from sealed_tables t
    cross join lateral (select case when t.name = ${name} then ${after} else '' end as from_key) f
    cross join lateral (select row_seal_place(t, f.from_key, ${size}::integer) as up_to offset 0) p
    where t.complete_at is not null and t.name >= ${name} and p.up_to is not null order by t.name limit 1`)
  if (!place) return undefined
  return {
    keys: { homes: [], ids: [place.name, place.from, place.upTo] },
    after: { home: 0, id: `${place.name}\n${place.upTo}` },
    isLast: false,
  }
}

/** Messages by their payments: `homes` and `ids` are those of the payments, some of them several times. */
const nextMessages: Next = async (db, { home, id }, size) =>
  stepOf(
    await db.rows<Cursor>(sql`
      select b.home, b.payment_id::text as id from provider_inbox b
      where b.payment_id is not null and (b.home, b.payment_id) > (${home}::smallint, ${id || noId}::uuid) order by b.home, b.payment_id limit ${size}`),
    size,
  )

const accounts = sql`ledger_accounts`
const pages = sql`payment_pages`
const breaks = sql`breaks`

/** The shortest steps take some milliseconds, the longest a few seconds: a home, or a page, with millions of rows. */
export const walks: Record<Walked, Walk> = {
  payments: { inPasses: true, size: 12_000, next: rangeByHome(sql`payments`) },
  glance: {
    size: 1,
    next: async (_db, { home }) =>
      home < 0 ? { keys: { homes: [], ids: [] }, after: { home: 0, id: '' }, isLast: true } : undefined,
  },
  ledger_accounts: { size: 5_000, next: rangeByHome(accounts), turn: { next: byHome(accounts), size: 1_000 } },
  ledger_transfers: { inPasses: true, size: 12_000, next: rangeByHome(sql`ledger_transfers`) },
  payouts: { size: 5_000, next: rangeByHome(sql`payouts`) },
  events: { inPasses: true, size: 12_000, next: rangeByHome(sql`events`) },
  webhook_deliveries: { inPasses: true, size: 12_000, next: rangeByHome(sql`webhook_deliveries`) },
  payment_pages: { size: 100, next: rangeByHome(pages), turn: { next: byHome(pages), size: 500 } },
  breaks: { size: 1_000, next: rangeByHome(breaks), turn: { next: byHome(breaks), size: 200 } },
  merchants: { size: 1_000, next: byId(sql`merchants`), turn: { next: byId(sql`merchants`), size: 200 } },
  reconciliation_runs: { size: 5_000, next: byId(sql`reconciliation_runs`) },
  homes: { size: 8, next: nextHomes, turn: { next: nextHomes, size: 8 } },
  audit_log: { size: 5_000, next: nextEntries },
  closed_days: { size: 200_000, next: nextOfDays, turn: { next: nextOfDays, size: 5_000 } },
  sealed_spans: { size: 200_000, next: nextSpans },
  row_seals: { size: 20_000, next: nextSeals },
  sealed_tables: { size: 20_000, next: nextSealed },
  provider_inbox: { size: 5_000, next: nextMessages },
}
