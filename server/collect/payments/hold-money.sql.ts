/** News of money that no settlement may book: held in suspense, or only reported, with a break for operators. */
import { openBreak, openFeeBreak, openOrAddEvidence } from '../../money/breaks/break.sql.ts'
import { systemHolder } from '../../money/ledger/account.sql.ts'
import { postTransfers } from '../../money/ledger/transfer.sql.ts'
import { markAsked, settleInboxMessage } from '../../money/providers/inbox.sql.ts'
import { literal, sql, type Runner, type Tx } from '../../platform/db/db.ts'
import { settlementRow } from './settlement-row.ts'
import type { Settlement, SettlementSource } from './settlement.ts'

const system = literal(systemHolder)

/** A payment, locked; `canBeCredited`: it was neither credited in the meantime nor is it held. */
async function lockCreditable(
  tx: Tx,
  key: { home: number; paymentId: string },
): Promise<{ amount: number; canBeCredited: boolean } | undefined> {
  return tx.maybeOne<{ amount: number; canBeCredited: boolean }>(sql`
    select p.amount, not p.held and exists (select from payment_transitions t where t.from_status = p.status and t.credits) as can_be_credited
    from payments p where p.home = ${key.home} and p.id = ${key.paymentId} for no key update`)
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
