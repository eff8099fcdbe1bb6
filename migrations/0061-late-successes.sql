-- contract: the constraints dropped here are replaced by wider ones; what older versions write is still allowed
-- A charge whose payment ended without a credit is asked about again: its payer may have paid all the same.
set local lock_timeout = '2s';
alter table provider_charges
  -- When its payment ended without a credit; null once it is credited, and once it is not asked about any more.
  add column ended_at timestamptz(3),
  -- When it is asked about next.
  add column recheck_at timestamptz(3),
  add constraint provider_charges_rechecked_after_end check ((recheck_at is null) = (ended_at is null)) not valid;

-- late: what ended in the last day, beside the provider's list, every few minutes.
alter table reconciliation_runs
  drop constraint reconciliation_runs_kind_known,
  add constraint reconciliation_runs_kind_known check (kind in ('recent', 'late', 'daily')) not valid;

-- fee_differs: the provider reports a fee that cannot be right; it is booked when operators have decided.
alter table breaks
  drop constraint breaks_kind_known,
  add constraint breaks_kind_known check (kind in (
    'amount_differs', 'charge_unknown', 'reference_conflict',
    'payout_amount_differs', 'payout_unknown', 'payout_contradicts', 'payout_reference_conflict',
    'missing_at_provider', 'unknown_at_provider', 'settled_differs', 'fee_differs')) not valid;
