-- Tables of server/money/ledger.

-- The ledger: accounts with a materialised balance, and transfers that are never changed.
-- balance = credits - debits of the account. Money of a merchant is a credit balance of its wallet.
create table ledger_accounts (
  home smallint not null,
  id uuid not null,
  environment text not null,
  kind text not null,
  -- The merchant of a wallet; the zero UUID for the system's accounts, which exist in each home.
  holder uuid not null default '00000000-0000-0000-0000-000000000000',
  currency text not null default 'TZS',
  balance bigint not null default 0,
  -- The number of transfers that touched the account: the last assigned seq.
  last_seq bigint not null default 0,
  created_at timestamptz(3) not null default clock_now(),
  primary key (home, id),
  constraint ledger_accounts_one_of_each unique (home, environment, kind, holder),
  constraint ledger_accounts_environment_unique unique (home, id, environment),
  constraint ledger_accounts_environment_known check (environment in ('test', 'live')),
  constraint ledger_accounts_tzs_only check (currency = 'TZS'),
  constraint wallet_not_overdrawn check (kind <> 'wallet' or balance >= 0),
  constraint reserve_not_overdrawn check (kind <> 'payouts_reserved' or balance >= 0),
  -- receivable: what a merchant owes, as a negative balance. loss: written off. unallocated: money that only the provider knows.
  -- returns_reserved: reserved for system payouts that return money to payers.
  constraint ledger_accounts_kind_known check (kind in (
    'wallet', 'payouts_reserved', 'receivable',
    'provider_clearing', 'provider_fees', 'suspense', 'loss', 'unallocated', 'returns_reserved')),
  constraint ledger_accounts_wallet_has_holder check (
    (kind in ('wallet', 'payouts_reserved', 'receivable')) = (holder <> '00000000-0000-0000-0000-000000000000')),
  constraint receivable_not_positive check (kind <> 'receivable' or balance <= 0),
  constraint returns_not_overdrawn check (kind <> 'returns_reserved' or balance >= 0)
) with (fillfactor = 50); -- free space on each page allows HOT updates, which write no index entry
-- Merchants that owe money: few, and queried every second.
create index ledger_accounts_owing on ledger_accounts (home, id) where kind = 'receivable' and balance < 0;

create table ledger_transfers (
  home smallint not null,
  id uuid not null,
  -- Transfers with one common cause share a movement.
  movement_id uuid not null,
  environment text not null,
  kind text not null,
  debit_account_id uuid not null,
  credit_account_id uuid not null,
  amount bigint not null,
  debit_seq bigint not null,
  credit_seq bigint not null,
  debit_balance_after bigint not null,
  credit_balance_after bigint not null,
  payment_id uuid,
  -- The payment's page, so that a wallet's list can be filtered by page in the order of the ledger.
  page_id uuid,
  -- Who or what moved the money, and in which request.
  actor text not null,
  request_id text not null,
  created_at timestamptz(3) not null default clock_now(),
  payout_id uuid,
  -- The break whose opening or resolution caused the transfer. A break of another home shares the movement instead.
  break_id uuid,
  primary key (home, id),
  constraint ledger_transfers_debit_seq_unique unique (home, debit_account_id, debit_seq),
  constraint ledger_transfers_credit_seq_unique unique (home, credit_account_id, credit_seq),
  constraint ledger_transfers_amount_positive check (amount > 0),
  constraint ledger_transfers_two_accounts check (debit_account_id <> credit_account_id),
  constraint ledger_transfers_payment_named check (kind not in ('payment', 'suspense') or payment_id is not null),
  -- The environment is part of both keys: test money cannot reach a live account.
  constraint ledger_transfers_debit_account foreign key (home, debit_account_id, environment) references ledger_accounts (home, id, environment),
  constraint ledger_transfers_credit_account foreign key (home, credit_account_id, environment) references ledger_accounts (home, id, environment),
  constraint ledger_transfers_payout_named check (
    case when kind like 'payout%' or kind like 'refund%' then payout_id is not null when kind like 'return%' then true else payout_id is null end),
  constraint ledger_transfers_break_named check (
    break_id is not null or kind not in ('payout_again', 'payout_again_owed', 'refund_again', 'payout_written_off', 'payout_fee_written_off',
      'payout_write_off_returned', 'unallocated_paid', 'unallocated_debited', 'unallocated_written_off', 'unallocated_found',
      'unallocated_credited', 'credit_reversed', 'credit_reversed_owed')),
  -- docs/concepts/reconciliation.md explains how breaks are resolved.
  constraint ledger_transfers_kind_known check (kind in (
    'payment', 'provider_fee', 'suspense', 'suspense_release', 'suspense_return',
    -- A payout: reserved on request, paid from the reserve, returned to the reserve, returned to the wallet.
    'payout', 'payout_fee', 'payout_settled', 'payout_fee_settled', 'payout_provider_fee',
    'payout_returned', 'payout_fee_returned', 'payout_provider_fee_returned', 'payout_reversal',
    -- The provider paid another amount than the payout: the difference leaves or reaches the wallet.
    'payout_raised', 'payout_raised_owed', 'payout_lowered',
    -- The lines of a refund in the wallet; its other steps are those of a payout.
    'refund', 'refund_fee', 'refund_reversal', 'refund_again',
    -- Debited again for a payout that was returned and then paid after all: from the wallet as far as possible, the rest is owed.
    'payout_again', 'payout_again_owed', 'receivable_repaid',
    -- Paid after all and not debited from the merchant, and the part of it that was returned.
    'payout_written_off', 'payout_fee_written_off', 'payout_write_off_returned',
    -- Money that left or reached the provider in an order or charge unknown to us, and its later assignment.
    'unallocated_paid', 'unallocated_debited', 'unallocated_written_off', 'unallocated_found', 'unallocated_credited',
    -- In the home of the merchant that is debited.
    'break_debited', 'break_debited_owed',
    -- A reversed credit: the provider has shown that the payment was not paid.
    'credit_reversed', 'credit_reversed_owed',
    -- System payouts that return money to a payer.
    'return_reserved', 'return_settled', 'return_given_back', 'return_fee',
    -- A return that the network reversed, and its fee; the fee of a charge that was not paid, and of one that then was; an amount above the
    -- credited one.
    'return_brought_back', 'return_fee_brought_back', 'provider_fee_returned', 'credit_added', 'provider_fee_again'))
);
-- A payment has at most one credit, one transfer into suspense, and one fee.
create unique index ledger_transfers_one_credit_per_payment on ledger_transfers (home, payment_id, kind) where kind in ('payment', 'suspense', 'provider_fee');
-- Money leaves suspense once: to the merchant's wallet, or to the payer through the provider.
create unique index ledger_transfers_leave_suspense_once on ledger_transfers (home, payment_id)
  where kind in ('suspense_release', 'suspense_return');
-- Transfers into and out of suspense; few rows.
create index ledger_transfers_put_aside on ledger_transfers (home, environment)
  where kind in ('suspense', 'suspense_release', 'suspense_return');
-- Each step of a payout moves its money once, plus once for each break that was resolved that way.
create unique index ledger_transfers_once_per_payout_and_break on ledger_transfers (home, payout_id, kind, break_id)
  nulls not distinct where payout_id is not null;
create index ledger_transfers_by_break on ledger_transfers (home, break_id) where break_id is not null;
-- Money that only the provider knows is booked once for each break, and one return of it is in flight at a time.
create unique index ledger_transfers_found_once_per_break on ledger_transfers (home, break_id) where kind = 'unallocated_found';
-- Rows are stored in the order of time, so BRIN finds recent ones. Each check of new rows reads the whole index, so a small index matters more
-- than a precise one. Without autosummarize it would read all rows since the last vacuum.
create index ledger_transfers_by_time on ledger_transfers using brin (created_at) with (pages_per_range = 128, autosummarize = on);

revoke update, delete, truncate on ledger_transfers from malipo_service;
