/** The promise about events: an event has the same facts as its payment, so a merchant receives correct facts even if it is sent late. */
import { completedPaymentData } from '../payments/payment-event.sql.ts'
import { sql, type Sql } from '../platform/db/db.ts'
import { within, type Check } from './scope.sql.ts'

const p = sql`p`

const differs: Sql = sql`
  (e.merchant_id, e.environment, e.created_at, e.data::text)
    is distinct from (p.merchant_id, p.environment, p.completed_at, (${completedPaymentData(p, sql`p.id`)})::text)`

const found: Sql = sql`format('event %s says %s of merchant %s (%s) at %s: %s; its payment says %s of merchant %s (%s) at %s: %s', e.id, e.type,
  e.merchant_id, e.environment, e.created_at, e.data, p.status, p.merchant_id, p.environment, p.completed_at,
  ${completedPaymentData(p, sql`p.id`)}) as what`

export const eventPromises: readonly Check[] = [
  {
    invariant: 'events',
    over: 'events',
    broken: (scope) => sql`
      select ${found}, e.home, p.merchant_id
      from events e
      left join payments p on p.home = e.home and p.id = e.payment_id
      where e.type = 'payment.completed' and ${within(scope, sql`e`, 'created_at')} and ${differs}`,
  },
  {
    invariant: 'events',
    over: 'payments',
    broken: (scope) => sql`
      select ${found}, p.home, p.merchant_id
      from payments p
      join events e on e.home = p.home and e.payment_id = p.id and e.type = 'payment.completed'
      where ${within(scope, p, 'updated_at')} and ${differs}`,
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
