-- outside a transaction
-- Without "autosummarize" all that was written since the last vacuum is read each time that what is new is looked for.
drop index concurrently if exists ledger_transfers_by_time;
create index concurrently ledger_transfers_by_time on ledger_transfers using brin (created_at) with (autosummarize = on);
drop index concurrently if exists payments_by_time;
create index concurrently payments_by_time on payments using brin (created_at, updated_at) with (autosummarize = on);
drop index concurrently if exists webhook_deliveries_by_time;
create index concurrently webhook_deliveries_by_time on webhook_deliveries using brin (created_at) with (autosummarize = on);
drop index concurrently if exists payouts_by_time;
create index concurrently payouts_by_time on payouts using brin (created_at, updated_at) with (autosummarize = on);
drop index concurrently if exists reconciliation_runs_ended;
create index concurrently reconciliation_runs_ended on reconciliation_runs (ended_at) where kind = 'daily';
alter table closed_days validate constraint closed_days_version_known;
