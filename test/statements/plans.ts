/**
 * What PostgreSQL reads of large tables for a statement. On empty tables one index is as good as another, so `GrownTables` makes the
 * tables and indexes of a database look as if they held millions of rows.
 */
import pg from 'pg'

/** A table that a statement reads as a whole, or as a part that no owner and no time limits, and how. */
export type Read = { table: string; how: string }

type Found = Read & { hidden: string | undefined }

type Node = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  'Parent Relationship'?: string
  'Join Type'?: string
  'Join Filter'?: string
  Filter?: string
  Plans?: Node[]
}

type Index = {
  oid: string
  name: string
  table: string
  /** A tree. */
  isOrdered: boolean
  /** A list of pages by time, with the rows of all owners. */
  isOfTime: boolean
  columns: { text: string; isCoarse: boolean }[]
}

/** Columns with few values that no constraint lists. */
const coarse = ['home', 'provider', 'action', 'event_type']

/** The number of rows; that of values in a column with few; in another, the share of the rows, as a negative number. */
const grown = { rows: 10_000_000, coarseValues: 10, values: -0.01 }

/** Plans read by an index wherever one fits: there are no real statistics by which reading all rows could be better. */
const settings = `
  set jit = off; set max_parallel_workers_per_gather = 0; set enable_seqscan = off;
  set enable_hashjoin = off; set enable_mergejoin = off; set enable_material = off; set enable_memoize = off`

const ours = `c.relnamespace = 'public'::regnamespace`

/** $1: coarse columns; $2: the indexes that stay small. */
const columns = `
  select c.relname, a.attrelid, a.attnum, a.attname, a.attnotnull,
    a.atttypid = 'boolean'::regtype or a.attname = any($1) or exists (
      select from pg_constraint k where k.conrelid = a.attrelid and k.contype = 'c' and k.conkey = array[a.attnum]
        and pg_get_constraintdef(k.oid) ~ '= ANY \\(+ARRAY') as is_coarse,
    coalesce(w.condition ~ ('\\m' || a.attname || ' IS NOT NULL'), false) as is_rarely_set,
    coalesce(w.condition ~ ('\\m' || a.attname || ' IS NULL'), false) as is_rarely_null
  from pg_attribute a
  join pg_class c on c.oid = a.attrelid
  left join (
    select i.indrelid, string_agg(pg_get_expr(i.indpred, i.indrelid), ' ') as condition
    from pg_index i join pg_class n on n.oid = i.indexrelid where n.relname = any($2) group by 1) w on w.indrelid = a.attrelid
  where ${ours} and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped`

/** A condition on the key or the owner of a row: such a statement must not read the waiting work of all others. */
const isOfOneOwner = /\b(home|id|\w+_id) = (ANY \()?\$\d/

export class GrownTables {
  readonly #client: pg.Client
  readonly #waiting: readonly string[]
  readonly #small: readonly string[]
  readonly #indexes = new Map<string, Index>()

  /** `small`: tables that do not grow. `waiting`: partial indexes whose rows leave them again. */
  constructor(client: pg.Client, { small, waiting }: { small: readonly string[]; waiting: readonly string[] }) {
    this.#client = client
    this.#small = small
    this.#waiting = waiting
  }

  /** Changes only statistics and the sizes of files. */
  async grow(): Promise<void> {
    const client = this.#client
    await client.query(settings)
    // The planner multiplies the rows of a page by the pages of the file. A row of a transaction that is undone makes the first page: with
    // nothing but defaults, in each table and in each of its indexes.
    await client.query(`begin; set local session_replication_role = 'replica'`)
    const { rows: tables } = await client.query<{ name: string }>(
      `update pg_class c set relchecks = 0 where ${ours} and relkind = 'r' returning relname as name`,
    )
    await client.query(
      `update pg_attribute set attnotnull = false from pg_class c where ${ours} and relkind = 'r' and attrelid = c.oid and attnum > 0`,
    )
    await client.query(
      `update pg_index set indpred = null from pg_class c where ${ours} and indexrelid = c.oid and c.relname <> all($1)`,
      [this.#waiting],
    )
    for (const { name } of tables) await client.query(`insert into ${name} default values on conflict do nothing`)
    await client.query('rollback')
    await client.query(
      `select pg_restore_relation_stats('schemaname', 'public', 'relname', relname::text, 'relpages', (pg_relation_size(oid) / 8192)::integer, 'reltuples', ${grown.rows}::real)
       from pg_class c where ${ours} and relkind in ('r', 'i') and relname <> all($1)`,
      [[...this.#small, ...this.#waiting]],
    )
    await client.query(
      `select pg_restore_attribute_stats('schemaname', 'public', 'relname', relname::text, 'attname', attname::text, 'inherited', false,
         'null_frac', case when is_rarely_set then 0.99999 when is_rarely_null then 0.00001 when attnotnull then 0 else 0.5 end::real,
         'n_distinct', case when is_coarse then ${grown.coarseValues} else ${grown.values} end::real)
       from (${columns}) a`,
      [coarse, this.#waiting],
    )
    const { rows: indexes } = await client.query<Index>(
      `select i.indexrelid::text as oid, c.relname as name, t.relname as table, m.amname = 'btree' as "isOrdered", m.amname = 'brin' as "isOfTime", (
         select jsonb_agg(jsonb_build_object('text', pg_get_indexdef(i.indexrelid, k, true), 'isCoarse', coalesce(a.is_coarse, false)) order by k)
         from generate_series(1, i.indnkeyatts) k
         left join (${columns}) a on a.attrelid = i.indrelid and a.attnum = i.indkey[k - 1]) as columns
       from pg_index i
       join pg_class c on c.oid = i.indexrelid
       join pg_class t on t.oid = i.indrelid
       join pg_am m on m.oid = c.relam
       where ${ours}`,
      [coarse, this.#waiting],
    )
    for (const index of indexes) this.#indexes.set(index.name, index)
  }

  /** The names among those of `small` and `waiting` that are no table, or no partial index. */
  async unknownNames(): Promise<string[]> {
    const { rows } = await this.#client.query<{ name: string }>(
      `select unnest($1::text[]) as name except select relname from pg_class c where ${ours} and relkind = 'r'
       union all
       (select unnest($2::text[]) except select relname from pg_index join pg_class c on c.oid = indexrelid where ${ours} and indpred is not null)`,
      [this.#small, this.#waiting],
    )
    return rows.map(({ name }) => name)
  }

  /** What the statement reads of growing tables without a limit. */
  async readsOf(text: string): Promise<Read[]> {
    const first = await this.#plan(text)
    const found: Read[] = []
    for (const table of new Set(first.map((read) => read.table))) {
      const isNeeded = await this.#mustRead(text, table, first)
      if (isNeeded) found.push(...first.filter((read) => read.table === table).map(({ how }) => ({ table, how })))
    }
    return found
  }

  /** Whether no plan is better: the planner plans again without each index of the table that it reads too much of. */
  async #mustRead(text: string, table: string, first: Found[]): Promise<boolean> {
    await this.#client.query('begin')
    try {
      for (let reads = first; ; reads = await this.#plan(text)) {
        const ofTable = reads.filter((read) => read.table === table)
        const hidden = ofTable.flatMap((read) => read.hidden ?? [])
        if (hidden.length === 0) return ofTable.length > 0
        await this.#client.query('update pg_index set indisvalid = false where indexrelid = any($1::oid[])', [hidden])
      }
    } catch (error) {
      // The statement needs the index for its `on conflict`.
      if (error instanceof pg.DatabaseError && error.code === '42P10') return true
      throw error
    } finally {
      await this.#client.query('rollback')
    }
  }

  async #plan(text: string): Promise<Found[]> {
    const { rows } = await this.#client.query<{ 'QUERY PLAN': [{ Plan?: Node }] }>(`explain (generic_plan, format json) ${text}`)
    // A command such as `listen` has no plan.
    const plan = rows[0]?.['QUERY PLAN'][0].Plan
    const isOfOne = isOfOneOwner.test(JSON.stringify(plan))
    const found: Found[] = []
    const visit = (node: Node, above: Node[]): void => {
      const read = this.#readOf(node, above, isOfOne)
      if (read && !this.#small.includes(read.table)) found.push(read)
      for (const inner of node.Plans ?? []) visit(inner, [...above, node])
    }
    if (plan) visit(plan, [])
    return found
  }

  #readOf(node: Node, above: Node[], isOfOne: boolean): Found | undefined {
    const { 'Relation Name': table, 'Index Name': name, 'Index Cond': condition = '', Filter: filter } = node
    const then = filter === undefined ? '' : `, then leaves out rows by ${filter}`
    const isStopped = filter === undefined && isStoppedEarly(node, above)
    if (node['Node Type'] === 'Seq Scan' && !table!.startsWith('pg_'))
      return isStopped ? undefined : { table: table!, how: `reads all rows${then}`, hidden: undefined }
    const index = name === undefined ? undefined : this.#indexes.get(name)
    if (!index || (this.#waiting.includes(index.name) && !isOfOne)) return undefined
    const bounds = index.columns.map(({ text }) => boundOf(text, condition))
    const isStoppedInOrder = isStopped && index.isOrdered && isOneStretch(bounds)
    const isOfAll = index.isOfTime && isOfOne
    if (isStoppedInOrder || (isNarrow(index, bounds) && !isOfAll)) return undefined
    const list = index.columns.map(({ text }) => text).join(', ')
    return { table: index.table, hidden: index.oid, how: `reads ${index.name} (${list}) by ${condition || 'no column'}${then}` }
  }
}

type Bound = 'equal' | 'range' | undefined

/** How the condition of an index bounds a column of it. */
function boundOf(column: string, condition: string): Bound {
  const [bare] = /[^()].*[^()]/.exec(column)!
  for (const clause of condition.split(' AND ')) {
    const [, row] = /^\(*ROW\(([^)]*)\)/.exec(clause) ?? []
    if (row?.split(', ').includes(column)) return 'range'
    const text = clause.replace(/^\(+/, '')
    const [, operator] = (text.startsWith(bare) && /^\)* (IS NOT NULL|\S+)/.exec(text.slice(bare.length))) || []
    if (operator !== undefined && operator !== 'IS NOT NULL') return operator === '=' || operator === 'IS' ? 'equal' : 'range'
  }
  return undefined
}

/**
 * Whether the bounds leave a short part: they have each column up to one with many values, or all columns. PostgreSQL 18 can skip over a
 * column without a bound; the versions before it read everything between.
 */
function isNarrow({ isOrdered, columns: all }: Index, bounds: Bound[]): boolean {
  if (!isOrdered) return bounds.some(Boolean)
  const open = bounds.indexOf(undefined)
  return open < 0 || all.slice(0, open).some(({ isCoarse }) => !isCoarse)
}

/** Whether the rows that fit the bounds follow each other in the index. */
const isOneStretch = (bounds: Bound[]): boolean =>
  bounds.every((bound, place) => bound === undefined || bounds.slice(0, place).every((before) => before === 'equal'))

/** Whether something above ends the reading after some rows, with nothing between that leaves out rows. */
function isStoppedEarly(node: Node, above: Node[]): boolean {
  let below = node
  for (const next of above.toReversed()) {
    if (next['Node Type'] === 'Limit') return true
    const [side, join] = [below['Parent Relationship'], next['Join Type']]
    if (next.Filter !== undefined || next['Join Filter'] !== undefined) return false
    if (side === 'Inner' && (join === 'Semi' || join === 'Anti')) return true
    const keepsAll = ['LockRows', 'Result', 'ProjectSet', 'Subquery Scan'].includes(next['Node Type']) || join === 'Left'
    if (!keepsAll || (side !== 'Outer' && side !== 'Subquery')) return false
    below = next
  }
  return false
}
