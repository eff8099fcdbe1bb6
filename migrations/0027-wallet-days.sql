-- Tables of server/views/merchant-account.

-- What the payments of a wallet brought on each closed day, by page and network: long ranges are read from here, not from the ledger.
-- A closed day accepts no more transfers, so its rows are written once.
create table wallet_days (
  home smallint not null,
  merchant_id uuid not null references merchants (id),
  environment text not null,
  -- In East Africa Time.
  day date not null,
  -- Null for all payment requests together, and for all payments that a server requested.
  page_id uuid,
  page_kind text not null,
  network text,
  payments bigint not null,
  amount bigint not null,
  constraint wallet_days_one_per_page_and_network unique nulls not distinct (home, merchant_id, environment, day, page_id, page_kind, network),
  constraint wallet_days_environment_known check (environment in ('test', 'live')),
  constraint wallet_days_page_kind_known check (page_kind in ('page', 'request', 'direct')),
  constraint wallet_days_page_named check ((page_kind = 'page') = (page_id is not null)),
  constraint wallet_days_network_known check (network in ('mpesa', 'airtel', 'mixx', 'halotel')),
  constraint wallet_days_has_payments check (payments > 0 and amount > 0)
);

-- The check of the books compares the stored days with the ledger day by day.
create index wallet_days_by_day on wallet_days (day, home);

-- The closed days that wallet_days holds, in order: a day after the last one is read from the ledger.
create table summed_days (
  day date primary key,
  summed_at timestamptz(3) not null
);

revoke update, delete, truncate on wallet_days, summed_days from malipo_service;
