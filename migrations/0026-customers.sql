-- Tables of server/collect/customers.

-- The people who have paid a wallet, by their phone, with totals that are counted from the ledger.
create table customers (
  home smallint not null,
  id uuid not null,
  merchant_id uuid not null references merchants (id),
  environment text not null,
  -- E.164; a pseudonym after erasure.
  phone_number text not null,
  -- The name and the network of the last payment that had one.
  name text,
  network text,
  paid_count bigint not null,
  -- TZS that were credited and not reversed.
  paid_total bigint not null,
  -- TZS of refunds that have not failed.
  refunded_total bigint not null,
  first_paid_at timestamptz(3) not null,
  last_paid_at timestamptz(3) not null,
  primary key (home, id),
  constraint customers_one_per_number unique (home, merchant_id, environment, phone_number),
  constraint customers_environment_known check (environment in ('test', 'live')),
  constraint customers_network_known check (network in ('mpesa', 'airtel', 'mixx', 'halotel'))
);
create index customers_by_merchant on customers (home, merchant_id, environment, last_paid_at desc, id desc);
-- Finds the customers that are one person.
create index customers_by_phone on customers (phone_number);

-- How far the ledger lines of a wallet are counted in its customers. A line is counted once, because its seq is passed once.
create table customer_counts (
  home smallint not null,
  merchant_id uuid not null references merchants (id),
  environment text not null,
  wallet_seq bigint not null default 0,
  receivable_seq bigint not null default 0,
  -- The worker continues the count.
  is_behind boolean not null default false,
  primary key (home, merchant_id, environment),
  constraint customer_counts_environment_known check (environment in ('test', 'live')),
  constraint customer_counts_forward check (wallet_seq >= 0 and receivable_seq >= 0)
);
create index customer_counts_behind on customer_counts (home, merchant_id, environment) where is_behind;
