-- Tables of server/platform.

-- The only source of time for money rows, so that a test can replace it.
create function clock_now() returns timestamptz language sql stable as $$ select now() $$;

-- The public form of an id, as server/platform/ids.ts makes it: a prefix and 26 characters of 5 bits. Written out, because a loop takes
-- several times as long, and every settled payment needs it.
create function wire_id(prefix text, id uuid) returns text language plpgsql immutable strict parallel safe as $$
declare
  hex constant text := replace(id::text, '-', '');
  hi constant bigint := ('x' || substr(hex, 1, 16))::bit(64)::bigint;
  lo constant bigint := ('x' || substr(hex, 17))::bit(64)::bigint;
  digits constant text := '0123456789abcdefghjkmnpqrstvwxyz';
begin
  return prefix || '_'
    || substr(digits, 1 + (hi >> 61 & 7)::integer, 1) || substr(digits, 1 + (hi >> 56 & 31)::integer, 1)
    || substr(digits, 1 + (hi >> 51 & 31)::integer, 1) || substr(digits, 1 + (hi >> 46 & 31)::integer, 1)
    || substr(digits, 1 + (hi >> 41 & 31)::integer, 1) || substr(digits, 1 + (hi >> 36 & 31)::integer, 1)
    || substr(digits, 1 + (hi >> 31 & 31)::integer, 1) || substr(digits, 1 + (hi >> 26 & 31)::integer, 1)
    || substr(digits, 1 + (hi >> 21 & 31)::integer, 1) || substr(digits, 1 + (hi >> 16 & 31)::integer, 1)
    || substr(digits, 1 + (hi >> 11 & 31)::integer, 1) || substr(digits, 1 + (hi >> 6 & 31)::integer, 1)
    || substr(digits, 1 + (hi >> 1 & 31)::integer, 1) || substr(digits, 1 + ((hi << 4 & 31) | (lo >> 60 & 15))::integer, 1)
    || substr(digits, 1 + (lo >> 55 & 31)::integer, 1) || substr(digits, 1 + (lo >> 50 & 31)::integer, 1)
    || substr(digits, 1 + (lo >> 45 & 31)::integer, 1) || substr(digits, 1 + (lo >> 40 & 31)::integer, 1)
    || substr(digits, 1 + (lo >> 35 & 31)::integer, 1) || substr(digits, 1 + (lo >> 30 & 31)::integer, 1)
    || substr(digits, 1 + (lo >> 25 & 31)::integer, 1) || substr(digits, 1 + (lo >> 20 & 31)::integer, 1)
    || substr(digits, 1 + (lo >> 15 & 31)::integer, 1) || substr(digits, 1 + (lo >> 10 & 31)::integer, 1)
    || substr(digits, 1 + (lo >> 5 & 31)::integer, 1) || substr(digits, 1 + (lo & 31)::integer, 1);
end $$;

-- A time as JSON of the API has it.
create function wire_time(at timestamptz) returns text language sql stable strict parallel safe as $$
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;

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
