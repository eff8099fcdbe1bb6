/** The statements on saved_filters. Each names the person: no one reads the filters of another, not even in the same business. */
import type { Environment } from '../../domain/environment.ts'
import type { Network } from '../../domain/network.ts'
import type { PaymentStatus } from '../../domain/payment.ts'
import type { PayoutStatus } from '../../domain/payout.ts'
import type { FilteredList, SavedPeriod } from '../../domain/saved-filter.ts'
import { sql, type Runner, type Sql, type Tx } from '../../platform/db/db.ts'

/** The filters of a person for one list of a wallet. */
export type FiltersKey = { userId: string; merchantId: string; environment: Environment; list: FilteredList }

/** Null: not set. */
export type SavedFields = {
  status: PaymentStatus | PayoutStatus | null
  network: Network | null
  pageId: string | null
  /** TZS. */
  minAmount: number | null
  maxAmount: number | null
  period: SavedPeriod | null
  /** Days in East Africa Time, both included. */
  firstDay: string | null
  lastDay: string | null
}

export type SavedFilter = SavedFields & { id: string; name: string; createdAt: Date }

const columns = sql`f.id, f.name, f.status, f.network, f.page_id, f.min_amount, f.max_amount, f.period,
  to_char(f.first_day, 'YYYY-MM-DD') as first_day, to_char(f.last_day, 'YYYY-MM-DD') as last_day, f.created_at`

const isOf = ({ userId, merchantId, environment, list }: FiltersKey): Sql =>
  sql`f.user_id = ${userId} and f.merchant_id = ${merchantId} and f.environment = ${environment} and f.list = ${list}`

/** In the order of the menu. */
export async function listFilters(db: Runner, key: FiltersKey): Promise<SavedFilter[]> {
  return db.rows<SavedFilter>(sql`select ${columns} from saved_filters f where ${isOf(key)} order by lower(f.name), f.id`)
}

export async function findFilter(db: Runner, key: FiltersKey, { name }: { name: string }): Promise<SavedFilter | undefined> {
  return db.maybeOne<SavedFilter>(sql`select ${columns} from saved_filters f where ${isOf(key)} and f.name = ${name}`)
}

/** Until the end of the transaction, no other saves a filter of this person and list: the count stays right. */
export async function lockFilters(tx: Tx, { userId, merchantId, environment, list }: FiltersKey): Promise<void> {
  const words = `saved filters ${userId} ${merchantId} ${environment} ${list}`
  await tx.rows(sql`select pg_advisory_xact_lock(hashtextextended(${words}, 0))`)
}

/** A filter with this name keeps its id. */
export async function upsertFilter(tx: Tx, key: FiltersKey, filter: Omit<SavedFilter, 'createdAt'>): Promise<void> {
  const { id, name, status, network, pageId, minAmount, maxAmount, period, firstDay, lastDay } = filter
  await tx.rows(sql`
    insert into saved_filters (id, user_id, merchant_id, environment, list, name, status, network, page_id, min_amount, max_amount,
      period, first_day, last_day)
    values (${id}, ${key.userId}, ${key.merchantId}, ${key.environment}, ${key.list}, ${name}, ${status}, ${network}, ${pageId},
      ${minAmount}, ${maxAmount}, ${period}, ${firstDay}::date, ${lastDay}::date)
    on conflict on constraint saved_filters_one_per_name do update set status = excluded.status, network = excluded.network,
      page_id = excluded.page_id, min_amount = excluded.min_amount, max_amount = excluded.max_amount, period = excluded.period,
      first_day = excluded.first_day, last_day = excluded.last_day`)
}

/** False: there is no such filter. */
export async function deleteFilter(tx: Tx, key: FiltersKey, id: string): Promise<boolean> {
  return (await tx.rows(sql`delete from saved_filters f where ${isOf(key)} and f.id = ${id} returning f.id`)).length > 0
}

/** Those of a person who is no member of the merchant any more. */
export async function deleteFiltersOfMember(
  tx: Tx,
  { userId, merchantId }: Pick<FiltersKey, 'userId' | 'merchantId'>,
): Promise<void> {
  await tx.rows(sql`delete from saved_filters f where f.user_id = ${userId} and f.merchant_id = ${merchantId}`)
}

/** Erasure of a person: of what they saved, and of what others saved for their wallets. */
export async function deleteFiltersOf(tx: Tx, userId: string, merchantIds: string[]): Promise<void> {
  await tx.rows(sql`delete from saved_filters f where f.user_id = ${userId} or f.merchant_id = any(${merchantIds}::uuid[])`)
}
