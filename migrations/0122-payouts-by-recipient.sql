-- outside a transaction
-- Whether a recipient was paid before.
drop index concurrently if exists payouts_by_recipient;
create index concurrently payouts_by_recipient on payouts (home, merchant_id, environment, phone_number) where status = 'completed';
