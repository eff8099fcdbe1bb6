-- outside a transaction
-- Payouts from before batches have none: their check needs no lock that a payout waits for.
alter table payouts validate constraint payouts_batch_row;
