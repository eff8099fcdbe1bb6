/**
 * Sends the mail that is due. At least once: when the sender dies between sending and the record, the same mail is sent again with the same
 * Message-ID. Invariant: no transaction is open while it waits for a server, and no address, subject or text is logged.
 */
import type { Db } from '../platform/db/db.ts'
import type { Log } from '../platform/process/log.ts'
import type { Sealer } from '../platform/crypto/secrets.ts'
import { openContent } from './mail.ts'
import { claimMails, recordVerdict, type ClaimedMail, type MailVerdict } from './mail.sql.ts'
import type { Mailer, MailOutcome } from './mailer.ts'

export type SendMailsDeps = { db: Db; sealer: Sealer; mailer: Mailer; log: Log }

/** Before attempt 2, 3, …: one fewer than the attempts. */
const retryDelaysSeconds = [60, 300, 1800, 7200, 28_800]
// The time that an attempt may take beyond its deadline: waiting for the database before and after.
const marginMs = 10_000

function verdictOf(mail: ClaimedMail, outcome: MailOutcome): MailVerdict {
  switch (outcome.kind) {
    case 'sent':
      return { state: 'sent' }
    case 'refused':
      return { state: 'failed', errorCode: outcome.errorCode }
    case 'later': {
      const delaySeconds = retryDelaysSeconds[mail.attempts]
      const { errorCode } = outcome
      return delaySeconds === undefined ? { state: 'failed', errorCode } : { state: 'due', errorCode, delaySeconds }
    }
  }
}

async function attempt(deps: SendMailsDeps, mail: ClaimedMail): Promise<MailOutcome> {
  let content
  try {
    content = openContent(deps.sealer, mail.id, mail.sealedContent)
  } catch (error) {
    // A key is missing from the keyring: operators must add it before the last attempt.
    deps.log.error('mail.unreadable', error, { mail_id: mail.id, kind: mail.kind })
    return { kind: 'later', errorCode: 'unreadable' }
  }
  return deps.mailer.send({ id: mail.id, to: mail.recipient, ...content, sentAt: mail.claimedAt })
}

async function sendMail(deps: SendMailsDeps, mail: ClaimedMail): Promise<void> {
  const verdict = verdictOf(mail, await attempt(deps, mail))
  const fields = { mail_id: mail.id, kind: mail.kind, attempts: mail.attempts + 1 }
  if (!(await recordVerdict(deps.db, mail, verdict))) {
    deps.log.warn('mail.lease_lost', fields)
    return
  }
  if (verdict.state === 'sent') deps.log.info('mail.sent', fields)
  else if (verdict.state === 'failed') deps.log.warn('mail.failed', { ...fields, error_code: verdict.errorCode })
  else deps.log.warn('mail.postponed', { ...fields, error_code: verdict.errorCode, retry_seconds: verdict.delaySeconds })
}

/** Claims the due mails, sends each, and records the outcomes. Returns the number of claimed mails. */
export async function sendMails(deps: SendMailsDeps, limit: number): Promise<number> {
  const mails = await claimMails(deps.db, limit, (deps.mailer.deadlineMs + marginMs) / 1000)
  await Promise.all(
    mails.map((mail) =>
      sendMail(deps, mail).catch((error: unknown) =>
        deps.log.error('mail.record_failed', error, { mail_id: mail.id, kind: mail.kind }),
      ),
    ),
  )
  return mails.length
}
