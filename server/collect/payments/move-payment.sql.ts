/** The rows of payments and charges that a settlement changes: the transition, the receipt of the network, the charge and its reference. */
import { sql, type Sql } from '../../platform/db/db.ts'
import { nextEndCheck, promptLifeIn, type PromptSeconds } from './end-checks.sql.ts'
import { recheckSeconds } from './payment.ts'
import { movedColumns } from './payment-event.sql.ts'

/** After settlement `j`, the known facts about charge `c` do not prove that there is no charge. */
const hasCharge = sql`(coalesce(c.provider_reference, j.reference) is not null or coalesce(j.charge_state, c.state) <> 'rejected')`

/** `moved`: the payments whose status changes, with what the bookings need. */
export const movePayments = sql`
  moved as (
    update payments p
    set status = j.moves_to, late = j.late, network = coalesce(j.network, p.network),
      network_receipt = case when j.has_receipt and j.takes_receipt then j.network_receipt else p.network_receipt end,
      failure_code = case when j.moves_to = 'failed' then j.failure_code end,
      failure_text = case when not j.credits then j.failure_text end,
      completed_at = case when j.credits then clock_now() end,
      holds_place = p.holds_place and not j.ends, updated_at = clock_now()
    from judged j
    -- Only the key of p may be in this condition: any other condition would be checked on the row from before the lock wait, and
    -- would drop a row that has changed since. The current values, read under the lock, are in j.
    where j.applies and p.home = j.home and p.id = j.payment_id
    returning ${movedColumns}, j.ord, j.ends, j.credits, j.holds_place and j.ends as releases_place,
      case when not j.fee_differs then j.fee end as fee, j.movement_id, j.transfer_id, j.fee_transfer_id,
      j.actor, j.request_id, p.request_id as started_by
  )`

export const addLaterReceipts = sql`
  -- The receipt of a payment that this news does not move.
  later_receipts as (
    update payments p set network_receipt = j.network_receipt, updated_at = clock_now()
    from judged j
    where j.has_receipt and j.takes_receipt and not j.applies and p.home = j.home and p.id = j.payment_id
  )`

/** The parts by which a receipt is searched. */
export const indexReceipts = sql`
  found_receipts as (
    insert into payment_receipts (home, payment_id, parts)
    select j.home, j.payment_id, array_append(string_to_array(j.receipt_parts, ' '), j.environment || ' ' || j.merchant_id)
    from judged j
    where j.has_receipt and j.takes_receipt
    on conflict (home, payment_id) do update set parts = excluded.parts
  )`

/** What is now known about the charge, and when the provider is asked again. */
export const recordCharges = (promptSeconds: PromptSeconds | undefined): Sql => sql`
  charged as (
    update provider_charges c
    set state = case when coalesce(c.provider_reference, j.reference) is not null then 'accepted' else coalesce(j.charge_state, c.state) end,
      provider_reference = coalesce(c.provider_reference, j.reference),
      provider_expires_at = coalesce(j.provider_expires_at, c.provider_expires_at),
      next_attempt_at = case
        -- A success without an amount is queried again: it proves nothing and ends nothing.
        when j.verdict = 'unproven' then clock_now() + interval '1 minute'
        -- The process that received the message queries at once; this covers a crash before the query.
        when j.verdict in ('to_confirm', 'amount_to_confirm') then clock_now() + interval '30 seconds'
        -- A payment without further transitions (completed) is never queried again, not even because of an older answer.
        when exists (select from payment_transitions t where t.from_status =
          case when j.applies then j.moves_to else j.from_status end)
        then case
          -- An open charge that the provider has is also asked about when its prompt ends and when its payer cancels.
          when j.next_attempt_seconds is not null and coalesce(c.provider_reference, j.reference) is not null
            and case when j.applies then j.moves_to else j.from_status end in ('pending', 'processing')
          then least(clock_now() + make_interval(secs => j.next_attempt_seconds), ${nextEndCheck({
            cancelledAt: sql`j.cancel_requested_at`,
            promptEndsAt: sql`greatest(c.claimed_at, c.pushed_at) + make_interval(secs => ${promptLifeIn(sql`j.payer_network`, promptSeconds)})`,
          })})
          else clock_now() + make_interval(secs => j.next_attempt_seconds) end end,
      -- A payment that ended without a credit is queried again, unless it is proven that there is no charge.
      ended_at = case when not j.applies then c.ended_at when j.may_pay_late and ${hasCharge} then clock_now() end,
      recheck_at = case when not j.applies then c.recheck_at
        when j.may_pay_late and ${hasCharge} then clock_now() + make_interval(secs => ${recheckSeconds[0]}) end,
      -- The check of the books explains the end of the payment with this.
      ended_by = case when j.applies and j.ends
        then array_append(c.ended_by, j.moves_to || ' by ' || j.actor || ' in ' || j.request_id) else c.ended_by end,
      updated_at = clock_now()
    from judged j
    where j.informs_charge and c.home = j.home and c.payment_id = j.payment_id
  )`

/** The reference of the provider belongs to this payment from now on. */
export const bindReferences = sql`
  bound as (
    insert into provider_references (provider, environment, reference, home, payment_id)
    select j.provider, j.environment, j.reference, j.home, j.payment_id
    from judged j
    where j.binds
    -- No "on conflict": if another owner has just bound the reference, the statement fails, and the retry sees that owner.
  )`
