/** The event of a payout's end, as a piece of the statement that moves the payout. Its data contains no personal data. */
import { sql } from '../platform/db/db.ts'
import { eventData, recordEvents } from '../webhooks/event.sql.ts'

/**
 * Common table expressions for a statement that has a CTE `moved` with all columns of the updated payouts, and `status_before`. They define
 * what `recordEvents` defines. A return to a payer sends nothing.
 */
export const recordPayoutEvents = sql`
    ended as (
      select m.*, 'payout.' || m.status as type, 1 + (
        -- Operators can complete a payout whose money was returned, and the network may return it again.
        select count(*) from events e where e.home = m.home and e.payout_id = m.id and e.type = 'payout.' || m.status)::integer as occurrence
      from moved m
      where m.status <> m.status_before and m.status in ('completed', 'failed', 'reversed', 'cancelled') and m.purpose = 'merchant'
    ),
    new_events as (
      select o.home, event_id(o.home, o.type || case when o.occurrence > 1 then ':' || o.occurrence else '' end, o.id) as id, o.type,
        o.merchant_id, o.environment, null::uuid as payment_id, o.id as payout_id, o.occurrence,
        ${eventData(sql`
          select wire_id('po', o.id) as id, o.status, o.amount, o.fee, o.amount + o.fee as total_debited, o.currency, o.network,
            case when o.failure_code is not null then ${eventData(sql`select o.failure_code as code`)} end as failure,
            wire_time(o.created_at) as created_at, wire_time(o.completed_at) as completed_at, wire_time(o.reversed_at) as reversed_at,
            wire_time(o.updated_at) as updated_at`)} as data
      from ended o
    ),
    ${recordEvents}`
