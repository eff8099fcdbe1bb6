/**
 * The money facts of a merchant, without ids and times: how many rows of each kind are in which state, and the balance of each account. What
 * an order did is the difference between two of these.
 */
import type { TestApp } from '../app.ts'
import { toWire } from '../../server/platform/ids.ts'
import type { Met } from './pair.ts'

export type Facts = ReadonlyMap<string, number>

const factsQuery = `
  with m as (select id, home from merchants where id = $1),
  pa as (select p.* from payments p join m on p.home = m.home and p.merchant_id = m.id),
  po as (
    select p.* from payouts p join m on p.home = m.home
    where p.merchant_id = m.id or p.break_id = $2 or exists (
      select from breaks b join pa on pa.home = b.home and pa.id = b.payment_id where b.home = p.home and b.id = p.break_id)),
  br as (
    select b.* from breaks b
    where b.id = $2 or b.payment_id in (select id from pa) or b.payout_id in (select id from po))
  select concat_ws(' ', 'balance', a.environment, a.kind) as fact, a.balance as count
    from ledger_accounts a join m on a.holder = m.id
  union all
  select concat_ws(' ', 'transfer', t.kind, d.kind, c.kind, t.amount), count(*)
    from ledger_transfers t join m on t.home = m.home
    join ledger_accounts d on d.home = t.home and d.id = t.debit_account_id
    join ledger_accounts c on c.home = t.home and c.id = t.credit_account_id
    where t.payment_id in (select id from pa) or t.payout_id in (select id from po) or t.break_id in (select id from br)
    group by 1
  union all
  select concat_ws(' ', 'payment', status, case when held then 'held' end, case when late then 'late' end, 'received', amount_received,
      'refunded', refunded_amount, case when credit_reversed_at is not null then 'reversed' end, failure_code, case when holds_place then 'place' end, case when phone_number not like '+%' then 'erased' end), count(*)
    from pa group by 1
  union all
  select concat_ws(' ', 'payout', o.purpose, nullif(o.method, 'provider'), o.status, o.amount, case when o.held then 'held' end, o.late_success, 'approval', o.approval, o.failure_code,
      'order', p.state, case when o.phone_number not like '+%' then 'erased' end), count(*)
    from po o left join provider_payouts p on p.home = o.home and p.payout_id = o.id group by 1
  union all
  select concat_ws(' ', 'break', kind, case when resolved_at is null then 'open' else 'resolved' end, resolution, case when proposal is not null then 'proposed' end), count(*)
    from br group by 1
  union all
  select concat_ws(' ', 'event', e.type), count(*) from events e join m on e.home = m.home and e.merchant_id = m.id group by 1
  union all
  select concat_ws(' ', 'approval', r.kind, r.status, 'votes',
      (select count(*) from approval_votes v where v.home = r.home and v.request_id = r.id)), count(*)
    from approval_requests r join m on r.home = m.home and r.merchant_id = m.id group by 1
  union all
  select concat_ws(' ', 'batch', b.status, b.row_count, b.total, b.fees, b.failure_code), count(*)
    from payout_batches b join m on b.home = m.home and b.merchant_id = m.id group by 1
  union all
  select f.fact, sum(f.count) from payment_pages g join m on g.home = m.home and g.merchant_id = m.id
    cross join lateral (values ('page held', g.held_count), ('page paid', g.paid_count), ('page total', g.paid_total)) f (fact, count) group by 1`

export async function readFacts(app: TestApp, { merchantId, breakId }: Met): Promise<Facts> {
  const { rows } = await app.owner.pool.query<{ fact: string; count: string }>(factsQuery, [merchantId, breakId ?? null])
  return new Map(rows.map(({ fact, count }) => [fact, Number(count)]))
}

/** The payouts of a merchant ($1) or a break ($2) that were made since a moment ($3). */
export const payoutsOf = 'select * from payouts where (merchant_id = $1 or break_id = $2) and created_at >= $3'

/** The orders that the provider has of these payouts, by state and amount. */
export async function readProvider(app: TestApp, { merchantId, breakId }: Met, since: Date): Promise<string[]> {
  const { rows } = await app.owner.pool.query<{ id: string; purpose: string }>(payoutsOf, [merchantId, breakId ?? null, since])
  const there = await Promise.all(
    rows.map(
      async ({ id, purpose }) => (await app.truth(`?our_reference=${toWire(purpose === 'refund' ? 'rf' : 'po', id)}`)).payouts,
    ),
  )
  return there
    .map((orders: { status: string; amount: number }[]) =>
      ['provider:', ...(orders.length === 0 ? ['no order'] : orders.map(({ status, amount }) => `${status} ${amount}`))].join(
        ' ',
      ),
    )
    .toSorted()
}

/** What changed, one fact a line, in order. */
export function differenceOf(before: Facts, after: Facts): string[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((fact) => [fact, (after.get(fact) ?? 0) - (before.get(fact) ?? 0)] as const)
    .filter(([, change]) => change !== 0)
    .map(([fact, change]) => `${fact}: ${change > 0 ? '+' : ''}${change}`)
    .toSorted()
}
