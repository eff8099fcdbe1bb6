-- What was compared with a provider's own books, and when. A run stands here before it is due, so that a tick at which every process was
-- away is made up for, and two processes never work on the same one.
create table reconciliation_runs (
  id uuid primary key,
  -- recent: what has not come to an end, every few minutes; daily: all that a provider has of one day (UTC).
  kind text not null,
  subject text not null,
  environment text not null,
  provider text not null,
  day date,
  due_at timestamptz(3) not null,
  -- `system`, or the operator who asked for it.
  requested_by text not null,
  phase text not null default 'due',
  -- Where it goes on: the next page of the provider's list, and the last record that was asked about.
  next_page integer not null default 0,
  after_id uuid,
  -- A list is read back to here.
  list_from timestamptz(3),
  -- The process that works on it, until so long after its last step.
  leased_by uuid,
  lease_until timestamptz(3),
  -- After an answer that was none: when to ask again, and how many such answers came in a row.
  next_attempt_at timestamptz(3),
  attempts integer not null default 0,
  calls integer not null default 0,
  seen integer not null default 0,
  matched integer not null default 0,
  repaired integer not null default 0,
  breaks integer not null default 0,
  unreadable integer not null default 0,
  -- By network, in TZS: what the provider says succeeded, and where that is in our books.
  by_network jsonb not null default '{}',
  started_at timestamptz(3),
  ended_at timestamptz(3),
  constraint reconciliation_runs_kind_known check (kind in ('recent', 'daily')),
  constraint reconciliation_runs_subject_known check (subject in ('charges', 'payouts')),
  constraint reconciliation_runs_environment_known check (environment in ('test', 'live')),
  constraint reconciliation_runs_day_is_daily check ((kind = 'daily') = (day is not null)),
  constraint reconciliation_runs_phase_known check (phase in ('due', 'asking', 'listing', 'missing', 'ended')),
  constraint reconciliation_runs_ended_has_time check ((phase = 'ended') = (ended_at is not null)),
  constraint reconciliation_runs_one_per_tick unique (kind, subject, environment, provider, due_at)
);
create unique index reconciliation_runs_one_at_a_time on reconciliation_runs (kind, subject, environment, provider)
  where leased_by is not null and ended_at is null;
create index reconciliation_runs_open on reconciliation_runs (due_at) where ended_at is null;
create index reconciliation_runs_by_id on reconciliation_runs (id desc);
create index reconciliation_runs_by_day on reconciliation_runs (subject, environment, provider, day) where kind = 'daily';

-- A provider's records while its list is read; gone when the run has ended.
create table reconciliation_records (
  run_id uuid not null references reconciliation_runs (id),
  reference text not null,
  -- Of the day that the run is about.
  in_day boolean not null,
  network text,
  -- What the provider says, and in TZS how much of it succeeded there; null where it is no success in TZS.
  status text not null,
  amount bigint,
  -- Ours that it belongs to.
  home smallint,
  subject_id uuid,
  outcome text not null,
  primary key (run_id, reference),
  constraint reconciliation_records_outcome_known check (outcome in ('matched', 'repaired', 'break', 'unreadable', 'idle', 'missing'))
);
create index reconciliation_records_missing on reconciliation_records (run_id, reference) where outcome = 'missing';

-- Money leaves suspense once: to the merchant's wallet, or back to the payer by the provider.
alter table ledger_transfers
  drop constraint ledger_transfers_kind_known,
  add constraint ledger_transfers_kind_known check (kind in (
    'payment', 'provider_fee', 'suspense', 'suspense_release', 'suspense_return',
    'payout', 'payout_fee', 'payout_settled', 'payout_fee_settled', 'payout_provider_fee',
    'payout_returned', 'payout_fee_returned', 'payout_provider_fee_returned', 'payout_reversal'));
create unique index ledger_transfers_leave_suspense_once on ledger_transfers (home, payment_id)
  where kind in ('suspense_release', 'suspense_return');
