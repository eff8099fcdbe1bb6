-- Entries of the audit log have a code under a key that the database does not have. Up to the entry `keyed_after` one code answers for all:
-- for those that are there now, once an operator has confirmed them, and later for those whose key has been replaced.
set local lock_timeout = '2s';

alter table audit_log add column mac text;
alter table audit_head
  add column keyed_after bigint not null default 0,
  add column keyed_after_hash bytea not null default sha256('malipo audit log'),
  add column keyed_after_mac text,
  add constraint audit_head_keyed_after_not_later check (keyed_after between 0 and seq) not valid;
update audit_head set keyed_after = seq, keyed_after_hash = hash where only_row = 'true';
