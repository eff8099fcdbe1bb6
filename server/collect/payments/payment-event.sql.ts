/** The event of a payment's end, as a piece of the statement that moves the payment. Its data contains no personal data. */
import { sql, type Sql } from '../../platform/db/db.ts'
import { eventData, recordEvents } from '../../merchants/webhooks/event.sql.ts'

/** The page as an event names it; null where the payment was not made on a page that its owner sees. */
const pageOf = (p: Sql): Sql =>
  sql`wire_id('page', (select g.id from payment_pages g where g.home = ${p}.home and g.id = ${p}.page_id and not g.is_hidden))`

/** `p` has the columns of a payment; `id` names its id. */
export function paymentEventData(p: Sql, id: Sql): Sql {
  const subject = sql`wire_id('pay', ${id}) as reference, g.page as payment_page_id, ${p}.amount`
  const completed = sql`${p}.currency, wire_time(${p}.completed_at) as completed_at, ${p}.short_code`
  // Not merged into the three cases, of which each would read the page in a plan of its own.
  return sql`(select case when ${p}.status <> 'completed' then ${eventData(sql`
          select ${subject}, ${p}.currency, ${p}.status, ${p}.network,
            case when ${p}.failure_code is not null then ${eventData(sql`select ${p}.failure_code as code`)} end as failure,
            wire_time(${p}.created_at) as created_at, wire_time(${p}.updated_at) as updated_at, ${p}.short_code`)}
        -- service.md 6.1: these keys in this order, then others.
        when ${p}.amount_received is null then ${eventData(sql`select ${subject}, ${completed}`)}
        else ${eventData(sql`select ${subject}, ${p}.amount_received, ${completed}`)} end
      from (select ${pageOf(p)} as page offset 0) g)`
}

/**
 * Common table expressions that record the events of ended payments. `moved` names the CTE of the statement that ends them: it has the
 * columns of `movedColumns`, and `ends`, which is true for a payment that this statement ends. They define what `recordEvents` defines.
 */
export const recordPaymentEvents = (moved: Sql): Sql => sql`
    ${recordEvents(sql`
      select m.home, event_id(m.home, 'payment.' || m.status, m.payment_id) as id, 'payment.' || m.status as type, m.merchant_id, m.environment,
        m.payment_id, null::uuid as payout_id, 1 as occurrence, ${paymentEventData(sql`m`, sql`m.payment_id`)} as data
      from ${moved} m where m.ends`)}`

/** What a statement returns of each payment `p` that it updates, for its event. */
export const movedColumns = sql`p.home, p.id as payment_id, p.page_id, p.merchant_id, p.environment, p.amount, p.amount_received, p.currency,
        p.status, p.network, p.failure_code, p.created_at, p.completed_at, p.updated_at, p.short_code`
