-- contract: the constraint dropped here is replaced by a wider one; what older versions write is still allowed
-- A success that a webhook reports may not count by its word alone: `asked` says that the provider was asked about it, whose answer counts.
set local lock_timeout = '2s';
alter table provider_inbox
  drop constraint provider_inbox_state_known,
  add constraint provider_inbox_state_known check (state in ('received', 'settled', 'asked', 'ignored', 'orphan')) not valid;
