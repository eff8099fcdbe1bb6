-- Columns of server/members and server/developers.

-- From when a new role moves money in live, decides and makes power; null: at once. An owner who has served this wait can end that of another.
alter table members
  add column power_from timestamptz(3),
  add column power_confirmed_at timestamptz(3);

-- Who granted which of the key's scopes; the others were granted by its maker. Since when one of these people has no right to a scope any
-- more and no one has kept the key.
alter table api_keys
  add column granted_by uuid,
  add column granted_scopes text[] not null default '{}',
  add column unkept_since timestamptz(3);
