-- Tables of server/accounts/developers.

-- Developer apps and their keys. Of a key only its HMAC under the server's pepper is stored.
create table apps (
  id uuid primary key,
  merchant_id uuid not null references merchants (id),
  environment text not null,
  name text not null,
  description text,
  created_at timestamptz(3) not null default clock_now(),
  deleted_at timestamptz(3),
  constraint apps_environment_known check (environment in ('test', 'live')),
  -- The target of foreign keys that must not mix merchants or environments.
  constraint apps_owner_unique unique (id, merchant_id, environment)
);
create index apps_by_merchant on apps (merchant_id, created_at desc, id desc) where deleted_at is null;

create table api_keys (
  id uuid primary key,
  app_id uuid not null,
  merchant_id uuid not null,
  environment text not null,
  key_name text not null,
  scopes text[] not null,
  key_hash bytea not null,
  pepper_id text not null,
  last4 text not null,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  created_at timestamptz(3) not null default clock_now(),
  -- Normalized addresses and networks; empty: any address.
  allowed_ips text[] not null default '{}',
  -- A rolled key has at most one successor and expires at the end of its grace period.
  rolled_at timestamptz(3),
  replaces uuid,
  -- When payouts become possible. A live key that was created without a second factor waits (LIVE_KEY_PAYOUT_WAIT_SECONDS).
  payouts_from timestamptz,
  -- The person who made it and has seen its value: they never approve what it requests.
  created_by uuid not null references users (id),
  -- Scopes of a live key that wait until a person who has these rights grants them.
  waiting_scopes text[] not null default '{}',
  -- Who granted which of the key's scopes; the others were granted by its maker. Since when one of these people has no right to a scope any
  -- more and no one has kept the key.
  granted_by uuid,
  granted_scopes text[] not null default '{}',
  unkept_since timestamptz(3),
  constraint api_keys_hash_unique unique (key_hash),
  constraint api_keys_app foreign key (app_id, merchant_id, environment) references apps (id, merchant_id, environment),
  constraint api_keys_scopes_known check (
    scopes <@ array['profile:read', 'balance:read', 'pages:read', 'pages:write', 'payments:read', 'payments:write', 'transactions:read', 'payouts:read', 'payouts:write']
    and cardinality(scopes) > 0
  ),
  constraint api_keys_replaces foreign key (replaces) references api_keys (id),
  constraint api_keys_replaced_once unique (replaces),
  constraint api_keys_rolled_end check (rolled_at is null or expires_at is not null),
  constraint api_keys_allowed_ips_bounded check (cardinality(allowed_ips) <= 50),
  constraint api_keys_waiting_scopes_are_its_own check (waiting_scopes <@ scopes)
);
create index api_keys_by_app on api_keys (app_id, created_at desc, id desc);

-- The last requests with a merchant's API keys: a ring buffer for each merchant, so the table does not grow.
create table api_request_places (
  merchant_id uuid primary key references merchants (id),
  used bigint not null default 0
);

create table api_requests (
  merchant_id uuid not null references merchants (id),
  place integer not null,
  id uuid not null,
  environment text not null,
  app_id uuid not null,
  key_id uuid not null,
  method text not null,
  route text not null,
  status smallint not null,
  error_code text,
  duration_ms integer not null,
  request_id text not null,
  requested_at timestamptz(3) not null,
  primary key (merchant_id, place),
  constraint api_requests_environment_known check (environment in ('test', 'live'))
) with (fillfactor = 70); -- places are overwritten often
create index api_requests_by_time on api_requests (merchant_id, environment, requested_at desc, id desc);
create index api_requests_old on api_requests (requested_at);
