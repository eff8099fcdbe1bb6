-- A statement that settles payments may open a break, and nearly never does. A trigger of a statement runs for no rows too: these two took
-- 3 to 5 % of the time of a small batch. Now they run for each break that is opened (docs/decisions/0033).
create or replace function tell_operators() returns trigger language plpgsql as $$
begin
  if tg_level = 'ROW' then perform tell_changes(tg_argv[0] || '||');
  else perform tell_changes((select string_agg(distinct tg_argv[0] || '||', ',') from changed));
  end if;
  return null;
end $$;
drop trigger breaks_tell_insert on breaks;
create trigger breaks_tell_insert after insert on breaks for each row execute function tell_operators('breaks');
drop trigger breaks_seal_insert on breaks;
create trigger breaks_seal_insert after insert on breaks for each row execute function seal_rows();
