/** The only statements on `mailed_tokens`: codes that were mailed to an address, each valid for one person and purpose, once, for a limited time. */
import { sql, type Runner, type Tx } from '../../platform/db/db.ts'

export type MailedPurpose = 'password_reset' | 'email_verification' | 'contact_change'

export type NewMailedToken = {
  tokenHash: Buffer
  userId: string
  purpose: MailedPurpose
  email: string
  seconds: number
  /** The number that a code of `contact_change` sets; null: the code sets `email`. */
  newPhoneNumber?: string | null
}

/**
 * Stores the hash of a code; returns false if it already exists. Deletes expired codes of the same user and purpose, but only
 * once `pauseBeforeNext` no longer counts them.
 */
export async function insertMailedToken(tx: Tx, token: NewMailedToken): Promise<boolean> {
  await tx.rows(sql`
    delete from mailed_tokens
    where user_id = ${token.userId} and purpose = ${token.purpose} and expires_at <= clock_now()
      and created_at <= clock_now() - interval '1 day'`)
  return tx.any(sql`
    insert into mailed_tokens (token_hash, user_id, purpose, email, expires_at, new_phone_number)
    values (${token.tokenHash}, ${token.userId}, ${token.purpose}, ${token.email},
      clock_now() + make_interval(secs => ${token.seconds}), ${token.newPhoneNumber ?? null})
    on conflict (token_hash) do nothing
    returning user_id`)
}

/** Seconds until another mail of this purpose may be sent: `pauseSeconds` after the last one, and at most `perDay` in 24 hours; 0 means now. */
export async function pauseBeforeNext(
  db: Runner,
  wanted: { userId: string; purpose: MailedPurpose; pauseSeconds: number; perDay: number },
): Promise<number> {
  return db.value<number>(sql`
    select coalesce(greatest(0, ceil(extract(epoch from greatest(
      max(created_at) + make_interval(secs => ${wanted.pauseSeconds}),
      -- The oldest of the last perDay mails: one day after it another mail is allowed.
      (array_agg(created_at order by created_at desc))[${wanted.perDay}::integer] + interval '1 day') - clock_now()))), 0)::integer
      as seconds
    from mailed_tokens where user_id = ${wanted.userId} and purpose = ${wanted.purpose}`)
}

export type ResetMailRules = { pauseSeconds: number; slowPauseSeconds: number; perDay: number; triesPerCode: number }

/**
 * Whether another password reset code may be mailed. After `perDay` mails in 24 hours, the longer pause between two mails
 * applies. A new code replaces the last one, or is one of `perDay` codes a day that were used or ended by wrong tries.
 */
export async function mayMailReset(db: Runner, userId: string, rules: ResetMailRules): Promise<boolean> {
  return db.value<boolean>(sql`
    with today as (
      select * from mailed_tokens
      where user_id = ${userId} and purpose = 'password_reset' and created_at > clock_now() - interval '1 day'
    )
    select coalesce(max(created_at) + make_interval(secs =>
          case when sum(mails) >= ${rules.perDay} then ${rules.slowPauseSeconds}::double precision else ${rules.pauseSeconds}::double precision end) <= clock_now(), true)
        and (count(*) < ${rules.perDay}
          or coalesce((array_agg(used_at is null and wrong_tries < ${rules.triesPerCode} order by created_at desc))[1], true)) as may_mail
    from today`)
}

/**
 * Replaces the newest code of the last 24 hours, if it was not used and has tries left; its wrong tries stay counted. Returns
 * false when there is no such code, or when the new code already exists.
 */
export async function replaceMailedToken(tx: Tx, token: NewMailedToken, triesPerCode: number): Promise<boolean> {
  return tx.any(sql`
    with newest as (
      select token_hash from mailed_tokens
      where user_id = ${token.userId} and purpose = ${token.purpose} and created_at > clock_now() - interval '1 day'
      order by created_at desc limit 1
    )
    update mailed_tokens t set token_hash = ${token.tokenHash}, email = ${token.email}, created_at = clock_now(),
      expires_at = clock_now() + make_interval(secs => ${token.seconds}), mails = t.mails + 1
    from newest n
    -- Columns of the row itself, not of the newest: a try that it waited for may have used it or ended it.
    where t.token_hash = n.token_hash and t.used_at is null and t.wrong_tries < ${triesPerCode}
      and not exists (select from mailed_tokens o where o.token_hash = ${token.tokenHash})
    returning 1`)
}

/**
 * Tries a code: returns the hash under which it is stored while it is valid, undefined when it is wrong. A wrong code counts
 * against every code that could have been meant; a code ends after `triesPerCode` wrong tries. The rows are locked, so that
 * parallel tries are counted one after the other.
 */
export async function tryMailedCode(
  db: Runner,
  tried: { userId: string; purpose: MailedPurpose; hashes: Buffer[]; triesPerCode: number },
): Promise<Buffer | undefined> {
  const isOpen = sql`
    t.user_id = ${tried.userId} and t.purpose = ${tried.purpose} and t.used_at is null and t.expires_at > clock_now()
      and t.wrong_tries < ${tried.triesPerCode}`
  return db.maybeValue<Buffer>(sql`
    with open as materialized (
      select t.token_hash from mailed_tokens t where ${isOpen} order by t.token_hash for no key update
    ),
    meant as (select token_hash from open where token_hash = any(${tried.hashes}::bytea[])),
    counted as (
      -- Not by the hashes that were locked: a hash that was replaced while this try waited is not found under its snapshot.
      update mailed_tokens t set wrong_tries = t.wrong_tries + 1
      where ${isOpen} and not exists (select from meant)
    )
    select token_hash from meant`)
}

/** Uses up a token that was mailed to this address; false when it was used, has expired or was mailed to another address. */
export async function useMailedToken(
  tx: Tx,
  token: { purpose: MailedPurpose; tokenHash: Buffer; userId: string; email: string },
): Promise<boolean> {
  return tx.any(sql`
    update mailed_tokens set used_at = clock_now()
    where token_hash = ${token.tokenHash} and purpose = ${token.purpose} and user_id = ${token.userId} and email = ${token.email}
      and used_at is null and expires_at > clock_now()
    returning user_id`)
}

/**
 * Uses up the token of a contact change, and returns what it changes; undefined when it was used or replaced, has expired, or sets a
 * phone number and was mailed to an address that is no longer the user's.
 */
export async function useContactChange(
  tx: Tx,
  token: { tokenHash: Buffer; userId: string; currentEmail: string },
): Promise<{ email: string; newPhoneNumber: string | null } | undefined> {
  return tx.maybeOne<{ email: string; newPhoneNumber: string | null }>(sql`
    update mailed_tokens set used_at = clock_now()
    where token_hash = ${token.tokenHash} and purpose = 'contact_change' and user_id = ${token.userId}
      and (new_phone_number is null or email = ${token.currentEmail}) and used_at is null and expires_at > clock_now()
    returning email, new_phone_number`)
}

/** Uses up all remaining tokens of a user for one purpose. */
export async function useUpMailedTokens(tx: Tx, userId: string, purpose: MailedPurpose): Promise<void> {
  await tx.rows(sql`
    update mailed_tokens set used_at = clock_now()
    where user_id = ${userId} and purpose = ${purpose} and used_at is null`)
}

/** Removes tokens that ended this many days ago, at most `limit`; returns how many. */
export async function pruneMailedTokens(db: Runner, olderThanDays: number, limit: number): Promise<number> {
  return db.rowCount(sql`
    delete from mailed_tokens
    where token_hash in (
      select token_hash from mailed_tokens where expires_at < clock_now() - make_interval(days => ${olderThanDays}::integer)
      order by expires_at limit ${limit}
      for update skip locked)
    returning user_id`)
}

/** Removes every token of a user, and the addresses that they were mailed to. */
export async function deleteMailedTokensOf(tx: Tx, userId: string): Promise<void> {
  await tx.rows(sql`delete from mailed_tokens where user_id = ${userId}`)
}
