-- Restores of this database to an earlier moment: what began after that moment is known to the providers only. While one is open, nothing
-- begins, and no order is sent for the first time.
set local lock_timeout = '2s';
create table restores (
  -- As the marker of the restore names it, so that every process notes it once.
  id uuid primary key,
  restored_to timestamptz(3) not null,
  noted_at timestamptz(3) not null default clock_now(),
  noted_by text not null,
  -- When the comparisons of the lost span were planned, and when all of them had ended.
  planned_at timestamptz(3),
  ended_at timestamptz(3),
  -- The operator who did not wait for them, and why.
  forced_by text,
  forced_reason text,
  constraint restores_force_is_whole check (num_nonnulls(forced_by, forced_reason) in (0, 2) and (forced_by is null or ended_at is not null))
);
alter table reconciliation_runs add column restore_id uuid;
alter table reconciliation_runs add constraint reconciliation_runs_restore foreign key (restore_id) references restores (id) not valid;
revoke delete, truncate on restores from malipo_service;
