/** The event of a payout's end, as a piece of the statement that moves the payout. Its data contains no personal data. */
import { sql, type Sql } from '../../platform/db/db.ts'
import { eventData, recordEvents } from '../../merchants/webhooks/event.sql.ts'

/** The status of a refund: whatever returned its money, it has failed. */
const refundStatus = sql`case o.status when 'completed' then 'completed' else 'failed' end`

const payoutData = eventData(sql`
          select wire_id('po', o.id) as id, o.status, o.amount, o.fee, o.amount + o.fee as total_debited, o.currency, o.network,
            case when o.failure_code is not null then ${eventData(sql`select o.failure_code as code`)} end as failure,
            wire_time(o.created_at) as created_at, wire_time(o.completed_at) as completed_at, wire_time(o.reversed_at) as reversed_at,
            wire_time(o.updated_at) as updated_at`)

const refundData = eventData(sql`
          select wire_id('rf', o.id) as id, wire_id('pay', o.refund_of) as payment, short_code_of(o.refund_of) as payment_short_code,
            ${refundStatus} as status, o.method, o.amount, o.fee,
            case o.method when 'outside' then 0 else o.amount + o.fee end as total_debited, o.currency,
            case when o.status <> 'completed' then ${eventData(sql`
              select case o.status when 'cancelled' then coalesce(o.failure_code, 'cancelled') when 'reversed' then 'returned' else o.failure_code end as code`)} end as failure,
            wire_time(o.created_at) as created_at, case when o.status = 'completed' then wire_time(o.completed_at) end as completed_at,
            wire_time(o.updated_at) as updated_at`)

/**
 * Common table expressions that record the events of payouts that end. `moved` names the CTE of the statement that updates them: it has all
 * columns of the updated payouts, and `status_before`. They define what `recordEvents` defines. A return to a payer sends nothing.
 */
export const recordPayoutEvents = (moved: Sql): Sql => sql`
    ended as (
      select o.*, case o.purpose when 'refund' then 'refund.' || ${refundStatus} else 'payout.' || o.status end as type
      from ${moved} o
      where o.status <> o.status_before and o.status in ('completed', 'failed', 'reversed', 'cancelled') and o.purpose in ('merchant', 'refund')
    ),
    counted as (
      select o.*, 1 + (
        -- Operators can complete a payout whose money was returned, and the network may return it again.
        select count(*) from events e where e.home = o.home and e.payout_id = o.id and e.type = o.type)::integer as occurrence
      from ended o
    ),
    ${recordEvents(sql`
      select o.home, event_id(o.home, o.type || case when o.occurrence > 1 then ':' || o.occurrence else '' end, o.id) as id, o.type,
        o.merchant_id, o.environment, null::uuid as payment_id, o.id as payout_id, o.occurrence,
        case o.purpose when 'refund' then ${refundData} else ${payoutData} end as data
      from counted o`)}`
