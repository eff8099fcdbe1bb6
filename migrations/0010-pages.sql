-- Tables of server/collect/pages.

create table payment_pages (
  home smallint not null,
  id uuid not null,
  merchant_id uuid not null references merchants (id),
  environment text not null,
  type text not null,
  slug text not null,
  title text not null,
  description text,
  amount bigint,
  currency text not null default 'TZS',
  allow_custom_amount boolean not null default false,
  min_amount bigint not null default 500,
  max_amount bigint,
  max_payments integer,
  -- Places held from checkout until an end state, on pages with max_payments.
  held_count integer not null default 0,
  paid_count bigint not null default 0,
  paid_total bigint not null default 0,
  active boolean not null default true,
  inactive_message text,
  expires_at timestamptz(3),
  redirect_url text,
  success_message text,
  language text not null default 'auto',
  metadata jsonb not null default '{}',
  -- The merchant's own order number, on the page of a payment request.
  merchant_reference text,
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  -- `webhook_tests`: the page in an owner's test environment for webhook tests. Its payments create real events; the list of deliveries
  -- marks them as tests. `request`: the page of one payment request. `direct`: the page of the payments that a server makes.
  kind text not null default 'page',
  -- Not a page for its owner: never listed, searched or counted as one.
  is_hidden boolean not null generated always as (kind = 'request' or kind = 'direct') stored,
  -- Operators have stopped the page. Payments that had started continue to their end.
  suspended_at timestamptz(3),
  suspension_reason text,
  -- The fields that the merchant adds for its payers.
  custom_fields jsonb not null default '[]',
  primary key (home, id),
  constraint payment_pages_environment_unique unique (home, id, environment),
  constraint payment_pages_environment_known check (environment in ('test', 'live')),
  constraint payment_pages_type_known check (type in ('wallet_topup', 'payment', 'invoice', 'donation', 'event', 'contribution')),
  constraint payment_pages_language_known check (language in ('sw', 'en', 'auto')),
  constraint payment_pages_tzs_only check (currency = 'TZS'),
  constraint payment_pages_amount_known check (amount is not null or allow_custom_amount),
  constraint payment_pages_amounts_in_range check (min_amount >= 500 and amount >= min_amount and amount <= max_amount and max_amount >= min_amount),
  constraint payment_pages_max_payments_positive check (max_payments > 0),
  constraint payment_pages_invoice_is_single_use check (type <> 'invoice' or max_payments = 1),
  constraint payment_pages_counts_not_negative check (held_count >= 0 and paid_count >= 0 and paid_total >= 0),
  constraint payment_pages_kind_known check (kind in ('page', 'webhook_tests', 'request', 'direct')),
  constraint payment_pages_webhook_tests_in_test check (kind <> 'webhook_tests' or environment = 'test'),
  constraint payment_pages_request_has_amount check (kind <> 'request' or (amount is not null and not allow_custom_amount)),
  constraint payment_pages_request_is_single_use check (kind <> 'request' or coalesce(max_payments, 0) = 1),
  constraint payment_pages_request_has_one_payment_in_flight check (kind <> 'request' or held_count <= 1),
  constraint payment_pages_reference_of_request check (merchant_reference is null or kind = 'request'),
  constraint payment_pages_merchant_reference_printable check (
    char_length(merchant_reference) between 1 and 64 and merchant_reference !~ '[[:cntrl:]]'),
  constraint payment_pages_suspended_says_why check ((suspended_at is null) = (suspension_reason is null)),
  constraint payment_pages_custom_fields_at_most_5 check (
    jsonb_typeof(custom_fields) = 'array' and jsonb_array_length(custom_fields) <= 5)
) with (fillfactor = 50); -- its counters are updated often
create index payment_pages_by_merchant on payment_pages (home, merchant_id, environment, is_hidden, created_at desc, id desc);
create index payment_pages_by_merchant_reference on payment_pages (home, merchant_id, environment, merchant_reference, created_at desc, id desc)
  where merchant_reference is not null;
create unique index payment_pages_one_for_webhook_tests on payment_pages (home, merchant_id) where kind = 'webhook_tests';
create unique index payment_pages_one_direct on payment_pages (home, merchant_id, environment) where kind = 'direct';

-- A slug alone comes from a payer's address bar. This table has no home; it finds the home of the page.
create table payment_page_slugs (
  slug text primary key,
  home smallint not null,
  page_id uuid not null,
  constraint payment_page_slugs_shape check (slug ~ '^[a-z0-9-]{3,60}$')
);

-- Hosts to which a merchant may redirect payers. `proved_by` is null until the merchant has proved to own the host.
create table redirect_hosts (
  merchant_id uuid not null references merchants (id),
  environment text not null,
  host text not null,
  token text not null,
  proved_by text,
  proved_at timestamptz(3),
  created_at timestamptz(3) not null default clock_now(),
  primary key (merchant_id, environment, host),
  constraint redirect_hosts_environment_known check (environment in ('test', 'live')),
  constraint redirect_hosts_host_is_lower check (host = lower(host) and length(host) between 1 and 260),
  constraint redirect_hosts_proof_known check (proved_by in ('dns', 'file', 'not_needed')),
  constraint redirect_hosts_proof_dated check ((proved_by is null) = (proved_at is null))
);
