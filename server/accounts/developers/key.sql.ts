/** The only statements on `api_keys`. They decide a key's state, by the database's clock, together with its app's and its owner's state. */
import type { KeyStatus } from '../../domain/developer-app.ts'
import type { MemberRole } from '../../domain/member.ts'
import type { Merchant } from '../identity/merchant.ts'
import { holder, joinMember, type Holder } from '../members/access.sql.ts'
import { sql, unplanned, type Runner, type Tx } from '../../platform/db/db.ts'
import { newestFirst } from '../../platform/http/list-range.sql.ts'
import type { ListRange } from '../../platform/http/page.ts'
import type { App } from './app.ts'
import type { Scope } from '../../domain/scope.ts'
import type { Key } from './key.ts'

const status = sql`
  case
    when k.revoked_at is not null then 'revoked'
    when k.expires_at <= clock_now() then 'expired'
    when k.expires_at <= clock_now() + interval '7 days' then 'expiring'
    else 'active'
  end`

/** How long a key whose granter has left makes payouts before someone keeps it. */
export const pauseHours = 72

/** Those that wait for a grant, and `payouts:write` of a key that no one has kept in time. */
const waitingScopes = sql`coalesce(k.waiting_scopes || case
  when k.unkept_since <= clock_now() - make_interval(hours => ${pauseHours}) and 'payouts:write' = any(k.scopes) then array['payouts:write'] end, k.waiting_scopes) as waiting_scopes`

const columns = sql`
  k.id, k.app_id, k.merchant_id, k.environment, k.key_name, k.scopes, ${waitingScopes}, k.unkept_since, k.allowed_ips, k.last4, k.expires_at, k.last_used_at, k.created_at,
  k.rolled_at is not null as is_rolled, ${status} as status`

/** The keys of a user's merchants. Those of deleted apps are left out. */
const owned = (userId: string) => sql`
  api_keys k join apps a on a.id = k.app_id and a.merchant_id = k.merchant_id and a.deleted_at is null ${joinMember(userId, sql`k.merchant_id`)}`

/** A key, and the role of the person who reads it. */
export type OwnKey = Key & Holder & { merchantId: string }

/** The stored data of a key's value. */
export type KeptValue = { id: string; keyHash: Buffer; pepperId: string; last4: string }

/** How long a new key cannot make payouts; 0: it can at once. */
type PayoutWait = { payoutWaitSeconds: number }

const payoutsFrom = ({ payoutWaitSeconds }: PayoutWait) => sql`
  case when ${payoutWaitSeconds}::integer > 0 then clock_now() + make_interval(secs => ${payoutWaitSeconds}::integer) end`

/** `createdBy`: the person who made the value and has seen it. */
export type NewKey = KeptValue &
  PayoutWait & {
    createdBy: string
    keyName: string
    scopes: Scope[]
    waitingScopes: Scope[]
    allowedIps: string[]
    expiresAt: string | null
  }

/** The keys of a merchant that are valid. */
export async function countKeys(tx: Tx, merchantId: string): Promise<number> {
  return tx.value<number>(sql`
    select count(*)::integer as count from apps a join api_keys k on k.app_id = a.id
    where a.merchant_id = ${merchantId} and a.deleted_at is null
      and k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_now())`)
}

export async function insertKey(tx: Tx, app: Pick<App, 'id' | 'merchantId' | 'environment'>, key: NewKey): Promise<Key> {
  return tx.one<Key>(sql`
    insert into api_keys as k
      (id, app_id, merchant_id, environment, key_name, scopes, waiting_scopes, allowed_ips, key_hash, pepper_id, last4, expires_at, payouts_from, created_by)
    values (${key.id}, ${app.id}, ${app.merchantId}, ${app.environment}, ${key.keyName}, ${key.scopes}, ${key.waitingScopes},
      ${key.allowedIps}, ${key.keyHash}, ${key.pepperId}, ${key.last4}, ${key.expiresAt}, ${payoutsFrom(key)}, ${key.createdBy})
    returning ${columns}`)
}

/**
 * Inserts the key that replaces another: the same app, name, scopes and addresses. If the old key had a limited lifetime, the new
 * one gets the same lifetime.
 */
export async function insertSuccessor(
  tx: Tx,
  keyId: string,
  value: KeptValue & PayoutWait & { createdBy: string; waitingScopes: Scope[] },
): Promise<Key> {
  return tx.one<Key>(sql`
    insert into api_keys as k
      (id, app_id, merchant_id, environment, key_name, scopes, waiting_scopes, allowed_ips, key_hash, pepper_id, last4, expires_at, payouts_from, created_by, replaces)
    select ${value.id}::uuid, o.app_id, o.merchant_id, o.environment, o.key_name, o.scopes, ${value.waitingScopes}::text[], o.allowed_ips, ${value.keyHash}::bytea,
      ${value.pepperId}::text, ${value.last4}::text,
      case when o.expires_at is not null
        then least(clock_now() + (o.expires_at - o.created_at), timestamptz '9999-12-31 23:59:59.999Z')
      end,
      ${payoutsFrom(value)}, ${value.createdBy}::uuid, o.id
    from api_keys o where o.id = ${keyId}
    returning ${columns}`)
}

/** Ends a key after its grace period, or at its own expiry if that is earlier. */
export async function endRolledKey(tx: Tx, id: string, graceSeconds: number): Promise<Key> {
  // Truncated, not rounded up: without a grace period it has ended now, and with the longest, seven days, it counts as expiring
  // now.
  return tx.one<Key>(sql`
    update api_keys k set rolled_at = clock_now(),
      expires_at = least(k.expires_at, date_trunc('milliseconds', clock_now()) + ${graceSeconds}::int * interval '1 second')
    where k.id = ${id}
    returning ${columns}`)
}

export async function findKey(db: Runner, userId: string, id: string): Promise<OwnKey | undefined> {
  return db.maybeOne<OwnKey>(sql`select ${columns}, k.merchant_id, ${holder} from ${owned(userId)} where k.id = ${id}`)
}

/** The same, locked until the transaction ends; a caller that also needs the app locks the app first. */
export async function lockKey(tx: Tx, userId: string, id: string): Promise<OwnKey | undefined> {
  return tx.maybeOne<OwnKey>(sql`
    select ${columns}, k.merchant_id, ${holder} from ${owned(userId)} where k.id = ${id} for update of k for share of x`)
}

export type WantedKeys = {
  appId: string | null
  status: KeyStatus | null
  environment: App['environment'] | null
  /** Only where the user has one of these roles. */
  roles: MemberRole[]
}

/** The keys of a user's apps, newest first, one more than the limit. */
export async function listKeys(db: Runner, userId: string, wanted: WantedKeys, range: ListRange): Promise<Key[]> {
  return db.rows<Key>(sql`
    select ${columns} from ${owned(userId)}
    where x.role = any(${wanted.roles}::text[])
      and (${wanted.appId}::uuid is null or k.app_id = ${wanted.appId}::uuid)
      and (${wanted.environment}::text is null or k.environment = ${wanted.environment}::text)
      and (${wanted.status}::text is null or ${status} = ${wanted.status}::text)
      ${newestFirst(range, sql`k`)}`)
}

export async function updateKey(tx: Tx, id: string, changes: Pick<Key, 'keyName' | 'allowedIps'>): Promise<void> {
  await tx.rows(sql`
    update api_keys set key_name = ${changes.keyName}, allowed_ips = ${changes.allowedIps} where id = ${id}`)
}

/** All scopes of a key work from now on, granted by this person: those that waited, or all if its granter had left. */
export async function endWait(tx: Tx, id: string, userId: string): Promise<Key> {
  return tx.one<Key>(sql`
    update api_keys k set granted_by = ${userId}, granted_scopes = case when k.unkept_since is null then k.waiting_scopes else k.scopes end,
      waiting_scopes = '{}', unkept_since = null
    where k.id = ${id} returning ${columns}`)
}

/** A live key, and who has granted its scopes: `createdBy` what `grantedBy` did not. */
export type GrantedKey = Pick<Key, 'id' | 'environment' | 'last4' | 'scopes' | 'waitingScopes'> & {
  createdBy: string
  grantedBy: string | null
  grantedScopes: Scope[]
}

/** The live keys that work, about which no one is asked yet, and which a person has made or granted. */
export async function lockKeysGrantedBy(
  tx: Tx,
  { userId, merchantId }: { userId: string; merchantId: string },
): Promise<GrantedKey[]> {
  return tx.rows<GrantedKey>(sql`
    select k.id, k.environment, k.last4, k.scopes, k.waiting_scopes, k.created_by, k.granted_by, k.granted_scopes
    from api_keys k join apps a on a.id = k.app_id and a.merchant_id = k.merchant_id and a.deleted_at is null
    where k.merchant_id = ${merchantId} and k.environment = 'live' and ${userId} in (k.created_by, k.granted_by)
      and k.unkept_since is null and k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_now())
    order by k.id for update of k`)
}

/** For how long after a person made a key it stops paying when their account is disabled: a thief may have made it. */
export const suspectDays = 7

/** A live key of a business whose member made or granted it. `isSuspect`: this person made it a few days ago. */
export type KeyOfMember = Pick<Key, 'id' | 'merchantId' | 'environment' | 'keyName' | 'last4' | 'scopes' | 'waitingScopes'> & {
  isSuspect: boolean
}

/** The live keys that work, of the businesses that a person is a member of, and which this person has made, rolled or granted. */
export async function lockKeysOfMember(tx: Tx, userId: string): Promise<KeyOfMember[]> {
  return tx.rows<KeyOfMember>(sql`
    select k.id, k.merchant_id, k.environment, k.key_name, k.last4, k.scopes, k.waiting_scopes,
      k.created_by = ${userId} and k.created_at > clock_now() - make_interval(days => ${suspectDays}) as is_suspect
    from ${owned(userId)} join merchants m on m.id = k.merchant_id
    where m.kind = 'business' and k.environment = 'live' and ${userId} in (k.created_by, k.granted_by)
      and k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_now())
    order by k.id for update of k`)
}

/** These keys make no payouts until an owner or admin grants them. */
export async function pausePayouts(tx: Tx, ids: string[]): Promise<void> {
  await tx.rows(sql`
    update api_keys set waiting_scopes = array_append(waiting_scopes, 'payouts:write')
    where id = any(${ids}::uuid[]) and 'payouts:write' = any(scopes) and not 'payouts:write' = any(waiting_scopes)`)
}

export async function markUnkept(tx: Tx, ids: string[]): Promise<void> {
  await tx.rows(sql`update api_keys set unkept_since = clock_now() where id = any(${ids}::uuid[])`)
}

export async function markKeyRevoked(tx: Tx, id: string): Promise<Key> {
  return tx.one<Key>(sql`
    update api_keys k set revoked_at = clock_now() where k.id = ${id} returning ${columns}`)
}

/** Returns how many keys were revoked. */
export async function revokeKeysOfApp(tx: Tx, appId: string): Promise<number> {
  return tx.rowCount(sql`
    update api_keys set revoked_at = clock_now() where app_id = ${appId} and revoked_at is null returning id`)
}

/** A key that an operator revokes for its owner. */
export type LeakedKey = { id: string; keyName: string; last4: string; appName: string; merchantId: string }

/** The key, or the keys of the app, that are not revoked, of any owner, locked until the transaction ends. */
export async function lockActiveKeys(tx: Tx, what: { keyId: string } | { appId: string }): Promise<LeakedKey[]> {
  const wanted = 'keyId' in what ? sql`k.id = ${what.keyId}` : sql`k.app_id = ${what.appId}`
  return tx.rows<LeakedKey>(sql`
    select k.id, k.key_name, k.last4, a.name as app_name, k.merchant_id
    from api_keys k join apps a on a.id = k.app_id
    where ${wanted} and k.revoked_at is null
    order by k.id
    for update of k`)
}

/** A key that a caller has sent, with everything that decides about its use. */
export type PresentedKey = {
  keyId: string
  /** The pepper of its stored hash. */
  pepperId: string
  keyName: string
  scopes: Scope[]
  waitingScopes: Scope[]
  allowedIps: string[]
  expiresAt: Date | null
  isRevoked: boolean
  isExpired: boolean
  /** From when it may make payouts; null: at once. */
  payoutsFrom: Date | null
  createdBy: string
  /** Its last use was recorded more than a minute ago, or never. */
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
  suspendedAt: Date | null
  suspensionReason: string | null
}

/**
 * A key of a disabled person, or of a deleted app, counts as revoked. A key that was rolled without a grace period has ended also in a
 * transaction that began before: its clock stands still.
 */
const presentedColumns = sql`k.id as key_id, k.pepper_id, k.key_name, k.scopes, ${waitingScopes}, k.allowed_ips, k.expires_at,
    k.revoked_at is not null or a.deleted_at is not null or (m.kind = 'personal' and u.disabled_at is not null) as is_revoked,
    coalesce(k.expires_at <= clock_now() or k.expires_at <= k.rolled_at, false) as is_expired,
    coalesce(k.last_used_at < clock_now() - interval '1 minute', true) as is_stale,
    case when k.payouts_from > clock_now() then k.payouts_from end as payouts_from, k.created_by,
    a.id as app_id, a.name as app_name, k.environment,
    m.id as merchant_id, m.home, m.kind, m.user_id, m.display_name, m.verification_status,
    m.suspended_at, m.suspension_reason`

const presented = sql`api_keys k
    join apps a on a.id = k.app_id
    join merchants m on m.id = k.merchant_id
    join users u on u.id = m.user_id`

/** For each sent value, the key with one of its hashes (one for each pepper). */
export async function findPresentedKeys(db: Runner, shown: Buffer[][]): Promise<(PresentedKey | undefined)[]> {
  const rows = await db.rows<PresentedKey & { keyHash: Buffer }>(sql`
    select k.key_hash, ${presentedColumns} from ${presented} where k.key_hash = any(${unplanned(shown.flat(), 'bytea')})`)
  const byHash = new Map(rows.map(({ keyHash, ...key }) => [keyHash.toString('base64'), key]))
  return shown.map((hashes) => hashes.map((hash) => byHash.get(hash.toString('base64'))).find((key) => key !== undefined))
}

/**
 * A key with everything that decides about its use, locked against changes until the transaction ends: a revocation waits for it.
 * The lock order is the same as in an erasure; the key of a deleted app is revoked with it.
 */
export async function lockPresentedKey(tx: Tx, keyId: string): Promise<PresentedKey | undefined> {
  return tx.maybeOne<PresentedKey>(sql`
    select ${presentedColumns} from ${presented} where k.id = ${keyId} for share of m, u, k`)
}

export async function touchKey(db: Runner, id: string): Promise<void> {
  await db.rows(sql`
    update api_keys set last_used_at = clock_now()
    where id = ${id} and (last_used_at is null or last_used_at < clock_now() - interval '1 minute')`)
}

/** Revokes the keys of these merchants, and clears their names and addresses. */
export async function eraseKeys(tx: Tx, merchantIds: string[]): Promise<void> {
  await tx.rows(sql`
    update api_keys set key_name = 'Erased', allowed_ips = '{}', revoked_at = coalesce(revoked_at, clock_now())
    where merchant_id = any(${merchantIds}::uuid[])`)
}

/** Stores a key under another pepper; of two parallel calls, one changes nothing. */
export async function rehashKey(
  db: Runner,
  id: string,
  from: string,
  kept: Pick<KeptValue, 'keyHash' | 'pepperId'>,
): Promise<void> {
  await db.rows(sql`
    update api_keys set key_hash = ${kept.keyHash}, pepper_id = ${kept.pepperId} where id = ${id} and pepper_id = ${from}`)
}

export type KeysUnderPepper = { keyId: string; count: number; lastUsedAt: Date | null }

/** How many working keys are stored under each pepper, and when one of them was last used. */
export async function countKeysByPepper(db: Runner): Promise<KeysUnderPepper[]> {
  return db.rows<KeysUnderPepper>(sql`
    select k.pepper_id as key_id, count(*) as count, max(k.last_used_at) as last_used_at
    from api_keys k join apps a on a.id = k.app_id
    where k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_now()) and a.deleted_at is null
    group by k.pepper_id`)
}

/** Whether a request with any key of a merchant was ever accepted. */
export async function isAnyKeyUsed(db: Runner, merchantId: string): Promise<boolean> {
  return db.any(sql`
    select 1 as one from apps a join api_keys k on k.app_id = a.id
    where a.merchant_id = ${merchantId} and a.deleted_at is null and k.last_used_at is not null limit 1`)
}
