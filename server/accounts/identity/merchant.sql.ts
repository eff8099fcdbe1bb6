/** The only statements on `merchants`. A personal merchant has the id of its user and is made in the same transaction. */
import type { VerificationStatus } from '../../domain/verification.ts'
import { sql, type Runner, type Sql, type Tx } from '../../platform/db/db.ts'
import { fromWire, homeOfMerchant, type HomeRange } from '../../platform/ids.ts'
import type { Merchant } from './merchant.ts'

/** The columns of a merchant; `row` names the relation that has them. */
export const merchantColumns = (row: Sql): Sql =>
  sql`${row}.id, ${row}.home, ${row}.kind, ${row}.user_id, ${row}.display_name, ${row}.verification_status, ${row}.suspended_at, ${row}.suspension_reason`

const columns = merchantColumns(sql`merchants`)

/**
 * The name of a merchant `m` for payers. Null in test before the verification: its owner typed it, and anyone can be sent the address of a
 * test page.
 */
export const merchantNameForPayers = (environment: Sql): Sql =>
  sql`case when ${environment} = 'live' or m.verification_status = 'verified' then m.display_name end as merchant_name`

/** Any merchant: the caller has already checked that it may be read. */
export async function findMerchant(db: Runner, id: string): Promise<Merchant | undefined> {
  return db.maybeOne<Merchant>(sql`select ${columns} from merchants where id = ${id}`)
}

/** The same by wire id: `biz_…` for a business, `usr_…` for a person. */
export async function findMerchantByWire(db: Runner, wireId: string): Promise<Merchant | undefined> {
  const [businessId, userId] = [fromWire('biz', wireId), fromWire('usr', wireId)]
  const id = businessId ?? userId
  const merchant = id === undefined ? undefined : await findMerchant(db, id)
  return merchant?.kind === (businessId === undefined ? 'personal' : 'business') ? merchant : undefined
}

export async function findRegistration(db: Runner, id: string): Promise<Date> {
  return db.value<Date>(sql`select created_at from merchants where id = ${id}`)
}

/** The home of a merchant that lives outside these homes, if there is one. */
export async function findHomeOutside(db: Runner, { first, last }: HomeRange): Promise<number | undefined> {
  return db.maybeValue<number>(sql`
    select home from merchants where home < ${first}::integer or home > ${last}::integer limit 1`)
}

/** The personal merchant of a user; every user has one. */
export async function merchantOfUser(db: Runner, userId: string): Promise<Merchant | undefined> {
  return db.maybeOne<Merchant>(sql`
    select ${columns} from merchants where id = ${userId} and kind = 'personal'`)
}

/** The same, locked against changes until the transaction ends. */
export async function relyOnMerchantOfUser(tx: Tx, userId: string): Promise<Merchant | undefined> {
  return tx.maybeOne<Merchant>(sql`
    select ${columns} from merchants where id = ${userId} and kind = 'personal' for share`)
}

/** The personal merchant, locked until the transaction ends, so that its verification status cannot change. */
export async function lockMerchantOfUser(tx: Tx, userId: string): Promise<Merchant | undefined> {
  return tx.maybeOne<Merchant>(sql`
    select ${columns} from merchants where id = ${userId} and kind = 'personal' for no key update`)
}

export async function insertPersonalMerchant(tx: Tx, userId: string, displayName: string, homes: HomeRange): Promise<void> {
  await tx.rows(sql`
    insert into merchants (id, home, kind, user_id, display_name)
    values (${userId}, ${homeOfMerchant(userId, homes)}, 'personal', ${userId}, ${displayName})`)
}

/** How many businesses of a person wait for their verification. */
export async function countOpenBusinesses(tx: Tx, userId: string): Promise<number> {
  return tx.value<number>(sql`
    select count(*)::integer as count from merchants
    where user_id = ${userId} and kind = 'business' and verification_status in ('unsubmitted', 'pending')`)
}

/** A business is pending from its registration. */
export async function insertBusinessMerchant(
  tx: Tx,
  merchant: { id: string; userId: string; displayName: string },
  homes: HomeRange,
): Promise<void> {
  await tx.rows(sql`
    insert into merchants (id, home, kind, user_id, display_name, verification_status)
    values (${merchant.id}, ${homeOfMerchant(merchant.id, homes)}, 'business', ${merchant.userId}, ${merchant.displayName}, 'pending')`)
}

/** Another owner becomes the person of a business; anyone else violates `merchants_keep_their_person`. */
export async function setPersonOfMerchant(tx: Tx, id: string, userId: string): Promise<void> {
  await tx.rows(sql`update merchants set user_id = ${userId}, updated_at = clock_now() where id = ${id} and kind = 'business'`)
}

export async function renameMerchant(tx: Tx, id: string, displayName: string): Promise<void> {
  await tx.rows(sql`update merchants set display_name = ${displayName}, updated_at = clock_now() where id = ${id}`)
}

export async function setVerificationStatus(db: Runner, id: string, status: VerificationStatus): Promise<void> {
  await db.rows(sql`update merchants set verification_status = ${status}, updated_at = clock_now() where id = ${id}`)
}

/** Suspends a merchant, or unsuspends it when the reason is null; the caller has locked it. */
export async function setSuspension(tx: Tx, id: string, reason: string | null): Promise<Merchant> {
  return tx.one<Merchant>(sql`
    update merchants set suspension_reason = ${reason}::text, updated_at = clock_now(),
      suspended_at = case when ${reason}::text is not null then coalesce(suspended_at, clock_now()) end
    where id = ${id}
    returning ${columns}`)
}

/** A merchant, locked until the transaction ends; foreign key checks pass, so its payments continue. */
export async function lockMerchant(tx: Tx, id: string): Promise<Merchant | undefined> {
  return tx.maybeOne<Merchant>(sql`select ${columns} from merchants where id = ${id} for no key update`)
}

/** All merchants of a user, businesses before the person, locked until the transaction ends; foreign key checks pass, so their payments continue. */
export async function lockMerchantsOfUser(tx: Tx, userId: string): Promise<Merchant[]> {
  return tx.rows<Merchant>(sql`
    select ${columns} from merchants where user_id = ${userId} order by kind, id for no key update`)
}

export async function pseudonymiseMerchants(tx: Tx, userId: string, pseudonym: string): Promise<void> {
  await tx.rows(sql`
    update merchants set display_name = ${pseudonym}, updated_at = clock_now(),
      suspension_reason = case when suspended_at is not null then 'Erased.' end
    where user_id = ${userId}`)
}
