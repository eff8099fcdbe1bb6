-- outside a transaction
alter table payouts validate constraint payouts_late_success_known;
alter table payouts validate constraint payouts_waits_while_not_approved;
alter table breaks validate constraint breaks_payout;
-- Merchants who owe: few, and looked for every second.
drop index concurrently if exists ledger_accounts_owing;
create index concurrently ledger_accounts_owing on ledger_accounts (home, id) where kind = 'receivable' and balance < 0;
