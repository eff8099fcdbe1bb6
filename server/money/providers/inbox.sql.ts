/**
 * The provider inbox: every authentic message is stored once, before it is answered; messages that could not settle at once wait here.
 */
import type { MessageState } from '../../domain/provider.ts'
import type { Environment } from '../../domain/environment.ts'
import { moved } from '../../platform/db/clock-mark.sql.ts'
import { sql, type Runner, type Sql, type Tx } from '../../platform/db/db.ts'
import { columnNames, recordset } from '../../platform/db/recordset.ts'

export type InboxMessage = {
  provider: string
  environment: Environment
  eventId: string
  bodyHash: Buffer
  body: string
  /** TZS that were paid according to the message; null if it is no success of a charge, or has no amount. */
  paidAmount: number | null
  /** `ignored`: authentic, but the service does not act on it. */
  state: Extract<MessageState, 'received' | 'ignored'>
  /** When the sweep claims it, unless it has settled by then. */
  retryAfterSeconds: number
  requestId: string
}

/** `changed`: the same event id arrived before with another body. */
export type Stored = 'new' | 'known' | 'changed'

const storedColumns = {
  provider: 'text',
  environment: 'text',
  eventId: 'text',
  bodyHash: 'bytea',
  body: 'text',
  paidAmount: 'bigint',
  state: 'text',
  requestId: 'text',
} as const

const messageColumns = { ...storedColumns, retryAfterSeconds: 'double precision' } as const

export async function storeMessages(db: Runner, items: InboxMessage[]): Promise<Stored[]> {
  const rows = await db.rows<{ isNew: boolean; knownHash: Buffer | null }>(sql`
    with input as (
      select *
      from ${recordset(items, 'i', messageColumns, 'ord')}
    ),
    inserted as (
      insert into provider_inbox (${columnNames(storedColumns)}, next_attempt_at, received_at)
      select ${columnNames(storedColumns)},
        case when state = 'received' then clock_now() + make_interval(secs => retry_after_seconds) end, clock_now()
      from input
      order by provider, environment, event_id
      on conflict (provider, environment, event_id) do nothing
      returning provider, environment, event_id
    )
    select n.event_id is not null as is_new, b.body_hash as known_hash
    from input i
    left join inserted n on n.provider = i.provider and n.environment = i.environment and n.event_id = i.event_id
    left join provider_inbox b on b.provider = i.provider and b.environment = i.environment and b.event_id = i.event_id
    order by i.ord`)
  return rows.map(({ isNew, knownHash }, index) => {
    if (isNew) return 'new'
    return knownHash === null || knownHash.equals(items[index]!.bodyHash) ? 'known' : 'changed'
  })
}

export type WaitingMessage = Pick<InboxMessage, 'provider' | 'environment' | 'eventId' | 'body' | 'requestId'> & {
  attempts: number
  /** How many times a worker crashed or did not return while it had the message. */
  deaths: number
}

type MessageKey = Pick<InboxMessage, 'provider' | 'environment' | 'eventId'>

/**
 * Claims messages that have not settled; each claim makes the next wait longer. A message that still has its `leased_by` was lost with a
 * worker: it counts as a death and is leased alone (claimMessage), so that of all messages of a crashed worker only the one that crashes
 * it is counted again.
 */
export async function claimWaitingMessages(db: Runner, leasedBy: string, limit: number): Promise<WaitingMessage[]> {
  return db.rows<WaitingMessage>(sql`
    with due as (
      select provider, environment, event_id from provider_inbox
      where state = 'received' and next_attempt_at <= clock_now()
      order by next_attempt_at limit ${limit}
      for update skip locked
    )
    update provider_inbox b
    set attempts = b.attempts + 1, next_attempt_at = clock_now() + make_interval(secs => 10 * 2 ^ least(b.attempts, 8)),
      deaths = b.deaths + (b.leased_by is not null)::integer,
      leased_by = case when b.deaths = 0 and b.leased_by is null then ${leasedBy}::uuid end
    from due
    where b.provider = due.provider and b.environment = due.environment and b.event_id = due.event_id
    returning b.provider, b.environment, b.event_id, b.body, b.request_id, b.attempts, b.deaths`)
}

const setLease = (db: Runner, message: MessageKey, leasedBy: string | null): Promise<unknown> =>
  db.rows(sql`
    update provider_inbox set leased_by = ${leasedBy}
    where provider = ${message.provider} and environment = ${message.environment} and event_id = ${message.eventId} and state = 'received'`)

export async function claimMessage(db: Runner, message: MessageKey, leasedBy: string): Promise<void> {
  await setLease(db, message, leasedBy)
}

/** The message continues to wait, and its worker is alive. */
export async function putBack(db: Runner, message: MessageKey): Promise<void> {
  await setLease(db, message, null)
}

/** A message that was applied; `paymentId` is null if it was about a payout. */
export async function settleInboxMessage(
  db: Runner,
  message: MessageKey,
  about: { home: number; paymentId: string | null },
): Promise<void> {
  await db.rows(sql`
    update provider_inbox
    set state = 'settled', settled_at = clock_now(), next_attempt_at = null, home = ${about.home}, payment_id = ${about.paymentId}
    where provider = ${message.provider} and environment = ${message.environment} and event_id = ${message.eventId}`)
}

/**
 * The common table expression `settled_inbox (ord, received_at)` of the statement that settles payments. `judged` names its CTE with the
 * columns `ord, provider, environment, inbox_event_id, home, payment_id, verdict, is_done`.
 */
export const settleInbox = (judged: Sql): Sql => sql`
  settled_inbox as (
    update provider_inbox b
    set state = case j.verdict when 'to_confirm' then 'asked' else 'settled' end, settled_at = clock_now(), next_attempt_at = null,
      home = j.home, payment_id = j.payment_id
    from ${judged} j
    where j.is_done and b.provider = j.provider and b.environment = j.environment
      and b.event_id = j.inbox_event_id
    returning j.ord, b.received_at
  )`

/** A message that moved nothing by itself, and about which the provider has answered a query. */
export async function markAsked(db: Runner, message: MessageKey, payment: { home: number; paymentId: string }): Promise<void> {
  await db.rows(sql`
    update provider_inbox
    set state = 'asked', settled_at = clock_now(), next_attempt_at = null, home = ${payment.home}, payment_id = ${payment.paymentId}
    where provider = ${message.provider} and environment = ${message.environment} and event_id = ${message.eventId} and state = 'received'`)
}

/** A message with an unknown payment: kept for operators, not retried. */
export async function orphanMessage(db: Runner, message: MessageKey): Promise<void> {
  await db.rows(sql`
    update provider_inbox set state = 'orphan', next_attempt_at = null
    where provider = ${message.provider} and environment = ${message.environment} and event_id = ${message.eventId} and state = 'received'`)
}

/** Removes messages in this end state that arrived this many days ago, at most `limit`. Returns how many. */
export async function pruneMessages(
  db: Runner,
  state: Exclude<MessageState, 'received'>,
  olderThanDays: number,
  limit: number,
): Promise<number> {
  return db.rowCount(sql`
    delete from provider_inbox
    where (provider, environment, event_id) in (
      select provider, environment, event_id from provider_inbox
      where state = ${state} and state <> 'received' and received_at < clock_now() - make_interval(days => ${olderThanDays}::integer)
      order by received_at limit ${limit}
      for update skip locked)
    returning event_id`)
}

/** Moves all future times together with a clock that was set back by this many seconds. */
export async function moveMessageTimes(tx: Tx, seconds: number): Promise<void> {
  await tx.rows(sql`
    update provider_inbox set next_attempt_at = ${moved(sql`next_attempt_at`, seconds)} where state = 'received' and next_attempt_at > clock_now()`)
}

/** A common table expression for the statement that erases a payer. `erased` names its CTE `(home, id)` of payments. */
export const eraseMessages = (erased: Sql): Sql => sql`
  messages as (
    delete from provider_inbox b using ${erased} e where b.home = e.home and b.payment_id = e.id and b.state in ('settled', 'asked', 'ignored')
  )`

/**
 * Removes the messages of a range of days that contain this number and do not wait to be settled; returns how many. `digits`: without the
 * country code. A longer number that contains them, as a reference or a time may, is another one.
 */
export async function pruneMessagesNaming(
  db: Runner,
  digits: string,
  span: { fromDays: number; toDays: number },
): Promise<number> {
  return db.rowCount(sql`
    delete from provider_inbox
    where state in ('settled', 'asked', 'ignored', 'orphan') and state <> 'received'
      and received_at >= clock_now() - make_interval(days => ${span.fromDays}::integer)
      and received_at < clock_now() - make_interval(days => ${span.toDays}::integer)
      and position(${digits} in body) > 0 and body ~ ('(^|[^0-9])(0|(00)?255)?' || ${digits}::text || '([^0-9]|$)')
    returning event_id`)
}
