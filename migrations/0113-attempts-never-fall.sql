-- An answer is recorded only while `attempts` is what it was when its order was claimed: a count that falls would let an old answer pass for
-- the last one.
create function refuse_fewer_attempts() returns trigger language plpgsql as $$
begin
  raise exception 'the attempts of an order at a provider are counted up only'
    using errcode = 'check_violation', constraint = 'attempts_never_fall', table = tg_table_name;
end $$;
create trigger provider_charges_attempts_never_fall before update of attempts on provider_charges
  for each row when (new.attempts < old.attempts) execute function refuse_fewer_attempts();
create trigger provider_payouts_attempts_never_fall before update of attempts on provider_payouts
  for each row when (new.attempts < old.attempts) execute function refuse_fewer_attempts();
