/**
 * Sends the mail that is due. At least once: when the sender dies between sending and the record, the same mail is sent again with the same
 * Message-ID. Invariant: no transaction is open while it waits for a server, and no address, subject or text is logged.
 */
import type { Config } from '../../config/config.ts'
import { steadyClock } from '../../platform/clock.ts'
import { createBatch } from '../../platform/db/batch.ts'
import type { Db } from '../../platform/db/db.ts'
import { createBudget } from '../../platform/outbound/budget.ts'
import type { Log } from '../../platform/process/log.ts'
import { startLoop } from '../../platform/process/loop.ts'
import type { Meters } from '../../platform/process/meters.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import { openContent } from './mail.ts'
import { claimMails, recordVerdicts, releaseMails, type ClaimedMail, type MailVerdict } from './mail.sql.ts'
import type { Mailer, MailOutcome } from './mailer.ts'

export type SendMailsDeps = {
  db: Db
  sealer: Sealer
  mailer: Mailer
  log: Log
  meters: Meters
  config: { mail: Pick<Config['mail'], 'connections' | 'perMinute'> }
}

export type Mails = {
  /** Something may be due: check now. */
  wake(): void
  /** Claims nothing more, and waits for the mails in flight. */
  stop(): Promise<void>
}

/** How often it polls: for retries, and because a wake-up may get lost. */
const pollMs = 5_000
/** Before attempt 2, 3, …: one fewer than the attempts. */
const retryDelaysSeconds = [60, 300, 1800, 7200, 28_800]
// The time that an attempt may take beyond its deadline: waiting for the database before and after.
const marginMs = 10_000
/** The part of the mails of a minute that bulk mail leaves to mail that a person waits for. */
const keptShare = 1 / 5

function verdictOf(mail: ClaimedMail, outcome: MailOutcome): MailVerdict {
  const { id, leaseUntil } = mail
  const claim = { id, leaseUntil, errorCode: null, delaySeconds: null }
  switch (outcome.kind) {
    case 'sent':
      return { ...claim, state: 'sent' }
    case 'refused':
      return { ...claim, state: 'failed', errorCode: outcome.errorCode }
    case 'later': {
      const delaySeconds = retryDelaysSeconds[mail.attempts]
      const { errorCode } = outcome
      return delaySeconds === undefined
        ? { ...claim, state: 'failed', errorCode }
        : { ...claim, state: 'due', errorCode, delaySeconds }
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

type Send = (mail: ClaimedMail) => Promise<void>

export function createSend(deps: SendMailsDeps): Send {
  const attempts = deps.meters.counter('malipo_mail_attempts_total', 'Attempts to send a mail, by outcome.', ['kind', 'outcome'])
  // While the database records one batch, further outcomes wait and share the next statement.
  const record = createBatch({ run: (verdicts: MailVerdict[]) => recordVerdicts(deps.db, verdicts) })

  async function send(mail: ClaimedMail): Promise<void> {
    const outcome = await attempt(deps, mail)
    attempts({ kind: mail.isBulk ? 'bulk' : 'urgent', outcome: outcome.kind })
    const verdict = verdictOf(mail, outcome)
    const fields = { mail_id: mail.id, kind: mail.kind, attempts: mail.attempts + 1 }
    if (!(await record(verdict))) {
      deps.log.warn('mail.lease_lost', fields)
      return
    }
    const { state, errorCode, delaySeconds } = verdict
    if (state === 'sent') deps.log.info('mail.sent', fields)
    else if (state === 'failed') deps.log.warn('mail.failed', { ...fields, error_code: errorCode })
    else deps.log.warn('mail.postponed', { ...fields, error_code: errorCode, retry_seconds: delaySeconds })
  }

  return (mail) =>
    send(mail).catch((error: unknown) => deps.log.error('mail.record_failed', error, { mail_id: mail.id, kind: mail.kind }))
}

/** How long a claim lasts: no attempt takes longer. */
export const leaseSecondsOf = ({ mailer }: Pick<SendMailsDeps, 'mailer'>): number => (mailer.deadlineMs + marginMs) / 1000

/**
 * Sends until it is stopped: mail that a person waits for, and bulk mail. Each has half of the connections, so that however slow the server
 * is and however many receipts wait, a code never waits for a receipt.
 */
export function startMails(deps: SendMailsDeps): Mails {
  const send = createSend(deps)
  const lanes = [false, true].map((isBulk) => startLane(deps, isBulk, send))
  return {
    wake: () => lanes.forEach((lane) => lane.wake()),
    stop: async () => void (await Promise.all(lanes.map((lane) => lane.stop()))),
  }
}

function startLane(deps: SendMailsDeps, isBulk: boolean, send: Send): Mails {
  const { db, log } = deps
  const { connections, perMinute } = deps.config.mail
  const atOnce = Math.floor(connections / 2)
  const budget =
    perMinute === undefined ? undefined : createBudget({ name: 'mails', quota: perMinute, windowSeconds: 60, db, log })
  const kept = isBulk ? Math.floor((perMinute ?? 0) * keptShare) : 0
  const inFlight = new Set<Promise<void>>()
  let pausedUntil = 0

  /** Fills the free connections. Returns true if more mail is probably waiting. */
  async function fill(): Promise<boolean> {
    if (inFlight.size === atOnce) await Promise.race(inFlight)
    if (steadyClock.now() < pausedUntil) return false
    const limit = atOnce - inFlight.size
    const mails = await claimMails(db, { limit, isBulk, leaseSeconds: leaseSecondsOf(deps) })
    for (const [index, mail] of mails.entries()) {
      const waitMs = (await budget?.spend(kept)) ?? 0
      if (waitMs > 0) {
        await releaseMails(db, mails.slice(index))
        pausedUntil = steadyClock.now() + waitMs
        return false
      }
      const sending = send(mail).finally(() => inFlight.delete(sending))
      inFlight.add(sending)
    }
    return mails.length === limit
  }

  const loop = startLoop({
    name: `mail/send-${isBulk ? 'bulk' : 'urgent'}`,
    pauseMs: pollMs,
    log,
    meters: deps.meters,
    round: fill,
  })
  return {
    wake: loop.wake,
    async stop() {
      await loop.stop()
      await Promise.all(inFlight)
    },
  }
}
