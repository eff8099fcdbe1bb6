/**
 * What the checks of the books share: what they are asked about, and what they say about the schema. A check is one query that finds the
 * rows that break one promise; it reads every table that it needs and writes none.
 */
import { sql, type Sql } from '../platform/db.ts'

/** Which rows of the table that a check walks: their homes and ids, side by side. What they are of a chain or a day, `walks.sql.ts` says. */
export type Keys = { homes: number[]; ids: string[] }

/**
 * `since`: only what was made or changed since then; null: everything. `keys`: these rows of the table that the check walks, as a step of the
 * check of everything takes them, or as the check of what is new takes them in turn where a table does not tell what has changed.
 */
export type Scope = { since: Date | null; keys?: Keys }

/** The tables and chains whose rows are checked one by one, some in each step. `homes`: what is summed over the accounts of a home. */
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
  /** What does not grow with history: checked at once. */
  | 'glance'

export type Check = {
  /** The name of the promise, as in `promises`. */
  invariant: string
  over: Walked
  /**
   * Answers rows with `what`, a sentence that names what is wrong; no row means that the promise holds. May answer `home`,
   * `merchant_id` and `environment` (null where it cannot be said) besides: whose payouts a broken money promise stops.
   */
  broken(scope: Scope): Sql
}

/** The ids of a step; none where the check is of what is new. */
export const idsOf = ({ keys }: Scope): string[] => keys?.ids ?? []

/** A condition on the rows that are asked about: of the alias, by their keys or by the time at which they were made or changed. */
export const within = ({ since, keys }: Scope, alias: Sql, time: 'created_at' | 'updated_at'): Sql =>
  keys
    ? sql`(${alias}.home, ${alias}.id) in (select k.home, k.id from unnest(${keys.homes}::smallint[], ${keys.ids}::uuid[]) as k (home, id))`
    : since === null
      ? sql`true`
      : time === 'created_at'
        ? sql`${alias}.created_at >= ${since}::timestamptz`
        : sql`${alias}.updated_at >= ${since}::timestamptz`

export const earlier = ({ since, keys }: Scope, hours: number): Scope => ({
  ...(keys && { keys }),
  since: since && new Date(since.getTime() - hours * 3_600_000),
})

export const onlyWhenAll = ({ since }: Scope): Sql => (since === null ? sql`true` : sql`false`)

/** A condition on the payouts `p` that are asked about: also those whose money has moved since, however they are themselves. */
export const changedPayouts = (scope: Scope): Sql =>
  scope.keys || scope.since === null
    ? within(scope, sql`p`, 'updated_at')
    : sql`(p.home, p.id) in (
        select home, id from payouts where updated_at >= ${scope.since}::timestamptz
        union
        select home, payout_id from ledger_transfers where payout_id is not null and created_at >= ${scope.since}::timestamptz)`

const noHolder = '00000000-0000-0000-0000-000000000000'

/** The merchant of an account by its holder; null for one of the system. */
export const holderOf = (holder: Sql): Sql => sql`nullif(${holder}, ${noHolder}::uuid)`

/** The merchant whose account a transfer touches; null where it touches none. */
export const merchantOfTransfer = (alias: Sql): Sql => sql`(
  select h.holder from ledger_accounts h
  where h.home = ${alias}.home and h.id in (${alias}.debit_account_id, ${alias}.credit_account_id) and h.holder <> ${noHolder}::uuid
  order by h.holder limit 1)`

/** A constraint of a table that is not there, or not in force, or that the table does not keep by now. */
export const missingConstraints = (names: string[]): Sql => sql`
  select format('the constraint %s is missing', name) as what
  from unnest(${names}::text[]) as name
  where not exists (select from pg_constraint c where c.conname = name and c.convalidated)`

export const missingIndexes = (names: string[]): Sql => sql`
  select format('the unique index %s is missing', name) as what
  from unnest(${names}::text[]) as name
  where not exists (
    select from pg_index i join pg_class c on c.oid = i.indexrelid where c.relname = name and i.indisunique and i.indisvalid)`

/** What the service, under its own role, may do to what is history. */
export const permissions = (relations: string[]): Sql => sql`
  select format('the service may %s %s', privilege, relation) as what
  from unnest(${relations}::text[]) as relation, unnest(array['update', 'delete', 'truncate']) as privilege
  where has_table_privilege('malipo_service', relation, privilege)`
