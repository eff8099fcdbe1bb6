-- contract: an older version writes none but the kinds of transfers that it knows, and the list only grows
-- The provider paid another amount than the payout: the difference leaves or reaches the wallet.
alter table ledger_transfers drop constraint ledger_transfers_kind_known;
alter table ledger_transfers add constraint ledger_transfers_kind_known check (kind in (
    'payment', 'provider_fee', 'suspense', 'suspense_release', 'suspense_return',
    'payout', 'payout_fee', 'payout_settled', 'payout_fee_settled', 'payout_provider_fee',
    'payout_returned', 'payout_fee_returned', 'payout_provider_fee_returned', 'payout_reversal',
    'payout_raised', 'payout_raised_owed', 'payout_lowered',
    'refund', 'refund_fee', 'refund_reversal', 'refund_again',
    'payout_again', 'payout_again_owed', 'receivable_repaid',
    'payout_written_off', 'payout_fee_written_off', 'payout_write_off_returned',
    'unallocated_paid', 'unallocated_debited', 'unallocated_written_off', 'unallocated_found', 'unallocated_credited',
    'break_debited', 'break_debited_owed',
    'credit_reversed', 'credit_reversed_owed',
    'return_reserved', 'return_settled', 'return_given_back', 'return_fee',
    'return_brought_back', 'return_fee_brought_back', 'provider_fee_returned', 'credit_added', 'provider_fee_again')) not valid;
