-- Tables of server/ledger.

-- The ledger: accounts with a materialised balance, and transfers that are never changed.
-- balance = credits - debits of the account. Money of a merchant is a credit balance of its wallet.
create table ledger_accounts (
  home smallint not null,
  id uuid not null,
  environment text not null,
  kind text not null,
  -- The merchant of a wallet; the zero UUID for the system's own accounts, of which each home has its own.
  holder uuid not null default '00000000-0000-0000-0000-000000000000',
  currency text not null default 'TZS',
  balance bigint not null default 0,
  -- The number of transfers that touched the account: the last seq given out.
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
) with (fillfactor = 50); -- updated all the time: room for the next version on the same page spares the indexes
-- Merchants who owe: few, and looked for every second.
create index ledger_accounts_owing on ledger_accounts (home, id) where kind = 'receivable' and balance < 0;

create table ledger_transfers (
  home smallint not null,
  id uuid not null,
  -- Transfers made together by one cause share a movement.
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
  -- The payment's page, kept beside it so that a wallet's list can be filtered by page in the ledger's own order.
  page_id uuid,
  -- Who or what moved the money, and the request that it did it in.
  actor text not null,
  request_id text not null,
  created_at timestamptz(3) not null default clock_now(),
  payout_id uuid,
  -- The break whose resolution, or whose opening, made the transfer; a break of another home shares the movement instead.
  break_id uuid,
  primary key (home, id),
  constraint ledger_transfers_debit_seq_unique unique (home, debit_account_id, debit_seq),
  constraint ledger_transfers_credit_seq_unique unique (home, credit_account_id, credit_seq),
  constraint ledger_transfers_amount_positive check (amount > 0),
  constraint ledger_transfers_two_accounts check (debit_account_id <> credit_account_id),
  constraint ledger_transfers_payment_named check (kind not in ('payment', 'suspense') or payment_id is not null),
  -- The environment is part of both keys: test money cannot meet a live account.
  constraint ledger_transfers_debit_account foreign key (home, debit_account_id, environment) references ledger_accounts (home, id, environment),
  constraint ledger_transfers_credit_account foreign key (home, credit_account_id, environment) references ledger_accounts (home, id, environment),
  constraint ledger_transfers_payout_named check (
    case when kind like 'payout%' then payout_id is not null when kind like 'return%' then true else payout_id is null end),
  constraint ledger_transfers_break_named check (
    break_id is not null or kind not in ('payout_again', 'payout_again_owed', 'payout_written_off', 'payout_fee_written_off',
      'payout_write_off_returned', 'unallocated_paid', 'unallocated_debited', 'unallocated_written_off', 'unallocated_found',
      'unallocated_credited', 'credit_reversed', 'credit_reversed_owed')),
  -- How breaks are resolved: docs/concepts/reconciliation.md.
  constraint ledger_transfers_kind_known check (kind in (
    'payment', 'provider_fee', 'suspense', 'suspense_release', 'suspense_return',
    -- Set aside when the payout is requested, paid out of what was set aside, brought back there, and given back to the wallet.
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
    'return_reserved', 'return_settled', 'return_given_back', 'return_fee',
    -- A return that the network brought back, and its fee; the fee of a charge that was not paid; what a charge was paid beyond its credit.
    'return_brought_back', 'return_fee_brought_back', 'provider_fee_returned', 'credit_added'))
);
-- A payment is credited at most once, ever; money that could not be credited is put aside at most once; a fee is booked at most once.
create unique index ledger_transfers_one_credit_per_payment on ledger_transfers (home, payment_id, kind) where kind in ('payment', 'suspense', 'provider_fee');
-- Money leaves suspense once: to the merchant's wallet, or back to the payer by the provider.
create unique index ledger_transfers_leave_suspense_once on ledger_transfers (home, payment_id)
  where kind in ('suspense_release', 'suspense_return');
-- Few: what was put aside.
create index ledger_transfers_put_aside on ledger_transfers (home, environment)
  where kind in ('suspense', 'suspense_release', 'suspense_return');
-- Each step of a payout moves its money once, and once more for each break that was resolved so.
create unique index ledger_transfers_once_per_payout_and_break on ledger_transfers (home, payout_id, kind, break_id)
  nulls not distinct where payout_id is not null;
create index ledger_transfers_by_break on ledger_transfers (home, break_id) where break_id is not null;
-- Money that only the provider knows is booked once for each break, and one return of it is in flight at a time.
create unique index ledger_transfers_found_once_per_break on ledger_transfers (home, break_id) where kind = 'unallocated_found';
-- Rows come in the order of time, so a summary of each stretch of the table finds what is recent. Each check of new rows reads all entries
-- of this index once: few entries matter more than few rows behind each. Without autosummarize it would read all rows since the last vacuum.
create index ledger_transfers_by_time on ledger_transfers using brin (created_at) with (pages_per_range = 128, autosummarize = on);

revoke update, delete, truncate on ledger_transfers from malipo_service;
