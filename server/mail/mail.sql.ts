/** The queue of mail: writes what is to be sent, takes what is due, writes down what came of it. The only statements on `mails`. */
import { sql, type Runner } from '../platform/db.ts'

export type MailRow = { id: string; kind: string; recipient: string; sealedContent: string }

/** Stores a mail that is due at once; the workers hear of it when the transaction commits. */
export async function insertMail(runner: Runner, mail: MailRow): Promise<void> {
  await runner.rows(sql`
    with enqueued as (
      -- The column rounds to milliseconds: rounded up, a mail would not be due yet for the worker that hears of it at once.
      insert into mails (id, kind, recipient, sealed_content, next_attempt_at)
      values (${mail.id}, ${mail.kind}, ${mail.recipient}, ${mail.sealedContent}, date_trunc('milliseconds', clock_now()))
      returning id
    )
    select pg_notify('mails_due', '') from enqueued`)
}

export type ClaimedMail = MailRow & {
  /** Those whose outcome is known. */
  attempts: number
  claimedAt: Date
  /** When the lease ends: also what tells this claim of the mail from any later one. */
  claimedUntil: Date
}

/** Takes up to `limit` due mails, the longest due first; what another worker has in hand is due again when its lease is over. */
export async function claimMails(db: Runner, limit: number, leaseSeconds: number): Promise<ClaimedMail[]> {
  return db.rows<ClaimedMail>(sql`
    with due as (
      select id from mails
      where state = 'due' and next_attempt_at <= clock_now() and (claimed_until is null or claimed_until <= clock_now())
      order by next_attempt_at limit ${limit}
      for update skip locked
    )
    update mails m set claimed_until = clock_now() + make_interval(secs => ${leaseSeconds})
    from due
    where m.id = due.id
    returning m.id, m.kind, m.recipient, m.sealed_content, m.attempts, clock_now() as claimed_at, m.claimed_until`)
}

export type MailVerdict =
  | { state: 'sent' }
  | { state: 'failed'; errorCode: string }
  | { state: 'due'; errorCode: string; delaySeconds: number }

/** Writes down what came of an attempt. Answers false when the lease was lost to another worker: then nothing is written. */
export async function recordVerdict(
  db: Runner,
  claim: Pick<ClaimedMail, 'id' | 'claimedUntil'>,
  verdict: MailVerdict,
): Promise<boolean> {
  const { state } = verdict
  const errorCode = state === 'sent' ? null : verdict.errorCode
  const delaySeconds = state === 'due' ? verdict.delaySeconds : null
  const rows = await db.rows<{ id: string }>(sql`
    update mails
    set state = ${state}::text, attempts = attempts + 1, claimed_until = null, last_error_code = ${errorCode},
      sealed_content = case when ${state}::text = 'due' then sealed_content end,
      next_attempt_at = clock_now() + make_interval(secs => ${delaySeconds}::double precision),
      finished_at = case when ${state}::text <> 'due' then clock_now() end
    where id = ${claim.id} and claimed_until = ${claim.claimedUntil}
    returning id`)
  return rows.length > 0
}
