/** The content of the event of a payment, as a piece of the statement that moves the payment. It contains no personal data. */
import { sql, type Sql } from '../platform/db/db.ts'
import { eventData } from '../webhooks/event.sql.ts'

/** `data` of `payment.completed` (service.md 6.1). `p` has the columns of a payment; `id` names its id. */
export function completedPaymentData(p: Sql, id: Sql): Sql {
  // Null where the payment was not made on a page that its owner sees.
  const page = sql`(select g.id from payment_pages g where g.home = ${p}.home and g.id = ${p}.page_id and not g.is_hidden)`
  const subject = sql`wire_id('pay', ${id}) as reference, wire_id('page', ${page}) as payment_page_id, ${p}.amount`
  const rest = sql`${p}.currency, wire_time(${p}.completed_at) as completed_at`
  return sql`case when ${p}.amount_received is null then ${eventData(sql`select ${subject}, ${rest}`)}
        else ${eventData(sql`select ${subject}, ${p}.amount_received, ${rest}`)} end`
}
