-- outside a transaction
-- contract: the version before counts debts by the index that goes; without it, it reads all accounts instead, as right as before.
-- Merchants that owe money: few, and queried every second.
drop index concurrently if exists ledger_accounts_in_debt;
create index concurrently ledger_accounts_in_debt on ledger_accounts (home, id) where owes;
drop index concurrently if exists ledger_accounts_owing;
alter table ledger_accounts validate constraint ledger_accounts_owes_its_debt;
