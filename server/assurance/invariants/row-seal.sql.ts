/**
 * The only access to row_seals and sealed_tables: a digest of each row of the tables that direct money, which triggers make with the row.
 * Invariant: a row that was changed, removed or added with triggers off, or by hand as a superuser, is found. The digests have no key; what
 * goes to a provider has a code under a key as well (order-macs.ts).
 */
import { sql, type Runner, type Sql } from '../../platform/db/db.ts'
import { idsOf, type Check } from './scope.sql.ts'

const batch = 1_000
/** At most, in one check of the books. */
const batchesOfTable = 100

/** Seals the rows from before there were seals, a few batches at a time. */
export async function sealOldRows(db: Runner): Promise<void> {
  const due = await db.rows<{ name: string }>(sql`select name from sealed_tables where complete_at is null order by name`)
  for (const { name } of due) {
    for (let turn = 0; turn < batchesOfTable; turn += 1) {
      const [row] = await db.rows<{ isMore: boolean }>(sql`select coalesce(seal_old_rows(${name}, ${batch}), false) as is_more`)
      if (!row!.isMore) break
    }
  }
}

/** Rows that name a merchant and no home are those of the merchant: only its payouts are frozen for them. */
const withHome = (found: Sql): Sql => sql`
  select f.what, coalesce(f.home, m.home) as home, f.merchant_id, f.environment from ${found} f left join merchants m on m.id = f.merchant_id`

const ofTables = (invariant: string, isMoney: boolean): Check[] => [
  {
    invariant,
    over: 'row_seals',
    broken: (scope) => {
      const [fromWhat, fromId, toWhat, toId] = idsOf(scope)
      return withHome(
        sql`broken_row_seals(${isMoney}, ${fromWhat ?? null}, ${fromId ?? null}, ${toWhat ?? null}, ${toId ?? null}, ${scope.since}::timestamptz)`,
      )
    },
  },
  {
    invariant,
    over: 'sealed_tables',
    broken: (scope) => {
      const [name, after, upTo] = idsOf(scope)
      return withHome(sql`(
        select u.* from sealed_tables t cross join lateral unsealed_rows(t.name, ${after ?? ''}, ${upTo ?? ''}) u
        where t.name = ${name ?? null} and t.moves_money = ${isMoney})`)
    },
  },
]

export const rowSealPromises: readonly Check[] = [...ofTables('rows', true), ...ofTables('records', false)]
