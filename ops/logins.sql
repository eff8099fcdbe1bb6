-- Creates the two logins of Malipo: malipo_owner migrates, malipo_service serves. Neither is a superuser, and the second owns nothing.
-- Run it in the database of Malipo, any number of times: psql -f ops/logins.sql -d malipo. Run it as a superuser, or, on a managed database without
-- superuser access, as the administrator that created the database (CREATEROLE, CREATEDB). Set the passwords separately:
--   alter role malipo_owner password '…'; alter role malipo_service password '…';
do $$
declare
  login name;
  excess text;
begin
  foreach login in array array['malipo_owner', 'malipo_service'] loop
    if not exists (select from pg_roles where rolname = login) then execute format('create role %I', login); end if;
    -- Only the differing attributes: an administrator may not even revoke an attribute that only a superuser may grant.
    select concat_ws(' ', case when not rolcanlogin then 'login' end, case when rolsuper then 'nosuperuser' end,
        case when rolcreatedb then 'nocreatedb' end, case when rolcreaterole then 'nocreaterole' end,
        case when rolreplication then 'noreplication' end, case when rolbypassrls then 'nobypassrls' end)
      into excess from pg_roles where rolname = login;
    if excess <> '' then execute format('alter role %I %s', login, excess); end if;
  end loop;
end $$;
grant malipo_service to malipo_owner with admin option;
-- Without superuser rights, ownership can be given only to a role of which the user is a member. The grant is revoked at the end.
do $$ begin
  if not (select rolsuper from pg_roles where rolname = current_user) then execute format('grant malipo_owner to %I', current_user); end if;
end $$;

do $$ begin execute format('alter database %I owner to malipo_owner', current_database()); end $$;
alter schema public owner to malipo_owner;
-- Objects that another user has created: by an installation with one login, or by a superuser.
do $$
declare
  change text;
begin
  for change in
    select format('alter %s %s owner to malipo_owner',
      case c.relkind when 'S' then 'sequence' when 'v' then 'view' when 'm' then 'materialized view' else 'table' end, c.oid::regclass)
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'S') and c.relowner <> 'malipo_owner'::regrole
      -- The sequence of a column follows its table.
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

-- What only a superuser may set. Without the rights for `malipo-ops backup`, use the backups of the database provider.
do $$ begin
  if (select rolsuper from pg_roles where rolname = current_user) then
    -- The DETAIL of an error quotes the row: "Key (email)=(asha@example.com) already exists."
    alter role malipo_service set log_error_verbosity = 'terse';
    alter role malipo_owner set log_error_verbosity = 'terse';
    grant pg_read_all_settings, pg_read_all_stats to malipo_owner;
    grant execute on function pg_backup_start(text, boolean) to malipo_owner;
    grant execute on function pg_backup_stop(boolean) to malipo_owner;
    grant execute on function pg_control_system() to malipo_owner;
  else
    execute format('revoke malipo_owner from %I', current_user);
  end if;
end $$;
