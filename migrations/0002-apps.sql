-- Developer apps and their keys. A key's value is never stored: only its HMAC under the server's pepper.
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
  constraint api_keys_hash_unique unique (key_hash),
  constraint api_keys_app foreign key (app_id, merchant_id, environment) references apps (id, merchant_id, environment),
  constraint api_keys_scopes_known check (
    scopes <@ array['profile:read', 'balance:read', 'pages:read', 'pages:write', 'transactions:read', 'payouts:read', 'payouts:write']
    and cardinality(scopes) > 0
  )
);
create index api_keys_by_app on api_keys (app_id, created_at desc, id desc);
