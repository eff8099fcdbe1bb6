-- outside a transaction
-- Each check of what is new reads these once, all their entries: fewer of them are worth more than fewer rows behind each.
drop index concurrently if exists ledger_transfers_by_time;
create index concurrently ledger_transfers_by_time on ledger_transfers using brin (created_at) with (pages_per_range = 128, autosummarize = on);
drop index concurrently if exists payments_by_time;
create index concurrently payments_by_time on payments using brin (created_at, updated_at) with (pages_per_range = 128, autosummarize = on);
drop index concurrently if exists webhook_deliveries_by_time;
create index concurrently webhook_deliveries_by_time on webhook_deliveries using brin (created_at) with (pages_per_range = 128, autosummarize = on);
drop index concurrently if exists payouts_by_time;
create index concurrently payouts_by_time on payouts using brin (created_at, updated_at) with (pages_per_range = 128, autosummarize = on);
alter table sealed_spans validate constraint sealed_spans_what_known;
