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
  constraint ledger_accounts_kind_known check (kind in ('wallet', 'provider_clearing', 'provider_fees', 'suspense')),
  constraint ledger_accounts_tzs_only check (currency = 'TZS'),
  constraint ledger_accounts_wallet_has_holder check ((kind = 'wallet') = (holder <> '00000000-0000-0000-0000-000000000000')),
  constraint wallet_not_overdrawn check (kind <> 'wallet' or balance >= 0)
) with (fillfactor = 50); -- updated all the time: room for the next version on the same page spares the indexes

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
  primary key (home, id),
  constraint ledger_transfers_debit_seq_unique unique (home, debit_account_id, debit_seq),
  constraint ledger_transfers_credit_seq_unique unique (home, credit_account_id, credit_seq),
  constraint ledger_transfers_amount_positive check (amount > 0),
  constraint ledger_transfers_two_accounts check (debit_account_id <> credit_account_id),
  constraint ledger_transfers_kind_known check (kind in ('payment', 'provider_fee', 'suspense')),
  constraint ledger_transfers_payment_named check (kind not in ('payment', 'suspense') or payment_id is not null),
  -- The environment is part of both keys: test money cannot meet a live account.
  constraint ledger_transfers_debit_account foreign key (home, debit_account_id, environment) references ledger_accounts (home, id, environment),
  constraint ledger_transfers_credit_account foreign key (home, credit_account_id, environment) references ledger_accounts (home, id, environment)
);
-- A payment is credited at most once, ever; money that could not be credited is put aside at most once; a fee is booked at most once.
create unique index ledger_transfers_one_credit_per_payment on ledger_transfers (home, payment_id, kind) where kind in ('payment', 'suspense', 'provider_fee');
