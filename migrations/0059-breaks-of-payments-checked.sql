-- outside a transaction
alter table payments validate constraint payments_amount_received_differs;
alter table payments validate constraint payments_reversed_was_credited;
alter table payouts validate constraint payouts_purpose_known;
alter table payouts validate constraint payouts_purpose_has_owner;
alter table payouts validate constraint payouts_break;
alter table ledger_transfers validate constraint ledger_transfers_kind_known;
-- Money that only the provider knows is booked once for each break, and one return of it is in flight at a time.
drop index concurrently if exists ledger_transfers_found_once_per_break;
create unique index concurrently ledger_transfers_found_once_per_break on ledger_transfers (home, break_id) where kind = 'unallocated_found';
drop index concurrently if exists payouts_one_return_in_flight;
create unique index concurrently payouts_one_return_in_flight on payouts (home, break_id)
  where break_id is not null and status in ('pending', 'processing', 'completed');
drop index concurrently if exists payouts_by_break;
create index concurrently payouts_by_break on payouts (home, break_id) where break_id is not null;
