/** The only statements on `sessions`. They decide, by the database's clock, whether a session is alive, and include its user's state. */
import type { Role } from '../../domain/account.ts'
import { sql, type Runner, type Tx } from '../../platform/db/db.ts'
import { newestFirst } from '../../platform/http/list-range.sql.ts'
import type { ListRange } from '../../platform/http/page.ts'
import type { RevokedReason, Session } from './session.ts'

const columns = sql`id, amr, user_agent, created_at, authenticated_at, last_used_at, idle_expires_at, expires_at, revoked_at`

export type NewSession = {
  id: string
  userId: string
  amr: string[]
  refreshHash: Buffer
  idleSeconds: number
  absoluteSeconds: number
  userAgent: string | null
  /** When its device became known; null: it is new. */
  deviceSince: Date | null
}

export async function insertSession(tx: Tx, session: NewSession): Promise<void> {
  await tx.rows(sql`
    insert into sessions (id, user_id, amr, refresh_hash, idle_expires_at, expires_at, user_agent, device_since)
    values (${session.id}, ${session.userId}, ${session.amr}, ${session.refreshHash},
      clock_now() + make_interval(secs => ${session.idleSeconds}), clock_now() + make_interval(secs => ${session.absoluteSeconds}),
      ${session.userAgent}, least(coalesce(${session.deviceSince}::timestamptz, clock_now()), clock_now()))`)
}

/** Ends the live sessions of a user that were unused for longest, so that at most `most` stay. */
export async function endOldestSessions(tx: Tx, userId: string, most: number): Promise<void> {
  await tx.rows(sql`
    update sessions set revoked_at = clock_now(), revoked_reason = ${'replaced' satisfies RevokedReason}
    where id in (
      select id from sessions
      where user_id = ${userId} and revoked_at is null and idle_expires_at > clock_now() and expires_at > clock_now()
      order by last_used_at desc, id desc offset ${most})`)
}

export type SessionState = { role: Role; amr: string[]; isActive: boolean; isStale: boolean }

const stateOf = (userId: string, id: string) => sql`
  select u.role, s.amr,
    s.revoked_at is null and u.disabled_at is null and s.idle_expires_at > clock_now() and s.expires_at > clock_now() as is_active,
    s.last_used_at < clock_now() - interval '1 minute' as is_stale
  from sessions s join users u on u.id = s.user_id
  where s.id = ${id} and s.user_id = ${userId}`

/** The current state of a session; `isStale` means that its last use was recorded more than a minute ago. */
export async function findSessionState(db: Runner, userId: string, id: string): Promise<SessionState | undefined> {
  return db.maybeOne<SessionState>(stateOf(userId, id))
}

/**
 * The same, locked against changes until the transaction ends: a revocation waits for it. Locks the user before the session, in
 * the same order as disabling an account.
 */
export async function lockSessionState(tx: Tx, userId: string, id: string): Promise<SessionState | undefined> {
  return tx.maybeOne<SessionState>(sql`${stateOf(userId, id)} for share of u, s`)
}

export type LiveSession = { id: string; isOperator: boolean; endsAt: Date }

/** Those of these sessions that are alive; `isOperator`: of an operator who has shown a second factor. */
export async function listLiveSessions(db: Runner, ids: string[]): Promise<LiveSession[]> {
  return db.rows<LiveSession>(sql`
    select s.id, u.role = 'admin' and 'mfa' = any (s.amr) as is_operator, least(s.idle_expires_at, s.expires_at) as ends_at
    from sessions s join users u on u.id = s.user_id
    where s.id = any (${ids}::uuid[])
      and s.revoked_at is null and u.disabled_at is null and s.idle_expires_at > clock_now() and s.expires_at > clock_now()`)
}

export async function touchSession(db: Runner, id: string): Promise<void> {
  await db.rows(sql`
    update sessions set last_used_at = clock_now()
    where id = ${id} and last_used_at < clock_now() - interval '1 minute'`)
}

export type RefreshState = {
  userId: string
  email: string
  role: Role
  amr: string[]
  generation: number
  refreshHash: Buffer
  isActive: boolean
  /** Whether the last rotation is so recent that its answer may have been lost. */
  isJustRotated: boolean
}

/** The session that a refresh token names, locked until the transaction ends, so that two uses of one token run one after the other. */
export async function lockSessionForRefresh(tx: Tx, id: string, graceSeconds: number): Promise<RefreshState | undefined> {
  return tx.maybeOne<RefreshState>(sql`
    select s.user_id, u.email, u.role, s.amr, s.generation, s.refresh_hash,
      s.revoked_at is null and u.disabled_at is null and s.idle_expires_at > clock_now() and s.expires_at > clock_now() as is_active,
      s.rotated_at >= clock_now() - make_interval(secs => ${graceSeconds}) as is_just_rotated
    from sessions s join users u on u.id = s.user_id
    where s.id = ${id}
    for update of s`)
}

export async function rotateSession(
  tx: Tx,
  id: string,
  rotation: { generation: number; refreshHash: Buffer; idleSeconds: number },
): Promise<void> {
  await tx.rows(sql`
    update sessions set generation = ${rotation.generation}, refresh_hash = ${rotation.refreshHash}, rotated_at = clock_now(),
      last_used_at = clock_now(),
      idle_expires_at = least(expires_at, clock_now() + make_interval(secs => ${rotation.idleSeconds}))
    where id = ${id}`)
}

/** Ends a live session of this user; undefined when it does not exist or has ended. */
export async function revokeSession(db: Runner, userId: string, id: string, reason: RevokedReason): Promise<Session | undefined> {
  return db.maybeOne<Session>(sql`
    update sessions set revoked_at = clock_now(), revoked_reason = ${reason}
    where id = ${id} and user_id = ${userId} and revoked_at is null and idle_expires_at > clock_now() and expires_at > clock_now()
    returning ${columns}`)
}

/** Ends all live sessions of a user; returns how many. */
export async function revokeSessionsOf(tx: Tx, userId: string, reason: RevokedReason): Promise<number> {
  return tx.rowCount(sql`
    update sessions set revoked_at = clock_now(), revoked_reason = ${reason}
    where user_id = ${userId} and revoked_at is null and idle_expires_at > clock_now() and expires_at > clock_now()
    returning id`)
}

/** Ends all live sessions of the same user except this one; returns how many. */
export async function revokeOtherSessions(
  tx: Tx,
  session: { userId: string; id: string },
  reason: RevokedReason,
): Promise<number> {
  return tx.rowCount(sql`
    update sessions set revoked_at = clock_now(), revoked_reason = ${reason}
    where user_id = ${session.userId} and id <> ${session.id}
      and revoked_at is null and idle_expires_at > clock_now() and expires_at > clock_now()
    returning id`)
}

/** Adds authentication methods to a live session; `isRenewed` means that the person authenticated just now. */
export async function addMethods(
  tx: Tx,
  session: { userId: string; id: string; methods: string[]; isRenewed: boolean },
): Promise<Session | undefined> {
  return tx.maybeOne<Session>(sql`
    update sessions set
      amr = amr || array(select method from unnest(${session.methods}::text[]) as t (method) where method <> all (amr)),
      authenticated_at = case when ${session.isRenewed}::boolean then clock_now() else authenticated_at end
    where id = ${session.id} and user_id = ${session.userId} and revoked_at is null
    returning ${columns}`)
}

/** Removes methods from a session that no longer prove anything. */
export async function removeMethods(tx: Tx, session: { userId: string; id: string; methods: string[] }): Promise<void> {
  await tx.rows(sql`
    update sessions set amr = array(
      select method from unnest(amr) with ordinality as t (method, place) where method <> all (${session.methods}::text[]) order by place)
    where id = ${session.id} and user_id = ${session.userId}`)
}

export type TakeoverFacts = {
  now: Date
  passwordResetAt: Date | null
  /** When the e-mail address or the phone number was last changed; null: never. */
  contactChangedAt: Date | null
  /** When a second factor was last connected, replaced or removed; null: never. */
  factorChangedAt: Date | null
  deviceSince: Date
  /** Whether this session has shown the second factor, and the factor still exists. */
  hasShownFactor: boolean
}

/** The facts that show whether the account of a session may have been taken over. */
export async function findTakeoverFacts(db: Runner, session: { userId: string; id: string }): Promise<TakeoverFacts | undefined> {
  return db.maybeOne<TakeoverFacts>(sql`
    select clock_now() as now, u.password_reset_at, u.contact_changed_at, greatest(f.confirmed_at, f.removed_at) as factor_changed_at,
      coalesce(s.device_since, s.created_at) as device_since, 'mfa' = any (s.amr) and f.confirmed_at is not null as has_shown_factor
    from sessions s
    join users u on u.id = s.user_id
    left join second_factors f on f.user_id = s.user_id
    where s.id = ${session.id} and s.user_id = ${session.userId}`)
}

/**
 * Whether the person of a session authenticated within `seconds`; undefined when the session was revoked. A person with a second
 * factor must have shown it in this session: a session from before the factor proves a password only.
 */
export async function isSteppedUp(
  db: Runner,
  session: { userId: string; id: string; seconds: number },
): Promise<boolean | undefined> {
  return db.maybeValue<boolean>(sql`
    select s.authenticated_at > clock_now() - make_interval(secs => ${session.seconds})
      and ('mfa' = any (s.amr)
        or not exists (select 1 from second_factors f where f.user_id = s.user_id and f.confirmed_at is not null)) as is_stepped_up
    from sessions s where s.id = ${session.id} and s.user_id = ${session.userId} and s.revoked_at is null`)
}

/** Whether a session comes from a device that its user's recent sessions did not use. The very first session is not new. */
export async function isNewDevice(tx: Tx, session: { userId: string; id: string }): Promise<boolean> {
  return tx.value<boolean>(sql`
    with devices as (
      select id, regexp_replace(coalesce(user_agent, ''), '[0-9.]+', '', 'g') as device from sessions
      where user_id = ${session.userId} order by created_at desc limit 200
    )
    select exists (select from devices where id <> ${session.id})
      and not exists (
        select from devices other join devices this on this.id = ${session.id} where other.id <> this.id and other.device = this.device) as is_new`)
}

/** The live sessions of a user, newest first, one more than the limit. */
export async function listSessions(db: Runner, userId: string, range: ListRange): Promise<Session[]> {
  return db.rows<Session>(sql`
    select ${columns} from sessions
    where user_id = ${userId} and revoked_at is null and idle_expires_at > clock_now() and expires_at > clock_now()
      ${newestFirst(range, sql`sessions`)}`)
}

/** Removes sessions that ended this many days ago, at most `limit`; returns how many. */
export async function pruneSessions(db: Runner, olderThanDays: number, limit: number): Promise<number> {
  return db.rowCount(sql`
    delete from sessions
    where id in (
      select s.id from sessions s
      where s.expires_at < clock_now() - make_interval(days => ${olderThanDays}::integer)
        -- Which document was looked at in it goes first.
        and not exists (select from document_views v where v.session_id = s.id)
      order by s.expires_at limit ${limit}
      for update of s skip locked)
    returning id`)
}

/** Locks every session of a user: nothing is stored for one of them until the transaction ends. */
export async function lockSessionsOf(tx: Tx, userId: string): Promise<void> {
  await tx.rows(sql`select from sessions where user_id = ${userId} order by id for update`)
}

/** Removes every session of a user, with the data of their devices. */
export async function deleteSessionsOf(tx: Tx, userId: string): Promise<void> {
  await tx.rows(sql`delete from sessions where user_id = ${userId}`)
}
