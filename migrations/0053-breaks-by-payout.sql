-- outside a transaction
-- A break that is opened again finds the earlier ones of its payout, which may have no reference.
drop index concurrently if exists breaks_by_payout;
create index concurrently breaks_by_payout on breaks (home, payout_id) where payout_id is not null;
-- 0052 added it without a look at old rows.
alter table ledger_transfers validate constraint ledger_transfers_kind_known;
