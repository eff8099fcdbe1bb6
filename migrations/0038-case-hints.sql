-- Hints of support cases (server/live). A look at the payment of a case, and a lease, change nothing that a screen shows.
create function tell_cases() returns trigger language plpgsql as $$
begin
  perform tell_changes(concat_ws('|', 'cases', new.merchant_id, new.environment));
  return null;
end $$;

create trigger support_cases_tell_insert after insert on support_cases for each row execute function tell_cases();
create trigger support_cases_tell_update after update on support_cases for each row
  when (new.state is distinct from old.state or new.updated_at is distinct from old.updated_at or new.sms_number is distinct from old.sms_number)
  execute function tell_cases();
