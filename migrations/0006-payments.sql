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
  -- Money arrived that does not match: nothing is credited until people have decided its case.
  held boolean not null default false,
  expires_at timestamptz(3) not null,
  completed_at timestamptz(3),
  request_id text not null,
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
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
    'payer_limit', 'payer_busy', 'network_unavailable', 'provider_error'))
);
alter table payments set (fillfactor = 70); -- each is settled soon after it was stored, on the same page where there is room
create index payments_by_merchant on payments (home, merchant_id, environment, created_at desc, id desc);

alter table ledger_transfers
  add constraint ledger_transfers_payment foreign key (home, payment_id) references payments (home, id);
alter table events
  add constraint events_payment foreign key (home, payment_id) references payments (home, id);

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
  primary key (home, payment_id),
  constraint provider_charges_payment foreign key (home, payment_id) references payments (home, id),
  constraint provider_charges_state_known check (state in ('claimed', 'unsent', 'deferred', 'unknown', 'accepted', 'rejected')),
  constraint provider_charges_accepted_has_reference check (state <> 'accepted' or provider_reference is not null),
  constraint provider_charges_key_short check (octet_length(idempotency_key) <= 30)
);
create index provider_charges_due on provider_charges (next_attempt_at) where next_attempt_at is not null;

-- A provider's reference belongs to one payment. Homeless: a reference alone comes from outside.
create table provider_references (
  provider text not null,
  environment text not null,
  reference text not null,
  home smallint not null,
  payment_id uuid not null,
  primary key (provider, environment, reference)
);

-- What needs a person: opened by the service, resolved by operators.
create table payment_cases (
  home smallint not null,
  id uuid not null,
  payment_id uuid not null,
  kind text not null,
  details jsonb not null default '{}',
  opened_at timestamptz(3) not null default clock_now(),
  resolved_at timestamptz(3),
  primary key (home, id),
  constraint payment_cases_one_of_each unique (home, payment_id, kind),
  constraint payment_cases_payment foreign key (home, payment_id) references payments (home, id),
  constraint payment_cases_kind_known check (kind in ('amount_differs', 'charge_unknown', 'reference_conflict'))
);

-- Every message of a provider, as it came, stored before it is answered.
create table provider_inbox (
  provider text not null,
  environment text not null,
  event_id text not null,
  body_hash bytea not null,
  body text not null,
  state text not null default 'received',
  home smallint,
  payment_id uuid,
  attempts integer not null default 0,
  next_attempt_at timestamptz(3),
  request_id text not null,
  received_at timestamptz(3) not null default clock_now(),
  settled_at timestamptz(3),
  primary key (provider, environment, event_id),
  constraint provider_inbox_state_known check (state in ('received', 'settled', 'ignored', 'orphan'))
);
create index provider_inbox_due on provider_inbox (next_attempt_at) where state = 'received';
