-- contract: an older version writes none but the kinds of transfers that it knows, and the list only grows
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

-- A charge that was not paid, and then was: its fee is booked again.
alter table ledger_transfers drop constraint ledger_transfers_kind_known;
alter table ledger_transfers add constraint ledger_transfers_kind_known check (kind in (
    'payment', 'provider_fee', 'suspense', 'suspense_release', 'suspense_return',
    'payout', 'payout_fee', 'payout_settled', 'payout_fee_settled', 'payout_provider_fee',
    'payout_returned', 'payout_fee_returned', 'payout_provider_fee_returned', 'payout_reversal',
    'refund', 'refund_fee', 'refund_reversal', 'refund_again',
    'payout_again', 'payout_again_owed', 'receivable_repaid',
    'payout_written_off', 'payout_fee_written_off', 'payout_write_off_returned',
    'unallocated_paid', 'unallocated_debited', 'unallocated_written_off', 'unallocated_found', 'unallocated_credited',
    'break_debited', 'break_debited_owed',
    'credit_reversed', 'credit_reversed_owed',
    'return_reserved', 'return_settled', 'return_given_back', 'return_fee',
    'return_brought_back', 'return_fee_brought_back', 'provider_fee_returned', 'credit_added', 'provider_fee_again')) not valid;
