-- contract: the constraints dropped here are replaced by wider ones; what older versions write is still allowed
-- Accounts and transfers for breaks that are resolved with what the provider proved (docs/concepts/reconciliation.md).
set local lock_timeout = '2s';
-- receivable: what a merchant owes, as a negative balance. loss: written off. unallocated: money that only the provider knows.
-- returns_reserved: reserved for system payouts that return money to payers.
alter table ledger_accounts
  drop constraint ledger_accounts_kind_known,
  add constraint ledger_accounts_kind_known check (kind in (
    'wallet', 'payouts_reserved', 'receivable',
    'provider_clearing', 'provider_fees', 'suspense', 'loss', 'unallocated', 'returns_reserved')) not valid,
  drop constraint ledger_accounts_wallet_has_holder,
  add constraint ledger_accounts_wallet_has_holder check (
    (kind in ('wallet', 'payouts_reserved', 'receivable')) = (holder <> '00000000-0000-0000-0000-000000000000')) not valid,
  add constraint receivable_not_positive check (kind <> 'receivable' or balance <= 0) not valid,
  add constraint returns_not_overdrawn check (kind <> 'returns_reserved' or balance >= 0) not valid;

alter table ledger_transfers
  -- The break whose resolution, or whose opening, made the transfer; a break of another home shares the movement instead.
  add column break_id uuid,
  drop constraint ledger_transfers_kind_known,
  add constraint ledger_transfers_kind_known check (kind in (
    'payment', 'provider_fee', 'suspense', 'suspense_release', 'suspense_return',
    'payout', 'payout_fee', 'payout_settled', 'payout_fee_settled', 'payout_provider_fee',
    'payout_returned', 'payout_fee_returned', 'payout_provider_fee_returned', 'payout_reversal',
    -- Taken again for a payout that was given back and paid after all: from the wallet as far as it goes, the rest is owed.
    'payout_again', 'payout_again_owed', 'receivable_repaid',
    -- Paid after all and not taken from the merchant; and what of that came back.
    'payout_written_off', 'payout_fee_written_off', 'payout_write_off_returned',
    -- Money that left or reached the provider in an order or charge that nobody here knows, and where it went once it was known.
    'unallocated_paid', 'unallocated_debited', 'unallocated_written_off', 'unallocated_found', 'unallocated_credited',
    -- In the home of the merchant who takes it on.
    'break_debited', 'break_debited_owed',
    -- A credit taken back, because the provider has shown that the payment was not paid.
    'credit_reversed', 'credit_reversed_owed',
    -- System payouts that return money to a payer.
    'return_reserved', 'return_settled', 'return_given_back', 'return_fee')) not valid,
  drop constraint ledger_transfers_payout_named,
  add constraint ledger_transfers_payout_named check (
    case when kind like 'payout%' then payout_id is not null when kind like 'return%' then true else payout_id is null end) not valid,
  add constraint ledger_transfers_break foreign key (home, break_id) references breaks (home, id) not valid,
  add constraint ledger_transfers_break_named check (
    break_id is not null or kind not in ('payout_again', 'payout_again_owed', 'payout_written_off', 'payout_fee_written_off',
      'payout_write_off_returned', 'unallocated_paid', 'unallocated_debited', 'unallocated_written_off', 'unallocated_found',
      'unallocated_credited', 'credit_reversed', 'credit_reversed_owed')) not valid;

-- What a proposed resolution names besides itself: a payment, a payout, a merchant.
alter table breaks add column proposal_parameters jsonb;
