-- The two logins of Malipo, and nothing else: malipo_owner migrates, malipo_service serves. Neither is a superuser, and the second owns nothing.
-- Run in the database of Malipo, as often as wanted: psql -f ops/logins.sql -d malipo. By a superuser; or, where the provider of the database keeps
-- that to itself, by the administrator who made the database (CREATEROLE, CREATEDB). Passwords are set apart:
--   alter role malipo_owner password '…'; alter role malipo_service password '…';
do $$
declare
  login name;
  excess text;
begin
  foreach login in array array['malipo_owner', 'malipo_service'] loop
    if not exists (select from pg_roles where rolname = login) then execute format('create role %I', login); end if;
    -- Only what differs: an administrator may not even take away what is for superusers to give.
    select concat_ws(' ', case when not rolcanlogin then 'login' end, case when rolsuper then 'nosuperuser' end,
        case when rolcreatedb then 'nocreatedb' end, case when rolcreaterole then 'nocreaterole' end,
        case when rolreplication then 'noreplication' end, case when rolbypassrls then 'nobypassrls' end)
      into excess from pg_roles where rolname = login;
    if excess <> '' then execute format('alter role %I %s', login, excess); end if;
  end loop;
end $$;
grant malipo_service to malipo_owner with admin option;
-- Who is no superuser gives away only to a role that they are a member of; until the end.
do $$ begin
  if not (select rolsuper from pg_roles where rolname = current_user) then execute format('grant malipo_owner to %I', current_user); end if;
end $$;

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

-- What `npm run ops -- backup` asks PostgreSQL for, which a superuser alone may grant; else the provider of the database makes the backups.
do $$ begin
  if (select rolsuper from pg_roles where rolname = current_user) then
    grant pg_read_all_settings, pg_read_all_stats to malipo_owner;
    grant execute on function pg_backup_start(text, boolean) to malipo_owner;
    grant execute on function pg_backup_stop(boolean) to malipo_owner;
    grant execute on function pg_control_system() to malipo_owner;
  else
    execute format('revoke malipo_owner from %I', current_user);
  end if;
end $$;
