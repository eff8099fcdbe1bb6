/** The queue of mail: adds mails, claims due ones, and records the outcome. The only statements on `mails`. */
import { moved } from '../../platform/db/clock-mark.sql.ts'
import { sql, type Runner, type Tx } from '../../platform/db/db.ts'
import { recordset } from '../../platform/db/recordset.ts'
import { notifyAfterCommit } from '../../platform/db/notify.sql.ts'

export type MailRow = {
  id: string
  kind: string
  recipient: string
  sealedContent: string
  /** One of many: other mails go first. */
  isBulk: boolean
}

const mailColumns = { id: 'uuid', kind: 'text', recipient: 'text', sealedContent: 'text', isBulk: 'boolean' } as const

/** Stores mails that are due at once, or after some minutes. The workers are notified when the transaction commits. */
export async function insertMails(runner: Runner, mails: MailRow[], dueAfterMinutes = 0): Promise<void> {
  await runner.rows(sql`
    -- The column rounds to milliseconds. Rounded up, the mail would not be due yet for the worker that is notified at once.
    insert into mails (id, kind, recipient, sealed_content, is_bulk, next_attempt_at)
    select i.id, i.kind, i.recipient, i.sealed_content, i.is_bulk,
      date_trunc('milliseconds', clock_now()) + make_interval(mins => ${dueAfterMinutes}::integer)
    from ${recordset(mails, 'i', mailColumns)}`)
  if (mails.length > 0) await notifyAfterCommit(runner, [{ channel: 'mails_due', payload: '' }])
}

/** A mail of this kind to this address that no worker has tried or claimed yet, locked: a text can be added to it. */
export async function lockWaitingMail(
  tx: Tx,
  { recipient, kind }: Pick<MailRow, 'recipient' | 'kind'>,
): Promise<Pick<MailRow, 'id' | 'sealedContent'> | undefined> {
  return tx.maybeOne<Pick<MailRow, 'id' | 'sealedContent'>>(sql`
    select id, sealed_content from mails
    where recipient = ${recipient} and kind = ${kind} and state = 'due' and next_attempt_at > clock_now() and attempts = 0
      -- The clock of a transaction that has waited is behind: a worker may be sending the mail, or may have sent it and died.
      and lease_until is null
    order by next_attempt_at desc limit 1 for update`)
}

export async function replaceContent(tx: Tx, id: string, sealedContent: string): Promise<void> {
  await tx.rows(sql`update mails set sealed_content = ${sealedContent} where id = ${id}`)
}

export type ClaimedMail = MailRow & {
  /** The number of attempts with a known outcome. */
  attempts: number
  claimedAt: Date
  /** When the lease ends. It also distinguishes this claim of the mail from a later one. */
  leaseUntil: Date
}

/**
 * Claims up to `limit` due mails, bulk mail or other mail, the longest due first. A mail that another worker holds is due again when its
 * lease expires.
 */
export async function claimMails(
  db: Runner,
  { limit, isBulk, leaseSeconds }: { limit: number; isBulk: boolean; leaseSeconds: number },
): Promise<ClaimedMail[]> {
  return db.rows<ClaimedMail>(sql`
    with due as (
      select id from mails
      where state = 'due' and is_bulk = ${isBulk} and next_attempt_at <= clock_now()
        and (lease_until is null or lease_until <= clock_now())
      order by next_attempt_at limit ${limit}
      for update skip locked
    )
    update mails m set lease_until = clock_now() + make_interval(secs => ${leaseSeconds})
    from due
    where m.id = due.id
    returning m.id, m.kind, m.recipient, m.sealed_content, m.is_bulk, m.attempts, clock_now() as claimed_at, m.lease_until`)
}

type Claim = Pick<ClaimedMail, 'id' | 'leaseUntil'>

const claimColumns = { id: 'uuid', leaseUntil: 'timestamptz' } as const

/** Gives claimed mails back that were not sent. */
export async function releaseMails(db: Runner, claims: Claim[]): Promise<void> {
  await db.rows(sql`
    update mails m set lease_until = null
    from ${recordset(claims, 'g', claimColumns)}
    where m.id = g.id and m.lease_until = g.lease_until`)
}

/** The outcome of an attempt. `delaySeconds`: until the next one, only while the mail stays `due`. */
export type MailVerdict = Claim & {
  state: 'sent' | 'failed' | 'due'
  errorCode: string | null
  delaySeconds: number | null
}

const verdictColumns = { ...claimColumns, state: 'text', errorCode: 'text', delaySeconds: 'double precision' } as const

/** Records the outcomes of attempts. False for a mail whose lease was lost to another worker: nothing is written for it. */
export async function recordVerdicts(db: Runner, verdicts: MailVerdict[]): Promise<boolean[]> {
  const rows = await db.rows<{ id: string; leaseUntil: Date }>(sql`
    update mails m
    set state = g.state, attempts = m.attempts + 1, lease_until = null, last_error_code = g.error_code,
      sealed_content = case when g.state = 'due' then m.sealed_content end,
      next_attempt_at = clock_now() + make_interval(secs => g.delay_seconds),
      finished_at = case when g.state <> 'due' then clock_now() end
    from ${recordset(verdicts, 'g', verdictColumns)}
    where m.id = g.id and m.lease_until = g.lease_until
    returning g.id, g.lease_until`)
  const claimOf = ({ id, leaseUntil }: Claim): string => `${id} ${leaseUntil.getTime()}`
  const recorded = new Set(rows.map(claimOf))
  return verdicts.map((verdict) => recorded.has(claimOf(verdict)))
}

export type MailAge = { isBulk: boolean; seconds: number }

/** How long the oldest mail of each kind has been due without being sent; 0 if none is. */
export async function readOldestMails(db: Runner): Promise<MailAge[]> {
  return db.rows<MailAge>(sql`
    select k.is_bulk, coalesce(extract(epoch from clock_now() - m.next_attempt_at), 0)::double precision as seconds
    from (values (false), (true)) as k (is_bulk)
    left join lateral (
      select next_attempt_at from mails
      where state = 'due' and is_bulk = k.is_bulk and next_attempt_at <= clock_now()
        and (lease_until is null or lease_until <= clock_now())
      order by next_attempt_at limit 1
    ) m on true
    order by k.is_bulk`)
}

/** Removes mails that were sent or given up more than `olderThanDays` ago, at most `limit`. Returns their number. */
export async function pruneMails(db: Runner, olderThanDays: number, limit: number): Promise<number> {
  return db.rowCount(sql`
    delete from mails
    where id in (
      select id from mails where finished_at < clock_now() - make_interval(days => ${olderThanDays}::integer)
      order by finished_at limit ${limit}
      for update skip locked)
    returning id`)
}

/** Removes the mails to these addresses, of these kinds or of all. Returns their number. A mail that is being sent now may still arrive. */
export async function deleteMailsTo(tx: Tx, addresses: string[], kinds: string[] | null): Promise<number> {
  return tx.rowCount(sql`
    delete from mails
    where lower(recipient) = any(${addresses.map((address) => address.toLowerCase())}::text[])
      and (${kinds}::text[] is null or kind = any(${kinds}::text[]))
    returning id`)
}

/** Moves future times when the clock was set back by that many seconds. */
export async function moveMailTimes(tx: Tx, seconds: number): Promise<void> {
  await tx.rows(sql`
    update mails
    set lease_until = ${moved(sql`lease_until`, seconds)}, next_attempt_at = ${moved(sql`next_attempt_at`, seconds)}
    where state = 'due' and (next_attempt_at > clock_now() or lease_until > clock_now())`)
}
