-- outside a transaction
-- What is new is found within 32 pages instead of 128: each check looks for it some twenty times.
drop index concurrently if exists ledger_transfers_by_time;
create index concurrently ledger_transfers_by_time on ledger_transfers using brin (created_at) with (pages_per_range = 32, autosummarize = on);
drop index concurrently if exists payments_by_time;
create index concurrently payments_by_time on payments using brin (created_at, updated_at) with (pages_per_range = 32, autosummarize = on);
drop index concurrently if exists webhook_deliveries_by_time;
create index concurrently webhook_deliveries_by_time on webhook_deliveries using brin (created_at) with (pages_per_range = 32, autosummarize = on);
drop index concurrently if exists payouts_by_time;
create index concurrently payouts_by_time on payouts using brin (created_at, updated_at) with (pages_per_range = 32, autosummarize = on);
