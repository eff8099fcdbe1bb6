/** The promises about refunds: their sum is the one that their payment records, within the payment, they go to the phone that paid, and one outside moves nothing. */
import { correctedPayout } from '../../money/ledger/transfer.sql.ts'
import { sql, type Sql } from '../../platform/db/db.ts'
import { joinSums, missingConstraints, within, type Check, type Scope } from './scope.sql.ts'

/** Payments `p` whose refunds differ from what they record. `which`: the payments to check. */
const sumsOff = (scope: Scope, which: Sql): Sql => sql`
  select format('payment %s of %s records %s refunded (%s above it), but its refunds are %s', p.id, coalesce(p.amount_received, p.amount),
      p.refunded_amount, p.refund_overpaid, coalesce(r.total, 0)) as what, p.home, p.merchant_id, p.environment
  from payments p
  ${joinSums(scope, {
    sums: sql`sum(o.amount + c.corrected) filter (where o.status in ('pending', 'processing', 'completed')) as total,
      -- Only these can exceed the payment: operators have found that they had been paid after all, or with more.
      sum(o.amount + c.corrected) filter (where o.status = 'completed' and (o.late_success = 'booked' or c.corrected > 0)) as paid_after_all`,
    from: sql`from payouts o cross join lateral (${correctedPayout(sql`o.home`, sql`o.id`)}) c where o.refund_of is not null`,
    home: sql`o.home`,
    id: sql`o.refund_of`,
    to: sql`p`,
    name: sql`r`,
  })}
  where ${which} and (p.refunded_amount <> coalesce(r.total, 0) or p.refund_overpaid > coalesce(r.paid_after_all, 0)
    or p.refund_overpaid <> greatest(0, coalesce(r.total, 0) - coalesce(p.amount_received, p.amount)))`

export const refundPromises: readonly Check[] = [
  { invariant: 'refunds', over: 'payments', broken: (scope) => sumsOff(scope, within(scope, sql`p`, 'updated_at')) },
  {
    invariant: 'refunds',
    over: 'payouts',
    isOnlyForNew: true,
    broken: (scope) =>
      sumsOff(
        scope,
        sql`(p.home, p.id) in (
        select c.home, c.refund_of from payouts c where c.refund_of is not null and ${within(scope, sql`c`, 'updated_at')})`,
      ),
  },
  {
    invariant: 'refunds',
    over: 'payouts',
    broken: (scope) => sql`
      select format('refund %s of payment %s does not go back to its payer', p.id, p.refund_of) as what, p.home, p.merchant_id, p.environment
      from payouts p
      where p.purpose = 'refund' and ${within(scope, sql`p`, 'updated_at')} and not exists (
        select from payments q where q.home = p.home and q.id = p.refund_of and q.merchant_id = p.merchant_id
          and q.environment = p.environment and q.phone_number = p.phone_number and q.status = 'completed')`,
  },
  {
    invariant: 'refunds',
    over: 'payouts',
    broken: (scope) => sql`
      select format('refund %s was given outside, but has an order or lines in the ledger', p.id) as what, p.home, p.merchant_id, p.environment
      from payouts p
      where p.method = 'outside' and ${within(scope, sql`p`, 'updated_at')} and (
        exists (select from provider_payouts c where c.home = p.home and c.payout_id = p.id)
        or exists (select from ledger_transfers t where t.home = p.home and t.payout_id = p.id))`,
  },
  {
    invariant: 'refunds',
    over: 'glance',
    broken: () =>
      missingConstraints(['payments_refunds_within_amount', 'payouts_refund_has_payment', 'payouts_outside_costs_nothing']),
  },
]
