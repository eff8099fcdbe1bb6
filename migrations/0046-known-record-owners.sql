-- The owners of the records that are known. A transaction of its own: it only inserts rows, and locks none in use.
insert into provider_references (provider, environment, reference, home, payout_id)
select provider, environment, provider_reference, home, payout_id from provider_payouts where provider_reference is not null
on conflict do nothing;
-- The newest break with the money of a record.
insert into provider_references (provider, environment, reference, home, break_id)
select distinct on (b.provider, b.environment, b.provider_reference) b.provider, b.environment, b.provider_reference, b.home, b.id
from ledger_transfers t
join breaks b on b.home = t.home and b.id = t.break_id
where t.break_id is not null and t.kind in ('unallocated_found', 'unallocated_paid')
  and b.provider is not null and b.provider_reference is not null
order by b.provider, b.environment, b.provider_reference, b.id desc
on conflict do nothing;

-- A record that older versions have booked twice, or bound twice, is left to operators.
insert into breaks (home, id, environment, kind, payment_id, payout_id, provider, provider_reference, details)
select s.home,
  (lpad(to_hex((extract(epoch from clock_now()) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(s.home::integer), 3, '0')
    || substr(replace(gen_random_uuid()::text, '-', ''), 17))::uuid,
  s.environment, case when s.payment_id is null then 'payout_reference_conflict' else 'reference_conflict' end,
  s.payment_id, s.payout_id, s.provider, s.reference, jsonb_build_object('reason', 'booked_twice') || s.other
from (
  select r.*, jsonb_build_object('break', b.id, 'resolution', b.resolution) as other
  from breaks b
  join provider_references r on r.provider = b.provider and r.environment = b.environment and r.reference = b.provider_reference
  where b.resolution in ('debit_wallet', 'write_off', 'return_to_payer', 'refund_second_charge') and r.break_id is null
    and exists (
      select from ledger_transfers t where t.home = b.home and t.break_id = b.id and t.kind in ('unallocated_found', 'unallocated_paid'))
  union all
  select r.provider, r.environment, r.reference, c.home, null, c.payout_id, null, jsonb_build_object('payment', r.payment_id)
  from provider_payouts c
  join provider_references r on r.provider = c.provider and r.environment = c.environment and r.reference = c.provider_reference
  where r.payment_id is not null
) s
on conflict do nothing;
