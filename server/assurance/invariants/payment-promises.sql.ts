/** The promises about a payment: its state, its one credit, its one event, its page and its keys. */
import { transfersOfPayment } from '../../money/ledger/transfer.sql.ts'
import { sql, type Sql } from '../../platform/db/db.ts'
import {
  joinSums,
  missingConstraints,
  near,
  nearHomes,
  onlyWhenAll,
  permissions,
  recentIn,
  within,
  type Check,
  type Scope,
} from './scope.sql.ts'

const p = sql`p`

/** The payments `p` that have changed, or have a new credit or event. */
const ofChanges = (scope: Scope): Sql => sql`(
        select p.home, p.id from payments p where ${within(scope, p, 'updated_at')}
        union
        select t.home, t.payment_id from ledger_transfers t where t.kind = 'payment' and ${recentIn(scope, 'ledger_transfers', sql`t`, 'created_at')}
        union
        select e.home, e.payment_id from events e where ${recentIn(scope, 'events', sql`e`, 'created_at')}
      ) s
      join payments p on p.home = s.home and p.id = s.id`

export const paymentPromises: readonly Check[] = [
  {
    invariant: 'I6',
    over: 'payments',
    broken: (scope) => sql`
      select format('payment %s is %s with %s credits of %s, %s events of completion and %s of another end (%s)', p.id, p.status, n.credits,
        coalesce(t.amount, 0), n.events, n.ends, e.ended_as) as what,
        p.home, p.merchant_id
      from ${scope.keys ? sql`payments p` : ofChanges(scope)}
      ${joinSums(scope, {
        sums: sql`count(*) as credits, sum(t.amount) as amount, min(a.holder::text) as holder, min(t.environment) as environment`,
        from: sql`from ledger_transfers t join ledger_accounts a on a.home = t.home and a.id = t.credit_account_id and ${nearHomes(scope, sql`a.home`)}
          where t.kind = 'payment'`,
        home: sql`t.home`,
        id: sql`t.payment_id`,
        to: sql`p`,
        name: sql`t`,
      })}
      ${joinSums(scope, {
        sums: sql`count(*) filter (where e.type = 'payment.completed') as events, count(*) filter (where e.type <> 'payment.completed') as ends,
          min(e.type) filter (where e.type <> 'payment.completed') as ended_as`,
        from: sql`from events e where e.payment_id is not null`,
        home: sql`e.home`,
        id: sql`e.payment_id`,
        to: sql`p`,
        name: sql`e`,
      })}
      cross join lateral (select coalesce(t.credits, 0) as credits, coalesce(e.events, 0) as events, coalesce(e.ends, 0) as ends) n
      where ${scope.keys ? within(scope, p, 'updated_at') : sql`true`} and ((p.status = 'completed' and (n.credits <> 1 or t.amount <> coalesce(p.amount_received, p.amount) or t.holder <> p.merchant_id::text
          or t.environment <> p.environment or n.events <> 1))
        or (p.status <> 'completed' and (n.credits <> 0 or n.events <> 0))
        -- The event of an end without a credit: also of one that a late success has replaced.
        or n.ends <> case when p.status in ('failed', 'voided', 'expired') or (p.status = 'completed' and p.late) then 1 else 0 end
        or (p.status <> 'completed' and e.ended_as <> 'payment.' || p.status))`,
  },
  {
    invariant: 'I9',
    over: 'payments',
    broken: (scope) => sql`
      select format('payment %s is %s, late: %s, failure: %s', p.id, p.status, p.late, p.failure_code) as what
      from payments p
      where ((p.late and p.status <> 'completed') or (p.failure_code is not null and p.status <> 'failed'))
        and ${within(scope, p, 'updated_at')}`,
  },
  {
    invariant: 'I9',
    over: 'payments',
    broken: (scope) => sql`
      select format('payment %s had its credit taken back at %s, which no transfer did', p.id, p.credit_reversed_at) as what, p.home, p.merchant_id, p.environment
      from payments p
      where p.credit_reversed_at is not null and ${within(scope, p, 'updated_at')}
        and not exists (select from (${transfersOfPayment(sql`p.home`, sql`p.id`)}) t where t.kind in ('credit_reversed', 'credit_reversed_owed'))`,
  },
  { invariant: 'I9', over: 'glance', broken: () => permissions(['payment_transitions', 'payout_transitions']) },
  {
    invariant: 'I12',
    over: 'payments',
    isOnlyForNew: true,
    broken: (scope) => sql`
      select format('payment %s shares its key with another one of page %s', p.id, p.page_id) as what
      from payments p where ${within(scope, p, 'created_at')} and 1 < (
        -- Counted, so that each key is looked up by itself: many payments of one page are read otherwise.
        select count(*) from payments o where o.home = p.home and o.page_id = p.page_id and o.idempotency_hash = p.idempotency_hash)`,
  },
  {
    invariant: 'I12',
    over: 'payment_pages',
    broken: (scope) => sql`
      select format('payment %s shares its key with another one of page %s', p.id, k.page_id) as what
      from (
        select o.home, o.page_id, o.idempotency_hash from payments o
        where ${onlyWhenAll(scope)} and ${near(scope, sql`o.home`, sql`o.page_id`)} group by 1, 2, 3 having count(*) > 1
      ) k
      cross join lateral (
        select o.id from payments o where o.home = k.home and o.page_id = k.page_id and o.idempotency_hash = k.idempotency_hash offset 0
      ) p`,
  },
  {
    invariant: 'I12',
    over: 'payments',
    broken: (scope) => sql`
      select format('the charge of payment %s knows reference %s, which is not bound to it', c.payment_id, c.provider_reference) as what
      from provider_charges c
      join payments p on p.home = c.home and p.id = c.payment_id
      where c.provider_reference is not null and ${within(scope, p, 'updated_at')} and ${near(scope, sql`c.home`, sql`c.payment_id`)}
        -- A value, which is looked up by its key: a condition would be joined with the whole table.
        and (select r.home = c.home and r.payment_id = c.payment_id from provider_references r
          where r.provider = c.provider and r.environment = p.environment and r.reference = c.provider_reference) is not true`,
  },
  { invariant: 'I12', over: 'glance', broken: () => missingConstraints(['payments_one_per_idempotency_key']) },
  {
    invariant: 'I14',
    over: 'payments',
    broken: (scope) => sql`
      select format('payment %s is %s on a page that is not', p.id, p.environment) as what, p.home, p.merchant_id
      from payments p
      join payment_pages g on g.home = p.home and g.id = p.page_id and ${nearHomes(scope, sql`g.home`)}
      where p.environment <> g.environment and ${within(scope, p, 'updated_at')}`,
  },
  {
    invariant: 'I15',
    over: 'payments',
    broken: (scope) => sql`
      select format('payment %s is of %s %s', p.id, p.amount, p.currency) as what
      from payments p
      where (p.amount < 500 or p.currency <> 'TZS') and ${within(scope, p, 'updated_at')}`,
  },
  {
    invariant: 'I15',
    over: 'glance',
    broken: () => sql`
      select format('%s.%s is %s', c.relname, a.attname, format_type(a.atttypid, null)) as what
      from pg_attribute a join pg_class c on c.oid = a.attrelid
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not a.attisdropped and a.atttypid <> 'bigint'::regtype
        and a.attname in ('amount', 'amount_received', 'fee', 'balance', 'paid_total', 'debit_balance_after', 'credit_balance_after')
      union all
      ${missingConstraints(['payments_amount_at_least_500', 'payments_tzs_only', 'payouts_amount_positive', 'payouts_tzs_only', 'ledger_accounts_tzs_only'])}`,
  },
  {
    invariant: 'requests',
    over: 'payments',
    broken: (scope) => sql`
      select format('payment %s of %s answers a payment request of %s', p.id, p.amount, g.amount) as what, p.home, p.merchant_id, p.environment
      from payments p
      join payment_pages g on g.home = p.home and g.id = p.page_id and ${nearHomes(scope, sql`g.home`)}
      where g.kind = 'request' and p.amount is distinct from g.amount and ${within(scope, p, 'updated_at')}`,
  },
  { invariant: 'requests', over: 'glance', broken: () => missingConstraints(['payment_pages_request_has_amount']) },
  {
    invariant: 'pages',
    over: 'payment_pages',
    broken: (scope) => sql`
      select format('page %s counts %s paid (%s TZS) and %s held, but its payments say %s (%s) and %s', g.id, g.paid_count, g.paid_total, g.held_count,
        coalesce(n.paid, 0), coalesce(n.total, 0), coalesce(n.held, 0)) as what
      from payment_pages g
      cross join lateral (
        select count(*) filter (where p.status = 'completed') as paid, sum(coalesce(p.amount_received, p.amount)) filter (where p.status = 'completed') as total,
          count(*) filter (where p.holds_place) as held
        from payments p where p.home = g.home and p.page_id = g.id
      ) n
      -- All payments of a page are its count: that is read when everything is.
      where ${onlyWhenAll(scope)} and ${within(scope, sql`g`, 'created_at')}
        and (g.paid_count <> coalesce(n.paid, 0) or g.paid_total <> coalesce(n.total, 0) or g.held_count <> coalesce(n.held, 0))`,
  },
]
