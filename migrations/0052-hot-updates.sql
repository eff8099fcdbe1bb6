-- A balance is changed without an index entry again. The index of those who owe named `balance` in its condition, so each change of any
-- balance wrote an entry into all three other indexes of its account. A column that the database computes is the same before and after
-- nearly every change. The table has a few rows for each merchant; it is written again under the lock of the migration.
alter table ledger_accounts add column owes boolean not null generated always as (kind = 'receivable' and balance < 0) stored;
drop index ledger_accounts_owing;
-- Merchants that owe money: few, and queried every second.
create index ledger_accounts_owing on ledger_accounts (home, id) where owes;

-- Each row is changed soon after it was stored. A change on the same page writes only what differs into the log; one on another page
-- writes the whole row, with the body of the order or message. New pages alone keep the space.
alter table provider_charges set (fillfactor = 70);
alter table provider_inbox set (fillfactor = 70);
