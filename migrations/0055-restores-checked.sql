-- outside a transaction
alter table reconciliation_runs validate constraint reconciliation_runs_restore;
drop index concurrently if exists reconciliation_runs_of_restore;
create index concurrently reconciliation_runs_of_restore on reconciliation_runs (restore_id) where restore_id is not null;
-- A payout that a restored database has lost is found by the id that a provider's record names.
drop index concurrently if exists breaks_by_our_reference;
create index concurrently breaks_by_our_reference on breaks ((details ->> 'our_reference_there')) where kind = 'unknown_at_provider';
