-- contract: nothing has written checked_accounts or book_checks.whole_at since 0071; the constraint dropped here is replaced by a wider one
-- breaks_of_transfers: the break of each transfer, which the digest of ledger_transfers leaves out.
set local lock_timeout = '2s';
drop table checked_accounts;
alter table book_checks drop column whole_at;
-- Written by the version before; nothing reads it.
alter table closed_days alter column rechecked_at drop not null;
alter table sealed_spans
  drop constraint sealed_spans_what_known,
  add constraint sealed_spans_what_known
    check (what in ('ledger_transfers', 'breaks_of_transfers', 'payments', 'events', 'payouts')) not valid;
