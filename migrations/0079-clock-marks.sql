-- The latest time that this database's clock has shown to the workers. A clock that is behind it was set back, or belongs to another server.
set local lock_timeout = '2s';
create table clock_marks (
  is_only boolean primary key default true,
  seen_at timestamptz(3) not null default clock_now(),
  constraint clock_marks_one_row check (is_only)
);
insert into clock_marks default values;
revoke insert, delete, truncate on clock_marks from malipo_service;
