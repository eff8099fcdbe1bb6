-- Tables of server/assurance/reconciliation.

-- Comparisons with a provider's books. A run has its row before it is due, so that a run that was missed while no process ran is made later, and
-- two processes never work on the same run.
create table reconciliation_runs (
  id uuid primary key,
  -- recent: unfinished orders, every few minutes; daily: all records of a provider of one day (UTC); late: orders that ended in the last day,
  -- compared with the provider's list, every few minutes.
  kind text not null,
  subject text not null,
  environment text not null,
  provider text not null,
  day date,
  due_at timestamptz(3) not null,
  -- `system`, or the operator that requested it.
  requested_by text not null,
  phase text not null default 'due',
  -- The position: the next page of the provider's list, and the last record that was queried.
  next_page integer not null default 0,
  after_id uuid,
  -- The list is read back to this time.
  list_from timestamptz(3),
  -- The process that runs it; the lease is renewed at each step.
  leased_by uuid,
  lease_until timestamptz(3),
  -- After an unusable answer: the time of the next query, and the number of consecutive unusable answers.
  next_attempt_at timestamptz(3),
  attempts integer not null default 0,
  calls integer not null default 0,
  seen integer not null default 0,
  matched integer not null default 0,
  repaired integer not null default 0,
  breaks integer not null default 0,
  unreadable integer not null default 0,
  -- By network, in TZS: the successes according to the provider, and where they are in our books.
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

-- A provider's records while its list is read; deleted when the run has ended.
create table reconciliation_records (
  run_id uuid not null references reconciliation_runs (id),
  reference text not null,
  -- Whether it belongs to the day of the run.
  in_day boolean not null,
  network text,
  -- The status at the provider, and the successful amount in TZS; null if it is not a success in TZS.
  status text not null,
  amount bigint,
  -- Our payment or payout of the record.
  home smallint,
  subject_id uuid,
  outcome text not null,
  primary key (run_id, reference),
  constraint reconciliation_records_outcome_known check (outcome in ('matched', 'repaired', 'break', 'unreadable', 'idle', 'missing'))
);
create index reconciliation_records_missing on reconciliation_records (run_id, reference) where outcome = 'missing';
