-- Tables of server/platform.

-- Time on money rows comes from clock_now() and from nothing else, so that a test can move it.
create function clock_now() returns timestamptz language sql stable as $$ select now() $$;

-- The role that the service works under. It may read everything and write what it owns; each file below takes back what is history:
-- nobody who runs as the service can change or remove a transfer.
do $$
begin
  -- Looked for first: a login that may not make roles is refused before it is seen that there is one (ops/logins.sql).
  if not exists (select from pg_roles where rolname = 'malipo_service') then
    create role malipo_service nologin;
  end if;
exception when duplicate_object or unique_violation then null;
end $$;
grant malipo_service to current_user;
grant usage on schema public to malipo_service;
-- The migration tool has made its tables by now.
grant select, insert, update, delete on all tables in schema public to malipo_service;
alter default privileges in schema public grant select, insert, update, delete on tables to malipo_service;

-- What the limits of all processes count together. The columns are those of the package that counts (server/platform/http/limits.ts); a key
-- is a HMAC, so that no address, phone or e-mail stands here. `expire` is in milliseconds since the epoch.
create table rate_limits (
  key varchar(255) primary key,
  points integer not null default 0,
  expire bigint
) with (fillfactor = 70); -- a counter is updated in place while its window lasts
create index rate_limits_by_expiry on rate_limits (expire);

-- The latest time that this database's clock has shown to the workers. A clock that is behind it was set back, or belongs to another server.
create table clock_marks (
  is_only boolean primary key default true,
  seen_at timestamptz(3) not null default clock_now(),
  constraint clock_marks_one_row check (is_only)
);
insert into clock_marks default values;

revoke insert, delete, truncate on clock_marks from malipo_service;
