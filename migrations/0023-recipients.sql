-- Tables of server/pay-out/recipients.

-- The people and businesses that a wallet pays again and again.
create table recipients (
  home smallint not null,
  id uuid not null,
  merchant_id uuid not null references merchants (id),
  environment text not null,
  name text not null,
  -- E.164.
  phone_number text not null,
  -- What the prefix suggests; null for a prefix without a known network.
  network text,
  -- A user or an API key.
  created_by text not null,
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  primary key (home, id),
  constraint recipients_one_per_number unique (home, merchant_id, environment, phone_number),
  constraint recipients_environment_known check (environment in ('test', 'live')),
  constraint recipients_network_known check (network in ('mpesa', 'airtel', 'mixx', 'halotel')),
  constraint recipients_named check (name <> '')
);
create index recipients_by_merchant on recipients (home, merchant_id, environment, created_at desc, id desc);
-- Finds the recipients that are one person.
create index recipients_by_phone on recipients (phone_number);
