-- Tables of server/collect/payments.

-- The code by which people name a payment aloud: 8 characters of Crockford's base32 and their check character (the value modulo 37), in
-- groups, as in 7K3M-9QXA-7. Derived from the id by hash, so that a restore keeps it. The four signs and U, which Crockford adds for check
-- values from 32 on, are hard to say, so numbers with such a value are never made: any multiple of 37 plus a value below 32.
-- server/platform/short-code.ts reads it.
create function short_code_of(id uuid) returns text language plpgsql immutable strict parallel safe as $$
declare
  letters constant text := '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  digest constant bytea := sha256(uuid_send(id));
  check_value constant integer := get_byte(digest, 5) & 31;
  number constant bigint := (('x' || encode(substr(digest, 1, 5), 'hex'))::bit(40)::bigint % 29716530480) * 37 + check_value;
begin
  return substr(letters, (number >> 35)::integer + 1, 1) || substr(letters, (number >> 30 & 31)::integer + 1, 1)
    || substr(letters, (number >> 25 & 31)::integer + 1, 1) || substr(letters, (number >> 20 & 31)::integer + 1, 1) || '-'
    || substr(letters, (number >> 15 & 31)::integer + 1, 1) || substr(letters, (number >> 10 & 31)::integer + 1, 1)
    || substr(letters, (number >> 5 & 31)::integer + 1, 1) || substr(letters, (number & 31)::integer + 1, 1) || '-'
    || substr(letters, check_value + 1, 1);
end $$;

create table payments (
  home smallint not null,
  id uuid not null,
  merchant_id uuid not null references merchants (id),
  environment text not null,
  page_id uuid not null,
  status text not null default 'pending',
  amount bigint not null,
  currency text not null default 'TZS',
  phone_number text not null,
  -- Derived from the prefix until the provider reports it.
  network text,
  -- Null only for a payment that a merchant's server made without them.
  customer_name text,
  customer_email text,
  -- The merchant's own order number and data, and what the payment is for (null: the page's title says it). A payer never sets them.
  merchant_reference text,
  metadata jsonb not null default '{}',
  description text,
  -- SHA-256 of the payer's key, and of the normalised body: the key is random, so the entries of its index arrive out of order, like those of the short codes.
  idempotency_hash bytea not null,
  request_hash bytea not null,
  -- Whether the payment holds one of its page's limited places.
  holds_place boolean not null default false,
  failure_code text,
  -- The provider's text; never shown to a payer.
  failure_text text,
  late boolean not null default false,
  -- A different amount arrived: nothing is credited until operators have resolved the break.
  held boolean not null default false,
  expires_at timestamptz(3) not null,
  completed_at timestamptz(3),
  request_id text not null,
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  -- When the payer requested cancellation. The payment becomes `voided` if the charge ends without success.
  cancel_requested_at timestamptz(3),
  -- The language of the checkout, for later messages to the payer.
  payer_language text not null default 'sw',
  -- The trace of the checkout (W3C Trace Context); later work on the payment belongs to it.
  trace_id uuid,
  -- The received TZS, if different from `amount`.
  amount_received bigint,
  -- When the credit was reversed, because the provider has shown that the payment was not paid.
  credit_reversed_at timestamptz(3),
  -- Not unique: two of ten million payments may have the same code.
  short_code text collate "C" not null generated always as (short_code_of(id)) stored,
  -- The number that the network printed in the payer's message about this payment; the first one that was reported.
  network_receipt text,
  -- TZS of its refunds that have not failed, in flight or completed: changed in the transaction that reserves or returns a refund's money.
  refunded_amount bigint not null default 0,
  -- The part of it above the payment: a refund had failed and its money was used again, then operators found that it had been paid.
  refund_overpaid bigint not null default 0,
  -- What the payer gave in the fields of the page: a list of {key, label, value}. Null: nothing was given.
  custom_fields jsonb,
  primary key (home, id),
  constraint payments_one_per_idempotency_key unique (home, page_id, idempotency_hash),
  constraint payments_page foreign key (home, page_id, environment) references payment_pages (home, id, environment),
  constraint payments_status_known check (status in ('pending', 'processing', 'completed', 'failed', 'voided', 'expired')),
  constraint payments_network_known check (network in ('mpesa', 'airtel', 'mixx', 'halotel')),
  constraint payments_amount_at_least_500 check (amount >= 500),
  constraint payments_tzs_only check (currency = 'TZS'),
  constraint payments_completed_has_time check ((status = 'completed') = (completed_at is not null)),
  constraint payments_failed_has_code check (status <> 'failed' or failure_code is not null),
  constraint payments_failure_code_known check (failure_code in (
    'insufficient_funds', 'wrong_pin', 'declined_by_payer', 'prompt_timeout', 'payer_not_found',
    'payer_limit', 'payer_busy', 'network_unavailable', 'provider_error')),
  constraint payments_payer_language_known check (payer_language in ('sw', 'en')),
  constraint payments_merchant_reference_printable check (char_length(merchant_reference) between 1 and 64 and merchant_reference !~ '[[:cntrl:]]'),
  constraint payments_metadata_is_object check (jsonb_typeof(metadata) = 'object'),
  constraint payments_description_not_empty check (description <> ''),
  constraint payments_amount_received_differs check (
    amount_received is null or (amount_received > 0 and amount_received <> amount and status = 'completed')),
  constraint payments_reversed_was_credited check (credit_reversed_at is null or status = 'completed'),
  constraint payments_refunds_within_amount check (
    refunded_amount between 0 and coalesce(amount_received, amount) + refund_overpaid and refund_overpaid >= 0),
  constraint payments_refunded_was_completed check (refunded_amount = 0 or status = 'completed'),
  constraint payments_custom_fields_at_most_5 check (
    jsonb_typeof(custom_fields) = 'array' and jsonb_array_length(custom_fields) <= 5)
) with (fillfactor = 70); -- each row is updated soon after it was stored, on the same page if it has space
create index payments_by_merchant on payments (home, merchant_id, environment, created_at desc, id desc);
-- Only on columns that never change: with an index on the status, every settlement would write all index entries of the row again. Filters by
-- status, network and amount scan these indexes or payments_by_merchant.
create index payments_by_page on payments (home, page_id, created_at desc, id desc);
create index payments_by_phone on payments (phone_number, created_at desc, id desc);
-- The merchant is not first, so that operators can search by the reference alone.
create index payments_by_merchant_reference on payments (merchant_reference, home, merchant_id, environment, created_at desc, id desc)
  where merchant_reference is not null;
create index payments_by_time on payments using brin (created_at, updated_at) with (pages_per_range = 128, autosummarize = on);

-- A part of a short code is found by its beginning in one of these two: at most one character before it is unknown, and 32 are possible.
create index payments_by_short_code on payments (short_code);
create index payments_by_short_code_end on payments (substr(short_code, 4));

-- Where a receipt's number is searched: a narrow table, because an index on payments.network_receipt would make each settlement write all
-- index entries of its payment again.
create table payment_receipts (
  home smallint not null,
  payment_id uuid not null,
  -- The number in every run of three characters, and one part for the merchant in its environment.
  parts text[] not null,
  primary key (home, payment_id),
  constraint payment_receipts_payment foreign key (home, payment_id) references payments (home, id)
);
-- New entries wait in a list of at most this size (kB) and are then added together: many of them have the same parts.
create index payment_receipts_by_part on payment_receipts using gin (parts) with (gin_pending_list_limit = 1024);

-- The state machine of payments. server/collect/payments/payment.ts holds the same transitions; a test compares the two.
create table payment_transitions (
  from_status text not null,
  to_status text not null,
  -- The transition leads to an end state; credits the wallet; is a success after an end state.
  ends boolean not null,
  credits boolean not null,
  late boolean not null,
  primary key (from_status, to_status)
);
insert into payment_transitions (from_status, to_status, ends, credits, late) values
  ('pending', 'processing', false, false, false),
  ('pending', 'completed', true, true, false),
  ('pending', 'failed', true, false, false),
  ('pending', 'voided', true, false, false),
  ('pending', 'expired', true, false, false),
  ('processing', 'completed', true, true, false),
  ('processing', 'failed', true, false, false),
  ('processing', 'voided', true, false, false),
  ('processing', 'expired', true, false, false),
  ('failed', 'completed', true, true, true),
  ('voided', 'completed', true, true, true),
  ('expired', 'completed', true, true, true);

-- The one charge of a payment at its provider: the exact request, stored before it is first sent, and its known state.
create table provider_charges (
  home smallint not null,
  payment_id uuid not null,
  provider text not null,
  -- claimed: may have been sent; unsent: certainly never left us; deferred: the provider said "later", nothing was started;
  -- unknown: sent, no usable answer; accepted: the provider has it; rejected: proven that there is no charge.
  state text not null default 'claimed',
  idempotency_key text not null,
  request_body text not null,
  provider_reference text,
  provider_expires_at timestamptz(3),
  attempts integer not null default 0,
  -- When to query the provider again; null: no more queries.
  next_attempt_at timestamptz(3),
  claimed_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  -- How often, and when last, the same prompt was sent to the payer again.
  pushes smallint not null default 0,
  pushed_at timestamptz(3),
  -- A MAC over the order and the facts of its payment, with a key that the database does not have (INTEGRITY_KEYS): an attacker who changes
  -- them in the database cannot compute it.
  order_mac text,
  -- Each end of the payment, with its source and request, in the order of arrival.
  ended_by text[],
  -- When its payment ended without a credit. The charge is queried again, because the payer may have paid nevertheless. Null once it is
  -- credited or no longer queried.
  ended_at timestamptz(3),
  -- When it is queried next after the end of its payment.
  recheck_at timestamptz(3),
  -- A checkout that looks like part of a flood is sent only after the payer has confirmed it; until then its charge is `deferred`. Null: no
  -- confirmation is needed.
  confirm_by timestamptz(3),
  primary key (home, payment_id),
  constraint provider_charges_payment foreign key (home, payment_id) references payments (home, id),
  constraint provider_charges_state_known check (state in ('claimed', 'unsent', 'deferred', 'unknown', 'accepted', 'rejected')),
  constraint provider_charges_accepted_has_reference check (state <> 'accepted' or provider_reference is not null),
  constraint provider_charges_key_short check (octet_length(idempotency_key) <= 30),
  constraint provider_charges_pushes_at_most_3 check (pushes between 0 and 3),
  constraint provider_charges_rechecked_after_end check ((recheck_at is null) = (ended_at is null))
);
create index provider_charges_due on provider_charges (next_attempt_at) where next_attempt_at is not null;
create index provider_charges_rechecks on provider_charges (recheck_at) where recheck_at is not null;

-- A record of a provider belongs to one payment, one payout, or the break that has booked its money. Every booking crosses this key. No home:
-- the reference arrives from outside without one.
create table provider_references (
  provider text not null,
  environment text not null,
  reference text not null,
  home smallint not null,
  payment_id uuid,
  payout_id uuid,
  break_id uuid,
  primary key (provider, environment, reference),
  constraint provider_references_one_owner check (num_nonnulls(payment_id, payout_id, break_id) = 1)
);

-- Prompts sent to real phones, for as long as they count (a day). No home: a phone is counted over all pages. The phone is stored as an HMAC.
-- The payer's key identifies a prompt, so that a repeated request does not count twice.
create table prompts (
  home smallint not null,
  page_id uuid not null,
  idempotency_hash bytea not null,
  phone_key bytea not null,
  prompted_at timestamptz(3) not null default clock_now(),
  -- A repeated prompt counts under a new key; this is the key of its payment.
  repeats bytea,
  -- HMAC of the payer's network (/24 or /56); null where prompts are not watched.
  network_key bytea,
  -- Only sent prompts count for the phone.
  is_sent boolean not null default true,
  is_paid boolean not null default false,
  primary key (home, page_id, idempotency_hash)
);
create index prompts_by_phone on prompts (phone_key, prompted_at);
create index prompts_by_time on prompts (prompted_at);
create index prompts_sent_by_phone on prompts (phone_key, prompted_at) where is_sent;
create index prompts_to_count on prompts (prompted_at) where network_key is not null and not is_paid;

-- How many checkouts are started and paid, by page and by merchant (`subject`), to detect a page far above its usual rate.
create table checkout_paces (
  home smallint not null,
  subject uuid not null,
  -- Start of the current minute, at its first checkout, and the number of checkouts in it.
  minute timestamptz(3) not null,
  started integer not null,
  -- The minute of the last payment, the number of payments in it, and the highest recent number in a minute.
  paid_minute timestamptz(3),
  paid integer not null default 0,
  best integer not null default 0,
  best_at timestamptz(3),
  -- Since when checkouts need a confirmation because of the rate, and when the last one did.
  confirming_since timestamptz(3),
  confirming_at timestamptz(3),
  primary key (home, subject)
) with (fillfactor = 70);
create index checkout_paces_confirming on checkout_paces (confirming_at) where confirming_at is not null;

-- New phones that were prompted from a payer's IP network and how many of them paid, both halved every half hour. No home: counted over all pages.
create table network_paces (
  network_key bytea primary key,
  phones double precision not null,
  paid double precision not null default 0,
  counted_at timestamptz(3) not null
) with (fillfactor = 70);
create index network_paces_by_time on network_paces (counted_at);

-- Operators' orders about the confirmation step, for a page, a merchant or all (subject zero), at any rate. The most specific order counts.
create table second_step_orders (
  subject uuid primary key,
  -- As the operator named it: all, a page's slug, a merchant's id.
  name text not null,
  mode text not null,
  reason text not null,
  ordered_by text not null,
  ordered_at timestamptz(3) not null,
  constraint second_step_orders_mode_known check (mode in ('on', 'off'))
);

alter table ledger_transfers
  add constraint ledger_transfers_payment foreign key (home, payment_id) references payments (home, id);

-- Optimistic lock: an answer is recorded only if `attempts` is unchanged since the claim. If the count could decrease, an old answer could be
-- taken for the last one.
create function refuse_fewer_attempts() returns trigger language plpgsql as $$
begin
  raise exception 'the attempts of an order at a provider are counted up only'
    using errcode = 'check_violation', constraint = 'attempts_never_fall', table = tg_table_name;
end $$;
create trigger provider_charges_attempts_never_fall before update of attempts on provider_charges
  for each row when (new.attempts < old.attempts) execute function refuse_fewer_attempts();

revoke insert, update, delete, truncate on payment_transitions from malipo_service;
