/** The only statements on `apps`. The caller of an app is the user of its personal merchant, or the representative of its business. */
import type { Environment } from '../domain/environment.ts'
import { sql, type Runner, type Tx } from '../platform/db/db.ts'
import type { ListRange } from '../platform/http/page.ts'
import type { App } from './app.ts'

const columns = sql`a.id, a.merchant_id, m.kind as merchant_kind, a.environment, a.name, a.description, a.created_at, a.deleted_at`

export async function insertApp(
  db: Runner,
  app: { id: string; merchantId: string; environment: Environment; name: string; description: string | null },
): Promise<void> {
  await db.rows(sql`
    insert into apps (id, merchant_id, environment, name, description)
    values (${app.id}, ${app.merchantId}, ${app.environment}, ${app.name}, ${app.description})`)
}

export async function findApp(db: Runner, userId: string, id: string): Promise<App | undefined> {
  const [app] = await db.rows<App>(sql`
    select ${columns} from apps a join merchants m on m.id = a.merchant_id
    where a.id = ${id} and m.user_id = ${userId} and a.deleted_at is null`)
  return app
}

/** The same, locked until the transaction ends, so that it cannot be deleted meanwhile. */
export async function lockApp(tx: Tx, userId: string, id: string): Promise<App | undefined> {
  const [app] = await tx.rows<App>(sql`
    select ${columns} from apps a join merchants m on m.id = a.merchant_id
    where a.id = ${id} and m.user_id = ${userId} and a.deleted_at is null
    for update of a`)
  return app
}

/** `merchantId` is the user's own or one of their businesses; without it: all of them. */
export type AppFilter = { merchantId?: string; environment?: Environment }

/** The apps of a user and of the businesses that they represent, newest first, one more than the limit. */
export async function listApps(db: Runner, userId: string, filter: AppFilter, range: ListRange): Promise<App[]> {
  const { after, createdFrom = null, createdTo = null, limit } = range
  const { merchantId = null, environment = null } = filter
  return db.rows<App>(sql`
    select ${columns} from apps a join merchants m on m.id = a.merchant_id
    where m.user_id = ${userId} and a.deleted_at is null
      and (${merchantId}::uuid is null or a.merchant_id = ${merchantId}::uuid)
      and (${environment}::text is null or a.environment = ${environment}::text)
      and (${createdFrom}::timestamptz is null or a.created_at >= ${createdFrom}::timestamptz)
      and (${createdTo}::timestamptz is null or a.created_at < ${createdTo}::timestamptz)
      ${after ? sql`and (a.created_at, a.id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)` : sql``}
    order by a.created_at desc, a.id desc
    limit ${limit + 1}`)
}

/** Every app of a merchant, including deleted ones, newest first: their history stays readable. */
export async function listAppIdsOf(db: Runner, merchantId: string): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(sql`
    select id from apps where merchant_id = ${merchantId} order by created_at desc limit 200`)
  return rows.map(({ id }) => id)
}

export async function updateApp(tx: Tx, id: string, changes: { name: string; description: string | null }): Promise<void> {
  await tx.rows(sql`update apps set name = ${changes.name}, description = ${changes.description} where id = ${id}`)
}

export async function markAppDeleted(tx: Tx, id: string): Promise<Date> {
  const [row] = await tx.rows<{ deletedAt: Date }>(sql`
    update apps set deleted_at = clock_now() where id = ${id} returning deleted_at`)
  return row!.deletedAt
}

/** Deletes the apps of these merchants and clears their names; the caller must have revoked their keys. */
export async function eraseApps(tx: Tx, merchantIds: string[]): Promise<string[]> {
  const rows = await tx.rows<{ id: string }>(sql`
    update apps set name = 'Erased', description = null, deleted_at = coalesce(deleted_at, clock_now())
    where merchant_id = any(${merchantIds}::uuid[])
    returning id`)
  return rows.map(({ id }) => id)
}
