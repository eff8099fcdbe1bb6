-- A balance is changed without an index entry again. The index of those who owe named `balance` in its condition, so each change of any
-- balance wrote an entry into all indexes of its account (the next migration replaces it). This column is the same before and after nearly
-- every change. Null for all other kinds of accounts.
alter table ledger_accounts add column owes boolean;
create function note_debt() returns trigger language plpgsql as $$
begin
  new.owes := new.balance < 0;
  return new;
end $$;
create trigger ledger_accounts_note_debt before update of balance on ledger_accounts
  for each row when (new.kind = 'receivable') execute function note_debt();
update ledger_accounts set owes = true where kind = 'receivable' and balance < 0;
alter table ledger_accounts add constraint ledger_accounts_owes_its_debt
  check (coalesce(owes, false) = (kind = 'receivable' and balance < 0)) not valid;

-- Each row is changed soon after it was stored. A change on the same page writes only what differs into the log; one on another page
-- writes the whole row, with the body of the order or message. New pages alone keep the space.
alter table provider_charges set (fillfactor = 70);
alter table provider_inbox set (fillfactor = 70);
