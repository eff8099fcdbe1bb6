/**
 * The one statement that applies a provider's messages to payments: transition, wallet credit, page counters, event, deliveries, charge
 * and inbox, for a whole batch at once or for none of it. payment_transitions defines which moves exist, credit and end. Locks are taken
 * in one order: payments, pages, ledger accounts; payments and pages by (home, id), accounts by their keys.
 */
import type { PaymentStatus } from '../../domain/payment.ts'
import { openBreak, openFeeBreak, openFeeBreaks, openOrAddEvidence } from '../../money/breaks/break.sql.ts'
import { systemHolder } from '../../money/ledger/account.sql.ts'
import { correctedCredit, postTransfers } from '../../money/ledger/transfer.sql.ts'
import { countPayments } from '../pages/page.sql.ts'
import { literal, sql, type Runner, type Tx } from '../../platform/db/db.ts'
import { recordset } from '../../platform/db/recordset.ts'
import { notifyAfterCommit } from '../../platform/db/notify.sql.ts'
import { markAsked, settleInbox, settleInboxMessage } from '../../money/providers/inbox.sql.ts'
import { recheckSeconds } from './payment.ts'
import { movedColumns, recordPaymentEvents } from './payment-event.sql.ts'
import { settlementColumns, settlementRow } from './settlement-row.ts'
import type { Settlement, SettlementSource } from './settlement.ts'

export const verdicts = [
  'applied',
  'unchanged',
  /** The state machine does not allow the move: an old message after the end. */
  'ignored',
  /** A success without an amount. */
  'unproven',
  /** A webhook that must not credit by itself: the provider is queried first. */
  'to_confirm',
  /** A webhook of another amount or currency: nothing is booked, and the provider is queried. */
  'amount_to_confirm',
  /** A webhook that contradicts the credit of a payment: nothing moves, and the provider is queried. */
  'contradicts',
  'amount_differs',
  'held',
  'reference_conflict',
  /** A break has booked the money of this record: nothing moves here. */
  'found',
  'unknown_payment',
] as const
export type Verdict = (typeof verdicts)[number]

export type Settled = {
  verdict: Verdict
  status: PaymentStatus | null
  /** A success after the payment had ended differently. */
  isLate: boolean
  /** The fee was implausible: a break was opened. */
  feeWaits?: boolean
  /** The request that started the payment, if the settlement moved it. */
  startedBy?: string | null
  /** How long the credit took, for metrics; null if it credited nothing. `sinceMessage` is null if no message caused the credit. */
  creditedAfter?: { sinceCheckoutSeconds: number; sinceMessageSeconds: number | null } | null
  /** Deliveries became due, for this or another payment of its batch. */
  hasDueDeliveries?: boolean
  /** The payment has another network receipt than this news. The first one stays. */
  receiptDiffers?: boolean
}

const system = literal(systemHolder)

/** After settlement `j`, the known facts about charge `c` do not prove that there is no charge. */
const hasCharge = sql`(coalesce(c.provider_reference, j.reference) is not null or coalesce(j.charge_state, c.state) <> 'rejected')`

/**
 * Applies a batch; a payment may occur in it only once. `changedPayload` is the notification to those who wait for these payments, sent
 * after the commit; null: the caller notifies, for many batches at once.
 */
export async function applySettlements(db: Runner, items: Settlement[], changedPayload: string | null): Promise<Settled[]> {
  const rows = await db.rows<Omit<Settled, 'creditedAfter'> & { sinceCheckout: number | null; sinceMessage: number | null }>(sql`
    with input as (
      select *
      from ${recordset(items.map(settlementRow), 'i', settlementColumns, 'ord')}
    ),
    subject as materialized (
      select s.*, r.owner as reference_owner, r.break_id as reference_break
      from (select * from input order by home, payment_id) i
      -- One at a time, so that rows are locked in this order and found by primary key for any number of payments.
      cross join lateral (
        select p.home, p.id, p.environment, p.status, p.amount, p.amount_received, p.currency, p.merchant_id, p.page_id, p.holds_place, p.held,
          p.network_receipt, p.phone_number,
          -- What operators have corrected since its credit. Nothing is read for a payment that is not credited.
          case when p.status = 'completed' then (select x.credit from (${correctedCredit(sql`p.home`, sql`p.id`)}) x) end as corrected,
          p.cancel_requested_at is not null as is_cancel_requested, c.provider, c.provider_reference, c.attempts
        from payments p
        join provider_charges c on c.home = p.home and c.payment_id = p.id
        where p.home = i.home and p.id = i.payment_id
        for no key update
      ) s
      left join lateral (
        select coalesce(r.payment_id, r.payout_id) as owner, r.break_id
        from provider_references r
        where s.provider_reference is null and r.provider = i.provider and r.environment = i.environment and r.reference = i.reference
        offset 0
      ) r on true
    ),
    judgement as (
      select i.*, w.moves_to, s.status as from_status, coalesce(s.amount_received, s.amount) + coalesce(s.corrected, 0) as payment_amount, s.merchant_id, s.page_id, s.holds_place, s.provider_reference,
        s.network_receipt as known_receipt, s.phone_number,
        t.ends, t.credits, t.late,
        w.overtaken,
        case
          when s.id is null then 'unknown_payment'
          when s.environment <> i.environment or s.provider <> i.provider or i.names_another or i.reference <> s.provider_reference or s.reference_owner <> s.id
            then 'reference_conflict'
          when s.reference_break is not null then 'found'
          when i.confirm_above is not null and s.status = 'completed' and i.is_final and not w.overtaken
            and (case when i.to_status = 'completed' then i.amount else 0 end <> coalesce(s.amount_received, s.amount) + s.corrected
              or i.to_status = 'completed' and i.currency <> s.currency) then 'contradicts'
          when w.moves_to is null or w.moves_to = s.status or w.overtaken then 'unchanged'
          when t.to_status is null then 'ignored'
          when t.credits and s.held then 'held'
          when t.credits and (i.amount is null or i.currency is null) then 'unproven'
          when t.credits and (i.amount <> s.amount or i.currency <> s.currency)
            then case when i.confirm_above is null then 'amount_differs' else 'amount_to_confirm' end
          when t.credits and (t.late or s.amount > i.confirm_above) and i.confirm_above is not null then 'to_confirm'
          when s.held then 'held'
          else 'applied'
        end as verdict
      from input i
      left join subject s on s.home = i.home and s.id = i.payment_id
      cross join lateral (
        select case when s.is_cancel_requested and i.is_final and i.to_status in ('failed', 'expired') then 'voided' else i.to_status end as moves_to,
          (i.only_unbound and s.provider_reference is not null) or coalesce(i.only_at_attempts <> s.attempts, false) as overtaken
      ) w
      left join payment_transitions t on t.from_status = s.status and t.to_status = w.moves_to
    ),
    judged as materialized (
      -- Boolean columns instead of comparisons: the planner expects half of the rows for a boolean, and almost none for a comparison.
      select *, verdict = 'applied' as applies, coalesce(ends and not credits, false) as may_pay_late,
        verdict in ('applied', 'unchanged', 'ignored', 'unproven', 'to_confirm', 'amount_to_confirm') and not overtaken as informs_charge,
        verdict in ('applied', 'unchanged', 'ignored', 'unproven', 'to_confirm', 'amount_to_confirm') and reference is not null and provider_reference is null as binds,
        verdict in ('applied', 'unchanged', 'ignored', 'to_confirm') as is_done,
        -- From any news of a success of this charge, also of one that must still be confirmed: a payer searches by it. Money that is held stores its own.
        network_receipt is not null and not overtaken and to_status = 'completed'
          and verdict not in ('amount_differs', 'reference_conflict', 'unknown_payment') as has_receipt,
        -- The first one stays, but the credit replaces one that was not confirmed. An erased one is the payer's pseudonym, and stays.
        (known_receipt is null or (verdict = 'applied' and known_receipt not in (network_receipt, phone_number))) as takes_receipt
      from judgement
    ),
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
    ),
    -- The receipt of a payment that this news does not move.
    later_receipts as (
      update payments p set network_receipt = j.network_receipt, updated_at = clock_now()
      from judged j
      where j.has_receipt and j.takes_receipt and not j.applies and p.home = j.home and p.id = j.payment_id
    ),
    found_receipts as (
      insert into payment_receipts (home, payment_id, parts)
      select j.home, j.payment_id, array_append(string_to_array(j.receipt_parts, ' '), j.environment || ' ' || j.merchant_id)
      from judged j
      where j.has_receipt and j.takes_receipt
      on conflict (home, payment_id) do update set parts = excluded.parts
    ),
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
          then clock_now() + make_interval(secs => j.next_attempt_seconds) end,
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
    ),
    bound as (
      insert into provider_references (provider, environment, reference, home, payment_id)
      select j.provider, j.environment, j.reference, j.home, j.payment_id
      from judged j
      where j.binds
      -- No "on conflict": if another owner has just bound the reference, the statement fails, and the retry sees that owner.
    ),
    ${countPayments(sql`
      select home, page_id, count(*) filter (where credits) as paid, coalesce(sum(amount) filter (where credits), 0)::bigint as total,
        count(*) filter (where releases_place)::integer as released
      from moved group by home, page_id`)},
    -- Fees of payments that were credited by an answer without a fee.
    later_fees as (
      select j.* from judged j
      -- The credit is read under the lock: a credit committed during the lock wait is not in our snapshot. A fee committed then
      -- is not in it either: the unique index makes the statement fail, and the retry sees that fee.
      where j.verdict = 'unchanged' and j.from_status = 'completed' and j.fee > 0 and j.amount = j.payment_amount
        and j.to_status = j.from_status
        and not exists (select from ledger_transfers t where t.home = j.home and t.payment_id = j.payment_id and t.kind = 'provider_fee')
    ),
    ${postTransfers(sql`
      select ord, home, environment, transfer_id, movement_id, 'payment' as kind,
        'provider_clearing' as debit_kind, ${system}::uuid as debit_holder,
        'wallet' as credit_kind, merchant_id as credit_holder, amount, payment_id, page_id, null::uuid as payout_id, null::uuid as break_id, actor, request_id
      from moved
      -- Reading the pages first keeps the lock order: payments, pages, accounts.
      where credits and (select count(*) from counting_pages) >= 0
      union all
      select ord, home, environment, fee_transfer_id, movement_id, 'provider_fee',
        'provider_fees', ${system}::uuid,
        'provider_clearing', ${system}::uuid, fee, payment_id, page_id, null, null, actor, request_id
      from moved where credits and fee > 0
      union all
      select j.ord, j.home, j.environment, j.fee_transfer_id, j.movement_id, 'provider_fee',
        'provider_fees', ${system}::uuid,
        'provider_clearing', ${system}::uuid, j.fee, j.payment_id, j.page_id, null, null, j.actor, j.request_id
      from later_fees j where not j.fee_differs`)},
    ${openFeeBreaks(sql`
      select j.home, j.fee_transfer_id as id, j.environment, j.payment_id, j.provider, coalesce(j.provider_reference, j.reference) as reference,
        jsonb_strip_nulls(jsonb_build_object('fee', j.fee, 'amount', j.amount, 'expected_fee', j.expected_fee)) as details
      from judged j
      where j.fee_differs and ((j.applies and j.credits) or j.ord in (select ord from later_fees))`)},
    ${recordPaymentEvents(sql`moved`)},
    ${settleInbox(sql`judged`)}
    select j.verdict, f.payment_id is not null as fee_waits, coalesce(m.status, j.from_status) as status, coalesce(j.late and m.status is not null, false) as is_late,
      m.started_by, case when m.credits then extract(epoch from m.completed_at - m.created_at)::double precision end as since_checkout,
      case when m.credits then extract(epoch from m.completed_at - s.received_at)::double precision end as since_message,
      exists (select from enqueued_deliveries) as has_due_deliveries,
      coalesce(j.has_receipt and j.network_receipt <> j.known_receipt, false) as receipt_differs
    from judged j
    left join moved m on m.ord = j.ord
    left join settled_inbox s on s.ord = j.ord
    left join fee_breaks f on f.payment_id = j.payment_id
    order by j.ord`)
  if (changedPayload !== null) {
    const news = rows.some(({ verdict }) => verdict === 'applied')
      ? [{ channel: 'payments_changed', payload: changedPayload }]
      : []
    if (rows[0]?.hasDueDeliveries === true) news.push({ channel: 'webhooks_due', payload: '' })
    if (news.length > 0) await notifyAfterCommit(db, news)
  }
  return rows.map(({ sinceCheckout, sinceMessage, ...settled }) => ({
    ...settled,
    creditedAfter: sinceCheckout === null ? null : { sinceCheckoutSeconds: sinceCheckout, sinceMessageSeconds: sinceMessage },
  }))
}

/** A payment, locked; `canBeCredited`: it was neither credited in the meantime nor is it held. */
async function lockCreditable(
  tx: Tx,
  key: { home: number; paymentId: string },
): Promise<{ amount: number; canBeCredited: boolean } | undefined> {
  const [payment] = await tx.rows<{ amount: number; canBeCredited: boolean }>(sql`
    select p.amount, not p.held and exists (select from payment_transitions t where t.from_status = p.status and t.credits) as can_be_credited
    from payments p where p.home = ${key.home} and p.id = ${key.paymentId} for no key update`)
  return payment
}

/** A payment without an end is processing while money of another amount is unexplained. */
const processingIfOpen = sql`coalesce((select t.to_status from payment_transitions t where t.from_status = p.status and t.to_status = 'processing'), p.status)`

/**
 * Opens the break of a message with another amount or currency than the order. Nothing is booked: the provider's own answer decides, and
 * is added to the break.
 */
export async function reportUnconfirmed(tx: Tx, settlement: Settlement, breakId: string): Promise<void> {
  const { home, paymentId, environment, provider, reference, amount, currency } = settlementRow(settlement)
  const payment = await lockCreditable(tx, settlement)
  // Credited or held in the meantime: the sweep compares the message with that.
  if (!payment?.canBeCredited) return
  await tx.rows(sql`
    update payments p set status = ${processingIfOpen}, updated_at = clock_now() where p.home = ${home} and p.id = ${paymentId}`)
  const details = {
    provider,
    reference,
    ordered: payment.amount,
    message_amount: amount,
    message_currency: currency,
    amount: null,
    currency: null,
    booked: 0,
    difference: null,
  }
  await openBreak(tx, { home, paymentId, environment, provider, reference, kind: 'amount_differs', details }, breakId)
  const { inboxEventId: eventId } = settlement
  if (eventId !== undefined) await markAsked(tx, { provider, environment, eventId }, { home, paymentId })
}

/**
 * Moves proven money that differs from the payment's amount once from clearing to suspense, and opens a break for operators. The payment
 * is held: it stays `processing`, is not credited and does not expire. Returns true if the fee was implausible: it waits with a separate
 * break.
 */
export async function holdDifferingMoney(
  tx: Tx,
  settlement: Settlement,
  ids: { breakId: string; feeBreakId: string },
): Promise<boolean> {
  const item = settlementRow(settlement)
  let feeWaits = false
  const payment = await lockCreditable(tx, item)
  if (!payment) return false
  if (payment.canBeCredited) {
    await tx.rows(sql`
      with moved as (
        update payments p
        set held = true, updated_at = clock_now(),
          network_receipt = case when p.network_receipt = p.phone_number then p.network_receipt else coalesce(${item.networkReceipt}, p.network_receipt) end,
          status = ${processingIfOpen}
        where p.home = ${item.home} and p.id = ${item.paymentId}
      ),
      found_receipt as (
        insert into payment_receipts (home, payment_id, parts)
        select p.home, p.id, array_append(string_to_array(${item.receiptParts}::text, ' '), p.environment || ' ' || p.merchant_id)
        from payments p
        where p.home = ${item.home} and p.id = ${item.paymentId} and p.network_receipt is distinct from p.phone_number and ${item.networkReceipt}::text is not null
        on conflict (home, payment_id) do update set parts = excluded.parts
      ),
      charged as (
        update provider_charges set state = 'accepted', provider_reference = coalesce(provider_reference, ${item.reference}),
          next_attempt_at = null, updated_at = clock_now()
        where home = ${item.home} and payment_id = ${item.paymentId}
      ),
      bound as (
        insert into provider_references (provider, environment, reference, home, payment_id)
        select ${item.provider}, ${item.environment}, ${item.reference}, ${item.home}, ${item.paymentId}
        where ${item.reference}::text is not null and not exists (
          select from provider_references r
          where r.provider = ${item.provider} and r.environment = ${item.environment} and r.reference = ${item.reference} and r.payment_id = ${item.paymentId})
      ),
      ${postTransfers(sql`
        select 1::bigint as ord, ${item.home}::smallint as home, ${item.environment}::text as environment, ${item.transferId}::uuid as transfer_id,
          ${item.movementId}::uuid as movement_id, 'suspense' as kind,
          'provider_clearing' as debit_kind, ${system}::uuid as debit_holder,
          'suspense' as credit_kind, ${system}::uuid as credit_holder,
          ${item.amount}::bigint as amount, ${item.paymentId}::uuid as payment_id, null::uuid as page_id, null::uuid as payout_id, null::uuid as break_id, ${item.actor}::text as actor, ${item.requestId}::text as request_id
        -- Money in another currency is not booked; only its break records it.
        where ${item.currency}::text = 'TZS' and ${item.amount}::bigint > 0
        union all
        -- The provider has deducted its fee from this money too.
        select 2, ${item.home}, ${item.environment}, ${item.feeTransferId}::uuid, ${item.movementId}::uuid, 'provider_fee',
          'provider_fees', ${system}::uuid,
          'provider_clearing', ${system}::uuid,
          ${item.fee}::bigint, ${item.paymentId}::uuid, null, null, null, ${item.actor}, ${item.requestId}
        where ${item.currency}::text = 'TZS' and ${item.amount}::bigint > 0 and ${item.fee}::bigint > 0 and not ${item.feeDiffers}::boolean`)}
      select 1 as done`)
    const { home, paymentId, environment, provider, reference, amount, currency, fee, expectedFee } = item
    const subject = { home, paymentId, environment, provider, reference }
    const booked = currency === 'TZS' && amount !== null ? amount : 0
    const difference = currency === 'TZS' && amount !== null ? amount - payment.amount : null
    const details = { provider, reference, ordered: payment.amount, amount, currency, booked, difference }
    await openOrAddEvidence(tx, { ...subject, kind: 'amount_differs', details }, ids.breakId)
    if (item.feeDiffers && currency === 'TZS' && fee !== null && amount !== null) {
      feeWaits = await openFeeBreak(tx, { ...subject, amount, fee, expectedFee }, ids.feeBreakId)
    }
  }
  await settleInboxOf(tx, settlement)
  return feeWaits
}

export async function settleInboxOf(db: Runner, item: SettlementSource): Promise<void> {
  const { provider, environment, inboxEventId: eventId, home, paymentId } = item
  if (eventId !== undefined) await settleInboxMessage(db, { provider, environment, eventId }, { home, paymentId })
}
