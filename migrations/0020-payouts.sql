-- Money that leaves: from a merchant's wallet to a phone.
create table payouts (
  home smallint not null,
  id uuid not null,
  merchant_id uuid not null references merchants (id),
  environment text not null,
  status text not null default 'pending',
  -- What the recipient gets, and what the provider was said to take when the payout was asked for; both left the wallet then.
  amount bigint not null,
  fee bigint not null,
  currency text not null default 'TZS',
  phone_number text not null,
  recipient_name text not null,
  network text,
  narration text,
  -- The merchant's own.
  reference text,
  metadata jsonb not null default '{}',
  -- SHA-256 of the merchant's key, and of the normalised body.
  idempotency_hash bytea not null,
  request_hash bytea not null,
  -- Above the threshold an operator decides before anything is sent.
  approval text not null default 'none',
  failure_code text,
  -- The provider's own words; never shown to a merchant.
  failure_text text,
  -- The provider said what does not fit: people decide.
  held boolean not null default false,
  requested_by text not null,
  request_id text not null,
  completed_at timestamptz(3),
  reversed_at timestamptz(3),
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  primary key (home, id),
  constraint payouts_one_per_idempotency_key unique (home, merchant_id, environment, idempotency_hash),
  constraint payouts_environment_known check (environment in ('test', 'live')),
  constraint payouts_status_known check (status in ('pending', 'processing', 'completed', 'failed', 'reversed', 'cancelled')),
  constraint payouts_network_known check (network in ('mpesa', 'airtel', 'mixx', 'halotel')),
  constraint payouts_amount_positive check (amount > 0),
  constraint payouts_fee_not_negative check (fee >= 0),
  constraint payouts_tzs_only check (currency = 'TZS'),
  constraint payouts_approval_known check (approval in ('none', 'required', 'approved', 'refused')),
  constraint payouts_waits_while_not_approved check (approval not in ('required', 'refused') or status in ('pending', 'cancelled')),
  constraint payouts_completed_has_time check ((status in ('completed', 'reversed')) = (completed_at is not null)),
  constraint payouts_reversed_has_time check ((status = 'reversed') = (reversed_at is not null)),
  constraint payouts_failed_has_code check ((status = 'failed') = (failure_code is not null)),
  constraint payouts_failure_code_known check (failure_code in (
    'recipient_not_found', 'recipient_limit', 'network_unavailable', 'provider_error'))
);
create index payouts_by_merchant on payouts (home, merchant_id, environment, created_at desc, id desc);
create index payouts_unfinished on payouts (created_at) where status in ('pending', 'processing');

-- The state machine of payouts, as the service's own table has it (server/payouts/payout.ts); a test compares the two.
create table payout_transitions (
  from_status text not null,
  to_status text not null,
  -- The move gives the wallet everything back.
  gives_back boolean not null,
  primary key (from_status, to_status)
);
insert into payout_transitions (from_status, to_status, gives_back) values
  ('pending', 'processing', false),
  ('pending', 'completed', false),
  ('pending', 'failed', true),
  ('pending', 'cancelled', true),
  ('processing', 'completed', false),
  ('processing', 'failed', true),
  ('completed', 'reversed', true);

create function refuse_unknown_payout_move() returns trigger language plpgsql as $$
begin
  if not exists (select from payout_transitions where from_status = old.status and to_status = new.status) then
    raise exception 'a % payout cannot become %', old.status, new.status
      using errcode = 'check_violation', constraint = 'payouts_transition_known', table = 'payouts';
  end if;
  return new;
end $$;
create trigger payouts_transition_known before update of status on payouts
  for each row when (old.status is distinct from new.status) execute function refuse_unknown_payout_move();

-- The one order of a payout at its provider: the exact request, stored before it is first sent, and what is known of it since.
create table provider_payouts (
  home smallint not null,
  payout_id uuid not null,
  provider text not null,
  environment text not null,
  -- queued: never sent; claimed: may have been sent; unsent: certainly never left us; deferred: the provider said "later", nothing was
  -- started; unknown: sent, no usable answer; accepted: the provider has it; rejected: proven that nothing was sent; withdrawn: it never
  -- will be.
  state text not null default 'queued',
  idempotency_key text not null,
  request_body text not null,
  provider_reference text,
  attempts integer not null default 0,
  -- When to send it, or to ask the provider again; null when there is nothing left to do.
  next_attempt_at timestamptz(3),
  -- When it was first sent, as far as we know: replays under its key stop some time after.
  first_sent_at timestamptz(3),
  updated_at timestamptz(3) not null default clock_now(),
  primary key (home, payout_id),
  constraint provider_payouts_payout foreign key (home, payout_id) references payouts (home, id),
  constraint provider_payouts_state_known check (
    state in ('queued', 'claimed', 'unsent', 'deferred', 'unknown', 'accepted', 'rejected', 'withdrawn')),
  constraint provider_payouts_accepted_has_reference check (state <> 'accepted' or provider_reference is not null),
  constraint provider_payouts_sent_has_time check (state in ('queued', 'withdrawn') or first_sent_at is not null),
  constraint provider_payouts_key_short check (octet_length(idempotency_key) <= 30)
);
create index provider_payouts_due on provider_payouts (next_attempt_at) where next_attempt_at is not null;
-- A provider's reference belongs to one payout.
create unique index provider_payouts_one_per_reference on provider_payouts (provider, environment, provider_reference)
  where provider_reference is not null;

-- What a merchant's wallet has set aside for payouts on their way is an account of its own: read, and checked, like the wallet.
alter table ledger_accounts
  drop constraint ledger_accounts_kind_known,
  add constraint ledger_accounts_kind_known check (kind in ('wallet', 'payouts_reserved', 'provider_clearing', 'provider_fees', 'suspense')),
  drop constraint ledger_accounts_wallet_has_holder,
  add constraint ledger_accounts_wallet_has_holder check (
    (kind in ('wallet', 'payouts_reserved')) = (holder <> '00000000-0000-0000-0000-000000000000')),
  add constraint reserve_not_overdrawn check (kind <> 'payouts_reserved' or balance >= 0);

alter table ledger_transfers
  add column payout_id uuid,
  drop constraint ledger_transfers_kind_known,
  add constraint ledger_transfers_kind_known check (kind in (
    'payment', 'provider_fee', 'suspense',
    -- Set aside when it is asked for, paid out of what was set aside, brought back there, and given back to the wallet.
    'payout', 'payout_fee',
    'payout_settled', 'payout_fee_settled', 'payout_provider_fee',
    'payout_returned', 'payout_fee_returned', 'payout_provider_fee_returned',
    'payout_reversal')),
  add constraint ledger_transfers_payout_named check ((kind like 'payout%') = (payout_id is not null)),
  add constraint ledger_transfers_payout foreign key (home, payout_id) references payouts (home, id);
-- Each step of a payout moves its money once, ever.
create unique index ledger_transfers_one_of_each_per_payout on ledger_transfers (home, payout_id, kind) where payout_id is not null;

revoke insert, update, delete, truncate on payout_transitions from malipo_service;
