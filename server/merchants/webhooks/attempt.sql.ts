/** Reads `webhook_attempts` for the owner of an app. */
import type { EventType } from '../../domain/webhook.ts'
import type { Outcome } from '../../domain/outcome.ts'
import { sql, type Runner } from '../../platform/db/db.ts'
import type { ListRange } from '../../platform/http/page.ts'
import type { Attempt } from './attempt.ts'
import type { EventRow } from './event.ts'
import { sentData } from './event.sql.ts'

/** Why an attempt was made. Attempts for a webhook test payment are shown as `test`. */
const trigger = sql`case when a.trigger = 'automatic' and exists (
        select from events e
        join payments p on p.home = e.home and p.id = e.payment_id
        join payment_pages g on g.home = p.home and g.id = p.page_id
        where e.home = a.home and e.id = a.event_id and g.kind = 'webhook_tests')
      then 'test' else a.trigger end as trigger`

export type AttemptFilter = { home: number; appIds: string[]; eventId?: string; eventType?: EventType; outcome?: Outcome }

type ListedAttempt = Attempt & { appId: string; createdAt: Date }

/** The attempts of some apps in the last 30 days, newest first. Returns one more row than the limit. */
export async function listAttempts(db: Runner, filter: AttemptFilter, range: ListRange): Promise<ListedAttempt[]> {
  const { home, appIds, eventId, eventType, outcome } = filter
  const { after, createdFrom = null, createdTo = null, limit } = range
  // Each filter is a piece of SQL instead of a parameter that may be null, so that each combination uses its own index.
  const ofEvent = eventId
    ? sql`and a.delivery_id in (
        select d.id from webhook_deliveries d where d.home = ${home} and d.event_id = ${eventId} and d.trigger = 'automatic'
        union all
        select d.id from webhook_deliveries d where d.home = ${home} and d.event_id = ${eventId} and d.trigger = 'manual')`
    : sql``
  const ofOutcome = outcome === 'failed' ? sql`and a.outcome = 'failed'` : outcome ? sql`and a.outcome = 'succeeded'` : sql``
  // The index of types leaves out the most frequent one, which is found soon without it.
  const ofType =
    eventType === undefined
      ? sql``
      : eventType === 'payment.completed'
        ? sql`and a.event_type = 'payment.completed'`
        : sql`and a.event_type <> 'payment.completed' and a.event_type = ${eventType}`
  return db.rows<ListedAttempt>(sql`
    select newest.*
    from unnest(${appIds}::uuid[]) as app (id)
    cross join lateral (
      select a.id, a.app_id, a.event_id, a.event_type, a.url, a.attempt, ${trigger}, a.outcome, a.response_status, a.response_body,
        a.error_code, a.duration_ms, a.attempted_at, a.next_attempt_at, a.attempted_at as created_at
      from webhook_attempts a
      where a.home = ${home} and a.app_id = app.id and a.attempted_at > clock_now() - interval '30 days' ${ofEvent} ${ofType} ${ofOutcome}
        and (${createdFrom}::timestamptz is null or a.attempted_at >= ${createdFrom}::timestamptz)
        and (${createdTo}::timestamptz is null or a.attempted_at < ${createdTo}::timestamptz)
        ${after ? sql`and (a.attempted_at, a.id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)` : sql``}
      order by a.attempted_at desc, a.id desc
      limit ${limit + 1}
    ) newest
    order by newest.attempted_at desc, newest.id desc
    limit ${limit + 1}`)
}

/** Finds the app of an attempt of the last 30 days. For operators. */
export async function findAppOfAttempt(
  db: Runner,
  key: { home: number; id: string },
): Promise<{ id: string; merchantId: string } | undefined> {
  return db.maybeOne<{ id: string; merchantId: string }>(sql`
    select p.id, p.merchant_id
    from webhook_attempts a join apps p on p.id = a.app_id
    where a.home = ${key.home} and a.id = ${key.id} and a.attempted_at > clock_now() - interval '30 days'`)
}

/** Finds one attempt of an app in the last 30 days, with its event. */
export async function findAttempt(
  db: Runner,
  wanted: { home: number; appId: string; id: string },
): Promise<{ attempt: Attempt; endpointId: string; event: EventRow } | undefined> {
  const { home, appId, id } = wanted
  const [attempt] = await db.rows<Attempt & { endpointId: string }>(sql`
    select a.id, a.event_id, a.event_type, a.url, a.attempt, ${trigger}, a.outcome, a.response_status, a.response_body, a.error_code,
      a.duration_ms, a.attempted_at, a.next_attempt_at, a.endpoint_id
    from webhook_attempts a
    where a.home = ${home} and a.id = ${id} and a.app_id = ${appId} and a.attempted_at > clock_now() - interval '30 days'`)
  if (!attempt) return undefined
  const [event] = await db.rows<EventRow>(sql`
    select id, type, ${sentData(sql`events`)}, created_at from events
    where home = ${home} and id = ${attempt.eventId}`)
  return event && { attempt, endpointId: attempt.endpointId, event }
}

/** The attempts to deliver an event to all webhooks, oldest first. */
export async function listEventAttempts(
  db: Runner,
  event: { home: number; eventId: string },
  limit: number,
): Promise<(Attempt & { appId: string })[]> {
  return db.rows<Attempt & { appId: string }>(sql`
    select a.id, a.app_id, a.event_id, a.event_type, a.url, a.attempt, ${trigger}, a.outcome, a.response_status, a.response_body, a.error_code,
      a.duration_ms, a.attempted_at, a.next_attempt_at
    from webhook_attempts a
    where a.home = ${event.home} and a.delivery_id in (
      select d.id from webhook_deliveries d where d.home = ${event.home} and d.event_id = ${event.eventId} and d.trigger = 'automatic'
      union all
      select d.id from webhook_deliveries d where d.home = ${event.home} and d.event_id = ${event.eventId} and d.trigger = 'manual')
    order by a.attempted_at, a.id
    limit ${limit}`)
}
