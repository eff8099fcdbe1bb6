-- outside a transaction
-- The check of the books compares the stored days with the ledger day by day.
drop index concurrently if exists wallet_days_by_day;
create index concurrently wallet_days_by_day on wallet_days (day, home);
