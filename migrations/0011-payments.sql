-- Tables of server/payments.

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
  -- A guess from the prefix until the provider says.
  network text,
  customer_name text not null,
  customer_email text not null,
  -- SHA-256 of the payer's key, and of the normalised body: the key is random, and its hash is the only index that grows out of order.
  idempotency_hash bytea not null,
  request_hash bytea not null,
  -- Whether the payment holds one of its page's limited places.
  holds_place boolean not null default false,
  failure_code text,
  -- The provider's own words; never shown to a payer.
  failure_text text,
  late boolean not null default false,
  -- Money arrived that does not match: nothing is credited until operators have resolved the break.
  held boolean not null default false,
  expires_at timestamptz(3) not null,
  completed_at timestamptz(3),
  request_id text not null,
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  -- Wanted by the payer; the payment ends so when the provider has come to an end that is no success.
  cancel_requested_at timestamptz(3),
  -- The language in which the payer paid, for messages to them afterwards.
  payer_language text not null default 'sw',
  -- The trace that the payment began in (W3C Trace Context): later work on it belongs to the same trace.
  trace_id uuid,
  -- TZS that came, where it is not `amount`.
  amount_received bigint,
  -- The provider has shown that it was not paid after all; the credit was taken back.
  credit_reversed_at timestamptz(3),
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
  constraint payments_amount_received_differs check (
    amount_received is null or (amount_received > 0 and amount_received <> amount and status = 'completed')),
  constraint payments_reversed_was_credited check (credit_reversed_at is null or status = 'completed')
) with (fillfactor = 70); -- each is settled soon after it was stored, on the same page where there is room
create index payments_by_merchant on payments (home, merchant_id, environment, created_at desc, id desc);
-- What lists of payments are asked for by, where it never changes: an index on a state would cost every settlement a new version of all
-- index entries of the row. States, networks and amounts are looked for along these, and along payments_by_merchant.
create index payments_by_page on payments (home, page_id, created_at desc, id desc);
create index payments_by_phone on payments (phone_number, created_at desc, id desc);
create index payments_by_time on payments using brin (created_at, updated_at) with (pages_per_range = 128, autosummarize = on);

-- The state machine of payments, as the service's own table has it (server/payments/payment.ts); a test compares the two.
create table payment_transitions (
  from_status text not null,
  to_status text not null,
  -- The move leads to an end state; it credits the wallet; it is a success after an end state.
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

-- The one charge of a payment at its provider: the exact request, stored before it is first sent, and what is known of it since.
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
  -- When to ask the provider again; null when there is nothing left to ask.
  next_attempt_at timestamptz(3),
  claimed_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  -- How often, and when last, the payer had the same prompt shown again.
  pushes smallint not null default 0,
  pushed_at timestamptz(3),
  -- A code over the order to the provider and the facts of its payment, made under a key that the database does not have (INTEGRITY_KEYS):
  -- somebody who changes one of them in the database cannot make the code that fits.
  order_mac text,
  -- How the payment ended: each end, who brought it and in which request, in the order in which they came.
  ended_by text[],
  -- A charge whose payment ended without a credit is asked about again, because its payer may have paid all the same.
  -- When its payment ended without a credit; null once it is credited, and once it is not asked about any more.
  ended_at timestamptz(3),
  -- When it is asked about next.
  recheck_at timestamptz(3),
  -- A checkout that looks like a part of a flood is stored, and sent only after the payer has confirmed it: its charge is `deferred` until
  -- then. Null: it waits for nothing.
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

-- A provider's reference belongs to one payment. Homeless: a reference alone comes from outside.
create table provider_references (
  provider text not null,
  environment text not null,
  reference text not null,
  home smallint not null,
  payment_id uuid not null,
  primary key (provider, environment, reference)
);

-- The payment requests that went to real phones, for as long as they are counted (a day). Homeless: a phone is counted over all pages.
-- It stands here as a HMAC, and a request by the payer's own key, so that sending it again counts nothing.
create table prompts (
  home smallint not null,
  page_id uuid not null,
  idempotency_hash bytea not null,
  phone_key bytea not null,
  prompted_at timestamptz(3) not null default clock_now(),
  -- A prompt that is shown again is counted under a key of its own; this is the key of the payment that it asks for.
  repeats bytea,
  -- HMAC of the payer's network (/24 or /56); null where prompts are not watched.
  network_key bytea,
  -- Only what was sent counts for the phone.
  is_sent boolean not null default true,
  is_paid boolean not null default false,
  primary key (home, page_id, idempotency_hash)
);
create index prompts_by_phone on prompts (phone_key, prompted_at);
create index prompts_by_time on prompts (prompted_at);
create index prompts_sent_by_phone on prompts (phone_key, prompted_at) where is_sent;
create index prompts_to_count on prompts (prompted_at) where network_key is not null and not is_paid;

-- How many checkouts begin and are paid, by page and by merchant (`subject`), so that a page far above its own usual pace is seen.
create table checkout_paces (
  home smallint not null,
  subject uuid not null,
  -- When a minute of checkouts began, with the first of them, and how many began in it.
  minute timestamptz(3) not null,
  started integer not null,
  -- The minute of the last payment that was seen, how many were paid in it, and the best minute of late.
  paid_minute timestamptz(3),
  paid integer not null default 0,
  best integer not null default 0,
  best_at timestamptz(3),
  -- Since when checkouts are to be confirmed for the pace, and when the last one was.
  confirming_since timestamptz(3),
  confirming_at timestamptz(3),
  primary key (home, subject)
) with (fillfactor = 70);
create index checkout_paces_confirming on checkout_paces (confirming_at) where confirming_at is not null;

-- New phones that a payer's network has had prompted and how many of them paid, both halved every half hour. Homeless: it is counted over all pages.
create table network_paces (
  network_key bytea primary key,
  phones double precision not null,
  paid double precision not null default 0,
  counted_at timestamptz(3) not null
) with (fillfactor = 70);
create index network_paces_by_time on network_paces (counted_at);

-- What operators have ordered for a page, a merchant or all (a subject of zeros), whatever the pace. The narrowest order counts.
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

-- An answer is recorded only while `attempts` is what it was when its order was claimed: a count that falls would let an old answer pass for
-- the last one.
create function refuse_fewer_attempts() returns trigger language plpgsql as $$
begin
  raise exception 'the attempts of an order at a provider are counted up only'
    using errcode = 'check_violation', constraint = 'attempts_never_fall', table = tg_table_name;
end $$;
create trigger provider_charges_attempts_never_fall before update of attempts on provider_charges
  for each row when (new.attempts < old.attempts) execute function refuse_fewer_attempts();

revoke insert, update, delete, truncate on payment_transitions from malipo_service;
