-- Tables of server/platform.

-- The only source of time for money rows, so that a test can replace it.
create function clock_now() returns timestamptz language sql stable as $$ select now() $$;

-- The role of the service. It may read every table and write most of them. Each file below revokes writes to history: a process with this
-- role cannot change or remove a transfer.
do $$
begin
  -- Checked first, because PostgreSQL refuses `create role` to a login without CREATEROLE even if the role exists (ops/logins.sql).
  if not exists (select from pg_roles where rolname = 'malipo_service') then
    create role malipo_service nologin;
  end if;
exception when duplicate_object or unique_violation then null;
end $$;
grant malipo_service to current_user;
grant usage on schema public to malipo_service;
-- The migration tool has created its tables by now.
grant select, insert, update, delete on all tables in schema public to malipo_service;
alter default privileges in schema public grant select, insert, update, delete on tables to malipo_service;

-- Counters of the rate limits, shared by all processes. The package of server/platform/http/limits.ts defines the columns. A key is an HMAC,
-- so the table holds no address, phone or e-mail. `expire` is in milliseconds since the epoch.
create table rate_limits (
  key varchar(255) primary key,
  points integer not null default 0,
  expire bigint
) with (fillfactor = 70); -- counters are updated in place
create index rate_limits_by_expiry on rate_limits (expire);

-- The latest time that workers have read from this database's clock. A clock that is behind it was set back, or belongs to another server.
create table clock_marks (
  is_only boolean primary key default true,
  seen_at timestamptz(3) not null default clock_now(),
  constraint clock_marks_one_row check (is_only)
);
insert into clock_marks default values;

revoke insert, delete, truncate on clock_marks from malipo_service;
