/**
 * Shared by the checks of the books: the scope of a check, and the checks of the schema. A check is one query that finds the rows that
 * break one promise; it reads every table that it needs and writes none.
 */
import { systemHolder } from '../../money/ledger/account.sql.ts'
import { sql, type Sql } from '../../platform/db/db.ts'

/** The places of rows of one table: their `ctid`, which does not change for a row while a snapshot that sees it lasts. */
export type Places = string[]

/** The last row of a step; the meaning of `home` and `id` depends on the walked table. */
export type Cursor = { home: number; id: string }

/**
 * The rows of the table that a check walks: their homes and ids, side by side; or a range of them: all of
 * some homes, or those of one home after one id up to another. `walks.sql.ts` defines the homes and ids of a chain or a day.
 */
export type Keys = { homes: number[]; ids: string[]; range?: Range }

type Range = { fromHome: number; toHome: number } | { home: number; after: string | undefined; upTo: string }

/** The rows that were created, or created or changed, since a moment, in the tables with such times; none for a table with very many. */
export type Recent = Partial<Record<Walked, { created_at?: Places; updated_at?: Places }>>

/**
 * `since`: only rows created or changed since then; null: everything. `keys`: these rows of the walked table (`over`), as a step of the
 * full check takes them, or as the incremental check takes them in turn if a table has no times of change. `recent`: the rows that
 * `since` selects, found once for all checks of one snapshot.
 */
export type Scope = { over: Walked; since: Date | null; keys?: Keys; recent?: Recent }

/** The tables and chains whose rows are checked one by one, some in each step. `homes`: sums over the accounts of a home. */
export type Walked =
  | 'ledger_accounts'
  | 'ledger_transfers'
  | 'payments'
  | 'payouts'
  | 'events'
  | 'webhook_deliveries'
  | 'payment_pages'
  | 'breaks'
  | 'merchants'
  | 'reconciliation_runs'
  | 'homes'
  | 'audit_log'
  | 'closed_days'
  | 'sealed_spans'
  | 'row_seals'
  /** The rows of the tables with seals. */
  | 'sealed_tables'
  /** The payments that messages are about. */
  | 'provider_inbox'
  /** Checks whose cost does not grow with the history: run at once. */
  | 'glance'

export type Check = {
  /** The name of the promise, as in `promises`. */
  invariant: string
  over: Walked
  /** The full check finds the same rows by another check of this promise. */
  isOnlyForNew?: true
  /**
   * Returns rows with `what`, a sentence that names the fault; no row means that the promise holds. May also return `home`, `merchant_id`
   * and `environment` (null if unknown): the merchant whose payouts a broken money promise stops.
   */
  broken(scope: Scope): Sql
}

/** The ids of a step; empty for an incremental check. */
export const idsOf = ({ keys }: Scope): string[] => keys?.ids ?? []

type Time = 'created_at' | 'updated_at'

/** A condition on rows of a table: created, or created or changed, since the moment of the scope. */
export function recentIn({ since, recent }: Scope, table: Walked, alias: Sql, time: Time): Sql {
  const places = recent?.[table]?.[time]
  if (places) return sql`${alias}.ctid = any(${places}::tid[])`
  if (since === null) return sql`true`
  return time === 'created_at'
    ? sql`${alias}.created_at >= ${since}::timestamptz`
    : sql`${alias}.updated_at >= ${since}::timestamptz`
}

/** A condition on the rows in scope of the walked table: by their keys, or by when they were created or changed. */
export function within(scope: Scope, alias: Sql, time: Time): Sql {
  if (!scope.keys) return recentIn(scope, scope.over, alias, time)
  const { homes, ids, range } = scope.keys
  return range
    ? near(scope, sql`${alias}.home`, sql`${alias}.id`)
    : sql`(${alias}.home, ${alias}.id) in (select k.home, k.id from unnest(${homes}::smallint[], ${ids}::uuid[]) as k (home, id))`
}

/**
 * A condition on the rows of another table that belong to the walked rows, by the home and the id that they share: PostgreSQL then reads
 * both tables in one pass each, and not one of them row by row. True if the walked rows are no range.
 */
export function near(scope: Scope, home: Sql, id: Sql): Sql {
  const range = scope.keys?.range
  return range && 'home' in range
    ? sql`(${home} = ${range.home}::smallint and ${range.after === undefined ? sql`true` : sql`${id} > ${range.after}::uuid`} and ${id} <= ${range.upTo}::uuid)`
    : nearHomes(scope, home)
}

/** The same for a table of accounts or pages, by the homes alone. */
export function nearHomes({ keys }: Scope, home: Sql): Sql {
  const range = keys?.range
  if (!range) return sql`true`
  return 'home' in range
    ? sql`${home} = ${range.home}::smallint`
    : sql`${home} between ${range.fromHome}::smallint and ${range.toHome}::smallint`
}

/**
 * Joins the sums over the related rows of each row `to`, as `name`: those of a range are grouped in one pass, those of a few rows are looked
 * up one by one. A row without related rows has nulls or the sums of none.
 */
export function joinSums(
  scope: Scope,
  { sums, from, home, id, to, name }: { sums: Sql; from: Sql; home: Sql; id: Sql; to: Sql; name: Sql },
): Sql {
  return scope.keys?.range
    ? sql`left join (select ${home} as home, ${id} as id, ${sums} ${from} and ${near(scope, home, id)} group by 1, 2) ${name}
        on ${name}.home = ${to}.home and ${name}.id = ${to}.id`
    : sql`cross join lateral (select ${sums} ${from} and ${home} = ${to}.home and ${id} = ${to}.id) ${name}`
}

export const earlier = ({ over, since, keys }: Scope, hours: number): Scope => ({
  over,
  ...(keys && { keys }),
  since: since && new Date(since.getTime() - hours * 3_600_000),
})

export const onlyWhenAll = ({ since }: Scope): Sql => (since === null ? sql`true` : sql`false`)

/** A condition on the payouts `p` in scope, including unchanged ones whose money has moved since. */
export const changedPayouts = (scope: Scope): Sql =>
  scope.keys || scope.since === null
    ? within(scope, sql`p`, 'updated_at')
    : sql`(p.home, p.id) in (
        select o.home, o.id from payouts o where ${recentIn(scope, 'payouts', sql`o`, 'updated_at')}
        union
        select t.home, t.payout_id from ledger_transfers t
        where t.payout_id is not null and ${recentIn(scope, 'ledger_transfers', sql`t`, 'created_at')})`

/** The merchant of an account by its holder; null for a system account. */
export const holderOf = (holder: Sql): Sql => sql`nullif(${holder}, ${systemHolder}::uuid)`

/** The merchant whose account a transfer touches; null if it touches none. */
export const merchantOfTransfer = (alias: Sql): Sql => sql`(
  select h.holder from ledger_accounts h
  where h.home = ${alias}.home and h.id in (${alias}.debit_account_id, ${alias}.credit_account_id) and h.holder <> ${systemHolder}::uuid
  order by h.holder limit 1)`

/** Constraints of a table that are missing, not enforced, or not yet validated. */
export const missingConstraints = (names: string[]): Sql => sql`
  select format('the constraint %s is missing', name) as what
  from unnest(${names}::text[]) as name
  where not exists (select from pg_constraint c where c.conname = name and c.convalidated)`

export const missingIndexes = (names: string[]): Sql => sql`
  select format('the unique index %s is missing', name) as what
  from unnest(${names}::text[]) as name
  where not exists (
    select from pg_index i join pg_class c on c.oid = i.indexrelid where c.relname = name and i.indisunique and i.indisvalid)`

/** Checks what the service, under its own role, may do to historical rows. */
export const permissions = (relations: string[]): Sql => sql`
  select format('the service may %s %s', privilege, relation) as what
  from unnest(${relations}::text[]) as relation, unnest(array['update', 'delete', 'truncate']) as privilege
  where has_table_privilege('malipo_service', relation, privilege)`
