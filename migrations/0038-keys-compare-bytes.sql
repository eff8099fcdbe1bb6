-- Keys that come from outside compare byte by byte, whatever the locale of the database. An update of the system's libraries can change
-- the order of any other collation: an index on it then finds some keys no longer, and a unique one lets a second one in.
-- Left as they are: words of a fixed list, and phone numbers, which are digits.
-- No row is rewritten. The indexes on these columns are made again under the lock of the migration: up to ten seconds for each million rows on two busy cores.
alter table breaks alter column provider_reference type text collate "C";
alter table erasures alter column pseudonym type text collate "C";
alter table members alter column email type text collate "C";
alter table payment_page_slugs alter column slug type text collate "C";
alter table provider_inbox alter column event_id type text collate "C";
alter table provider_references alter column reference type text collate "C";
alter table rate_limits alter column key type text collate "C";
alter table reconciliation_records alter column reference type text collate "C";
alter table redirect_hosts alter column host type text collate "C";
alter table saved_filters alter column name type text collate "C";
alter table unfinished_objects alter column key type text collate "C";
alter table users alter column email type text collate "C";

-- Their triggers name the columns.
drop trigger provider_payouts_bind_their_record on provider_payouts;
alter table provider_payouts alter column provider_reference type text collate "C";
create trigger provider_payouts_bind_their_record after update of provider_reference on provider_payouts
  for each row when (new.provider_reference is not null) execute function bind_payout_record();
drop trigger support_cases_tell_update on support_cases;
alter table support_cases alter column sms_number type text collate "C";
create trigger support_cases_tell_update after update on support_cases for each row
  when (new.state is distinct from old.state or new.updated_at is distinct from old.updated_at or new.sms_number is distinct from old.sms_number)
  execute function tell_cases();
