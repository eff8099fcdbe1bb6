-- Tables of server/base/audit.

-- The audit log: who did what to which object. Each entry contains the hash of the previous one, so a changed, removed or reordered entry is
-- detected. The head holds the end of the chain, so an entry removed from the end is detected too.
create table audit_log (
  seq bigint primary key,
  at timestamptz(3) not null,
  actor text not null,
  action text not null,
  object text not null,
  before jsonb,
  after jsonb,
  request_id text not null,
  ip text,
  -- The merchant whose business the entry is about: its owners and administrators read it in their list of activity.
  merchant_id uuid,
  previous_hash bytea not null,
  hash bytea not null,
  -- The code of the entry, computed with a key that the database does not have (INTEGRITY_KEYS).
  mac text,
  constraint audit_log_named check (actor <> '' and action <> '' and object <> '' and request_id <> ''),
  constraint audit_log_hash_length check (octet_length(hash) = 32 and octet_length(previous_hash) = 32),
  constraint audit_log_one_successor unique (previous_hash)
);
create index audit_log_by_object on audit_log (object, seq desc);
create index audit_log_by_actor on audit_log (actor, seq desc);
-- Filters of the audit log.
create index audit_log_by_action on audit_log (action, seq desc);
create index audit_log_by_time on audit_log (at, seq);
create index audit_log_by_merchant on audit_log (merchant_id, seq desc) where merchant_id is not null;

create table audit_head (
  only_row boolean primary key default true,
  seq bigint not null,
  previous_hash bytea not null,
  hash bytea not null,
  -- One code covers all entries up to this one: entries whose key was replaced, and entries that an operator has confirmed.
  keyed_after bigint not null default 0,
  keyed_after_hash bytea not null default sha256('malipo audit log'),
  keyed_after_mac text,
  constraint audit_head_is_one check (only_row),
  constraint audit_head_keyed_after_not_later check (keyed_after between 0 and seq)
);
insert into audit_head (seq, previous_hash, hash) values (0, sha256('malipo audit log'), sha256('malipo audit log'));

-- The hash of an entry. JSON separates the fields unambiguously.
create function audit_entry_hash(
  previous_hash bytea, seq bigint, at timestamptz, actor text, action text, object text, before jsonb, after jsonb, request_id text, ip text,
  merchant_id uuid
) returns bytea language sql stable as $$
  select sha256(previous_hash || convert_to(jsonb_build_array(
    seq, (extract(epoch from at) * 1000)::bigint, actor, action, object, before, after, request_id, ip, merchant_id)::text, 'utf8'))
$$;

revoke update, delete, truncate on audit_log from malipo_service;
revoke insert, delete, truncate on audit_head from malipo_service;
