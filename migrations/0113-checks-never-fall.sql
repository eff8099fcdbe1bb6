-- An answer is recorded only while `checks` is what it was when its order was claimed: a count that falls would let an old answer pass for
-- the last one.
create function refuse_fewer_checks() returns trigger language plpgsql as $$
begin
  raise exception 'the checks of an order at a provider are counted up only'
    using errcode = 'check_violation', constraint = 'checks_never_fall', table = tg_table_name;
end $$;
create trigger provider_charges_checks_never_fall before update of checks on provider_charges
  for each row when (new.checks < old.checks) execute function refuse_fewer_checks();
create trigger provider_payouts_checks_never_fall before update of checks on provider_payouts
  for each row when (new.checks < old.checks) execute function refuse_fewer_checks();
