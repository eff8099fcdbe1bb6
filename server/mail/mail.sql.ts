/** The queue of mail: adds mails, claims due ones, and records the outcome. The only statements on `mails`. */
import { moved } from '../platform/db/clock-mark.sql.ts'
import { sql, type Runner, type Tx } from '../platform/db/db.ts'
import { recordset } from '../platform/db/recordset.ts'
import { notifyAfterCommit } from '../platform/db/notify.sql.ts'

export type MailRow = {
  id: string
  kind: string
  recipient: string
  sealedContent: string
  /** One of many: other mails go first. */
  isBulk: boolean
}

const mailColumns = { id: 'uuid', kind: 'text', recipient: 'text', sealedContent: 'text', isBulk: 'boolean' } as const

/** Stores mails that are due at once. The workers are notified when the transaction commits. */
export async function insertMails(runner: Runner, mails: MailRow[]): Promise<void> {
  await runner.rows(sql`
    -- The column rounds to milliseconds. Rounded up, the mail would not be due yet for the worker that is notified at once.
    insert into mails (id, kind, recipient, sealed_content, is_bulk, next_attempt_at)
    select i.id, i.kind, i.recipient, i.sealed_content, i.is_bulk, date_trunc('milliseconds', clock_now())
    from ${recordset(mails, 'i', mailColumns)}`)
  if (mails.length > 0) await notifyAfterCommit(runner, [{ channel: 'mails_due', payload: '' }])
}

export type ClaimedMail = Omit<MailRow, 'isBulk'> & {
  /** The number of attempts with a known outcome. */
  attempts: number
  claimedAt: Date
  /** When the lease ends. It also distinguishes this claim of the mail from a later one. */
  leaseUntil: Date
}

/**
 * Claims up to `limit` due mails, bulk mail last, the longest due first. A mail that another worker holds is due again when its lease
 * expires.
 */
export async function claimMails(db: Runner, limit: number, leaseSeconds: number): Promise<ClaimedMail[]> {
  return db.rows<ClaimedMail>(sql`
    with due as (
      select id from mails
      where state = 'due' and next_attempt_at <= clock_now() and (lease_until is null or lease_until <= clock_now())
      order by is_bulk, next_attempt_at limit ${limit}
      for update skip locked
    )
    update mails m set lease_until = clock_now() + make_interval(secs => ${leaseSeconds})
    from due
    where m.id = due.id
    returning m.id, m.kind, m.recipient, m.sealed_content, m.attempts, clock_now() as claimed_at, m.lease_until`)
}

export type MailVerdict =
  | { state: 'sent' }
  | { state: 'failed'; errorCode: string }
  | { state: 'due'; errorCode: string; delaySeconds: number }

/** Records the outcome of an attempt. Returns false when the lease was lost to another worker: then nothing is written. */
export async function recordVerdict(
  db: Runner,
  claim: Pick<ClaimedMail, 'id' | 'leaseUntil'>,
  verdict: MailVerdict,
): Promise<boolean> {
  const { state } = verdict
  const errorCode = state === 'sent' ? null : verdict.errorCode
  const delaySeconds = state === 'due' ? verdict.delaySeconds : null
  const rows = await db.rows<{ id: string }>(sql`
    update mails
    set state = ${state}::text, attempts = attempts + 1, lease_until = null, last_error_code = ${errorCode},
      sealed_content = case when ${state}::text = 'due' then sealed_content end,
      next_attempt_at = clock_now() + make_interval(secs => ${delaySeconds}::double precision),
      finished_at = case when ${state}::text <> 'due' then clock_now() end
    where id = ${claim.id} and lease_until = ${claim.leaseUntil}
    returning id`)
  return rows.length > 0
}

/** Removes mails that were sent or given up more than `olderThanDays` ago, at most `limit`. Returns their number. */
export async function pruneMails(db: Runner, olderThanDays: number, limit: number): Promise<number> {
  const rows = await db.rows(sql`
    delete from mails
    where id in (
      select id from mails where finished_at < clock_now() - make_interval(days => ${olderThanDays}::integer)
      order by finished_at limit ${limit}
      for update skip locked)
    returning id`)
  return rows.length
}

/** Removes the mails to these addresses, of these kinds or of all. Returns their number. A mail that is being sent now may still arrive. */
export async function deleteMailsTo(tx: Tx, addresses: string[], kinds: string[] | null): Promise<number> {
  const rows = await tx.rows(sql`
    delete from mails
    where lower(recipient) = any(${addresses.map((address) => address.toLowerCase())}::text[])
      and (${kinds}::text[] is null or kind = any(${kinds}::text[]))
    returning id`)
  return rows.length
}

/** Moves future times when the clock was set back by that many seconds. */
export async function moveMailTimes(tx: Tx, seconds: number): Promise<void> {
  await tx.rows(sql`
    update mails
    set lease_until = ${moved(sql`lease_until`, seconds)}, next_attempt_at = ${moved(sql`next_attempt_at`, seconds)}
    where state = 'due' and (next_attempt_at > clock_now() or lease_until > clock_now())`)
}
