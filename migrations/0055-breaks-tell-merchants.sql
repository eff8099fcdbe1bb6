-- Operators begin or end to look at a payment or payout when a break of it is opened or resolved. Its row does not change then, so the
-- break tells the screens of the merchant that this payment or payout is to be read again. For each row, as in 0054.
create function tell_break() returns trigger language plpgsql as $$
begin
  perform tell_changes(concat_ws(',', 'breaks||',
    (select 'payments|' || p.merchant_id || '|' || p.environment from payments p where p.home = new.home and p.id = new.payment_id),
    -- A return to a payer has no merchant.
    (select 'payouts|' || p.merchant_id || '|' || p.environment from payouts p where p.home = new.home and p.id = new.payout_id)));
  return null;
end $$;
drop trigger breaks_tell_insert on breaks;
create trigger breaks_tell_insert after insert on breaks for each row execute function tell_break();
drop trigger breaks_tell_update on breaks;
create trigger breaks_tell_update after update on breaks for each row execute function tell_break();
