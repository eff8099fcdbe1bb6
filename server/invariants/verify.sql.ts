/**
 * What is always true of the money, as queries: each finds the rows that break one promise. They read every table and write none. Each
 * can be asked about all that ever was, or about what has changed since a moment, which is quick however long the past is.
 */
import { sql, type Sql } from '../platform/db.ts'

/** `since`: only what was made or changed since then, and what can be seen at a glance. Null: everything. */
export type Scope = { since: Date | null }

/** A condition that holds of what is asked about. */
const within = ({ since }: Scope, column: Sql): Sql => (since === null ? sql`true` : sql`${column} >= ${since}::timestamptz`)

const earlier = ({ since }: Scope, hours: number): Scope => ({ since: since && new Date(since.getTime() - hours * 3_600_000) })

const onlyWhenAll = ({ since }: Scope): Sql => (since === null ? sql`true` : sql`false`)

/** A constraint of a table that is not there, or not in force, or that the table does not keep by now. */
const missingConstraints = (names: string[]): Sql => sql`
  select format('the constraint %s is missing', name) as what
  from unnest(${names}::text[]) as name
  where not exists (select from pg_constraint c where c.conname = name and c.convalidated)`

const missingIndexes = (names: string[]): Sql => sql`
  select format('the unique index %s is missing', name) as what
  from unnest(${names}::text[]) as name
  where not exists (
    select from pg_index i join pg_class c on c.oid = i.indexrelid where c.relname = name and i.indisunique and i.indisvalid)`

/** What the service, under its own role, may do to what is history. */
const permissions = (relations: string[]): Sql => sql`
  select format('the service may %s %s', privilege, relation) as what
  from unnest(${relations}::text[]) as relation, unnest(array['update', 'delete', 'truncate']) as privilege
  where has_table_privilege('malipo_service', relation, privilege)`

/**
 * The chain of each account: of all of its lines, or of those after the last one that was found right. Together with the balances as they
 * stood there that says as much, unless what lies before was changed since: the digests of closed days would show it.
 */
function brokenChains(scope: Scope): Sql {
  const known =
    scope.since === null
      ? sql`(select null::smallint as home, null::uuid as account_id, 0::bigint as seq, 0::bigint as balance)`
      : sql`checked_accounts`
  return sql`
      with accounts as (
        select a.home, a.id, a.balance, a.last_seq, coalesce(c.seq, 0) as from_seq, coalesce(c.balance, 0) as from_balance
        from ledger_accounts a
        left join ${known} c on c.home = a.home and c.account_id = a.id
        where ${scope.since === null ? sql`true` : sql`a.last_seq <> coalesce(c.seq, 0) or a.balance <> coalesce(c.balance, 0)`}
      ),
      lines as (
        select a.home, a.id as account_id, a.from_seq, a.from_balance, t.debit_seq as seq, -t.amount as delta, t.debit_balance_after as balance_after
        from accounts a join ledger_transfers t on t.home = a.home and t.debit_account_id = a.id and t.debit_seq > a.from_seq
        union all
        select a.home, a.id, a.from_seq, a.from_balance, t.credit_seq, t.amount, t.credit_balance_after
        from accounts a join ledger_transfers t on t.home = a.home and t.credit_account_id = a.id and t.credit_seq > a.from_seq
      ),
      checked as (
        select home, account_id, seq, balance_after,
          from_balance + sum(delta) over account as expected_balance, from_seq + row_number() over account as expected_seq
        from lines
        window account as (partition by home, account_id order by seq rows unbounded preceding)
      ),
      totals as (select home, account_id, sum(delta) as balance, count(*) as transfers from lines group by home, account_id)
      select format('account %s: line %s should be line %s with balance %s, not %s', account_id, seq, expected_seq, expected_balance, balance_after) as what
      from checked where seq <> expected_seq or balance_after <> expected_balance
      union all
      select format('account %s: balance %s after %s transfers, but its transfers say %s after %s', a.id, a.balance, a.last_seq,
        a.from_balance + coalesce(t.balance, 0), a.from_seq + coalesce(t.transfers, 0))
      from accounts a
      left join totals t on t.home = a.home and t.account_id = a.id
      where a.balance <> a.from_balance + coalesce(t.balance, 0) or a.last_seq <> a.from_seq + coalesce(t.transfers, 0)`
}

/** Remembers up to where the chains were found right, unless they are not: in one statement, which sees one moment. */
export const rememberChains: Sql = sql`
  with broken as materialized (${brokenChains({ since: new Date(0) })})
  insert into checked_accounts as c (home, account_id, seq, balance)
  select a.home, a.id, a.last_seq, a.balance
  from ledger_accounts a
  left join checked_accounts k on k.home = a.home and k.account_id = a.id
  where a.last_seq > coalesce(k.seq, 0) and not exists (select from broken)
  order by a.home, a.id
  on conflict (home, account_id) do update set seq = excluded.seq, balance = excluded.balance where c.seq < excluded.seq`

/**
 * Jobs that are due, or whose lease has ended, and that nobody takes although workers are there. A worker checks the books every few
 * minutes and says so: what had been due for a quarter of an hour by then, and still is two minutes later, it does not see. What
 * fell due while there was no worker, or before a backup was restored, is not left lying but about to be taken. Of webhooks and
 * mails a lease alone counts: the others may have to wait behind many.
 */
const leftLying: Sql = sql`
  select format('%s is due since %s, and no worker takes it', j.what, j.due_at) as what
  from (
    select format('the charge of payment %s', payment_id) as what, next_check_at as due_at from provider_charges where next_check_at is not null
    union all
    select format('the order of payout %s', payout_id), next_check_at from provider_payouts where next_check_at is not null
    union all
    select format('message %s', event_id), next_try_at from provider_inbox where state = 'received'
    union all
    select format('delivery %s', id), lease_until from webhook_deliveries where status = 'pending' and lease_until is not null
    union all
    select format('mail %s', id), claimed_until from mails where state = 'due' and claimed_until is not null
    union all
    select format('reconciliation run %s', id), greatest(lease_until, retry_at) from reconciliation_runs
    where ended_at is null and holder is not null
  ) j
  join book_checks k on k.checked_at < clock_now() - interval '2 minutes'
  where j.due_at < k.checked_at - interval '15 minutes'`

/** Each answers rows of one text column `what`, naming what is wrong; no row means that the promise holds. */
export const invariants: Record<string, { promise: string; query(scope: Scope): Sql }> = {
  I1: {
    promise: 'A transfer moves more than nothing from one account to another one.',
    query: (scope) => sql`
      select format('transfer %s moves %s from account %s to account %s', id, amount, debit_account_id, credit_account_id) as what
      from ledger_transfers where (amount <= 0 or debit_account_id = credit_account_id) and ${within(scope, sql`created_at`)}
      union all
      ${missingConstraints(['ledger_transfers_amount_positive', 'ledger_transfers_two_accounts'])}`,
  },
  I2: {
    promise: 'All balances of an environment sum to zero.',
    query: () => sql`
      select format('home %s, %s: the balances sum to %s', home, environment, sum(balance)) as what
      from ledger_accounts group by home, environment having sum(balance) <> 0`,
  },
  I3: {
    promise:
      'A balance is the sum of its transfers, its seq their number, without a gap, and each line continues the one before; what is a merchant’s is never less than nothing.',
    query: (scope) => sql`
      ${brokenChains(scope)}
      union all
      select format('account %s (%s) holds %s', id, kind, balance) from ledger_accounts
      where kind in ('wallet', 'payouts_reserved') and balance < 0
      union all
      ${missingConstraints(['wallet_not_overdrawn', 'reserve_not_overdrawn'])}`,
  },
  I4: {
    promise: 'The service cannot change or remove a transfer, an event or the record of a closed day.',
    query: () => sql`
      ${permissions(['ledger_transfers', 'events', 'closed_days'])}`,
  },
  I5: {
    promise: 'A payment has at most one credit, and each step of a payout moves its money once, in the database’s own indexes.',
    query: () => missingIndexes(['ledger_transfers_one_credit_per_payment', 'ledger_transfers_one_of_each_per_payout']),
  },
  I6: {
    promise:
      'A payment is completed, credited once with its amount to its merchant’s wallet, and told in one event with a chain of deliveries to each webhook that there was; or none of it.',
    query: (scope) => sql`
      with subject as materialized (
        select home, id from payments where ${within(scope, sql`updated_at`)}
        union
        select home, payment_id from ledger_transfers where kind = 'payment' and ${within(scope, sql`created_at`)}
        union
        select home, payment_id from events where ${within(scope, sql`created_at`)}
      )
      select format('payment %s is %s with %s credits of %s and %s events', p.id, p.status, coalesce(t.credits, 0), coalesce(t.amount, 0), coalesce(e.events, 0)) as what
      from payments p
      join subject s on s.home = p.home and s.id = p.id
      left join (
        select t.home, t.payment_id, count(*) as credits, sum(t.amount) as amount, min(a.holder::text) as holder, min(t.environment) as environment
        from ledger_transfers t join ledger_accounts a on a.home = t.home and a.id = t.credit_account_id
        where t.kind = 'payment' and (t.home, t.payment_id) in (select home, id from subject) group by t.home, t.payment_id
      ) t on t.home = p.home and t.payment_id = p.id
      left join (select home, payment_id, count(*) as events, sum(amount) as amount from events
        where (home, payment_id) in (select home, id from subject) group by home, payment_id) e
        on e.home = p.home and e.payment_id = p.id
      where (p.status = 'completed' and (coalesce(t.credits, 0) <> 1 or t.amount <> p.amount or t.holder <> p.merchant_id::text
          or t.environment <> p.environment or coalesce(e.events, 0) <> 1 or e.amount <> p.amount))
        or (p.status <> 'completed' and (coalesce(t.credits, 0) <> 0 or coalesce(e.events, 0) <> 0))
      union all
      select format('event %s has no chain to webhook %s', e.id, w.id)
      from events e
      -- One that was being switched on when the payment was settled may have been seen or not; what it missed is made up for.
      join webhook_endpoints w on w.merchant_id = e.merchant_id and w.environment = e.environment
        and w.enabled and w.deleted_at is null and w.enabled_at < e.created_at - interval '5 minutes'
      join apps a on a.id = w.app_id and a.deleted_at is null
      where ${within(scope, sql`e.created_at`)} and not exists (
        select from webhook_deliveries d
        where d.home = e.home and d.event_id = e.id and d.endpoint_id = w.id and d.trigger = 'automatic')`,
  },
  I7: {
    promise:
      'What a payout took is on its way, paid, or given back: exactly one of them, once, and the reserve holds what is on its way.',
    query: (scope) => sql`
      select format('payout %s is %s: took %s, paid %s, came back %s, gave back %s', p.id, p.status, t.taken, t.paid, t.returned, t.given_back) as what
      from payouts p
      cross join lateral (
        select coalesce(sum(amount) filter (where kind in ('payout', 'payout_fee')), 0) as taken,
          coalesce(sum(amount) filter (where kind in ('payout_settled', 'payout_fee_settled')), 0) as paid,
          coalesce(sum(amount) filter (where kind in ('payout_returned', 'payout_fee_returned')), 0) as returned,
          coalesce(sum(amount) filter (where kind = 'payout_reversal'), 0) as given_back
        from ledger_transfers where home = p.home and payout_id = p.id
      ) t
      where ${
        scope.since === null
          ? sql`true`
          : sql`(p.home, p.id) in (
          select home, id from payouts where updated_at >= ${scope.since}::timestamptz
          union
          select home, payout_id from ledger_transfers where payout_id is not null and created_at >= ${scope.since}::timestamptz)`
      } and (t.taken <> p.amount + p.fee
        or t.paid <> case when p.status in ('completed', 'reversed') then p.amount + p.fee else 0 end
        or t.returned <> case when p.status = 'reversed' then p.amount + p.fee else 0 end
        or t.given_back <> case when p.status in ('failed', 'cancelled', 'reversed') then p.amount + p.fee else 0 end)
      union all
      select format('the reserve of merchant %s (%s) holds %s, on the way are %s', a.holder, a.environment, a.balance, coalesce(w.total, 0))
      from ledger_accounts a
      left join (
        select home, merchant_id, environment, sum(amount + fee) as total from payouts
        where status in ('pending', 'processing') group by home, merchant_id, environment
      ) w on w.home = a.home and w.merchant_id = a.holder and w.environment = a.environment
      where a.kind = 'payouts_reserved' and a.balance <> coalesce(w.total, 0)`,
  },
  I8: {
    promise:
      'What succeeded at a provider on a day is credited, in suspense or in a break, network by network; money put aside has a break, and leaves suspense once it is resolved; a held payment is neither completed nor forgotten.',
    query: (scope) => sql`
      select format('transfer %s put money aside without a break', t.id) as what
      from ledger_transfers t
      where t.kind = 'suspense' and not exists (
        select from breaks c where c.home = t.home and c.payment_id = t.payment_id and c.kind = 'amount_differs')
      union all
      select format('transfer %s took money out of suspense without a resolved break', t.id)
      from ledger_transfers t
      where t.kind in ('suspense_release', 'suspense_return') and not exists (
        select from breaks c where c.home = t.home and c.payment_id = t.payment_id and c.kind = 'amount_differs' and c.resolved_at is not null)
      union all
      select format('suspense of home %s (%s) holds %s, what was put aside and never left is %s', a.home, a.environment, a.balance, coalesce(o.total, 0))
      from ledger_accounts a
      left join (
        select home, environment, sum(case when kind = 'suspense' then amount else -amount end) as total
        from ledger_transfers where kind in ('suspense', 'suspense_release', 'suspense_return') group by home, environment
      ) o on o.home = a.home and o.environment = a.environment
      where a.kind = 'suspense' and a.balance <> coalesce(o.total, 0)
      union all
      select format('%s of %s (%s, %s, %s): %s succeeded there, %s are in our books, %s in suspense, %s in breaks', r.subject, r.day, r.provider,
        r.environment, n.key, n.value ->> 'provider', n.value ->> 'credited', n.value ->> 'suspended', n.value ->> 'in_breaks')
      from reconciliation_runs r
      cross join lateral jsonb_each(r.by_network) as n
      where r.kind = 'daily' and r.ended_at is not null and (n.value ->> 'provider')::bigint
        <> (n.value ->> 'credited')::bigint + (n.value ->> 'suspended')::bigint + (n.value ->> 'in_breaks')::bigint
      union all
      select format('payment %s is held and %s', p.id, p.status)
      from payments p
      where p.held and ${within(scope, sql`p.updated_at`)} and (p.status = 'completed' or not exists (select from breaks c where c.home = p.home and c.payment_id = p.id))`,
  },
  I9: {
    promise:
      'Only a completed payment can be late, and only a failed one has a failure; the service cannot change which moves there are.',
    query: (scope) => sql`
      select format('payment %s is %s, late: %s, failure: %s', id, status, late, failure_code) as what
      from payments
      where ((late and status <> 'completed') or (failure_code is not null and status <> 'failed')) and ${within(scope, sql`updated_at`)}
      union all
      ${permissions(['payment_transitions', 'payout_transitions'])}`,
  },
  I10: {
    promise:
      'A delivery has at most five attempts, ends, and is made once for each endpoint that its event was enqueued for; one that was asked for has one attempt.',
    query: (scope) => sql`
      select format('delivery %s is %s after %s attempts', id, status, attempts) as what
      from webhook_deliveries
      where ${within(earlier(scope, 24), sql`created_at`)} and (attempts > 5
        or (status in ('delivered', 'exhausted', 'cancelled') and finished_at is null) or (status = 'pending' and attempts >= 5)
        or (trigger = 'manual' and attempts > 1))
      union all
      select format('delivery %s has %s attempts, but counts %s', d.id, count(a.id), d.attempts)
      from webhook_deliveries d
      left join webhook_attempts a on a.home = d.home and a.delivery_id = d.id and a.trigger = d.trigger
      where ${within(earlier(scope, 24), sql`d.created_at`)}
      group by d.home, d.id, d.attempts having count(a.id) <> d.attempts
      union all
      select format('event %s has %s chains to webhook %s', event_id, count(*), endpoint_id)
      from webhook_deliveries where trigger = 'automatic' and ${within(earlier(scope, 24), sql`created_at`)} group by home, event_id, endpoint_id having count(*) > 1`,
  },
  I11: {
    promise:
      'The audit log is whole: each entry continues the one before, up to the head, and the service cannot rewrite it; and each closed day of the ledger is what it was when it was closed.',
    query: (scope) => sql`
      with start as (
        select ${scope.since === null ? sql`0` : sql`greatest(h.seq - 1000, 0)`} as seq from audit_head h
      ),
      chain as (
        select l.*, start.seq + row_number() over entries as place,
          coalesce(lag(hash) over entries, (select b.hash from audit_log b where b.seq = start.seq), sha256('malipo audit log')) as before_hash
        from audit_log l cross join start
        where l.seq > start.seq
        window entries as (order by l.seq)
      ),
      broken as (
        select seq from chain
        where seq <> place
          or previous_hash <> before_hash
          or hash <> audit_entry_hash(previous_hash, seq, at, actor, action, object, before, after, request_id, ip)
        order by place limit 1
      ),
      told as (select substr(object, 5)::date as day, after from audit_log where action = 'ledger.day_closed' and object like 'day:%'),
      days as (select count(*) as days, max(day) - min(day) + 1 as span from closed_days)
      select format('the audit log is broken at entry %s', seq) as what from broken
      union all
      select format('the audit log ends at entry %s, its head says %s', coalesce(last.seq, 0), h.seq)
      from audit_head h
      left join lateral (select seq, hash from audit_log order by seq desc limit 1) last on true
      where h.seq <> coalesce(last.seq, 0) or h.hash <> coalesce(last.hash, sha256('malipo audit log'))
      union all
      select 'the audit log has no head' where not exists (select from audit_head)
      union all
      ${permissions(['audit_log'])}
      union all
      select format('the day %s was closed with %s transfers and digest %s, the audit log says %s', coalesce(d.day, t.day), d.transfers,
        encode(d.digest, 'hex'), t.after)
      from closed_days d
      full join told t on t.day = d.day
      where (t.after ->> 'digest') is distinct from encode(d.digest, 'hex') or (t.after ->> 'transfers')::bigint is distinct from d.transfers
      union all
      select format('of %s days %s are closed', span, days) from days where days <> span
      union all
      select format('the day %s was closed with %s transfers and another digest: now it has %s', d.day, d.transfers, n.transfers)
      from (
        select day, transfers, digest from closed_days
        -- All of them in turn: the one that was looked at longest ago.
        ${scope.since === null ? sql`` : sql`order by rechecked_at, day limit 1`}
      ) d
      cross join lateral ledger_day_digest(d.day) n
      where n.digest <> d.digest or n.transfers <> d.transfers`,
  },
  I12: {
    promise: 'An idempotency key and a provider reference each lead to one payment.',
    query: (scope) => sql`
      select format('%s payments share a key of page %s', count(*), page_id) as what
      from payments where ${onlyWhenAll(scope)} group by home, page_id, idempotency_hash having count(*) > 1
      union all
      select format('%s charges share the reference %s', count(*), provider_reference)
      from provider_charges where provider_reference is not null and ${onlyWhenAll(scope)} group by provider, provider_reference having count(*) > 1
      union all
      select format('the charge of payment %s knows reference %s, which is not bound to it', c.payment_id, c.provider_reference)
      from provider_charges c
      join payments p on p.home = c.home and p.id = c.payment_id
      left join provider_references r on r.provider = c.provider and r.environment = p.environment and r.reference = c.provider_reference
      where c.provider_reference is not null and r.payment_id is distinct from c.payment_id and ${within(scope, sql`p.updated_at`)}
      union all
      select format('%s payouts share a key of merchant %s', count(*), merchant_id)
      from payouts where ${within(scope, sql`created_at`)} group by home, merchant_id, environment, idempotency_hash having count(*) > 1
      union all
      ${missingConstraints(['payments_one_per_idempotency_key', 'payouts_one_per_idempotency_key'])}`,
  },
  I13: {
    promise:
      'Nothing is forgotten: an unfinished payment is due for a question, or has a break; no message waits unseen; and what is due, or was in the hands of one who let go of it, the workers take.',
    query: (scope) => sql`
      select format('payment %s is %s, is not asked about and has no break', p.id, p.status) as what
      from payments p
      join provider_charges c on c.home = p.home and c.payment_id = p.id
      where p.status in ('pending', 'processing') and c.next_check_at is null and ${within(scope, sql`p.updated_at`)}
        and not exists (select from breaks k where k.home = p.home and k.payment_id = p.id and k.resolved_at is null)
      union all
      select format('payment %s has no charge', p.id)
      from payments p
      where ${within(scope, sql`p.created_at`)} and not exists (select from provider_charges c where c.home = p.home and c.payment_id = p.id)
      union all
      select format('payment %s is still %s after 72 hours without a break', p.id, p.status)
      from payments p
      where p.status in ('pending', 'processing') and p.created_at < clock_now() - interval '72 hours'
        -- Those of which it has come to be true since.
        and ${within(earlier(scope, 72), sql`p.created_at`)}
        and not exists (select from breaks k where k.home = p.home and k.payment_id = p.id and k.resolved_at is null)
      union all
      select format('payout %s is %s, is not asked about and has no break', p.id, p.status)
      from payouts p
      join provider_payouts c on c.home = p.home and c.payout_id = p.id
      where p.status in ('pending', 'processing') and c.next_check_at is null and p.approval <> 'required'
        and not exists (select from breaks k where k.home = p.home and k.payout_id = p.id and k.resolved_at is null)
      union all
      select format('message %s waits without a time', event_id) from provider_inbox where state = 'received' and next_try_at is null
      union all
      ${leftLying}`,
  },
  I14: {
    promise: 'Test money never meets a live account.',
    query: (scope) => sql`
      select format('transfer %s crosses environments', t.id) as what
      from ledger_transfers t
      join ledger_accounts d on d.home = t.home and d.id = t.debit_account_id
      join ledger_accounts c on c.home = t.home and c.id = t.credit_account_id
      where (d.environment <> t.environment or c.environment <> t.environment) and ${within(scope, sql`t.created_at`)}
      union all
      select format('payment %s is %s on a page that is not', p.id, p.environment)
      from payments p join payment_pages g on g.home = p.home and g.id = p.page_id
      where g.environment <> p.environment and ${within(scope, sql`p.updated_at`)}
      union all
      ${missingConstraints(['ledger_transfers_debit_account', 'ledger_transfers_credit_account', 'payments_page'])}`,
  },
  I15: {
    promise: 'Amounts are whole TZS, in bigint; a payment is of 500 or more, a payout and a transfer of more than nothing.',
    query: (scope) => sql`
      select format('%s.%s is %s', table_name, column_name, data_type) as what
      from information_schema.columns
      where table_schema = 'public' and column_name ~ '^(amount|fee|balance|paid_total|(debit|credit)_balance_after)$'
        and data_type <> 'bigint'
      union all
      select format('payment %s is of %s %s', id, amount, currency) from payments
      where (amount < 500 or currency <> 'TZS') and ${within(scope, sql`updated_at`)}
      union all
      select format('payout %s is of %s %s with a fee of %s', id, amount, currency, fee) from payouts
      where (amount <= 0 or fee < 0 or currency <> 'TZS') and ${within(scope, sql`created_at`)}
      union all
      ${missingConstraints(['payments_amount_at_least_500', 'payments_tzs_only', 'payouts_amount_positive', 'payouts_tzs_only', 'ledger_accounts_tzs_only'])}`,
  },
  I16: {
    promise: 'Whatever moved money says who did it and in which request.',
    query: (scope) => sql`
      select format('transfer %s names nobody', id) as what from ledger_transfers where (actor = '' or request_id = '') and ${within(scope, sql`created_at`)}
      union all
      select format('payout %s names nobody', id) from payouts where (requested_by = '' or request_id = '') and ${within(scope, sql`created_at`)}`,
  },
  pages: {
    promise: 'A page’s counters are the count of its payments.',
    query: (scope) => sql`
      select format('page %s counts %s paid (%s TZS) and %s held, but its payments say %s (%s) and %s', g.id, g.paid_count, g.paid_total, g.held_count,
        coalesce(n.paid, 0), coalesce(n.total, 0), coalesce(n.held, 0)) as what
      from payment_pages g
      left join (
        select home, page_id, count(*) filter (where status = 'completed') as paid, sum(amount) filter (where status = 'completed') as total,
          count(*) filter (where holds_place) as held
        from payments group by home, page_id
      ) n on n.home = g.home and n.page_id = g.id
      -- All payments of a page are its count: that is read when everything is.
      where ${onlyWhenAll(scope)}
        and (g.paid_count <> coalesce(n.paid, 0) or g.paid_total <> coalesce(n.total, 0) or g.held_count <> coalesce(n.held, 0))`,
  },
  reviews: {
    promise: 'Where a review stands is what its history says; what is verified was looked at whole, and by somebody else.',
    query: () => sql`
      select format('merchant %s is %s at stage %s', m.id, m.verification_status, v.stage) as what
      from verifications v join merchants m on m.id = v.merchant_id
      where not case v.stage
        when 'draft' then m.verification_status in ('unsubmitted', 'pending')
        when 'submitted' then m.verification_status = 'pending'
        else m.verification_status in ('verified', 'rejected')
      end
      union all
      select format('merchant %s is %s in version %s, its history ends with %s in version %s', m.id, m.verification_status, v.version,
        h.to_status, h.version)
      from verifications v
      join merchants m on m.id = v.merchant_id
      join lateral (
        select version, to_status from verification_history h where h.merchant_id = v.merchant_id order by version desc limit 1
      ) h on true
      where h.version <> v.version or h.to_status <> m.verification_status
      union all
      select format('merchant %s was decided on by the person behind it in version %s', h.merchant_id, h.version)
      from verification_history h join merchants m on m.id = h.merchant_id
      where h.action in ('verified', 'rejected') and h.actor_user_id = m.user_id
      union all
      select format('business %s is verified on %s readable documents', m.id, count(d.review_sha256))
      from merchants m
      left join submitted_documents s on s.merchant_id = m.id
      left join documents d on d.id = s.document_id
      where m.kind = 'business' and m.verification_status = 'verified'
      group by m.id having count(d.review_sha256) <> 4`,
  },
  homes: {
    promise: 'Every money row lives where its id says.',
    query: (scope) => sql`
      select format('%s %s lives in home %s', relation, id, home) as what
      from (
        select 'payment' as relation, home, id from payments where ${within(scope, sql`created_at`)}
        union all select 'page', home, id from payment_pages
        union all select 'transfer', home, id from ledger_transfers where ${within(scope, sql`created_at`)}
        union all select 'event', home, id from events where ${within(scope, sql`created_at`)}
        union all select 'payout', home, id from payouts where ${within(scope, sql`created_at`)}
        union all select 'account', home, id from ledger_accounts
        union all select 'delivery', home, id from webhook_deliveries where ${within(scope, sql`created_at`)}
      ) r
      where ('x' || substr(replace(id::text, '-', ''), 14, 3))::bit(12)::integer <> home`,
  },
}
