-- The check of everything goes on where it stopped, and its findings stand apart from those of the check of what is new.
set local lock_timeout = '2s';
create table check_cursors (
  -- whole: the check of everything. turn: what the checks of what is new read in turn, because nothing tells when it changed.
  pass text not null,
  -- The part: a table, a chain, the days, orders to providers.
  walked text not null,
  -- The last row that was read; what both are depends on the part (server/invariants/walks.sql.ts).
  home smallint not null,
  last_id text not null,
  pass_started_at timestamptz(3) not null,
  -- Null while the pass goes on.
  finished_at timestamptz(3),
  lease_until timestamptz(3),
  -- Rows in a step, after one took too long.
  step_rows integer,
  -- Of the pass that goes on, and of the one before it, which count until this one has ended.
  findings jsonb not null default '[]',
  earlier_findings jsonb not null default '[]',
  primary key (pass, walked),
  constraint check_cursors_pass_known check (pass in ('whole', 'turn')),
  constraint check_cursors_step_rows_positive check (step_rows > 0)
);

-- When a check of what is new found nothing; the next one begins there. The other columns are of that check too.
alter table book_checks add column clean_at timestamptz(3);
