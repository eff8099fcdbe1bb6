-- A record of a provider belongs to one payment, one payout, or the break that has booked its money. Every booking crosses this key.
alter table provider_references alter column payment_id drop not null;
alter table provider_references add column payout_id uuid;
alter table provider_references add column break_id uuid;
alter table provider_references add constraint provider_references_one_owner
  check (num_nonnulls(payment_id, payout_id, break_id) = 1) not valid;

-- The reference of a payout is its record, whichever version of the service writes it.
create function bind_payout_record() returns trigger language plpgsql as $$
begin
  insert into provider_references (provider, environment, reference, home, payout_id)
  values (new.provider, new.environment, new.provider_reference, new.home, new.payout_id)
  on conflict (provider, environment, reference) do nothing;
  if not exists (
    select from provider_references r
    where r.provider = new.provider and r.environment = new.environment and r.reference = new.provider_reference
      and r.home = new.home and r.payout_id = new.payout_id) then
    raise exception 'the record % of % has another owner', new.provider_reference, new.provider
      using errcode = 'unique_violation', constraint = 'provider_references_pkey', table = 'provider_references';
  end if;
  return null;
end $$;
create trigger provider_payouts_bind_their_record after update of provider_reference on provider_payouts
  for each row when (new.provider_reference is not null) execute function bind_payout_record();
