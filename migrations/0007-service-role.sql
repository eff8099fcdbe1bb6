-- The role that the service works under. It may read everything and write what it owns, but a transfer, once written, is history:
-- nobody who runs as the service can change or remove one.
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
grant select, insert, update, delete on all tables in schema public to malipo_service;
alter default privileges in schema public grant select, insert, update, delete on tables to malipo_service;
revoke update, delete, truncate on ledger_transfers, events, payment_transitions from malipo_service;
revoke insert on payment_transitions from malipo_service;
