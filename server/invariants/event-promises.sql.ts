/** The promise about events: an event has the same facts as its payment, so a merchant receives correct facts even if it is sent late. */
import { sql } from '../platform/db/db.ts'
import { within, type Check } from './scope.sql.ts'

export const eventPromises: readonly Check[] = [
  {
    invariant: 'events',
    over: 'events',
    broken: (scope) => sql`
      select format('event %s says %s of merchant %s, page %s (%s), %s %s at %s; its payment says %s, page %s (%s), %s %s at %s', e.id, e.type,
        e.merchant_id, e.payment_page_id, e.environment, e.amount, e.currency, e.completed_at,
        p.merchant_id, p.page_id, p.environment, p.amount, p.currency, p.completed_at) as what, e.home, p.merchant_id
      from events e
      left join payments p on p.home = e.home and p.id = e.payment_id
      left join payment_pages g on g.home = p.home and g.id = p.page_id and not g.is_hidden
      where e.type = 'payment.completed' and ${within(scope, sql`e`, 'created_at')}
        and (p.id is null or (e.merchant_id, e.environment, e.payment_page_id, e.amount, e.currency, e.completed_at, e.created_at)
          is distinct from (p.merchant_id, p.environment, g.id, p.amount, p.currency, p.completed_at, p.completed_at))`,
  },
  {
    invariant: 'events',
    over: 'payments',
    broken: (scope) => sql`
      select format('payment %s was completed at %s, its event says %s', p.id, p.completed_at, e.completed_at) as what, p.home, p.merchant_id
      from payments p
      join events e on e.home = p.home and e.payment_id = p.id and e.type = 'payment.completed'
      where ${within(scope, sql`p`, 'updated_at')} and e.completed_at is distinct from p.completed_at`,
  },
  {
    invariant: 'events',
    over: 'webhook_deliveries',
    broken: (scope) => sql`
      select format('delivery %s is %s without an attempt', d.id, d.status) as what
      from webhook_deliveries d
      where ${within(scope, sql`d`, 'created_at')} and d.status in ('delivered', 'exhausted') and d.attempts = 0`,
  },
]
