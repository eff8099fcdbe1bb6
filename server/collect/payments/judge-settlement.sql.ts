/**
 * What each settlement of a batch means for its payment: the rows under their locks, then one verdict each. Nothing is written here.
 * Invariant: only the verdict `applied` moves a payment, and only `applied` with `credits` moves money.
 */
import { correctedCredit } from '../../money/ledger/transfer.sql.ts'
import { sql } from '../../platform/db/db.ts'

/** `subject`: the payments of `input` under their locks, each with the owner of the reference that its news names. */
export const lockSubjects = sql`
  subject as materialized (
    select s.*, r.owner as reference_owner, r.break_id as reference_break
    from (select * from input order by home, payment_id) i
    -- One at a time, so that rows are locked in this order and found by primary key for any number of payments.
    cross join lateral (
      select p.home, p.id, p.environment, p.status, p.amount, p.amount_received, p.currency, p.merchant_id, p.page_id, p.holds_place, p.held,
        p.network_receipt, p.phone_number,
        -- What operators have corrected since its credit. Nothing is read for a payment that is not credited.
        case when p.status = 'completed' then (select x.credit from (${correctedCredit(sql`p.home`, sql`p.id`)}) x) end as corrected,
        p.cancel_requested_at, p.network as payer_network, c.provider, c.provider_reference, c.attempts
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
  )`

/** `judgement`: each row of `input` beside its payment, with the verdict. The first condition that holds decides. */
export const judge = sql`
  judgement as (
    select i.*, w.moves_to, s.status as from_status, coalesce(s.amount_received, s.amount) + coalesce(s.corrected, 0) as payment_amount, s.merchant_id, s.page_id, s.holds_place, s.provider_reference,
      s.network_receipt as known_receipt, s.phone_number, s.cancel_requested_at, s.payer_network,
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
      select case when s.cancel_requested_at is not null and i.is_final and i.to_status in ('failed', 'expired') then 'voided' else i.to_status end as moves_to,
        (i.only_unbound and s.provider_reference is not null) or coalesce(i.only_at_attempts <> s.attempts, false) as overtaken
    ) w
    left join payment_transitions t on t.from_status = s.status and t.to_status = w.moves_to
  )`

/** `judged`: which effects follow from each verdict. Every writing part of the statement reads only this. */
export const deriveEffects = sql`
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
  )`
