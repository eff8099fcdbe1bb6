/** The money of a settlement: the counters of the page, the credit of the wallet, and the provider's fee or the break that waits for it. */
import { openFeeBreaks } from '../../money/breaks/break.sql.ts'
import { systemHolder } from '../../money/ledger/account.sql.ts'
import { postTransfers } from '../../money/ledger/transfer.sql.ts'
import { literal, sql } from '../../platform/db/db.ts'
import { countPayments } from '../pages/page.sql.ts'

const system = literal(systemHolder)

/** The paid payments of each page, and the places that ended payments give back. */
export const countOnPages = countPayments(sql`
    select home, page_id, count(*) filter (where credits) as paid, coalesce(sum(amount) filter (where credits), 0)::bigint as total,
      count(*) filter (where releases_place)::integer as released
    from moved group by home, page_id`)

export const findLaterFees = sql`
  -- Fees of payments that were credited by an answer without a fee.
  later_fees as (
    select j.* from judged j
    -- The credit is read under the lock: a credit committed during the lock wait is not in our snapshot. A fee committed then
    -- is not in it either: the unique index makes the statement fail, and the retry sees that fee.
    where j.verdict = 'unchanged' and j.from_status = 'completed' and j.fee > 0 and j.amount = j.payment_amount
      and j.to_status = j.from_status
      and not exists (select from ledger_transfers t where t.home = j.home and t.payment_id = j.payment_id and t.kind = 'provider_fee')
  )`

/** The credit and its fee, and the later fees. */
export const postCredits = postTransfers(sql`
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
    from later_fees j where not j.fee_differs`)

/** A fee that is implausible is not booked: it waits for operators, the credit does not. */
export const openBreaksOfFees = openFeeBreaks(sql`
    select j.home, j.fee_transfer_id as id, j.environment, j.payment_id, j.provider, coalesce(j.provider_reference, j.reference) as reference,
      jsonb_strip_nulls(jsonb_build_object('fee', j.fee, 'amount', j.amount, 'expected_fee', j.expected_fee)) as details
    from judged j
    where j.fee_differs and ((j.applies and j.credits) or j.ord in (select ord from later_fees))`)
