-- contract: the constraint dropped here is replaced by a wider one; what older versions write is still allowed
-- A payout that was given back and that the provider paid after all; and whose payout a break is about.
set local lock_timeout = '2s';
alter table payouts
  -- Decided by two operators: booked: taken again from the merchant; written_off: booked to loss, the status stays.
  add column late_success text,
  add constraint payouts_late_success_known check (
    late_success is null
    or late_success = 'booked' and status in ('completed', 'reversed')
    or late_success = 'written_off' and status in ('failed', 'reversed', 'cancelled')) not valid,
  drop constraint payouts_waits_while_not_approved,
  add constraint payouts_waits_while_not_approved check (
    approval not in ('required', 'refused') or status in ('pending', 'cancelled')
    or approval = 'refused' and late_success is not null) not valid;
insert into payout_transitions (from_status, to_status, gives_back) values
  -- Only by operators, with what the provider has shown.
  ('failed', 'completed', false),
  ('reversed', 'completed', false),
  ('cancelled', 'completed', false);

alter table breaks add constraint breaks_payout foreign key (home, payout_id) references payouts (home, id) not valid;
