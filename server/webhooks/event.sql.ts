/**
 * Writes events and their deliveries inside the statement that settles the payments, and reads them for their owner. Invariant: a completed
 * payment and its event are committed together or not at all, and a payment has one event.
 */
import type { Owner } from '../identity/merchant.ts'
import { sql, type Runner, type Sql } from '../platform/db/db.ts'
import { notifyAfterCommit } from '../platform/db/notify.sql.ts'
import type { ListRange } from '../platform/http/page.ts'
import type { EventRow, EventType } from './event.ts'

/**
 * The id of the chain of an event at an endpoint: the event's id (time, home, version and variant bits), with the last 48 bits from a hash
 * of both ids. The same pair always has the same id.
 */
function chainId(eventId: Sql, endpointId: Sql): Sql {
  return sql`(substr(${eventId}::text, 1, 24) || substr(md5(${eventId}::text || ${endpointId}::text), 1, 12))::uuid`
}

/**
 * Common table expressions for a statement that has a CTE `completed_payments (home, payment_id, event_id, merchant_id, environment,
 * payment_page_id, amount, amount_received, currency, completed_at)`, where `event_id` is a money id of that home. They define
 * `recorded_events (home, id)` and `enqueued_deliveries (home, id)`: one delivery, due at once, for each webhook that the owner has in that
 * environment at that time. The statement makes the id of a delivery, because only the statement knows the receivers.
 */
export const recordEvents = sql`
    recorded_events as (
      -- No "on conflict": a second event of one payment is a bug, and the constraint rolls back the settlement that caused it.
      insert into events (home, id, type, merchant_id, environment, payment_id, payment_page_id, amount, amount_received, currency, completed_at)
      select c.home, c.event_id, 'payment.completed', c.merchant_id, c.environment, c.payment_id, g.id, c.amount,
        c.amount_received, c.currency, c.completed_at
      from completed_payments c
      left join payment_pages g on g.home = c.home and g.id = c.payment_page_id and not g.is_hidden
      returning home, id
    ),
    enqueued_deliveries as (
      insert into webhook_deliveries (home, id, event_id, endpoint_id, app_id, is_test, next_attempt_at)
      select c.home, ${chainId(sql`c.event_id`, sql`e.id`)}, c.event_id, e.id,
        e.app_id, e.environment = 'test', clock_now()
      from completed_payments c
      join webhook_endpoints e on e.merchant_id = c.merchant_id and e.environment = c.environment
      where e.enabled and e.deleted_at is null
      returning home, id
    )`

/** The events of an owner in the last 30 days, newest first. Returns one more row than the limit. */
export async function listEvents(db: Runner, { merchant, environment }: Owner, range: ListRange): Promise<EventRow[]> {
  const { after, createdFrom = null, createdTo = null, limit } = range
  return db.rows<EventRow>(sql`
    select id, type, payment_id, payment_page_id, amount, amount_received, currency, completed_at, created_at from events
    where home = ${merchant.home} and merchant_id = ${merchant.id} and environment = ${environment}
      and created_at > clock_now() - interval '30 days'
      and (${createdFrom}::timestamptz is null or created_at >= ${createdFrom}::timestamptz)
      and (${createdTo}::timestamptz is null or created_at < ${createdTo}::timestamptz)
      ${after ? sql`and (created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)` : sql``}
    order by created_at desc, id desc
    limit ${limit + 1}`)
}

/** One event of an owner in the last 30 days. */
export async function findOwnEvent(db: Runner, { merchant, environment }: Owner, id: string): Promise<EventRow | undefined> {
  const [row] = await db.rows<EventRow>(sql`
    select id, type, payment_id, payment_page_id, amount, amount_received, currency, completed_at, created_at from events
    where home = ${merchant.home} and id = ${id} and merchant_id = ${merchant.id} and environment = ${environment}
      and created_at > clock_now() - interval '30 days'`)
  return row
}

/** Finds the owner of an event of the last 30 days. For operators. */
export async function findOwnerOfEvent(
  db: Runner,
  key: { home: number; id: string },
): Promise<{ merchantId: string; environment: Owner['environment'] } | undefined> {
  const [row] = await db.rows<{ merchantId: string; environment: Owner['environment'] }>(sql`
    select merchant_id, environment from events
    where home = ${key.home} and id = ${key.id} and created_at > clock_now() - interval '30 days'`)
  return row
}

export async function findPaymentEvent(
  db: Runner,
  payment: { home: number; id: string },
): Promise<{ id: string; type: EventType; createdAt: Date } | undefined> {
  const [row] = await db.rows<{ id: string; type: EventType; createdAt: Date }>(sql`
    select id, type, created_at from events
    where home = ${payment.home} and payment_id = ${payment.id} and type = 'payment.completed'`)
  return row
}

/**
 * Enqueues missing deliveries of the events in a time range: one for each webhook of the owner that was enabled then and still is. Returns
 * their number, at most `limit`.
 */
export async function enqueueMissing(db: Runner, wanted: { fromMs: number; toMs: number; limit: number }): Promise<number> {
  const { fromMs, toMs, limit } = wanted
  const [row] = await db.rows<{ count: number }>(sql`
    with missing as (
      select e.home, e.id as event_id, w.id as endpoint_id, w.app_id, w.environment
      from events e
      join webhook_endpoints w on w.merchant_id = e.merchant_id and w.environment = e.environment
        and w.enabled and w.deleted_at is null and w.enabled_at <= e.created_at
      join apps a on a.id = w.app_id and a.deleted_at is null
      where e.created_at >= ${new Date(fromMs)} and e.created_at < ${new Date(toMs)} and not exists (
        select from webhook_deliveries d
        where d.home = e.home and d.event_id = e.id and d.endpoint_id = w.id and d.trigger = 'automatic')
      order by e.home, e.id, w.id
      limit ${limit}
    ),
    enqueued as (
      insert into webhook_deliveries (home, id, event_id, endpoint_id, app_id, is_test, next_attempt_at)
      select m.home, ${chainId(sql`m.event_id`, sql`m.endpoint_id`)}, m.event_id, m.endpoint_id, m.app_id, m.environment = 'test',
        clock_now()
      from missing m
      -- Two workers may check the same range at the same time.
      on conflict do nothing
      returning home
    )
    select count(*) as count from enqueued`)
  if (row!.count > 0) await notifyAfterCommit(db, [{ channel: 'webhooks_due', payload: '' }])
  return row!.count
}
