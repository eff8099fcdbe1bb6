-- Tables of server/reconciliation.

-- What was compared with a provider's own books, and when. A run has its row before it is due, so that a tick without
-- any process is made up for, and two processes never work on the same run.
create table reconciliation_runs (
  id uuid primary key,
  -- recent: what has not come to an end, every few minutes; daily: all that a provider has of one day (UTC);
  -- late: what ended in the last day, beside the provider's list, every few minutes.
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
  -- The process that works on it; the lease is renewed at each step.
  leased_by uuid,
  lease_until timestamptz(3),
  -- After an unusable answer: when to ask again, and how many such answers came in a row.
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
  restore_id uuid,
  constraint reconciliation_runs_subject_known check (subject in ('charges', 'payouts')),
  constraint reconciliation_runs_environment_known check (environment in ('test', 'live')),
  constraint reconciliation_runs_day_is_daily check ((kind = 'daily') = (day is not null)),
  constraint reconciliation_runs_phase_known check (phase in ('due', 'asking', 'listing', 'missing', 'ended')),
  constraint reconciliation_runs_ended_has_time check ((phase = 'ended') = (ended_at is not null)),
  constraint reconciliation_runs_one_per_tick unique (kind, subject, environment, provider, due_at),
  constraint reconciliation_runs_restore foreign key (restore_id) references restores (id),
  constraint reconciliation_runs_kind_known check (kind in ('recent', 'late', 'daily'))
);
create unique index reconciliation_runs_one_at_a_time on reconciliation_runs (kind, subject, environment, provider)
  where leased_by is not null and ended_at is null;
create index reconciliation_runs_open on reconciliation_runs (due_at) where ended_at is null;
create index reconciliation_runs_by_id on reconciliation_runs (id desc);
create index reconciliation_runs_by_day on reconciliation_runs (subject, environment, provider, day) where kind = 'daily';
create index reconciliation_runs_of_restore on reconciliation_runs (restore_id) where restore_id is not null;
create index reconciliation_runs_ended on reconciliation_runs (ended_at) where kind = 'daily';

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
