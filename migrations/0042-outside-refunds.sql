-- A refund that the merchant gave back by its own means: the wallet pays nothing, and no provider gets an order
-- (server/pay-out/payouts/request-refund.ts).

alter table payouts
  add column method text not null default 'provider',
  add constraint payouts_method_known check (method in ('provider', 'outside')) not valid,
  -- No fee, no wait, no decision of operators, and nothing that only a provider reports.
  add constraint payouts_outside_costs_nothing check (method = 'provider' or (purpose = 'refund' and fee = 0
    and waits_until is null and approval_by is distinct from 'operators' and not held and late_success is null
    and status in ('pending', 'completed', 'cancelled'))) not valid;

create function refuse_outside_order() returns trigger language plpgsql as $$
begin
  if exists (select from inserted i join payouts p on p.home = i.home and p.id = i.payout_id where p.method = 'outside') then
    raise exception 'a refund outside the wallet has no order'
      using errcode = 'check_violation', constraint = 'outside_has_no_order', table = 'provider_payouts';
  end if;
  return null;
end $$;

create trigger outside_has_no_order after insert on provider_payouts
  referencing new table as inserted for each statement execute function refuse_outside_order();

-- A refund through the provider stays one: its money is in the ledger.
create function refuse_other_method() returns trigger language plpgsql as $$
begin
  raise exception 'the method of a refund does not change' using errcode = 'check_violation', constraint = 'payouts_method_stays', table = 'payouts';
end $$;

create trigger payouts_method_stays before update of method on payouts
  for each row when (old.method is distinct from new.method) execute function refuse_other_method();
