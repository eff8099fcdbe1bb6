-- The two logins of Malipo, and nothing else: malipo_owner migrates, malipo_service serves. Neither is a superuser, and the second owns nothing.
-- Run by a superuser, in the database of Malipo, as often as wanted: psql -f ops/logins.sql -d malipo. Passwords are set apart:
--   alter role malipo_owner password '…'; alter role malipo_service password '…';
do $$ begin
  if not exists (select from pg_roles where rolname = 'malipo_owner') then create role malipo_owner; end if;
  if not exists (select from pg_roles where rolname = 'malipo_service') then create role malipo_service; end if;
end $$;
alter role malipo_owner login nosuperuser nocreatedb nocreaterole noreplication nobypassrls;
alter role malipo_service login nosuperuser nocreatedb nocreaterole noreplication nobypassrls;
grant malipo_service to malipo_owner with admin option;

do $$ begin execute format('alter database %I owner to malipo_owner', current_database()); end $$;
alter schema public owner to malipo_owner;
-- What somebody else has made there before: an installation of one login, or of a superuser.
do $$
declare
  change text;
begin
  for change in
    select format('alter %s %s owner to malipo_owner',
      case c.relkind when 'S' then 'sequence' when 'v' then 'view' when 'm' then 'materialized view' else 'table' end, c.oid::regclass)
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'S') and c.relowner <> 'malipo_owner'::regrole
      -- A sequence of a column goes with its table.
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i', 'e'))
    union all
    select format('alter routine %s owner to malipo_owner', p.oid::regprocedure)
    from pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.proowner <> 'malipo_owner'::regrole
      and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
    union all
    select format('alter type %s owner to malipo_owner', t.oid::regtype)
    from pg_type t
    where t.typnamespace = 'public'::regnamespace and t.typtype in ('d', 'e') and t.typowner <> 'malipo_owner'::regrole
  loop
    execute change;
  end loop;
end $$;

grant usage on schema public to malipo_service;
alter default privileges for role malipo_owner in schema public grant select, insert, update, delete on tables to malipo_service;

-- What `npm run ops -- backup` asks PostgreSQL for.
grant pg_read_all_settings, pg_read_all_stats to malipo_owner;
grant execute on function pg_backup_start(text, boolean) to malipo_owner;
grant execute on function pg_backup_stop(boolean) to malipo_owner;
grant execute on function pg_control_system() to malipo_owner;
