-- Table of server/views/merchant-account.

-- The filters of a list that a person has saved for one wallet. A search text is never saved: it may name a payer.
create table saved_filters (
  id uuid not null primary key,
  user_id uuid not null references users (id),
  merchant_id uuid not null references merchants (id),
  environment text not null,
  list text not null,
  name text not null,
  status text,
  network text,
  -- A page of the wallet.
  page_id uuid,
  min_amount bigint,
  max_amount bigint,
  -- A period whose days follow from today, or fixed days in East Africa Time, both included.
  period text,
  first_day date,
  last_day date,
  created_at timestamptz(3) not null default clock_now(),
  constraint saved_filters_one_per_name unique (user_id, merchant_id, environment, list, name),
  constraint saved_filters_environment_known check (environment in ('test', 'live')),
  constraint saved_filters_list_known check (list in ('payments', 'payouts')),
  constraint saved_filters_name_is_short check (char_length(name) between 1 and 40),
  constraint saved_filters_network_known check (network in ('mpesa', 'airtel', 'mixx', 'halotel')),
  constraint saved_filters_period_known check (period in ('today', 'last_7_days', 'last_30_days', 'this_month', 'last_month')),
  constraint saved_filters_period_or_days check (period is null or num_nonnulls(first_day, last_day) = 0),
  constraint saved_filters_days_in_order check (first_day <= last_day),
  constraint saved_filters_amounts_in_order check (min_amount >= 0 and max_amount >= 0 and min_amount <= max_amount),
  constraint saved_filters_status_of_list check (
    case list
      when 'payments' then status in ('pending', 'processing', 'completed', 'failed', 'voided', 'expired')
      else status in ('pending', 'processing', 'completed', 'failed', 'reversed', 'cancelled')
    end),
  constraint saved_filters_fields_of_list check (list = 'payments' or num_nonnulls(network, page_id, min_amount, max_amount) = 0),
  constraint saved_filters_not_empty check (
    num_nonnulls(status, network, page_id, min_amount, max_amount, period, first_day, last_day) > 0)
);

-- For the erasure of a merchant.
create index saved_filters_of_merchant on saved_filters (merchant_id);
