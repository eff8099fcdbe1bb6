/** The promises about events and their deliveries: each event has its chains, each chain its attempts. */
import { sql } from '../../platform/db/db.ts'
import { keptDays } from '../../merchants/webhooks/delivery.ts'
import { receives } from '../../merchants/webhooks/event.sql.ts'
import { earlier, joinSums, near, within, type Check } from './scope.sql.ts'

/** An older event may have lost its deliveries to retention. One day less than deliveries are kept, because clocks differ. */
const demandedDays = keptDays - 1

export const deliveryPromises: readonly Check[] = [
  {
    invariant: 'I6',
    over: 'events',
    broken: (scope) => sql`
      select format('event %s has no chain to webhook %s', e.id, w.id) as what
      from events e
      -- A webhook that was switched on during settlement may have missed the event; the event sweep delivers it later.
      join webhook_endpoints w on w.merchant_id = e.merchant_id and w.environment = e.environment
        and w.enabled and w.deleted_at is null and ${receives(sql`w`, sql`e.type`)}
        and greatest(w.enabled_at, w.events_changed_at) < e.created_at - interval '5 minutes'
      join apps a on a.id = w.app_id and a.deleted_at is null
      where ${within(scope, sql`e`, 'created_at')} and e.created_at > clock_now() - make_interval(days => ${demandedDays}::integer) and not exists (
        select from webhook_deliveries d
        where d.home = e.home and d.event_id = e.id and d.endpoint_id = w.id and d.trigger = 'automatic'
          and ${near(scope, sql`d.home`, sql`d.event_id`)})`,
  },
  {
    invariant: 'I10',
    over: 'webhook_deliveries',
    broken: (scope) => sql`
      -- A day of deliveries, which is how long one is attempted: read once.
      with d as materialized (select * from webhook_deliveries r where ${within(earlier(scope, 24), sql`r`, 'created_at')})
      select format('delivery %s is %s after %s attempts', d.id, d.status, d.attempts) as what
      from d
      where d.attempts > 5 or (d.status in ('delivered', 'exhausted', 'cancelled') and d.finished_at is null)
        or (d.status = 'pending' and d.attempts >= 5) or (d.trigger = 'manual' and d.attempts > 1)
      union all
      select format('delivery %s has %s attempts, but counts %s', d.id, n.count, d.attempts)
      from d
      ${joinSums(scope, {
        sums: sql`count(*) filter (where a.trigger = 'automatic') as automatic, count(*) filter (where a.trigger = 'manual') as manual,
          count(*) filter (where a.outcome = 'succeeded') as succeeded`,
        from: sql`from webhook_attempts a where true`,
        home: sql`a.home`,
        id: sql`a.delivery_id`,
        to: sql`d`,
        name: sql`a`,
      })}
      cross join lateral (select coalesce(case d.trigger when 'manual' then a.manual else a.automatic end, 0) as count) n
      where n.count <> d.attempts or (d.status <> 'pending' and (d.status = 'delivered') <> (coalesce(a.succeeded, 0) > 0))
      union all
      select format('attempt %s is of another event, webhook or app than its delivery %s', a.id, d.id)
      from d
      join webhook_attempts a on a.home = d.home and a.delivery_id = d.id and ${near(scope, sql`a.home`, sql`a.delivery_id`)}
      where (a.event_id, a.endpoint_id, a.app_id) <> (d.event_id, d.endpoint_id, d.app_id)
      union all
      select format('event %s has another chain to webhook %s than %s', d.event_id, d.endpoint_id, d.id)
      from d
      where d.trigger = 'automatic' and 1 < (
        select count(*) from webhook_deliveries o
        where o.home = d.home and o.event_id = d.event_id and o.endpoint_id = d.endpoint_id and o.trigger = 'automatic')`,
  },
]
