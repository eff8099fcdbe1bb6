-- Deliveries of the test environment wait in a queue of their own, so that no test endpoint takes a place from live ones. Deliveries that
-- are there already, and those of an older version beside this one, count as live until they are finished.
set local lock_timeout = '2s';
alter table webhook_deliveries add column is_test boolean not null default false;
