/**
 * The only statements on `second_factors` and `recovery_codes`. Invariant: every try holds the row of its user until its transaction
 * ends, so tries that come together take turns.
 */
import { sql, type Runner, type Tx } from '../platform/db/db.ts'

export type SecondFactor = {
  userId: string
  /** Of the confirmed factor; null for a person without one. */
  sealedSecret: string | null
  /** Of an enrolment that waits to be confirmed; null once it has waited too long. */
  pendingSealedSecret: string | null
  lastStep: number | null
  /** 0 when tries are open; otherwise the seconds until they are. */
  lockedForSeconds: number
}

/** An enrolment that nobody confirms must not lie about: whoever finds its screen later would choose the factor. */
const enrolmentSeconds = 900

/** The row of a user, made if need be, held until the transaction ends. */
export async function lockSecondFactor(tx: Tx, userId: string): Promise<SecondFactor> {
  await tx.rows(sql`insert into second_factors (user_id) values (${userId}) on conflict (user_id) do nothing`)
  const [factor] = await tx.rows<SecondFactor>(sql`
    select user_id, sealed_secret, last_step,
      case when pending_since > clock_now() - make_interval(secs => ${enrolmentSeconds}) then pending_sealed_secret end
        as pending_sealed_secret,
      coalesce(greatest(0, ceil(extract(epoch from locked_until - clock_now()))), 0)::integer as locked_for_seconds
    from second_factors where user_id = ${userId} for update`)
  return factor!
}

export async function hasConfirmedFactor(db: Runner, userId: string): Promise<boolean> {
  const rows = await db.rows(sql`select 1 from second_factors where user_id = ${userId} and confirmed_at is not null`)
  return rows.length > 0
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

/** Puts a factor in the place of whatever was there; `step` is the one that its first code has used up. */
export async function setConfirmedSecret(tx: Tx, userId: string, sealedSecret: string, step: number | null): Promise<void> {
  await tx.rows(sql`
    update second_factors set sealed_secret = ${sealedSecret}, confirmed_at = clock_now(), last_step = ${step},
      pending_sealed_secret = null, pending_since = null
    where user_id = ${userId}`)
}

/** Takes the factor away and notes when; the count of wrong tries stays. */
export async function clearSecondFactor(tx: Tx, userId: string): Promise<void> {
  await tx.rows(sql`
    update second_factors set sealed_secret = null, confirmed_at = null, last_step = null, pending_sealed_secret = null,
      pending_since = null, removed_at = clock_now()
    where user_id = ${userId}`)
}

/** Uses up a step; false when it, or a later one, was used before. */
export async function useStep(tx: Tx, userId: string, step: number): Promise<boolean> {
  const rows = await tx.rows(sql`
    update second_factors set last_step = ${step}
    where user_id = ${userId} and (last_step is null or last_step < ${step}) returning user_id`)
  return rows.length > 0
}

const longestLockSeconds = 86_400

/**
 * Counts a wrong try and locks at `triesBeforeLock`, for `lockSeconds` the first time, then twice as long each time, until a try is
 * right; answers whether it is locked now. A try that comes `lockSeconds` after the last wrong one starts a new count. A right code
 * does not: the tries of somebody else would be forgotten with it. Whoever pauses in time, again and again, is locked all
 * the same at twice `triesBeforeLock` wrong tries since the last right one, and after each so many more.
 */
export async function countWrongTry(
  tx: Tx,
  userId: string,
  rules: { triesBeforeLock: number; lockSeconds: number },
): Promise<boolean> {
  const { triesBeforeLock, lockSeconds } = rules
  const [row] = await tx.rows<{ isLocked: boolean }>(sql`
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
  return row!.isLocked
}

/** After a right try the next lock is a short one again. The wrong ones that are counted towards it stay counted. */
export async function resetLocks(tx: Tx, userId: string): Promise<void> {
  await tx.rows(sql`
    update second_factors set wrong_tries = 0, locks = 0 where user_id = ${userId} and (wrong_tries > 0 or locks > 0)`)
}

/** Whether a mail about a lock is due: at most one a day, so that whoever guesses cannot flood a mailbox. It counts as sent then. */
export async function claimLockMail(tx: Tx, userId: string): Promise<boolean> {
  const rows = await tx.rows(sql`
    update second_factors set lock_mailed_at = clock_now()
    where user_id = ${userId} and (lock_mailed_at is null or lock_mailed_at <= clock_now() - interval '1 day') returning user_id`)
  return rows.length > 0
}

/** Takes back a try that was counted before it was known to be wrong, and the lock with it. */
export async function takeBackTry(db: Runner, userId: string): Promise<void> {
  await db.rows(sql`
    update second_factors set failures = greatest(0, failures - 1), wrong_tries = greatest(0, wrong_tries - 1),
      locked_until = null, locks = case when locked_until is null then locks else greatest(0, locks - 1) end
    where user_id = ${userId}`)
}

/** Puts new codes in the place of all the old ones. */
export async function replaceRecoveryCodes(tx: Tx, userId: string, hashes: Buffer[]): Promise<void> {
  await tx.rows(sql`delete from recovery_codes where user_id = ${userId}`)
  await tx.rows(sql`
    insert into recovery_codes (user_id, code_hash) select ${userId}, code_hash from unnest(${hashes}::bytea[]) as t (code_hash)`)
}

/** Uses up a code; undefined when there is no such unused one, otherwise how many are left. */
export async function useRecoveryCode(tx: Tx, userId: string, hash: Buffer): Promise<number | undefined> {
  const used = await tx.rows(sql`
    update recovery_codes set used_at = clock_now()
    where user_id = ${userId} and code_hash = ${hash} and used_at is null returning user_id`)
  if (used.length === 0) return undefined
  const [row] = await tx.rows<{ left: number }>(sql`
    select count(*) as left from recovery_codes where user_id = ${userId} and used_at is null`)
  return row!.left
}

/** Removes the factor, its codes and the count of tries of a user who signs in no more. */
export async function deleteSecondFactorOf(tx: Tx, userId: string): Promise<void> {
  await tx.rows(sql`delete from recovery_codes where user_id = ${userId}`)
  await tx.rows(sql`delete from second_factors where user_id = ${userId}`)
}
