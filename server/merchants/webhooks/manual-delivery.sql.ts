/**
 * Deliveries that the owner of a webhook requests. Invariant: each is a separate row with one attempt, so it neither moves nor counts in
 * the automatic chain of its event. While one waits, the same event is not queued for the same webhook again.
 */
import type { DeliveryTrigger, EventType } from '../../domain/webhook.ts'
import { sql, type Runner, type Sql } from '../../platform/db/db.ts'
import { notifyAfterCommit, webhooksDue } from '../../platform/db/notify.sql.ts'
import { receives } from './event.sql.ts'

/** The time and the home of the event, and random bits: an event may be requested many times. */
function manualId(eventId: Sql): Sql {
  return sql`(substr(${eventId}::text, 1, 24) || substr(gen_random_uuid()::text, 25))::uuid`
}

/** The event of an attempt of this app in the last 30 days. */
export async function findAttemptedEvent(
  db: Runner,
  { home, appId, attemptId }: { home: number; appId: string; attemptId: string },
): Promise<{ eventId: string; eventType: EventType } | undefined> {
  return db.maybeOne<{ eventId: string; eventType: EventType }>(sql`
    select event_id, event_type from webhook_attempts
    where home = ${home} and id = ${attemptId} and app_id = ${appId} and attempted_at > clock_now() - interval '30 days'`)
}

/** Queues one attempt, due at once. A delivery that already waits (in a replay) is brought forward instead. */
export async function queueDelivery(
  db: Runner,
  wanted: { home: number; eventId: string; endpointId: string; appId: string },
): Promise<{ id: string; createdAt: Date }> {
  const { home, eventId, endpointId, appId } = wanted
  const [row] = await db.rows<{ id: string; createdAt: Date }>(sql`
    with queued as (
      insert into webhook_deliveries as d (home, id, event_id, endpoint_id, app_id, trigger, is_test, next_attempt_at)
      select ${home}, ${manualId(sql`${eventId}::uuid`)}, ${eventId}, id, ${appId}, 'manual', environment = 'test', clock_now()
      from webhook_endpoints where id = ${endpointId}
      on conflict (home, event_id, endpoint_id) where trigger = 'manual' and status = 'pending'
      -- A delivery in flight stays with its sender.
      do update set next_attempt_at = least(d.next_attempt_at, clock_now())
      returning id, created_at
    )
    select id, created_at from queued`)
  await notifyAfterCommit(db, [webhooksDue])
  return row!
}

export type Replay = {
  home: number
  merchantId: string
  environment: string
  appId: string
  from: string
  to: string
  /** Leaves out events that this app's webhook has already accepted. */
  isUndeliveredOnly: boolean
  /** If there are more events than this, nothing is queued. */
  maxEvents: number
  /** The interval between two deliveries, so that new events are sent in between. */
  spacingMs: number
}

export type Replayed = {
  isTooFarBack: boolean
  /** False when the app has no enabled webhook. */
  hasEndpoint: boolean
  /** The events of the range, counted up to one more than `maxEvents`. */
  events: number
  queued: number
}

/** Queues an attempt for each event of a range that the webhook has chosen to receive, oldest first. Events that already wait are not queued again. All or nothing. */
export async function queueReplay(db: Runner, replay: Replay): Promise<Replayed> {
  const { home, merchantId, environment, appId, from, to, isUndeliveredOnly, maxEvents, spacingMs } = replay
  // The trigger is a literal, so that each subquery uses its own index.
  const wasDelivered = (trigger: DeliveryTrigger): Sql => sql`exists (
            select from webhook_deliveries d
            where d.home = e.home and d.event_id = e.id and d.app_id = ${appId} and d.status = 'delivered'
              and ${trigger === 'manual' ? sql`d.trigger = 'manual'` : sql`d.trigger = 'automatic'`})`
  const ofInterest = isUndeliveredOnly ? sql`and not ${wasDelivered('automatic')} and not ${wasDelivered('manual')}` : sql``
  const [row] = await db.rows<Replayed>(sql`
    with endpoint as (
      select id, events from webhook_endpoints where app_id = ${appId} and deleted_at is null and enabled
    ),
    bounds as (select ${from}::timestamptz < clock_now() - interval '30 days' as is_too_far_back),
    chosen as materialized (
      select e.home, e.id, row_number() over (order by e.created_at, e.id) - 1 as place
      from (
        select e.home, e.id, e.created_at from events e
        where e.home = ${home} and e.merchant_id = ${merchantId} and e.environment = ${environment}
          and e.created_at >= ${from}::timestamptz and e.created_at < ${to}::timestamptz
          and not (select is_too_far_back from bounds) ${ofInterest}
          and exists (select from endpoint w where ${receives(sql`w`, sql`e.type`)})
        order by e.created_at desc, e.id desc
        limit ${maxEvents + 1}
      ) e
    ),
    queued as (
      insert into webhook_deliveries (home, id, event_id, endpoint_id, app_id, trigger, is_test, next_attempt_at)
      select c.home, ${manualId(sql`c.id`)}, c.id, w.id, ${appId}, 'manual', ${environment}::text = 'test',
        clock_now() + c.place * make_interval(secs => ${spacingMs / 1000})
      from chosen c cross join endpoint w
      where (select count(*) from chosen) <= ${maxEvents}
      -- In one order, so that two simultaneous replays wait for each other instead of deadlocking.
      order by c.place
      on conflict do nothing
      returning id
    )
    select b.is_too_far_back, exists (select from endpoint) as has_endpoint, (select count(*) from chosen) as events,
      (select count(*) from queued) as queued
    from bounds b`)
  if (row!.queued > 0) await notifyAfterCommit(db, [webhooksDue])
  return row!
}
