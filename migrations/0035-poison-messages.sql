-- Of which message processes die: who takes some in hand says so, and whoever finds one still in hand knows that nobody came back.
alter table provider_inbox
  add column leased_by uuid,
  add column deaths integer not null default 0;
