-- Tables of server/providers.

-- Every message of a provider, as it came, stored before it is answered.
create table provider_inbox (
  provider text not null,
  environment text not null,
  event_id text not null,
  body_hash bytea not null,
  body text not null,
  state text not null default 'received',
  home smallint,
  payment_id uuid,
  attempts integer not null default 0,
  next_attempt_at timestamptz(3),
  request_id text not null,
  received_at timestamptz(3) not null default clock_now(),
  settled_at timestamptz(3),
  -- Finds the messages that workers die of: a worker writes its id when it claims a message and removes it afterwards. A message that is due
  -- again and still has an id was lost with a worker, which counts as a death.
  leased_by uuid,
  deaths integer not null default 0,
  -- TZS that the message says were paid; null where it is no success of a charge, or does not say how much.
  paid_amount bigint,
  primary key (provider, environment, event_id),
  -- A success that a webhook reports may not count by its word alone: `asked` says that the provider was asked about it, whose answer counts.
  constraint provider_inbox_state_known check (state in ('received', 'settled', 'asked', 'ignored', 'orphan'))
);
create index provider_inbox_due on provider_inbox (next_attempt_at) where state = 'received';
-- The messages that a payment's history shows.
create index provider_inbox_by_payment on provider_inbox (home, payment_id) where payment_id is not null;
-- What is left to operators is counted while it is new, without reading what has settled.
create index provider_inbox_left on provider_inbox (received_at) where state = 'orphan';
create index provider_inbox_done on provider_inbox (state, received_at) where state <> 'received';
-- Empty, unless somebody has changed a message by hand.
create index provider_inbox_paid_to_nobody on provider_inbox (received_at)
  where paid_amount is not null and payment_id is null and state in ('settled', 'ignored');
