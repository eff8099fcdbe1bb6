/** What is always true of the money, as queries: each finds the rows that break one promise. They read every table and write none. */
import { sql, type Sql } from '../platform/db.ts'

/** Each answers rows of one text column `what`, naming what is wrong; no row means that the promise holds. */
export const invariants: Record<string, { promise: string; query: Sql }> = {
  I2: {
    promise: 'All balances of an environment sum to zero.',
    query: sql`
      select format('home %s, %s: the balances sum to %s', home, environment, sum(balance)) as what
      from ledger_accounts group by home, environment having sum(balance) <> 0`,
  },
  I3: {
    promise:
      'A balance is the sum of its transfers, its seq their number, without a gap, and each line continues the one before.',
    query: sql`
      with lines as (
        select home, debit_account_id as account_id, debit_seq as seq, -amount as delta, debit_balance_after as balance_after from ledger_transfers
        union all
        select home, credit_account_id, credit_seq, amount, credit_balance_after from ledger_transfers
      ),
      checked as (
        select home, account_id, seq, balance_after,
          sum(delta) over account as expected_balance, row_number() over account as expected_seq
        from lines
        window account as (partition by home, account_id order by seq rows unbounded preceding)
      ),
      totals as (select home, account_id, sum(delta) as balance, count(*) as transfers from lines group by home, account_id)
      select format('account %s: line %s should be line %s with balance %s, not %s', account_id, seq, expected_seq, expected_balance, balance_after) as what
      from checked where seq <> expected_seq or balance_after <> expected_balance
      union all
      select format('account %s: balance %s after %s transfers, but its transfers say %s after %s', a.id, a.balance, a.last_seq,
        coalesce(t.balance, 0), coalesce(t.transfers, 0))
      from ledger_accounts a
      left join totals t on t.home = a.home and t.account_id = a.id
      where a.balance <> coalesce(t.balance, 0) or a.last_seq <> coalesce(t.transfers, 0)`,
  },
  I4: {
    promise: 'The service cannot change or remove a transfer or an event.',
    query: sql`
      select format('the service may %s %s', privilege, relation) as what
      from unnest(array['ledger_transfers', 'events']) as relation, unnest(array['update', 'delete', 'truncate']) as privilege
      where has_table_privilege('malipo_service', relation, privilege)`,
  },
  I5: {
    promise: 'A payment has at most one credit, in the database’s own index.',
    query: sql`
      select 'the unique index of credits is missing' as what
      where not exists (
        select from pg_index i join pg_class c on c.oid = i.indexrelid
        where c.relname = 'ledger_transfers_one_credit_per_payment' and i.indisunique and i.indisvalid)`,
  },
  I6: {
    promise:
      'A payment is completed, credited once with its amount to its merchant’s wallet, and told in one event; or none of it.',
    query: sql`
      select format('payment %s is %s with %s credits of %s and %s events', p.id, p.status, coalesce(t.credits, 0), coalesce(t.amount, 0), coalesce(e.events, 0)) as what
      from payments p
      left join (
        select t.home, t.payment_id, count(*) as credits, sum(t.amount) as amount, min(a.holder::text) as holder, min(t.environment) as environment
        from ledger_transfers t join ledger_accounts a on a.home = t.home and a.id = t.credit_account_id
        where t.kind = 'payment' group by t.home, t.payment_id
      ) t on t.home = p.home and t.payment_id = p.id
      left join (select home, payment_id, count(*) as events, sum(amount) as amount from events group by home, payment_id) e
        on e.home = p.home and e.payment_id = p.id
      where (p.status = 'completed' and (coalesce(t.credits, 0) <> 1 or t.amount <> p.amount or t.holder <> p.merchant_id::text
          or t.environment <> p.environment or coalesce(e.events, 0) <> 1 or e.amount <> p.amount))
        or (p.status <> 'completed' and (coalesce(t.credits, 0) <> 0 or coalesce(e.events, 0) <> 0))`,
  },
  I7: {
    promise:
      'What a payout took is on its way, paid, or given back: exactly one of them, once, and the reserve holds what is on its way.',
    query: sql`
      select format('payout %s is %s: took %s, paid %s, came back %s, gave back %s', p.id, p.status, t.taken, t.paid, t.returned, t.given_back) as what
      from payouts p
      cross join lateral (
        select coalesce(sum(amount) filter (where kind in ('payout', 'payout_fee')), 0) as taken,
          coalesce(sum(amount) filter (where kind in ('payout_settled', 'payout_fee_settled')), 0) as paid,
          coalesce(sum(amount) filter (where kind in ('payout_returned', 'payout_fee_returned')), 0) as returned,
          coalesce(sum(amount) filter (where kind = 'payout_reversal'), 0) as given_back
        from ledger_transfers where home = p.home and payout_id = p.id
      ) t
      where t.taken <> p.amount + p.fee
        or t.paid <> case when p.status in ('completed', 'reversed') then p.amount + p.fee else 0 end
        or t.returned <> case when p.status = 'reversed' then p.amount + p.fee else 0 end
        or t.given_back <> case when p.status in ('failed', 'cancelled', 'reversed') then p.amount + p.fee else 0 end
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
    query: sql`
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
      where p.held and (p.status = 'completed' or not exists (select from breaks c where c.home = p.home and c.payment_id = p.id))`,
  },
  I9: {
    promise: 'Only a completed payment can be late, and only a failed one has a failure.',
    query: sql`
      select format('payment %s is %s, late: %s, failure: %s', id, status, late, failure_code) as what
      from payments where (late and status <> 'completed') or (failure_code is not null and status <> 'failed')`,
  },
  I10: {
    promise:
      'A delivery has at most five attempts, ends, and is made once for each endpoint that its event was enqueued for; one that was asked for has one attempt.',
    query: sql`
      select format('delivery %s is %s after %s attempts', id, status, attempts) as what
      from webhook_deliveries
      where attempts > 5 or (status in ('delivered', 'exhausted', 'cancelled') and finished_at is null) or (status = 'pending' and attempts >= 5)
        or (trigger = 'manual' and attempts > 1)
      union all
      select format('delivery %s has %s attempts, but counts %s', d.id, count(a.id), d.attempts)
      from webhook_deliveries d
      left join webhook_attempts a on a.home = d.home and a.delivery_id = d.id and a.trigger = d.trigger
      group by d.home, d.id, d.attempts having count(a.id) <> d.attempts
      union all
      select format('event %s has %s chains to webhook %s', event_id, count(*), endpoint_id)
      from webhook_deliveries where trigger = 'automatic' group by home, event_id, endpoint_id having count(*) > 1`,
  },
  I11: {
    promise: 'The audit log is whole: each entry continues the one before, up to the head, and the service cannot rewrite it.',
    query: sql`
      with chain as (
        select l.*, row_number() over entries as place, lag(hash) over entries as before_hash
        from audit_log l
        window entries as (order by seq)
      ),
      broken as (
        select seq from chain
        where seq <> place
          or previous_hash <> coalesce(before_hash, sha256('malipo audit log'))
          or hash <> audit_entry_hash(previous_hash, seq, at, actor, action, object, before, after, request_id, ip)
        order by place limit 1
      )
      select format('the audit log is broken at entry %s', seq) as what from broken
      union all
      select format('the audit log ends at entry %s, its head says %s', coalesce(last.seq, 0), h.seq)
      from audit_head h
      left join lateral (select seq, hash from audit_log order by seq desc limit 1) last on true
      where h.seq <> coalesce(last.seq, 0) or h.hash <> coalesce(last.hash, sha256('malipo audit log'))
      union all
      select 'the audit log has no head' where not exists (select from audit_head)
      union all
      select format('the service may %s audit_log', privilege)
      from unnest(array['update', 'delete', 'truncate']) as privilege
      where has_table_privilege('malipo_service', 'audit_log', privilege)`,
  },
  I12: {
    promise: 'An idempotency key and a provider reference each lead to one payment.',
    query: sql`
      select format('%s payments share a key of page %s', count(*), page_id) as what
      from payments group by home, page_id, idempotency_hash having count(*) > 1
      union all
      select format('%s charges share the reference %s', count(*), provider_reference)
      from provider_charges where provider_reference is not null group by provider, provider_reference having count(*) > 1
      union all
      select format('the charge of payment %s knows reference %s, which is not bound to it', c.payment_id, c.provider_reference)
      from provider_charges c
      join payments p on p.home = c.home and p.id = c.payment_id
      left join provider_references r on r.provider = c.provider and r.environment = p.environment and r.reference = c.provider_reference
      where c.provider_reference is not null and r.payment_id is distinct from c.payment_id`,
  },
  I13: {
    promise: 'Nothing is forgotten: an unfinished payment is due for a question, or has a break; no message waits unseen.',
    query: sql`
      select format('payment %s is %s, is not asked about and has no break', p.id, p.status) as what
      from payments p
      join provider_charges c on c.home = p.home and c.payment_id = p.id
      where p.status in ('pending', 'processing') and c.next_check_at is null
        and not exists (select from breaks k where k.home = p.home and k.payment_id = p.id and k.resolved_at is null)
      union all
      select format('payment %s has no charge', p.id)
      from payments p where not exists (select from provider_charges c where c.home = p.home and c.payment_id = p.id)
      union all
      select format('payment %s is still %s after 72 hours without a break', p.id, p.status)
      from payments p
      where p.status in ('pending', 'processing') and p.created_at < clock_now() - interval '72 hours'
        and not exists (select from breaks k where k.home = p.home and k.payment_id = p.id and k.resolved_at is null)
      union all
      select format('payout %s is %s, is not asked about and has no break', p.id, p.status)
      from payouts p
      join provider_payouts c on c.home = p.home and c.payout_id = p.id
      where p.status in ('pending', 'processing') and c.next_check_at is null and p.approval <> 'required'
        and not exists (select from breaks k where k.home = p.home and k.payout_id = p.id and k.resolved_at is null)
      union all
      select format('message %s waits without a time', event_id) from provider_inbox where state = 'received' and next_try_at is null`,
  },
  I14: {
    promise: 'Test money never meets a live account.',
    query: sql`
      select format('transfer %s crosses environments', t.id) as what
      from ledger_transfers t
      join ledger_accounts d on d.home = t.home and d.id = t.debit_account_id
      join ledger_accounts c on c.home = t.home and c.id = t.credit_account_id
      where d.environment <> t.environment or c.environment <> t.environment
      union all
      select format('payment %s is %s on a page that is not', p.id, p.environment)
      from payments p join payment_pages g on g.home = p.home and g.id = p.page_id where g.environment <> p.environment`,
  },
  I16: {
    promise: 'Whatever moved money says who did it and in which request.',
    query: sql`
      select format('transfer %s names nobody', id) as what from ledger_transfers where actor = '' or request_id = ''
      union all
      select format('payout %s names nobody', id) from payouts where requested_by = '' or request_id = ''`,
  },
  pages: {
    promise: 'A page’s counters are the count of its payments.',
    query: sql`
      select format('page %s counts %s paid (%s TZS) and %s held, but its payments say %s (%s) and %s', g.id, g.paid_count, g.paid_total, g.held_count,
        coalesce(n.paid, 0), coalesce(n.total, 0), coalesce(n.held, 0)) as what
      from payment_pages g
      left join (
        select home, page_id, count(*) filter (where status = 'completed') as paid, sum(amount) filter (where status = 'completed') as total,
          count(*) filter (where holds_place) as held
        from payments group by home, page_id
      ) n on n.home = g.home and n.page_id = g.id
      where g.paid_count <> coalesce(n.paid, 0) or g.paid_total <> coalesce(n.total, 0) or g.held_count <> coalesce(n.held, 0)`,
  },
  reviews: {
    promise: 'Where a review stands is what its history says; what is verified was looked at whole, and by somebody else.',
    query: sql`
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
    query: sql`
      select format('%s %s lives in home %s', relation, id, home) as what
      from (
        select 'payment' as relation, home, id from payments union all select 'page', home, id from payment_pages
        union all select 'transfer', home, id from ledger_transfers union all select 'event', home, id from events
        union all select 'payout', home, id from payouts
        union all select 'account', home, id from ledger_accounts union all select 'delivery', home, id from webhook_deliveries
      ) r
      where ('x' || substr(replace(id::text, '-', ''), 14, 3))::bit(12)::integer <> home`,
  },
}
