/** The only statements on `apps`. A person finds the apps of the merchants that they are a member of. */
import type { Environment } from '../../domain/environment.ts'
import type { MemberRole } from '../../domain/member.ts'
import { holder, joinMember } from '../members/access.sql.ts'
import { sql, type Runner, type Tx } from '../../platform/db/db.ts'
import { newestFirst } from '../../platform/http/list-range.sql.ts'
import type { ListRange } from '../../platform/http/page.ts'
import type { App } from './app.ts'

const columns = sql`a.id, a.merchant_id, m.kind as merchant_kind, a.environment, a.name, a.description, a.created_at, a.deleted_at, ${holder}`

const tables = (userId: string) => sql`apps a join merchants m on m.id = a.merchant_id ${joinMember(userId, sql`m.id`)}`

export async function insertApp(
  db: Runner,
  app: { id: string; merchantId: string; environment: Environment; name: string; description: string | null },
): Promise<void> {
  await db.rows(sql`
    insert into apps (id, merchant_id, environment, name, description)
    values (${app.id}, ${app.merchantId}, ${app.environment}, ${app.name}, ${app.description})`)
}

/** The apps of a merchant that are not deleted. */
export async function countApps(tx: Tx, merchantId: string): Promise<number> {
  return tx.value<number>(sql`
    select count(*)::integer as count from apps where merchant_id = ${merchantId} and deleted_at is null`)
}

export async function findApp(db: Runner, userId: string, id: string): Promise<App | undefined> {
  return db.maybeOne<App>(sql`
    select ${columns} from ${tables(userId)} where a.id = ${id} and a.deleted_at is null`)
}

/** The same, locked until the transaction ends: it cannot be deleted meanwhile, and a removal of the person waits. */
export async function lockApp(tx: Tx, userId: string, id: string): Promise<App | undefined> {
  return tx.maybeOne<App>(sql`
    select ${columns} from ${tables(userId)} where a.id = ${id} and a.deleted_at is null for update of a for share of x`)
}

/** Every app of a person's merchant, locked like `lockApp`. */
export async function lockAppsOf(tx: Tx, userId: string, merchantId: string): Promise<App[]> {
  return tx.rows<App>(sql`
    select ${columns} from ${tables(userId)} where a.merchant_id = ${merchantId} and a.deleted_at is null order by a.id for update of a`)
}

/** Locks an app of any owner until the transaction ends: no key is made or rolled in it meanwhile. */
export async function lockAnyApp(tx: Tx, id: string): Promise<void> {
  await tx.rows(sql`select from apps where id = ${id} for update`)
}

/** `merchantId` is the user's own or one of their businesses; without it: all of them. `roles`: only where the user has one of these. */
export type AppFilter = { merchantId?: string; environment?: Environment; roles: MemberRole[] }

/** The apps of a user and of their businesses, newest first, one more than the limit. */
export async function listApps(db: Runner, userId: string, filter: AppFilter, range: ListRange): Promise<App[]> {
  const { merchantId = null, environment = null, roles } = filter
  return db.rows<App>(sql`
    select ${columns} from ${tables(userId)}
    where a.deleted_at is null and x.role = any(${roles}::text[])
      and (${merchantId}::uuid is null or a.merchant_id = ${merchantId}::uuid)
      and (${environment}::text is null or a.environment = ${environment}::text)
      ${newestFirst(range, sql`a`)}`)
}

/** Every app of a merchant, including deleted ones, newest first: their history stays readable. */
export async function listAppIdsOf(db: Runner, merchantId: string): Promise<string[]> {
  return db.values<string>(sql`
    select id from apps where merchant_id = ${merchantId} order by created_at desc limit 200`)
}

export async function updateApp(tx: Tx, id: string, changes: { name: string; description: string | null }): Promise<void> {
  await tx.rows(sql`update apps set name = ${changes.name}, description = ${changes.description} where id = ${id}`)
}

export async function markAppDeleted(tx: Tx, id: string): Promise<Date> {
  return tx.value<Date>(sql`
    update apps set deleted_at = clock_now() where id = ${id} returning deleted_at`)
}

/** Deletes the apps of these merchants and clears their names; the caller must have revoked their keys. */
export async function eraseApps(tx: Tx, merchantIds: string[]): Promise<string[]> {
  return tx.values<string>(sql`
    update apps set name = 'Erased', description = null, deleted_at = coalesce(deleted_at, clock_now())
    where merchant_id = any(${merchantIds}::uuid[])
    returning id`)
}
