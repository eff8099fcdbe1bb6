/**
 * Writes events and the deliveries that they make due, inside the statement that settles the payments, and reads them for their
 * owner. Invariant: a completed payment and its event are committed together or not at all, and there is one event per payment.
 */
import type { Owner } from '../identity/merchant.ts'
import { sql, type Runner } from '../platform/db.ts'
import type { ListRange } from '../platform/page.ts'
import type { EventRow } from './event.ts'

/**
 * Common table expressions to splice into a statement that has one called `completed_payments (home, payment_id, event_id,
 * merchant_id, environment, payment_page_id, amount, currency, completed_at)`, where `event_id` is a money id of that home. They
 * define `recorded_events (home, id)` and `enqueued_deliveries (home, id)`: one delivery, due at once, for every webhook that the
 * owner has in that environment at that moment.
 *
 * The id of a delivery is made here, because only the statement knows who receives: it is the event's id (time, home, version and
 * variant bits) with the last 48 bits taken from a hash of event and endpoint, so the same pair always has the same id.
 */
export const recordEvents = sql`
    recorded_events as (
      -- No "on conflict": a second event of one payment is a mistake of ours, and the constraint undoes the settlement that made it.
      insert into events (home, id, type, merchant_id, environment, payment_id, payment_page_id, amount, currency, completed_at)
      select c.home, c.event_id, 'payment.completed', c.merchant_id, c.environment, c.payment_id, c.payment_page_id, c.amount,
        c.currency, c.completed_at
      from completed_payments c
      returning home, id
    ),
    enqueued_deliveries as (
      insert into webhook_deliveries (home, id, event_id, endpoint_id, app_id, next_attempt_at)
      select c.home, (substr(c.event_id::text, 1, 24) || substr(md5(c.event_id::text || e.id::text), 1, 12))::uuid, c.event_id, e.id,
        e.app_id, clock_now()
      from completed_payments c
      join webhook_endpoints e on e.merchant_id = c.merchant_id and e.environment = c.environment
      where e.enabled and e.deleted_at is null
      returning home, id
    )`

/** The events of an owner in the last 30 days, newest first, one more than asked for. */
export async function listEvents(db: Runner, { merchant, environment }: Owner, range: ListRange): Promise<EventRow[]> {
  const { after, createdFrom = null, createdTo = null, limit } = range
  return db.rows<EventRow>(sql`
    select id, type, payment_id, payment_page_id, amount, currency, completed_at, created_at from events
    where home = ${merchant.home} and merchant_id = ${merchant.id} and environment = ${environment}
      and created_at > clock_now() - interval '30 days'
      and (${createdFrom}::timestamptz is null or created_at >= ${createdFrom}::timestamptz)
      and (${createdTo}::timestamptz is null or created_at < ${createdTo}::timestamptz)
      ${after ? sql`and (created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)` : sql``}
    order by created_at desc, id desc
    limit ${limit + 1}`)
}
