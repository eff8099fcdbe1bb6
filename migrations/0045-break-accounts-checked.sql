-- outside a transaction
alter table ledger_accounts validate constraint ledger_accounts_kind_known;
alter table ledger_accounts validate constraint ledger_accounts_wallet_has_holder;
alter table ledger_accounts validate constraint receivable_not_positive;
alter table ledger_accounts validate constraint returns_not_overdrawn;
alter table ledger_transfers validate constraint ledger_transfers_kind_known;
alter table ledger_transfers validate constraint ledger_transfers_payout_named;
alter table ledger_transfers validate constraint ledger_transfers_break;
alter table ledger_transfers validate constraint ledger_transfers_break_named;
-- Each step of a payout moves its money once, and once more for each break that was resolved so.
drop index concurrently if exists ledger_transfers_once_per_payout_and_break;
create unique index concurrently ledger_transfers_once_per_payout_and_break on ledger_transfers (home, payout_id, kind, break_id)
  nulls not distinct where payout_id is not null;
drop index concurrently if exists ledger_transfers_one_of_each_per_payout;
drop index concurrently if exists ledger_transfers_by_break;
create index concurrently ledger_transfers_by_break on ledger_transfers (home, break_id) where break_id is not null;
