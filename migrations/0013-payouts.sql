-- Tables of server/pay-out/payouts.

-- Money from a merchant's wallet to a phone.
create table payouts (
  home smallint not null,
  id uuid not null,
  -- A system payout has no merchant: it returns the money of a break to the payer, from the account that holds it, at our expense.
  merchant_id uuid references merchants (id),
  environment text not null,
  status text not null default 'pending',
  -- The amount for the recipient, and the fee that was quoted at the request; both leave the wallet at the request.
  amount bigint not null,
  fee bigint not null,
  currency text not null default 'TZS',
  phone_number text not null,
  recipient_name text not null,
  network text,
  narration text,
  -- The merchant's reference.
  reference text,
  metadata jsonb not null default '{}',
  -- SHA-256 of the merchant's key, and of the normalised body.
  idempotency_hash bytea not null,
  request_hash bytea not null,
  -- A payout may need approval before it is sent: by members of its business, then, above a threshold, by an operator.
  approval text not null default 'none',
  -- Who decides, or has decided last.
  approval_by text,
  failure_code text,
  -- The provider's text; never shown to a merchant.
  failure_text text,
  -- The provider's answer contradicts the payout: operators decide.
  held boolean not null default false,
  requested_by text not null,
  request_id text not null,
  completed_at timestamptz(3),
  reversed_at timestamptz(3),
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  -- The end that the owner was notified of.
  told_status text,
  -- The trace of the request (W3C Trace Context).
  trace_id uuid,
  -- The provider paid a payout whose money was returned. Two operators decide; booked: debited from the merchant again; written_off: booked to loss, the status stays.
  late_success text,
  purpose text not null default 'merchant',
  break_id uuid,
  -- Until when the payout is not sent, because the account may have been taken over, or the recipient was never paid. Null: it never waited.
  waits_until timestamptz,
  -- The payment that a refund returns to the phone that paid, and the merchant's reason for it; the payer never sees the reason.
  refund_of uuid,
  reason text,
  -- What the owner should check, found at the request.
  warnings text[] not null default '{}',
  -- The row of the payout batch that it pays.
  batch_id uuid,
  batch_row integer,
  primary key (home, id),
  constraint payouts_one_per_idempotency_key unique (home, merchant_id, environment, idempotency_hash),
  constraint payouts_environment_known check (environment in ('test', 'live')),
  constraint payouts_status_known check (status in ('pending', 'processing', 'completed', 'failed', 'reversed', 'cancelled')),
  constraint payouts_network_known check (network in ('mpesa', 'airtel', 'mixx', 'halotel')),
  constraint payouts_amount_positive check (amount > 0),
  constraint payouts_fee_not_negative check (fee >= 0),
  constraint payouts_tzs_only check (currency = 'TZS'),
  constraint payouts_approval_known check (approval in ('none', 'required', 'approved', 'refused')),
  constraint payouts_completed_has_time check ((status in ('completed', 'reversed')) = (completed_at is not null)),
  constraint payouts_reversed_has_time check ((status = 'reversed') = (reversed_at is not null)),
  constraint payouts_approval_by_known check (approval_by in ('members', 'operators')),
  constraint payouts_approval_has_deciders check ((approval = 'none') = (approval_by is null)),
  -- Members who do not approve a payout cancel it.
  constraint payouts_failed_has_code check (
    case when failure_code in ('approval_refused', 'approval_expired') then status = 'cancelled' else (status = 'failed') = (failure_code is not null) end),
  constraint payouts_failure_code_known check (failure_code in (
    'recipient_not_found', 'recipient_limit', 'network_unavailable', 'provider_error', 'approval_refused', 'approval_expired')),
  constraint payouts_warnings_known check (warnings <@ array['recipient_name_differs']),
  constraint payouts_late_success_known check (
    late_success is null
    or late_success = 'booked' and status in ('completed', 'reversed')
    or late_success = 'written_off' and status in ('failed', 'reversed', 'cancelled')),
  constraint payouts_waits_while_not_approved check (
    approval not in ('required', 'refused') or status in ('pending', 'cancelled')
    or approval = 'refused' and late_success is not null),
  constraint payouts_purpose_known check (purpose in ('merchant', 'refund', 'return_to_payer')),
  constraint payouts_purpose_has_owner check (
    case purpose when 'return_to_payer' then merchant_id is null and break_id is not null
      else merchant_id is not null and break_id is null end),
  constraint payouts_refund_has_payment check ((purpose = 'refund') = (refund_of is not null)),
  constraint payouts_reason_is_of_refund check (reason is null or purpose = 'refund'),
  constraint payouts_batch_has_row check ((batch_id is null) = (batch_row is null)),
  constraint payouts_batch_is_of_merchant check (batch_id is null or purpose = 'merchant'),
  constraint payouts_refunded_payment foreign key (home, refund_of) references payments (home, id),
  constraint payouts_break foreign key (home, break_id) references breaks (home, id)
);
create index payouts_by_merchant on payouts (home, merchant_id, environment, created_at desc, id desc);
create index payouts_unfinished on payouts (created_at) where status in ('pending', 'processing');
create index payouts_by_phone on payouts (phone_number, created_at desc, id desc);
-- Owners get one mail about a whole batch.
create index payouts_to_tell on payouts (updated_at)
  where status in ('completed', 'failed', 'reversed') and told_status is distinct from status and batch_id is null;
create index payouts_to_approve on payouts (created_at desc, id desc) where approval = 'required' and approval_by = 'operators';
-- One return of the money of a break is in flight at a time.
create unique index payouts_one_return_in_flight on payouts (home, break_id)
  where break_id is not null and status in ('pending', 'processing', 'completed');
create index payouts_by_break on payouts (home, break_id) where break_id is not null;
create index payouts_by_refunded_payment on payouts (home, refund_of, created_at desc, id desc) where refund_of is not null;
-- A row of a batch is paid once. The progress of a batch is read from this index alone.
create unique index payouts_one_per_batch_row on payouts (home, batch_id, batch_row) include (status, amount) where batch_id is not null;
-- Finds out whether a batch has ended.
create index payouts_batch_open on payouts (home, batch_id) where batch_id is not null and status in ('pending', 'processing');
create index payouts_by_time on payouts using brin (created_at, updated_at) with (pages_per_range = 128, autosummarize = on);
-- Finds whether a recipient was paid before, when last, and under which name.
create index payouts_by_recipient on payouts (home, merchant_id, environment, phone_number, purpose, completed_at desc, id desc)
  where status = 'completed';

-- The state machine of payouts. server/pay-out/payouts/payout.ts holds the same transitions; a test compares the two.
create table payout_transitions (
  from_status text not null,
  to_status text not null,
  -- The transition returns everything to the wallet.
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
  ('completed', 'reversed', true),
  -- Only by operators, with proof from the provider.
  ('failed', 'completed', false),
  ('reversed', 'completed', false),
  ('cancelled', 'completed', false);

-- The one order of a payout at its provider: the exact request, stored before it is first sent, and its known state.
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
  -- When to send it, or to query the provider again; null: nothing left to do.
  next_attempt_at timestamptz(3),
  -- When it was first sent, as far as we know. Replays with its key stop some time later.
  first_sent_at timestamptz(3),
  updated_at timestamptz(3) not null default clock_now(),
  -- A MAC over the order and the facts of its payout, as in provider_charges.
  order_mac text,
  -- Orders of batches are in a lane of their own: they are many, and other payouts never wait behind them.
  is_batch boolean not null default false,
  primary key (home, payout_id),
  constraint provider_payouts_payout foreign key (home, payout_id) references payouts (home, id),
  constraint provider_payouts_state_known check (
    state in ('queued', 'claimed', 'unsent', 'deferred', 'unknown', 'accepted', 'rejected', 'withdrawn')),
  constraint provider_payouts_accepted_has_reference check (state <> 'accepted' or provider_reference is not null),
  constraint provider_payouts_sent_has_time check (state in ('queued', 'withdrawn') or first_sent_at is not null),
  constraint provider_payouts_key_short check (octet_length(idempotency_key) <= 30)
);
create index provider_payouts_due on provider_payouts (next_attempt_at) where next_attempt_at is not null and not is_batch;
-- A provider that allows no more calls holds back only its own orders, and unsent orders never hold back queries about sent ones.
create index provider_payouts_batch_unsent on provider_payouts (provider, environment, next_attempt_at)
  where next_attempt_at is not null and is_batch and state in ('queued', 'unsent', 'deferred');
create index provider_payouts_batch_sent on provider_payouts (provider, environment, next_attempt_at)
  where next_attempt_at is not null and is_batch and state not in ('queued', 'unsent', 'deferred');
-- A provider's reference belongs to one payout.
create unique index provider_payouts_one_per_reference on provider_payouts (provider, environment, provider_reference)
  where provider_reference is not null;

alter table ledger_transfers
  add constraint ledger_transfers_payout foreign key (home, payout_id) references payouts (home, id);

alter table breaks
  add constraint breaks_payout foreign key (home, payout_id) references payouts (home, id);

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
create trigger provider_payouts_attempts_never_fall before update of attempts on provider_payouts
  for each row when (new.attempts < old.attempts) execute function refuse_fewer_attempts();

-- The reference of a payout is its record.
create function bind_payout_record() returns trigger language plpgsql as $$
begin
  insert into provider_references (provider, environment, reference, home, payout_id)
  values (new.provider, new.environment, new.provider_reference, new.home, new.payout_id)
  on conflict (provider, environment, reference) do nothing;
  if not exists (
    select from provider_references r
    where r.provider = new.provider and r.environment = new.environment and r.reference = new.provider_reference
      and r.home = new.home and r.payout_id = new.payout_id) then
    raise exception 'the record % of % has another owner', new.provider_reference, new.provider
      using errcode = 'unique_violation', constraint = 'provider_references_pkey', table = 'provider_references';
  end if;
  return null;
end $$;
create trigger provider_payouts_bind_their_record after update of provider_reference on provider_payouts
  for each row when (new.provider_reference is not null) execute function bind_payout_record();

revoke insert, update, delete, truncate on payout_transitions from malipo_service;
