-- Where a merchant may lead payers on to. `proved_by` is null until the host was shown to be the merchant's own.
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
