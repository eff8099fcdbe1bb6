/**
 * The only statements on `second_factors` and `recovery_codes`. Invariant: every try locks the row of its user until its
 * transaction ends, so parallel tries run one after the other.
 */
import { sql, type Runner, type Tx } from '../../platform/db/db.ts'

export type SecondFactor = {
  userId: string
  /** Secret of the confirmed factor; null for a person without one. */
  sealedSecret: string | null
  /** Secret of an enrolment that waits for confirmation; null once it has expired. */
  pendingSealedSecret: string | null
  lastStep: number | null
  /** 0 when tries are open; otherwise the seconds until they are. */
  lockedForSeconds: number
  /** The same for recovery codes. */
  recoveryLockedForSeconds: number
  /** The time of the database: the clocks of two processes may differ, which would widen the time in which a code is accepted. */
  now: Date
}

/** An unconfirmed enrolment must expire: a person who finds its screen later could choose the factor. */
const enrolmentSeconds = 900

/** The row of a user, made if missing, locked until the transaction ends. */
export async function lockSecondFactor(tx: Tx, userId: string): Promise<SecondFactor> {
  await tx.rows(sql`insert into second_factors (user_id) values (${userId}) on conflict (user_id) do nothing`)
  return tx.one<SecondFactor>(sql`
    select user_id, sealed_secret, last_step,
      case when pending_since > clock_now() - make_interval(secs => ${enrolmentSeconds}) then pending_sealed_secret end
        as pending_sealed_secret,
      coalesce(greatest(0, ceil(extract(epoch from locked_until - clock_now()))), 0)::integer as locked_for_seconds,
      coalesce(greatest(0, ceil(extract(epoch from recovery_locked_until - clock_now()))), 0)::integer as recovery_locked_for_seconds,
      clock_now() as now
    from second_factors where user_id = ${userId} for update`)
}

export async function hasConfirmedFactor(db: Runner, userId: string): Promise<boolean> {
  return db.any(sql`select 1 from second_factors where user_id = ${userId} and confirmed_at is not null`)
}

export async function setPendingSecret(tx: Tx, userId: string, sealedSecret: string): Promise<void> {
  await tx.rows(sql`
    update second_factors set pending_sealed_secret = ${sealedSecret}, pending_since = clock_now() where user_id = ${userId}`)
}

export async function clearPendingSecret(tx: Tx, userId: string): Promise<void> {
  await tx.rows(sql`
    update second_factors set pending_sealed_secret = null, pending_since = null
    where user_id = ${userId} and pending_sealed_secret is not null`)
}

/** Replaces any existing factor; `step` is the step that its first code has used up. */
export async function setConfirmedSecret(tx: Tx, userId: string, sealedSecret: string, step: number | null): Promise<void> {
  await tx.rows(sql`
    update second_factors set sealed_secret = ${sealedSecret}, confirmed_at = clock_now(), last_step = ${step},
      pending_sealed_secret = null, pending_since = null
    where user_id = ${userId}`)
}

/** Removes the factor and notes the time; the count of wrong tries stays. */
export async function clearSecondFactor(tx: Tx, userId: string): Promise<void> {
  await tx.rows(sql`
    update second_factors set sealed_secret = null, confirmed_at = null, last_step = null, pending_sealed_secret = null,
      pending_since = null, removed_at = clock_now()
    where user_id = ${userId}`)
}

/** Uses up a step; false when this step or a later one was used before. */
export async function useStep(tx: Tx, userId: string, step: number): Promise<boolean> {
  return tx.any(sql`
    update second_factors set last_step = ${step}
    where user_id = ${userId} and (last_step is null or last_step < ${step}) returning user_id`)
}

const longestLockSeconds = 86_400

type TryRules = { triesBeforeLock: number; lockSeconds: number }

/**
 * Counts a wrong try and locks at `triesBeforeLock`, for `lockSeconds` the first time, then twice as long each time, until a try
 * is right; returns whether it is locked now. A try that comes `lockSeconds` after the last wrong one starts a new count. A right
 * code does not start a new count, because it would also reset an attacker's tries. An attacker who always pauses in time is
 * locked at twice `triesBeforeLock` wrong tries since the last right one, and again after every further 2 × `triesBeforeLock`.
 */
export async function countWrongTry(tx: Tx, userId: string, rules: TryRules): Promise<boolean> {
  const { triesBeforeLock, lockSeconds } = rules
  return tx.value<boolean>(sql`
    with counted as (
      select case when last_failed_at > clock_now() - make_interval(secs => ${lockSeconds}) then failures + 1 else 1 end as failures,
        wrong_tries + 1 as wrong_tries
      from second_factors where user_id = ${userId}
    ), judged as (
      select failures, wrong_tries,
        failures >= ${triesBeforeLock} or wrong_tries % ${triesBeforeLock * 2}::integer = 0 as is_locked
      from counted
    )
    update second_factors f set failures = j.failures, wrong_tries = j.wrong_tries, last_failed_at = clock_now(),
      locks = f.locks + j.is_locked::integer,
      locked_until = case when j.is_locked
        then clock_now() + make_interval(secs => least(${longestLockSeconds}, ${lockSeconds} * power(2, least(f.locks, 30)))) end
    from judged j
    where f.user_id = ${userId}
    returning j.is_locked`)
}

/** Counts a wrong recovery code, which is too long to guess: each lock is equally long. Returns whether recovery codes are locked now. */
export async function countWrongRecovery(tx: Tx, userId: string, { triesBeforeLock, lockSeconds }: TryRules): Promise<boolean> {
  return tx.value<boolean>(sql`
    with counted as (
      select case when recovery_failed_at > clock_now() - make_interval(secs => ${lockSeconds}) then recovery_failures + 1 else 1 end as failures
      from second_factors where user_id = ${userId}
    )
    update second_factors f set recovery_failures = c.failures, recovery_failed_at = clock_now(),
      recovery_locked_until = case when c.failures >= ${triesBeforeLock} then clock_now() + make_interval(secs => ${lockSeconds}) end
    from counted c
    where f.user_id = ${userId}
    returning f.recovery_locked_until is not null as is_locked`)
}

/** After a right try the next lock is short again. The wrong tries that count towards it stay counted. */
export async function resetLocks(tx: Tx, userId: string): Promise<void> {
  await tx.rows(sql`
    update second_factors set wrong_tries = 0, locks = 0 where user_id = ${userId} and (wrong_tries > 0 or locks > 0)`)
}

/** Whether a mail about a lock is due: at most one a day, so that an attacker cannot flood a mailbox. Marks it as sent. */
export async function claimLockMail(tx: Tx, userId: string): Promise<boolean> {
  return tx.any(sql`
    update second_factors set lock_mailed_at = clock_now()
    where user_id = ${userId} and (lock_mailed_at is null or lock_mailed_at <= clock_now() - interval '1 day') returning user_id`)
}

/** Subtracts a try that was counted before its result was known, and removes its lock. */
export async function uncountTry(db: Runner, userId: string): Promise<void> {
  await db.rows(sql`
    update second_factors set failures = greatest(0, failures - 1), wrong_tries = greatest(0, wrong_tries - 1),
      locked_until = null, locks = case when locked_until is null then locks else greatest(0, locks - 1) end
    where user_id = ${userId}`)
}

/** Replaces all old codes with new ones. */
export async function replaceRecoveryCodes(tx: Tx, userId: string, hashes: Buffer[]): Promise<void> {
  await tx.rows(sql`delete from recovery_codes where user_id = ${userId}`)
  await tx.rows(sql`
    insert into recovery_codes (user_id, code_hash) select ${userId}, code_hash from unnest(${hashes}::bytea[]) as t (code_hash)`)
}

/** Uses up a code; undefined when it is unknown or used, otherwise the number of remaining codes. */
export async function useRecoveryCode(tx: Tx, userId: string, hash: Buffer): Promise<number | undefined> {
  const used = await tx.rows(sql`
    update recovery_codes set used_at = clock_now()
    where user_id = ${userId} and code_hash = ${hash} and used_at is null returning user_id`)
  if (used.length === 0) return undefined
  return tx.value<number>(sql`
    select count(*) as left from recovery_codes where user_id = ${userId} and used_at is null`)
}

/** Removes the factor, its codes and the count of tries of a user who can no longer sign in. */
export async function deleteSecondFactorOf(tx: Tx, userId: string): Promise<void> {
  await tx.rows(sql`delete from recovery_codes where user_id = ${userId}`)
  await tx.rows(sql`delete from second_factors where user_id = ${userId}`)
}
