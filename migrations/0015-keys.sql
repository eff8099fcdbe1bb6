-- Keys are rolled: a key has at most one successor, and ends when its grace does. And keys are bound to addresses.
alter table api_keys
  -- Addresses and networks in one spelling; none: any address.
  add column allowed_ips text[] not null default '{}',
  add column rolled_at timestamptz(3),
  add column replaces uuid,
  add constraint api_keys_replaces foreign key (replaces) references api_keys (id),
  add constraint api_keys_replaced_once unique (replaces),
  add constraint api_keys_rolled_end check (rolled_at is null or expires_at is not null),
  add constraint api_keys_allowed_ips_bounded check (cardinality(allowed_ips) <= 50);
