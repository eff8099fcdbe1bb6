-- outside a transaction
drop index concurrently if exists webhook_deliveries_due_live;
create index concurrently webhook_deliveries_due_live on webhook_deliveries (next_attempt_at) where status = 'pending' and not is_test;
drop index concurrently if exists webhook_deliveries_due_test;
create index concurrently webhook_deliveries_due_test on webhook_deliveries (next_attempt_at) where status = 'pending' and is_test;
-- The two stand for it; a third index would be one more to write for every delivery.
drop index concurrently if exists webhook_deliveries_due;
