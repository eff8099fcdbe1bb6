-- outside a transaction
-- None, unless somebody has marked a message by hand: found at a glance.
drop index concurrently if exists provider_inbox_paid_to_nobody;
create index concurrently provider_inbox_paid_to_nobody on provider_inbox (received_at)
  where paid_amount is not null and payment_id is null and state in ('settled', 'ignored');
-- Rows come in the order of time: a summary of each stretch of the table finds those of a span, at next to no cost.
drop index concurrently if exists payouts_by_time;
create index concurrently payouts_by_time on payouts using brin (created_at);
