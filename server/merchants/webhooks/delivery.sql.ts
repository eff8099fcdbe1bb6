/**
 * The queue of deliveries: claims due rows and records their outcome. Invariant: one sender at a time holds a row, and only the sender that
 * still holds the lease may finish it.
 */
import type { DeliveryStatus, DeliveryTrigger } from '../../domain/webhook.ts'
import type { Environment } from '../../domain/environment.ts'
import { moved } from '../../platform/db/clock-mark.sql.ts'
import { sql, type Runner, type Sql, type Tx } from '../../platform/db/db.ts'
import { recordset } from '../../platform/db/recordset.ts'
import type { EventRow } from './event.ts'
import { sentData } from './event.sql.ts'
import type { Attempt } from './attempt.ts'

export type ClaimedDelivery = Omit<EventRow, 'id' | 'createdAt'> & {
  home: number
  id: string
  eventId: string
  eventCreatedAt: Date
  endpointId: string
  /** The owner of the endpoint. */
  merchantId: string
  leasedBy: string
  /** `manual`: one attempt without retries. */
  trigger: DeliveryTrigger
  attempts: number
  postponements: number
  url: string
  secretSealed: string
  /** Null without a previous secret, or when its day is over. */
  previousSecretSealed: string | null
  /** False when the webhook was disabled or removed, or its app was deleted. */
  isWanted: boolean
  claimedAt: Date
  /** The subject of the event; both are null for an event of another kind. */
  paymentId: string | null
  payoutId: string | null
  /** Of the payment or payout of the event; null when it has none. */
  requestId: string | null
  traceId: string | null
}

export type Claim = {
  leasedBy: string
  leaseSeconds: number
  /** Claim only deliveries of this environment. */
  environment: Environment
  limit: number
  perEndpoint: number
  /** Over all endpoints of one owner. */
  perOwner: number
  /** The deliveries in flight, by endpoint. */
  inFlight: ReadonlyMap<string, { sends: number; merchantId: string }>
}

/** Literals, because each of the two has its own index (`webhook_deliveries_due_live`, `webhook_deliveries_due_test`). */
const isOf: Record<Environment, Sql> = { live: sql`not d.is_test`, test: sql`d.is_test` }

/** No sender holds it, or its lease has expired. */
const isFree = sql`(d.lease_until is null or d.lease_until <= clock_now())`

/**
 * No attempt of the same event to the same endpoint is in flight: a manual attempt and an automatic attempt never overlap. When both are
 * due, the automatic one goes first.
 */
const isAlone = sql`not exists (
            select from webhook_deliveries o
            where o.home = d.home and o.event_id = d.event_id and o.endpoint_id = d.endpoint_id and o.trigger = 'automatic' and o.status = 'pending'
              and d.trigger = 'manual' and (o.lease_until > clock_now() or o.next_attempt_at <= clock_now()))
          and not exists (
            select from webhook_deliveries o
            where o.home = d.home and o.event_id = d.event_id and o.endpoint_id = d.endpoint_id and o.trigger = 'manual' and o.status = 'pending'
              and d.trigger = 'automatic' and o.lease_until > clock_now())`

/** One step in the index: the queue of the first endpoint for which `condition` holds, by its longest due delivery. */
const firstQueue = (condition: Sql): Sql => sql`
        select d.endpoint_id, d.next_attempt_at from webhook_deliveries d
        where d.status = 'pending' and ${isFree} and ${condition}
        order by d.endpoint_id, d.next_attempt_at limit 1`

const inFlightColumns = { endpointId: 'uuid', merchantId: 'uuid', sends: 'integer' } as const

/** The number of due rows that a claim reads before it looks at the endpoints one by one. */
const headRows = 1_000

/**
 * Claims up to `limit` due deliveries of one environment, the longest due first, but no more of an endpoint or an owner than it has
 * free slots for. It first reads the rows that have been due for the longest time. Rows that wait for a later attempt, such as the
 * deliveries of dead endpoints, cost nothing. It reads the queues of all endpoints one by one (a loose index scan) only when these rows
 * are a backlog whose owners have too few free slots for a whole claim.
 */
export async function claimDeliveries(db: Runner, claim: Claim): Promise<ClaimedDelivery[]> {
  const { leasedBy, leaseSeconds, environment, limit, perEndpoint, perOwner } = claim
  const inFlight = [...claim.inFlight].map(([endpointId, { merchantId, sends }]) => ({ endpointId, merchantId, sends }))
  return db.rows<ClaimedDelivery>(sql`
    with recursive busy as materialized (
      select * from ${recordset(inFlight, 'b', inFlightColumns)}
    ),
    busy_owners as materialized (
      select merchant_id, sum(sends)::integer as sends from busy group by merchant_id
    ),
    head as materialized (
      select d.endpoint_id from webhook_deliveries d
      where d.status = 'pending' and ${isOf[environment]} and d.next_attempt_at <= clock_now() and ${isFree}
      order by d.next_attempt_at limit ${headRows}
    ),
    head_queues as materialized (
      select w.merchant_id, h.endpoint_id, greatest(least(h.due, ${perEndpoint}::integer - coalesce(b.sends, 0)), 0) as claimable
      from (select endpoint_id, count(*) as due from head group by endpoint_id) h
      join webhook_endpoints w on w.id = h.endpoint_id
      left join busy b on b.endpoint_id = h.endpoint_id
    ),
    head_owners as materialized (
      select greatest(least(sum(h.claimable), ${perOwner}::integer - coalesce(max(o.sends), 0)), 0) as claimable
      from head_queues h left join busy_owners o on o.merchant_id = h.merchant_id
      group by h.merchant_id
    ),
    waiting (endpoint_id, next_attempt_at) as (
      (${firstQueue(sql`(select count(*) from head) >= ${headRows} and (select sum(claimable) from head_owners) < ${limit}`)})
      union all
      select d.endpoint_id, d.next_attempt_at
      from waiting w
      cross join lateral (${firstQueue(sql`d.endpoint_id > w.endpoint_id`)}) d
    ),
    queues as materialized (
      select q.merchant_id, q.endpoint_id, ${perEndpoint}::integer - coalesce(b.sends, 0) as free_slots,
        ${perOwner}::integer - coalesce(o.sends, 0) as owner_free_slots, count(*) over (partition by q.merchant_id) as siblings
      from (
        select merchant_id, endpoint_id from head_queues
        union
        select e.merchant_id, e.id from waiting w join webhook_endpoints e on e.id = w.endpoint_id
        where w.next_attempt_at <= clock_now() and e.environment = ${environment}
      ) q
      left join busy b on b.endpoint_id = q.endpoint_id
      left join busy_owners o on o.merchant_id = q.merchant_id
      where coalesce(b.sends, 0) < ${perEndpoint}::integer and coalesce(o.sends, 0) < ${perOwner}::integer
    ),
    chosen as (
      select ranked.home, ranked.id
      from (
        select due.home, due.id, due.next_attempt_at, q.owner_free_slots,
          row_number() over (partition by q.merchant_id order by due.next_attempt_at, due.id) as place
        from queues q
        cross join lateral (
          select d.home, d.id, d.next_attempt_at from webhook_deliveries d
          where d.status = 'pending' and d.endpoint_id = q.endpoint_id and d.next_attempt_at <= clock_now()
            and ${isOf[environment]} and ${isFree} and ${isAlone}
          order by d.next_attempt_at
          -- An even share for each owner, so that hardly more is locked than claimed, however many queues there are.
          limit least(q.free_slots, ceil(
            least(q.owner_free_slots, (select ceil(${limit}::numeric / count(distinct merchant_id)) from queues)) / q.siblings::numeric))
          for update skip locked
        ) due
      ) ranked
      where ranked.place <= ranked.owner_free_slots
      order by ranked.next_attempt_at
      limit ${limit}
    ),
    claimed as (
      update webhook_deliveries d
      set leased_by = ${leasedBy}, lease_until = clock_now() + make_interval(secs => ${leaseSeconds})
      from chosen c
      where d.home = c.home and d.id = c.id
      returning d.home, d.id, d.event_id, d.endpoint_id, d.leased_by, d.trigger, d.attempts, d.postponements
    )
    select c.home, c.id, c.event_id, c.endpoint_id, w.merchant_id, c.leased_by, c.trigger, c.attempts, c.postponements,
      e.type, e.payment_id, e.payout_id, ${sentData(sql`e`)}, e.created_at as event_created_at,
      w.url, w.secret_sealed, case when w.previous_secret_expires_at > clock_now() then w.previous_secret_sealed end as previous_secret_sealed,
      w.enabled and w.deleted_at is null and a.deleted_at is null as is_wanted, clock_now() as claimed_at,
      coalesce(p.request_id, o.request_id) as request_id, coalesce(p.trace_id, o.trace_id) as trace_id
    from claimed c
    join events e on e.home = c.home and e.id = c.event_id
    join webhook_endpoints w on w.id = c.endpoint_id
    join apps a on a.id = w.app_id
    left join payments p on p.home = e.home and p.id = e.payment_id
    left join payouts o on o.home = e.home and o.id = e.payout_id`)
}

export type Verdict = {
  home: number
  deliveryId: string
  leasedBy: string
  status: DeliveryStatus
  /** Until the next attempt; null when there is no next attempt. */
  delaySeconds: number | null
  /** Null when there was no attempt that counts. */
  attempt: Omit<Attempt, 'eventId' | 'attempt' | 'trigger' | 'nextAttemptAt'> | null
}

const verdictColumns = {
  home: 'smallint',
  deliveryId: 'uuid',
  leasedBy: 'uuid',
  status: 'text',
  delaySeconds: 'double precision',
  attemptId: 'uuid',
  eventType: 'text',
  url: 'text',
  outcome: 'text',
  responseStatus: 'integer',
  responseBody: 'text',
  errorCode: 'text',
  durationMs: 'integer',
  attemptedMs: 'double precision',
} as const

/** Records the outcomes of deliveries, all or nothing. Returns false for each delivery whose lease was lost; nothing is written for it. */
export async function recordVerdicts(db: Runner, verdicts: Verdict[]): Promise<boolean[]> {
  const given = verdicts.map(({ attempt, ...verdict }) => ({
    ...verdict,
    attemptId: attempt?.id,
    eventType: attempt?.eventType,
    url: attempt?.url,
    outcome: attempt?.outcome,
    responseStatus: attempt?.responseStatus,
    responseBody: attempt?.responseBody,
    errorCode: attempt?.errorCode,
    durationMs: attempt?.durationMs,
    attemptedMs: attempt?.attemptedAt.getTime(),
  }))
  return db.values<boolean>(sql`
    with given as (
      select g.*, to_timestamp(g.attempted_ms / 1000) as attempted_at from ${recordset(given, 'g', verdictColumns, 'ord')}
    ),
    finished as (
      update webhook_deliveries d
      set status = g.status, leased_by = null, lease_until = null,
        attempts = d.attempts + (g.attempt_id is not null)::integer,
        postponements = case when g.attempt_id is null then d.postponements + 1 else 0 end,
        next_attempt_at = case when g.status = 'pending' then clock_now() + make_interval(secs => g.delay_seconds) end,
        finished_at = case when g.status <> 'pending' then clock_now() end
      from given g
      where d.home = g.home and d.id = g.delivery_id and d.leased_by = g.leased_by
      returning g.ord, d.home, d.id, d.event_id, d.endpoint_id, d.app_id, d.trigger, d.attempts, d.next_attempt_at
    ),
    recorded as (
      insert into webhook_attempts (home, id, delivery_id, event_id, event_type, endpoint_id, app_id, url, attempt, trigger, outcome,
        response_status, response_body, error_code, duration_ms, attempted_at, next_attempt_at)
      select f.home,
        -- A manual delivery was announced under this id in the response.
        case when f.trigger = 'manual' then f.id else g.attempt_id end,
        f.id, f.event_id, g.event_type, f.endpoint_id, f.app_id, g.url, f.attempts, f.trigger, g.outcome,
        g.response_status, g.response_body, g.error_code, g.duration_ms, g.attempted_at, f.next_attempt_at
      from finished f join given g on g.ord = f.ord
      where g.attempt_id is not null
    ),
    news as (
      select f.endpoint_id, max(g.attempted_at) filter (where g.outcome = 'succeeded') as success_at,
        max(g.attempted_at) filter (where g.outcome = 'failed') as failure_at
      from finished f join given g on g.ord = f.ord
      where g.attempt_id is not null
      group by f.endpoint_id
    ),
    -- The row of a busy endpoint would be contended: it is written every ten seconds at most, and never waited for.
    stale as (
      select w.id, n.success_at, n.failure_at
      from news n join webhook_endpoints w on w.id = n.endpoint_id
      where n.success_at > coalesce(w.last_success_at + interval '10 seconds', '-infinity')
        or n.failure_at > coalesce(w.last_failure_at + interval '10 seconds', '-infinity')
      order by w.id
      for no key update of w skip locked
    ),
    refreshed as (
      update webhook_endpoints w
      set last_success_at = coalesce(s.success_at, w.last_success_at), last_failure_at = coalesce(s.failure_at, w.last_failure_at)
      from stale s where w.id = s.id
    )
    select f.ord is not null as is_recorded from given g left join finished f on f.ord = g.ord order by g.ord`)
}

const leasedColumns = { home: 'smallint', id: 'uuid', leasedBy: 'uuid' } as const

/** Releases deliveries that were claimed and not sent. They are due at once for the next sender. */
export async function releaseDeliveries(db: Runner, deliveries: readonly ClaimedDelivery[]): Promise<void> {
  await db.rows(sql`
    update webhook_deliveries d set leased_by = null, lease_until = null
    from ${recordset(deliveries, 'g', leasedColumns)}
    where d.home = g.home and d.id = g.id and d.leased_by = g.leased_by`)
}

/** When a postponed delivery was due first. */
const firstDueAt = sql`case when late.attempts = 0 then late.created_at else (
    select a.next_attempt_at from webhook_attempts a
    where a.home = late.home and a.delivery_id = late.id order by a.attempt desc limit 1
  ) end`

export type OldestDue = { endpointId: string; seconds: number; postponements: number }

/**
 * The delivery that has been due for the longest time and that no sender holds, and for how long; undefined when there is none. All causes
 * count: no worker runs, its endpoint has no free slot, or a fault of our own. Such a fault moves the time of the next attempt, but not the
 * time from which this wait is measured.
 */
export async function readOldestDue(db: Runner): Promise<OldestDue | undefined> {
  return db.maybeOne<OldestDue>(sql`
    select o.endpoint_id, o.postponements, extract(epoch from clock_now() - o.since)::double precision as seconds
    from (
      (
        select d.endpoint_id, d.postponements, d.next_attempt_at as since from webhook_deliveries d
        where d.status = 'pending' and not d.is_test and ${isFree} order by d.next_attempt_at limit 1
      )
      union all
      (
        select d.endpoint_id, d.postponements, d.next_attempt_at as since from webhook_deliveries d
        where d.status = 'pending' and d.is_test and ${isFree} order by d.next_attempt_at limit 1
      )
      union all
      (
        select late.endpoint_id, late.postponements, ${firstDueAt} as since
        from webhook_deliveries late where late.status = 'pending' and late.postponements > 0
        order by since limit 1
      )
    ) o
    where o.since <= clock_now()
    order by o.since limit 1`)
}

export const overdueAfterSeconds = 60

/** `postponed`: a fault, such as a dead name server, has put off a delivery of the owner. `waiting`: no delivery of the owner was put off. */
export type OverdueOwners = { environment: Environment; waiting: number; postponed: number }

/**
 * The numbers of owners with a delivery that has been due for longer than that, counted as `readOldestDue` measures it. An owner counts
 * once: the tries of postponed deliveries fill its slots, so that its other deliveries wait too.
 */
export async function countOverdueOwners(db: Runner): Promise<OverdueOwners[]> {
  return db.rows<OverdueOwners>(sql`
    with recursive queue as (
      -- One step in the index for each endpoint, however many deliveries it has.
      (${firstQueue(sql`true`)})
      union all
      select d.endpoint_id, d.next_attempt_at
      from queue q
      cross join lateral (${firstQueue(sql`d.endpoint_id > q.endpoint_id`)}) d
    ),
    waiting as (
      select endpoint_id, next_attempt_at as since, false as is_postponed from queue
      union all
      select late.endpoint_id, ${firstDueAt}, true from webhook_deliveries late where late.status = 'pending' and late.postponements > 0
    ),
    owners as (
      select w.environment, w.merchant_id, bool_or(o.is_postponed) as is_postponed
      from waiting o join webhook_endpoints w on w.id = o.endpoint_id
      where o.since < clock_now() - make_interval(secs => ${overdueAfterSeconds}::double precision)
      group by w.environment, w.merchant_id
    )
    select e.environment, count(*) filter (where not o.is_postponed) as waiting, count(*) filter (where o.is_postponed) as postponed
    from (values ('live'), ('test')) as e (environment) left join owners o on o.environment = e.environment
    group by e.environment order by e.environment`)
}

/** Moves future times when the clock was set back by that many seconds. */
export async function moveDeliveryTimes(tx: Tx, seconds: number): Promise<void> {
  await tx.rows(sql`
    update webhook_deliveries
    set lease_until = ${moved(sql`lease_until`, seconds)}, next_attempt_at = ${moved(sql`next_attempt_at`, seconds)}
    where status = 'pending' and (next_attempt_at > clock_now() or lease_until > clock_now())`)
}
