/** The promises about a provider's messages: a reported success has its effect, and the notes about an order agree with its end. */
import { sql, type Sql } from '../../platform/db/db.ts'
import { near, within, type Check, type Scope } from './scope.sql.ts'

/** Operators have decided about the payment, or will: they explain its end. */
const hasBreak = (scope: Scope): Sql =>
  sql`exists (select from breaks k where k.home = p.home and k.payment_id = p.id and ${near(scope, sql`k.home`, sql`k.payment_id`)})`

/** Ended on the first day of the database, on which an end without a note is accepted. */
const isFromBefore = sql`p.updated_at < (
  select m.timestamp::timestamptz + interval '1 day' from kysely_migration m where m.name = '0011-payments')`

export const evidencePromises: readonly Check[] = [
  {
    invariant: 'messages',
    over: 'payments',
    broken: (scope) => sql`
      select format('message %s (%s) says that %s was paid and is %s, but payment %s is %s of %s', b.event_id, b.provider, b.paid_amount, b.state,
        p.id, p.status, p.amount) as what, p.home, p.merchant_id
      from payments p
      join provider_inbox b on b.home = p.home and b.payment_id = p.id
        -- Not plain conditions: the index by state has all messages, and each step would read it.
        and case when b.paid_amount is not null then b.state in ('settled', 'ignored') else false end
        and ${near(scope, sql`b.home`, sql`b.payment_id`)}
      where ${within(scope, sql`p`, 'updated_at')} and not ${hasBreak(scope)}
        -- A later message with another amount did not settle the payment: an answer of the provider had already credited it.
        and (p.status <> 'completed' or (b.paid_amount <> coalesce(p.amount_received, p.amount) and coalesce(b.settled_at <= p.completed_at, true)
          and 0 = (select count(*) from provider_inbox o where o.home = b.home and o.payment_id = b.payment_id and o.paid_amount = coalesce(p.amount_received, p.amount))))`,
  },
  {
    invariant: 'messages',
    over: 'glance',
    broken: () => sql`
      select format('message %s (%s) says that %s was paid, is %s and names no payment', b.event_id, b.provider, b.paid_amount, b.state) as what
      from provider_inbox b
      where b.paid_amount is not null and b.payment_id is null and b.state in ('settled', 'ignored')`,
  },
  {
    invariant: 'ends',
    over: 'payments',
    broken: (scope) => sql`
      select format('payment %s is %s, late: %s, but its recorded ends are %s', p.id, p.status, p.late, coalesce(c.ended_by::text, 'none')) as what,
        p.home, p.merchant_id
      from payments p
      join provider_charges c on c.home = p.home and c.payment_id = p.id
      where ${within(scope, sql`p`, 'updated_at')} and ${near(scope, sql`c.home`, sql`c.payment_id`)} and not ${hasBreak(scope)}
        and not (c.ended_by is null and ${isFromBefore})
        and (case when p.status in ('pending', 'processing') then c.ended_by is not null
          else split_part(c.ended_by[cardinality(c.ended_by)], ' ', 1) is distinct from p.status end
          or (p.late <> (coalesce(cardinality(c.ended_by), 0) > 1) and not (p.late and p.created_at < (
            select m.timestamp::timestamptz + interval '1 day' from kysely_migration m where m.name = '0011-payments'))))`,
  },
  {
    invariant: 'charges',
    over: 'payments',
    broken: (scope) => sql`
      select format('the charge of payment %s has the state %s with reference %s, but the payment is %s', p.id, c.state, c.provider_reference, p.status) as what,
        p.home, p.merchant_id
      from payments p
      join provider_charges c on c.home = p.home and c.payment_id = p.id
      where ${within(scope, sql`p`, 'updated_at')} and ${near(scope, sql`c.home`, sql`c.payment_id`)} and c.state = 'rejected'
        and (c.provider_reference is not null or p.status not in ('failed', 'voided', 'expired'))`,
  },
  {
    invariant: 'charges',
    over: 'payouts',
    broken: (scope) => sql`
      select format('the order of payout %s has the state %s with reference %s, but the payout is %s', p.id, c.state, c.provider_reference, p.status) as what,
        p.home, p.merchant_id
      from payouts p
      join provider_payouts c on c.home = p.home and c.payout_id = p.id
      where ${within(scope, sql`p`, 'updated_at')} and ${near(scope, sql`c.home`, sql`c.payout_id`)}
        -- Operators may have decided that it was paid after all.
        and not exists (select from breaks k where k.home = p.home and k.payout_id = p.id) and (
        (c.state in ('rejected', 'withdrawn') and c.provider_reference is not null)
        or (c.state = 'rejected' and p.status <> 'failed') or (c.state = 'withdrawn' and p.status <> 'cancelled'))`,
  },
  {
    invariant: 'charges',
    over: 'payouts',
    broken: (scope) => sql`
      select format('payout %s has the reference %s of %s, which belongs to %s', c.payout_id, c.provider_reference, c.provider,
          coalesce('payout ' || r.payout_id, 'payment ' || r.payment_id, 'break ' || r.break_id, 'nothing')) as what,
        p.home, p.merchant_id
      from payouts p
      join provider_payouts c on c.home = p.home and c.payout_id = p.id
      left join provider_references r on r.provider = c.provider and r.environment = c.environment and r.reference = c.provider_reference
      where ${within(scope, sql`p`, 'updated_at')} and ${near(scope, sql`c.home`, sql`c.payout_id`)} and c.provider_reference is not null and r.payout_id is distinct from p.id`,
  },
]
