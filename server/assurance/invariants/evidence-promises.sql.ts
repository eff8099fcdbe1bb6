/** The promises about a provider's messages: a reported success has its effect, and the notes about an order agree with its end. */
import { sql, type Sql } from '../../platform/db/db.ts'
import { near, onlyWhenAll, within, type Check, type Scope } from './scope.sql.ts'

/** Operators have decided about the payment, or will: they explain its end. */
const hasBreak = (scope: Scope): Sql =>
  sql`exists (select from breaks k where k.home = p.home and k.payment_id = p.id and ${near(scope, sql`k.home`, sql`k.payment_id`)})`

/** Ended on the first day of the database, on which an end without a note is accepted. */
const isFromBefore = sql`p.updated_at < (
  select m.timestamp::timestamptz + interval '1 day' from kysely_migration m where m.name = '0011-payments')`

/** The payment's id as `toShort` (platform/ids.ts) writes it for a provider that takes only twenty letters and digits. */
const shortId = sql`(
  select substr(h.hex, 15, 2) || string_agg(substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
    mod(div(h.value, trunc(62::numeric ^ d.place)), 62)::integer + 1, 1), '' order by d.place desc)
  from (
    select i.hex, ('x' || lpad(substr(i.hex, 1, 12), 16, '0'))::bit(64)::bigint * 4611686018427387904::numeric
      + (('x' || substr(i.hex, 17))::bit(64)::bigint & 4611686018427387903) as value
    from (select replace(p.id::text, '-', '') as hex) i
  ) h, generate_series(0, 17) as d (place)
  group by h.hex)`

/**
 * The message `b` names the charge `c` of the payment `p`, another charge of it, or one that was found later: operators have credited that to
 * `p`, or to another payment. Each word of the message is looked up by the key of the table. Other ways to write a letter are not read.
 */
const namesPayment = sql`(
  position(c.provider_reference in replace(b.body, ${'\\/'}, '/')) > 0 or position(c.idempotency_key in b.body) > 0 or position(wire_id('pay', p.id) in b.body) > 0
  or position(${shortId} in b.body) > 0 or position(${'\\u'} in b.body) > 0 or exists (
    select from unnest(string_to_array(replace(b.body, ${'\\/'}, '/'), '"') || regexp_split_to_array(b.body, '[^[:alnum:]_.-]+')) as w (word)
    cross join lateral (
      select from provider_references r where r.provider = b.provider and r.environment = b.environment and r.reference = w.word
        and (r.home = p.home and r.payment_id = p.id or exists (
          select from breaks k where k.provider = r.provider and k.environment = r.environment and k.provider_reference = r.reference)) offset 0) r))`

/** The message `b` says the amount that is stored beside it. A number with an exponent is not read. */
const saysAmount = sql`(b.paid_amount is null or position(b.paid_amount::text in b.body) > 0 or b.body ~ ':[[:space:]]*[0-9.]+[eE]')`

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
    invariant: 'evidence',
    over: 'payments',
    broken: (scope) => sql`
      select format('message %s (%s) is not what the provider sent about payment %s', b.event_id, b.provider, p.id) as what, p.home, p.merchant_id
      from payments p
      join provider_charges c on c.home = p.home and c.payment_id = p.id and ${near(scope, sql`c.home`, sql`c.payment_id`)}
      join provider_inbox b on b.home = p.home and b.payment_id = p.id and ${near(scope, sql`b.home`, sql`b.payment_id`)}
      where ${within(scope, sql`p`, 'updated_at')}
        -- The hash is of the bytes; bytes that are no UTF-8 are stored as U+FFFD.
        and (b.body_hash <> sha256(convert_to(b.body, 'utf8')) and position(${'\ufffd'} in b.body) = 0 or not ${saysAmount} or ${namesPayment} is not true)`,
  },
  {
    invariant: 'evidence',
    over: 'payments',
    broken: (scope) => sql`
      select format('payment %s: %s, but no such message is there', p.id, n.note) as what, p.home, p.merchant_id
      from payments p
      join provider_charges c on c.home = p.home and c.payment_id = p.id and ${near(scope, sql`c.home`, sql`c.payment_id`)}
      cross join lateral unnest(c.ended_by) as n (note)
      where ${within(scope, sql`p`, 'updated_at')} and n.note like '% by provider:webhook in %'
        -- Messages are kept for ninety days, and those that name an erased payer, because another phone may have paid, go soon after the erasure.
        and c.claimed_at > clock_now() - interval '80 days'
        and not exists (select from erasures e where e.pseudonym = p.phone_number or e.erased_at > c.claimed_at - interval '1 hour')
        and not exists (select from provider_inbox b where b.home = p.home and b.payment_id = p.id and ${near(scope, sql`b.home`, sql`b.payment_id`)}
          and b.request_id = split_part(n.note, ' in ', 2) and b.state = 'settled' and (n.note not like 'completed %' or b.paid_amount is not null))`,
  },
  {
    invariant: 'evidence',
    over: 'provider_inbox',
    broken: ({ keys }) => sql`
      select format('a message is about payment %s, which is not there', k.id) as what, k.home
      from (select distinct * from unnest(${keys?.homes ?? []}::smallint[], ${keys?.ids ?? []}::uuid[]) as m (home, id)) k
      where not exists (select from payments p where p.home = k.home and p.id = k.id)`,
  },
  {
    invariant: 'charges',
    over: 'glance',
    broken: (scope) => sql`
      select format('the reference %s of %s belongs to break %s, which has another or is not there', r.reference, r.provider, r.break_id) as what
      from provider_references r
      left join breaks b on b.home = r.home and b.id = r.break_id
      where ${onlyWhenAll(scope)} and r.break_id is not null
        and (b.provider, b.environment, b.provider_reference) is distinct from (r.provider, r.environment, r.reference)`,
  },
  {
    invariant: 'charges',
    over: 'breaks',
    broken: (scope) => sql`
      select format('break %s has booked the money of %s at %s, which has no owner', b.id, b.provider_reference, b.provider) as what, b.home
      from breaks b
      where ${within(scope, sql`b`, 'created_at')} and b.provider_reference is not null
        and exists (select from ledger_transfers t where t.home = b.home and t.break_id = b.id and t.kind in ('unallocated_found', 'unallocated_paid'))
        and not exists (select from provider_references r
          where r.provider = b.provider and r.environment = b.environment and r.reference = b.provider_reference)`,
  },
  {
    invariant: 'ends',
    over: 'payments',
    broken: (scope) => sql`
      select format('payment %s is %s, late: %s, but its recorded ends are %s', p.id, p.status, p.late, coalesce(c.ended_by::text, 'none')) as what,
        p.home, p.merchant_id
      from payments p
      join provider_charges c on c.home = p.home and c.payment_id = p.id
      where ${within(scope, sql`p`, 'updated_at')} and ${near(scope, sql`c.home`, sql`c.payment_id`)} and (
        exists (select from unnest(c.ended_by) as n (note) where n.note !~ '^(completed|failed|expired|voided) by .+ in .+$')
        -- Only a void can be an operator's decision alone.
        or p.status in ('completed', 'failed', 'expired') and split_part(c.ended_by[cardinality(c.ended_by)], ' ', 1) is distinct from p.status
          and not (c.ended_by is null and ${isFromBefore})
        or not ${hasBreak(scope)} and not (c.ended_by is null and ${isFromBefore})
        and (case when p.status in ('pending', 'processing') then c.ended_by is not null
          else split_part(c.ended_by[cardinality(c.ended_by)], ' ', 1) is distinct from p.status end
          or (p.late <> (coalesce(cardinality(c.ended_by), 0) > 1) and not (p.late and p.created_at < (
            select m.timestamp::timestamptz + interval '1 day' from kysely_migration m where m.name = '0011-payments')))))`,
  },
  {
    invariant: 'charges',
    over: 'payments',
    broken: (scope) => sql`
      select format('the charge of payment %s has the state %s with reference %s, but the payment is %s', p.id, c.state, c.provider_reference, p.status) as what,
        p.home, p.merchant_id
      from payments p
      join provider_charges c on c.home = p.home and c.payment_id = p.id
      where ${within(scope, sql`p`, 'updated_at')} and ${near(scope, sql`c.home`, sql`c.payment_id`)} and (
        (c.provider_reference is not null) <> (c.state = 'accepted')
        -- What was never sent is not paid.
        or c.state in ('unsent', 'deferred') and p.status = 'completed'
        or c.state = 'rejected' and p.status not in ('failed', 'voided', 'expired'))`,
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
      where ${within(scope, sql`p`, 'updated_at')} and ${near(scope, sql`c.home`, sql`c.payout_id`)} and c.provider_reference is not null
        and (r.home, r.payout_id) is distinct from (p.home, p.id)`,
  },
]
