/**
 * Writes events and their deliveries inside the statement that makes the transition, and reads them for their owner. Invariant: a transition
 * and its event are committed together or not at all, and a transition has one event.
 */
import type { Owner } from '../../accounts/identity/merchant.ts'
import { sql, type Runner, type Sql } from '../../platform/db/db.ts'
import { notifyAfterCommit, webhooksDue } from '../../platform/db/notify.sql.ts'
import { newestFirst } from '../../platform/http/list-range.sql.ts'
import type { ListRange } from '../../platform/http/page.ts'
import type { EventType } from '../../domain/webhook.ts'
import type { EventRow } from './event.ts'

/**
 * The id of the chain of an event at an endpoint: the event's id (time, home, version and variant bits), with the last 48 bits from a hash
 * of both ids. The same pair always has the same id.
 */
function chainId(eventId: Sql, endpointId: Sql): Sql {
  return sql`(substr(${eventId}::text, 1, 24) || substr(md5(${eventId}::text || ${endpointId}::text), 1, 12))::uuid`
}

/** Whether the webhook `w` has chosen events of that type. */
export const receives = (w: Sql, type: Sql): Sql => sql`${w}.events && array[${type}, '*']`

/**
 * Common table expressions that record events. `events` is a query with the columns `home, id, type, merchant_id, environment, payment_id,
 * payout_id, occurrence, data`, one row for each transition, where `id` is `event_id(…)` and `data` has the bytes of `eventData`. They define
 * `recorded_events (home, id)` and `enqueued_deliveries (home, id)`: one delivery, due at once, for each webhook that the owner has in that
 * environment at that time and that has chosen the type. The statement makes the id of a delivery, because only the statement knows the receivers.
 */
export const recordEvents = (events: Sql): Sql => sql`
    new_events as (${events}),
    recorded_events as (
      -- No "on conflict": a second event of one transition is a bug, and the constraint rolls back the transition that caused it.
      insert into events (home, id, type, merchant_id, environment, payment_id, payout_id, occurrence, data)
      select n.home, n.id, n.type, n.merchant_id, n.environment, n.payment_id, n.payout_id, n.occurrence, n.data
      from new_events n
      returning home, id
    ),
    enqueued_deliveries as (
      insert into webhook_deliveries (home, id, event_id, endpoint_id, app_id, is_test, next_attempt_at)
      select n.home, ${chainId(sql`n.id`, sql`e.id`)}, n.id, e.id, e.app_id, e.environment = 'test', clock_now()
      from new_events n
      join webhook_endpoints e on e.merchant_id = n.merchant_id and e.environment = n.environment
      where e.enabled and e.deleted_at is null and ${receives(sql`e`, sql`n.type`)}
      returning home, id
    )`

/**
 * The `data` of an event from the columns of a subquery: `select … as first_key, … as second_key`. row_to_json writes the bytes that
 * JSON.stringify writes; json_build_object would put spaces around the colons.
 */
export const eventData = (columns: Sql): Sql => sql`(select row_to_json(d) from (${columns}) d)`

const ownReference = (name: string, value: Sql): Sql =>
  sql`coalesce(',"' || ${name}::text || '":' || to_json(${value})::text, '')`
const ownMetadata = (of: Sql): Sql =>
  sql`case when ${of}.metadata = '{}' then '' else ',"metadata":' || json_strip_nulls(${of}.metadata::json)::text end`

/**
 * `data` of an event as merchants receive it: the stored facts, what the event itself says, then what can be erased or may come later: the
 * network's receipt, and what the merchant's server and the payer said, if they said something. The latter are read from the payment or the
 * payout. `e` names the event.
 */
export const sentData = (e: Sql): Sql => sql`left(${e}.data::text, -1)
      -- service.md 6.1 names the keys of this event; the others have their status and its time among the facts.
      || case when ${e}.type = 'payment.completed'
        then ',"status":"completed","updated_at":' || coalesce(to_json(wire_time(${e}.created_at))::text, 'null') else '' end
      || ',"environment":"' || ${e}.environment || '"'
      || coalesce(
        (
          -- Erasure stores the payer's pseudonym as the number and as the receipt.
          select ',"network_receipt":' || coalesce(to_json(nullif(p.network_receipt, p.phone_number))::text, 'null')
            || ${ownReference('merchant_reference', sql`p.merchant_reference`)} || ${ownMetadata(sql`p`)}
            || coalesce(',"custom_fields":' || json_strip_nulls(p.custom_fields::json)::text, '')
          from payments p where p.home = ${e}.home and p.id = ${e}.payment_id),
        (
          select ${ownReference('payment_merchant_reference', sql`(select p.merchant_reference from payments p where p.home = o.home and p.id = o.refund_of)`)}
            || ${ownReference('merchant_reference', sql`o.reference`)} || ${ownMetadata(sql`o`)}
          from payouts o where o.home = ${e}.home and o.id = ${e}.payout_id),
        '') || '}' as data`

const columns = sql`id, type, ${sentData(sql`events`)}, created_at`

/** The events of an owner in the last 30 days, newest first. Returns one more row than the limit. */
export async function listEvents(
  db: Runner,
  { merchant, environment }: Owner,
  { type = null }: { type?: EventType | null },
  range: ListRange,
): Promise<EventRow[]> {
  return db.rows<EventRow>(sql`
    select ${columns} from events
    where home = ${merchant.home} and merchant_id = ${merchant.id} and environment = ${environment}
      and created_at > clock_now() - interval '30 days'
      and (${type}::text is null or type = ${type}::text)
      ${newestFirst(range, sql`events`)}`)
}

/** One event of an owner in the last 30 days. */
export async function findOwnEvent(db: Runner, { merchant, environment }: Owner, id: string): Promise<EventRow | undefined> {
  return db.maybeOne<EventRow>(sql`
    select ${columns} from events
    where home = ${merchant.home} and id = ${id} and merchant_id = ${merchant.id} and environment = ${environment}
      and created_at > clock_now() - interval '30 days'`)
}

/** Finds the owner of an event of the last 30 days. For operators. */
export async function findOwnerOfEvent(
  db: Runner,
  key: { home: number; id: string },
): Promise<{ merchantId: string; environment: Owner['environment'] } | undefined> {
  return db.maybeOne<{ merchantId: string; environment: Owner['environment'] }>(sql`
    select merchant_id, environment from events
    where home = ${key.home} and id = ${key.id} and created_at > clock_now() - interval '30 days'`)
}

/** The events of a payment, oldest first: one, or two if it succeeded after another end. */
export async function listPaymentEvents(
  db: Runner,
  payment: { home: number; id: string },
): Promise<{ id: string; type: EventType; createdAt: Date }[]> {
  return db.rows<{ id: string; type: EventType; createdAt: Date }>(sql`
    select id, type, created_at from events
    where home = ${payment.home} and payment_id = ${payment.id}
    order by created_at, id`)
}

/**
 * Enqueues missing deliveries of the events in a time range: one for each webhook of the owner that was enabled then and still is,
 * and that had chosen the type and still has. Returns
 * their number, at most `limit`.
 */
export async function enqueueMissing(db: Runner, wanted: { fromMs: number; toMs: number; limit: number }): Promise<number> {
  const { fromMs, toMs, limit } = wanted
  const [row] = await db.rows<{ count: number }>(sql`
    with missing as (
      select e.home, e.id as event_id, w.id as endpoint_id, w.app_id, w.environment
      from events e
      join webhook_endpoints w on w.merchant_id = e.merchant_id and w.environment = e.environment
        and w.enabled and w.deleted_at is null and greatest(w.enabled_at, w.events_changed_at) <= e.created_at
        and ${receives(sql`w`, sql`e.type`)}
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
  if (row!.count > 0) await notifyAfterCommit(db, [webhooksDue])
  return row!.count
}
