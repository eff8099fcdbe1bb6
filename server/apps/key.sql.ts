/** The only statements on `api_keys`. A key's state is decided here, by the database's clock, together with its app's and its owner's. */
import type { Merchant } from '../identity/merchant.ts'
import { sql, type Runner, type Tx } from '../platform/db.ts'
import type { ListRange } from '../platform/page.ts'
import type { App } from './app.ts'
import type { Key, Scope } from './key.ts'

const columns = sql`
  k.id, k.app_id, k.environment, k.key_name, k.scopes, k.last4, k.expires_at, k.last_used_at, k.created_at,
  case
    when k.revoked_at is not null then 'revoked'
    when k.expires_at <= clock_now() then 'expired'
    when k.expires_at <= clock_now() + interval '7 days' then 'expiring'
    else 'active'
  end as status`

export type NewKey = {
  id: string
  keyName: string
  scopes: Scope[]
  keyHash: Buffer
  pepperId: string
  last4: string
  expiresAt: string | null
}

/** Writes a key of `app`, whose merchant and environment it takes over. */
export async function insertKey(tx: Tx, app: Pick<App, 'id' | 'merchantId' | 'environment'>, key: NewKey): Promise<Key> {
  const [row] = await tx.rows<Key>(sql`
    insert into api_keys as k
      (id, app_id, merchant_id, environment, key_name, scopes, key_hash, pepper_id, last4, expires_at)
    values (${key.id}, ${app.id}, ${app.merchantId}, ${app.environment}, ${key.keyName}, ${key.scopes}, ${key.keyHash},
      ${key.pepperId}, ${key.last4}, ${key.expiresAt})
    returning ${columns}`)
  return row!
}

/** The keys of a user's apps, or of one of them, newest first, one more than asked for. */
export async function listKeys(db: Runner, userId: string, appId: string | null, range: ListRange): Promise<Key[]> {
  const { after, createdFrom = null, createdTo = null, limit } = range
  return db.rows<Key>(sql`
    select ${columns} from api_keys k join apps a on a.id = k.app_id join merchants m on m.id = k.merchant_id
    where m.user_id = ${userId} and a.deleted_at is null
      and (${appId}::uuid is null or k.app_id = ${appId}::uuid)
      and (${createdFrom}::timestamptz is null or k.created_at >= ${createdFrom}::timestamptz)
      and (${createdTo}::timestamptz is null or k.created_at < ${createdTo}::timestamptz)
      ${after ? sql`and (k.created_at, k.id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)` : sql``}
    order by k.created_at desc, k.id desc
    limit ${limit + 1}`)
}

/** Revokes a key of a user's app; one that is revoked already stays as it is. Undefined when there is no such key. */
export async function revokeKey(db: Runner, userId: string, id: string): Promise<Key | undefined> {
  const [key] = await db.rows<Key>(sql`
    update api_keys k set revoked_at = coalesce(k.revoked_at, clock_now())
    from apps a, merchants m
    where k.id = ${id} and a.id = k.app_id and a.deleted_at is null and m.id = k.merchant_id and m.user_id = ${userId}
    returning ${columns}`)
  return key
}

export async function revokeKeysOfApp(tx: Tx, appId: string): Promise<void> {
  await tx.rows(sql`update api_keys set revoked_at = clock_now() where app_id = ${appId} and revoked_at is null`)
}

/** A key as a caller shows it, with all that its use depends on. */
export type PresentedKey = {
  keyId: string
  keyName: string
  scopes: Scope[]
  expiresAt: Date | null
  isRevoked: boolean
  isExpired: boolean
  /** Its last use was noted more than a minute ago, or never. */
  isStale: boolean
  appId: string
  appName: string
  environment: App['environment']
  merchantId: string
  home: number
  kind: Merchant['kind']
  userId: string
  displayName: string
  verificationStatus: Merchant['verificationStatus']
}

/** The key with one of these hashes (one for each pepper). A key of a disabled person, or of a deleted app, counts as revoked. */
export async function findKeyByHash(db: Runner, hashes: Buffer[]): Promise<PresentedKey | undefined> {
  const [key] = await db.rows<PresentedKey>(sql`
    select k.id as key_id, k.key_name, k.scopes, k.expires_at,
      k.revoked_at is not null or a.deleted_at is not null or (m.kind = 'personal' and u.disabled_at is not null) as is_revoked,
      coalesce(k.expires_at <= clock_now(), false) as is_expired,
      coalesce(k.last_used_at < clock_now() - interval '1 minute', true) as is_stale,
      a.id as app_id, a.name as app_name, k.environment,
      m.id as merchant_id, m.home, m.kind, m.user_id, m.display_name, m.verification_status
    from api_keys k
      join apps a on a.id = k.app_id
      join merchants m on m.id = k.merchant_id
      join users u on u.id = m.user_id
    where k.key_hash = any(${hashes}::bytea[])`)
  return key
}

export async function touchKey(db: Runner, id: string): Promise<void> {
  await db.rows(sql`
    update api_keys set last_used_at = clock_now()
    where id = ${id} and (last_used_at is null or last_used_at < clock_now() - interval '1 minute')`)
}
