-- outside a transaction
-- The payouts of all merchants, newest first, as operators list them: without it, each page sorts all payouts ever.
drop index concurrently if exists payouts_newest;
create index concurrently payouts_newest on payouts (created_at desc, id desc);
