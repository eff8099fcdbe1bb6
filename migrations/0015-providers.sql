-- Tables of server/money/providers.

-- Every message of a provider, unchanged, stored before it is answered.
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
  -- Detects messages that crash workers: a worker writes its id when it claims a message and removes it afterwards. A message that is due again
  -- and still has an id was lost in a crash, which `deaths` counts.
  leased_by uuid,
  deaths integer not null default 0,
  -- The paid TZS according to the message; null if it is not the success of a charge, or has no amount.
  paid_amount bigint,
  primary key (provider, environment, event_id),
  -- A success that a webhook reports may need a confirmation. `asked`: the provider was queried about it, and that answer counts.
  constraint provider_inbox_state_known check (state in ('received', 'settled', 'asked', 'ignored', 'orphan'))
);
create index provider_inbox_due on provider_inbox (next_attempt_at) where state = 'received';
-- The messages in a payment's history.
create index provider_inbox_by_payment on provider_inbox (home, payment_id) where payment_id is not null;
-- Counts recent messages that were escalated to operators, without reading settled ones.
create index provider_inbox_left on provider_inbox (received_at) where state = 'orphan';
create index provider_inbox_done on provider_inbox (state, received_at) where state <> 'received';
-- Empty, unless a message was changed by hand.
create index provider_inbox_paid_to_nobody on provider_inbox (received_at)
  where paid_amount is not null and payment_id is null and state in ('settled', 'ignored');
