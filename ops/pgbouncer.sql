-- What the service sends with each connection to PostgreSQL, and a pooler leaves out: time limits, the time zone and a planner cost, set at the
-- login that serves. Run it in the database of Malipo as a superuser, any number of times: psql -d malipo -f ops/pgbouncer.sql
do $$
declare
  setting text;
begin
  foreach setting in array array[
    'statement_timeout = ''15s''',
    'lock_timeout = ''2s''',
    'idle_in_transaction_session_timeout = ''10s''',
    'timezone = ''UTC''',
    'random_page_cost = 1.1'
  ] loop
    execute format('alter role malipo_service in database %I set ', current_database()) || setting;
  end loop;
end $$;
