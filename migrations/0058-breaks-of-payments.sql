-- contract: the constraint dropped here is replaced by a wider one; what older versions write is still allowed
-- Payments for which another amount came than was asked for, credits taken back, and system payouts that return money to a payer.
set local lock_timeout = '2s';
alter table payments
  -- TZS that came, where it is not `amount`.
  add column amount_received bigint,
  -- The provider has shown that it was not paid after all; the credit was taken back.
  add column credit_reversed_at timestamptz(3),
  add constraint payments_amount_received_differs check (
    amount_received is null or (amount_received > 0 and amount_received <> amount and status = 'completed')) not valid,
  add constraint payments_reversed_was_credited check (credit_reversed_at is null or status = 'completed') not valid;
alter table events add column amount_received bigint;
-- Whose phone has paid money that nobody here knows, as the provider says: where it can be returned to.
alter table breaks add column payer_phone text;

-- A system payout has no merchant: it returns the money of a break to the payer, from where it lies and at our expense.
alter table payouts
  alter column merchant_id drop not null,
  add column purpose text not null default 'merchant',
  add column break_id uuid,
  add constraint payouts_purpose_known check (purpose in ('merchant', 'return_to_payer')) not valid,
  add constraint payouts_purpose_has_owner check (
    case purpose when 'merchant' then merchant_id is not null and break_id is null else merchant_id is null and break_id is not null end) not valid,
  add constraint payouts_break foreign key (home, break_id) references breaks (home, id) not valid;

alter table ledger_transfers
  drop constraint ledger_transfers_kind_known,
  add constraint ledger_transfers_kind_known check (kind in (
    'payment', 'provider_fee', 'suspense', 'suspense_release', 'suspense_return',
    'payout', 'payout_fee', 'payout_settled', 'payout_fee_settled', 'payout_provider_fee',
    'payout_returned', 'payout_fee_returned', 'payout_provider_fee_returned', 'payout_reversal',
    'payout_again', 'payout_again_owed', 'receivable_repaid',
    'payout_written_off', 'payout_fee_written_off', 'payout_write_off_returned',
    'unallocated_paid', 'unallocated_debited', 'unallocated_written_off', 'unallocated_found', 'unallocated_credited',
    'break_debited', 'break_debited_owed',
    'credit_reversed', 'credit_reversed_owed',
    'return_reserved', 'return_settled', 'return_given_back', 'return_fee',
    -- A return that the network brought back, and its fee; the fee of a charge that was not paid; what a charge was paid beyond its credit.
    'return_brought_back', 'return_fee_brought_back', 'provider_fee_returned', 'credit_added')) not valid;
