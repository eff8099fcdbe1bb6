/** The promises about events: an event has the facts of its subject, so a merchant receives correct facts even if it is sent late. */
import { paymentEventData } from '../../collect/payments/payment-event.sql.ts'
import { sql, type Sql } from '../../platform/db/db.ts'
import { longestWait } from '../../platform/db/longest-wait.sql.ts'
import { near, within, type Check } from './scope.sql.ts'

const p = sql`p`
const o = sql`o`

/** A completed payment keeps its facts, so its event is built again. Another end may be followed by a late success and other times. */
const paymentDiffers: Sql = sql`
  (p.id is null or (e.merchant_id, e.environment) is distinct from (p.merchant_id, p.environment)
    or case e.type
      when 'payment.completed' then (e.created_at, e.data::text) is distinct from (p.completed_at, (${paymentEventData(p, sql`p.id`)})::text)
      else (e.data ->> 'reference', e.data ->> 'amount', e.data ->> 'currency', 'payment.' || (e.data ->> 'status'), e.data ->> 'updated_at',
          e.data ->> 'short_code')
        is distinct from (wire_id('pay', p.id), p.amount::text, p.currency, e.type, wire_time(e.created_at), p.short_code)
        or (e.type = 'payment.' || p.status and (e.data ->> 'network', e.data -> 'failure' ->> 'code') is distinct from (p.network, p.failure_code)) end)`

const ofPayment: Sql = sql`format('event %s (%s) says %s of merchant %s (%s) at %s; its payment is %s of merchant %s (%s): %s', e.id, e.type, e.data,
  e.merchant_id, e.environment, e.created_at, p.status, p.merchant_id, p.environment, ${paymentEventData(p, sql`p.id`)}) as what`

const payoutDiffers: Sql = sql`
  (o.id is null or (e.merchant_id, e.environment, e.data ->> 'id', e.data ->> 'amount', e.data ->> 'fee', e.data ->> 'currency',
      split_part(e.type, '.', 1) || '.' || (e.data ->> 'status'), e.data ->> 'updated_at')
    is distinct from (o.merchant_id, o.environment, wire_id(case o.purpose when 'refund' then 'rf' else 'po' end, o.id), o.amount::text, o.fee::text, o.currency,
      e.type, wire_time(e.created_at)))`

const ofPayout: Sql = sql`format('event %s (%s) says %s of merchant %s (%s) at %s; its payout is %s of merchant %s (%s)', e.id, e.type, e.data,
  e.merchant_id, e.environment, e.created_at, o.status, o.merchant_id, o.environment) as what`

/** The subject of an event, looked up by its key: the ids of events and of their subjects have another order. */
const beside = (subjects: Sql, id: Sql, name: Sql): Sql =>
  sql`left join lateral (select * from ${subjects} x where x.home = e.home and x.id = ${id} offset 0) ${name} on true`

export const eventPromises: readonly Check[] = [
  {
    invariant: 'events',
    over: 'events',
    broken: (scope) => sql`
      select ${ofPayment}, e.home, p.merchant_id
      from events e
      ${beside(sql`payments`, sql`e.payment_id`, sql`p`)}
      where e.type like 'payment.%' and ${within(scope, sql`e`, 'created_at')} and ${scope.keys ? sql`p.id is null` : paymentDiffers}
      union all
      select ${ofPayout}, e.home, o.merchant_id
      from events e
      ${beside(sql`payouts`, sql`e.payout_id`, sql`o`)}
      where e.payout_id is not null and ${within(scope, sql`e`, 'created_at')} and ${scope.keys ? sql`o.id is null` : payoutDiffers}`,
  },
  {
    invariant: 'events',
    over: 'payments',
    broken: (scope) => sql`
      select ${ofPayment}, p.home, p.merchant_id
      from payments p
      join events e on e.home = p.home and e.payment_id = p.id and ${near(scope, sql`e.home`, sql`e.payment_id`)}
      where ${within(scope, p, 'updated_at')} and ${paymentDiffers}`,
  },
  {
    invariant: 'events',
    over: 'payouts',
    broken: (scope) => sql`
      select ${ofPayout}, o.home, o.merchant_id
      from payouts o
      join events e on e.home = o.home and e.payout_id = o.id and ${near(scope, sql`e.home`, sql`e.payout_id`)}
      where ${within(scope, o, 'updated_at')} and ${payoutDiffers}
      union all
      select format('payout %s is %s, and its latest events are %s', o.id, o.status, e.types) as what, o.home, o.merchant_id
      from payouts o
      cross join lateral (
        select coalesce(array_agg(l.type) filter (where l.created_at > l.latest_at - ${longestWait}), '{}') as types
        from (
          select n.type, n.created_at, max(n.created_at) over () as latest_at from events n where n.home = o.home and n.payout_id = o.id
        ) l
      ) e
      where ${within(scope, o, 'updated_at')} and not case
        -- A return to a payer is the business of no merchant.
        when o.status in ('pending', 'processing') or o.purpose = 'return_to_payer' then e.types = '{}'
        when o.purpose = 'refund' then 'refund.' || case o.status when 'completed' then 'completed' else 'failed' end = any(e.types)
        else 'payout.' || o.status = any(e.types) end`,
  },
  {
    invariant: 'events',
    over: 'webhook_deliveries',
    broken: (scope) => sql`
      select format('delivery %s is %s without an attempt', d.id, d.status) as what
      from webhook_deliveries d
      where ${within(scope, sql`d`, 'created_at')} and d.status in ('delivered', 'exhausted') and d.attempts = 0`,
  },
  {
    invariant: 'events',
    over: 'webhook_deliveries',
    broken: (scope) => sql`
      select format('delivery %s takes event %s to webhook %s, which is of another wallet or app', d.id, d.event_id, d.endpoint_id) as what
      from webhook_deliveries d
      left join lateral (select * from webhook_endpoints x where x.id = d.endpoint_id offset 0) w on true
      left join lateral (select * from events x where x.home = d.home and x.id = d.event_id offset 0) e on true
      where ${within(scope, sql`d`, 'created_at')} and (w.id is not null or e.id is not null)
        and (w.merchant_id, w.environment, w.app_id, w.environment = 'test') is distinct from (e.merchant_id, e.environment, d.app_id, d.is_test)`,
  },
]
