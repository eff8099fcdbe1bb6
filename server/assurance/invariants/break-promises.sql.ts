/**
 * The promises about the money of breaks: which account has it until the break is resolved, and that nothing is left there afterwards.
 */
import { sql, type Sql } from '../../platform/db/db.ts'
import { changedPayouts, within, type Check } from './scope.sql.ts'

const b = sql`b`

/** Whether the break `b` has a transfer of one of these kinds, made by its resolution. */
const has = (kinds: string[]): Sql => sql`exists (
  select from ledger_transfers t where t.home = b.home and t.break_id = b.id and t.kind = any(${kinds}::text[]))`

/** Breaks that were resolved before transfers named them are linked to their transfers by the payout. */
const hasOfPayout = (kind: string): Sql => sql`exists (
  select from ledger_transfers t where t.home = b.home and t.payout_id = b.payout_id and t.kind = ${kind}::text
    and (t.break_id = b.id or t.break_id is null))`

export const breakPromises: readonly Check[] = [
  {
    invariant: 'breaks',
    over: 'breaks',
    broken: (scope) => sql`
      select format('break %s was resolved with %s, and the ledger does not show it', b.id, b.resolution) as what,
        b.home, p.merchant_id
      from breaks b
      left join payouts p on p.home = b.home and p.id = b.payout_id
      where ${within(scope, b, 'created_at')} and b.resolved_at is not null and not case b.resolution
        when 'payout_paid' then ${hasOfPayout('payout_settled')}
        when 'payout_not_paid' then ${hasOfPayout('payout_reversal')} or ${hasOfPayout('refund_reversal')}
        when 'payout_returned' then ${hasOfPayout('payout_returned')} or ${has(['payout_write_off_returned'])}
        when 'payout_paid_after_all' then ${has(['payout_settled'])}
        when 'write_off' then ${has(['payout_written_off', 'unallocated_written_off'])}
        when 'debit_wallet' then ${has(['unallocated_debited'])}
        when 'follow_provider' then b.payout_id is null or ${has(['payout_raised', 'payout_raised_owed', 'payout_lowered'])}
        else true
      end`,
  },
  {
    invariant: 'breaks',
    over: 'breaks',
    broken: (scope) => sql`
      select format('break %s was resolved with %s, but %s of the money that left is not allocated', b.id, b.resolution, u.amount) as what,
        b.home, null::uuid as merchant_id
      from breaks b
      cross join lateral (
        select sum(case when t.kind = 'unallocated_paid' then t.amount else -t.amount end) as amount from ledger_transfers t
        where t.home = b.home and t.break_id = b.id
          and t.kind in ('unallocated_paid', 'unallocated_debited', 'unallocated_written_off')
      ) u
      where ${within(scope, b, 'created_at')} and b.resolved_at is not null and b.kind = 'unknown_at_provider' and u.amount <> 0`,
  },
  {
    invariant: 'breaks',
    over: 'breaks',
    broken: (scope) => sql`
      select format('the record %s of %s is booked with break %s and with %s', b.provider_reference, b.provider, b.id,
          coalesce('payment ' || r.payment_id, 'payout ' || r.payout_id)) as what,
        r.home, coalesce(p.merchant_id, o.merchant_id) as merchant_id
      from breaks b
      join provider_references r on r.provider = b.provider and r.environment = b.environment and r.reference = b.provider_reference
      join ledger_transfers t on t.home = b.home and t.break_id = b.id and t.kind in ('unallocated_found', 'unallocated_paid')
      left join payments p on p.home = r.home and p.id = r.payment_id and p.status = 'completed' and p.credit_reversed_at is null
      left join payouts o on o.home = r.home and o.id = r.payout_id and o.status = 'completed'
      where ${within(scope, b, 'created_at')} and (p.id is not null or o.id is not null)
        and not ${has(['unallocated_credited'])}
        -- What was only found was given up. A decision debits a wallet in the same way.
        and not (${has(['unallocated_debited'])} and b.resolution <> 'debit_wallet')`,
  },
  {
    invariant: 'I8',
    over: 'breaks',
    broken: (scope) => sql`
      select format('break %s is %s, but %s of the found money is in unallocated', b.id, coalesce('resolved by ' || b.resolution, 'open'), l.amount) as what,
        b.home, null::uuid as merchant_id
      from breaks b
      cross join lateral (
        select coalesce(sum(case when c.kind = 'unallocated' then t.amount when d.kind = 'unallocated' then -t.amount end), 0) as amount
        from ledger_transfers t
        join ledger_accounts d on d.home = t.home and d.id = t.debit_account_id
        join ledger_accounts c on c.home = t.home and c.id = t.credit_account_id
        where t.home = b.home and t.break_id = b.id
      ) l
      where ${within(scope, b, 'created_at')} and exists (select from ledger_transfers f where f.home = b.home and f.break_id = b.id and f.kind = 'unallocated_found')
        and (l.amount < 0 or (l.amount > 0 and b.resolved_at is not null and b.resolution <> 'keep_unallocated'))`,
  },
  {
    invariant: 'I8',
    over: 'breaks',
    broken: (scope) => sql`
      select format('break %s was resolved by returning its money, which no completed payout did', b.id) as what, b.home, null::uuid as merchant_id
      from breaks b
      where ${within(scope, b, 'created_at')} and b.resolution in ('return_to_payer', 'refund_second_charge') and b.resolved_at is not null
        and not exists (select from payouts p where p.home = b.home and p.break_id = b.id and p.status = 'completed')
        -- Money of another currency was never in these books, and before there were system payouts the provider returned it.
        and (b.details ->> 'currency' is not distinct from 'TZS' or b.kind <> 'amount_differs')
        and not exists (
          select from ledger_transfers t where t.home = b.home and t.payment_id = b.payment_id and t.kind = 'suspense_return')`,
  },
  {
    invariant: 'I7',
    over: 'payouts',
    broken: (scope) => sql`
      select format('the return %s is %s: took %s, paid %s, gave back %s, brought back %s', p.id, p.status, t.taken, t.paid, t.given_back, t.brought_back) as what,
        p.home, null::uuid as merchant_id
      from payouts p
      cross join lateral (
        select coalesce(sum(amount) filter (where kind = 'return_reserved'), 0) as taken,
          coalesce(sum(amount) filter (where kind = 'return_settled'), 0) as paid,
          coalesce(sum(amount) filter (where kind = 'return_given_back'), 0) as given_back,
          coalesce(sum(amount) filter (where kind = 'return_brought_back'), 0) as brought_back
        from ledger_transfers where home = p.home and payout_id = p.id
      ) t
      where ${changedPayouts(scope)} and p.purpose = 'return_to_payer' and (t.taken <> p.amount
        or t.paid <> case when p.status in ('completed', 'reversed') then p.amount else 0 end
        or t.given_back <> case when p.status in ('failed', 'cancelled') then p.amount else 0 end
        or t.brought_back <> case when p.status = 'reversed' then p.amount else 0 end)`,
  },
  {
    invariant: 'I7',
    over: 'ledger_accounts',
    broken: (scope) => sql`
      select format('of home %s (%s) %s are reserved for returns, in flight are %s', a.home, a.environment, a.balance, coalesce(w.total, 0)) as what,
        a.home, null::uuid as merchant_id
      from ledger_accounts a
      left join (
        select home, environment, sum(amount) as total from payouts
        where purpose = 'return_to_payer' and status in ('pending', 'processing') group by home, environment
      ) w on w.home = a.home and w.environment = a.environment
      where ${within(scope, sql`a`, 'created_at')} and a.kind = 'returns_reserved' and a.balance <> coalesce(w.total, 0)`,
  },
]
