/** The only statements on `sign_in_challenges`: sign-ins with a correct password that wait for the second factor. */
import { sql, type Runner, type Tx } from '../../platform/db/db.ts'

export type NewChallenge = { tokenHash: Buffer; userId: string; seconds: number; userAgent: string | null }

/** Stores a challenge and deletes expired ones of the same user. */
export async function insertChallenge(tx: Tx, challenge: NewChallenge): Promise<void> {
  await tx.rows(sql`delete from sign_in_challenges where user_id = ${challenge.userId} and expires_at <= clock_now()`)
  await tx.rows(sql`
    insert into sign_in_challenges (token_hash, user_id, expires_at, user_agent)
    values (${challenge.tokenHash}, ${challenge.userId}, clock_now() + make_interval(secs => ${challenge.seconds}),
      ${challenge.userAgent})`)
}

export type Challenge = { userId: string; userAgent: string | null }

export async function findChallenge(db: Runner, tokenHash: Buffer): Promise<Challenge | undefined> {
  return db.maybeOne<Challenge>(sql`
    select user_id, user_agent from sign_in_challenges
    where token_hash = ${tokenHash} and used_at is null and expires_at > clock_now()`)
}

/** Uses up a challenge; false when it was used, has expired or was deleted. */
export async function useChallenge(tx: Tx, tokenHash: Buffer): Promise<boolean> {
  return tx.any(sql`
    update sign_in_challenges set used_at = clock_now()
    where token_hash = ${tokenHash} and used_at is null and expires_at > clock_now() returning user_id`)
}

/** Deletes all challenges of a user, when their password no longer counts. */
export async function dropChallenges(tx: Tx, userId: string): Promise<void> {
  await tx.rows(sql`delete from sign_in_challenges where user_id = ${userId}`)
}

/** Removes challenges that ended this many days ago, at most `limit`; returns how many. */
export async function pruneChallenges(db: Runner, olderThanDays: number, limit: number): Promise<number> {
  return db.rowCount(sql`
    delete from sign_in_challenges
    where token_hash in (
      select token_hash from sign_in_challenges where expires_at < clock_now() - make_interval(days => ${olderThanDays}::integer)
      order by expires_at limit ${limit}
      for update skip locked)
    returning user_id`)
}
