-- Tables of server/members and server/payout-batches.

-- A decision names the version of what waits. Which sum needed the approval, what it was and how much the rule allowed; null: members were
-- asked without need, or it is a change of the rule.
alter table approval_requests
  add column version integer not null default 1,
  add column exceeded text,
  add column exceeded_sum bigint,
  add column exceeded_above bigint,
  add column new_above_total bigint,
  add constraint approval_requests_exceeded_known check (exceeded in ('amount', 'recipient_day', 'wallet_day')) not valid,
  add constraint approval_requests_exceeded_complete check (
    (exceeded is null) = (exceeded_sum is null) and (exceeded is null) = (exceeded_above is null) and exceeded_sum > exceeded_above) not valid,
  add constraint approval_requests_new_total_of_rule check (new_above_total is null or new_above is not null and new_above_total >= 0) not valid;

-- The sum of the wallet's day; null: it has no limit. The people of a rule that is older than this limit are asked once.
alter table approval_rules
  add column above_total bigint,
  add column asks_total boolean not null default true,
  add constraint approval_rules_above_total_not_negative check (above_total >= 0) not valid;

alter table payout_batches add column version integer not null default 1;

-- What a change of a draft, or a stop, has replaced, so that a decision about an older version can be shown what is different. Removed when
-- the batch is decided.
create table payout_batch_changes (
  home smallint not null,
  batch_id uuid not null,
  -- The version that the change made.
  version integer not null,
  -- The row as it was. Null: the batch as a whole.
  row_number integer,
  state text,
  amount bigint,
  phone_number text,
  recipient_name text,
  narration text,
  reference text,
  -- When the approval was requested that the change ended.
  requested_at timestamptz(3),
  total bigint not null,
  row_count integer not null,
  primary key (home, batch_id, version),
  constraint payout_batch_changes_batch foreign key (home, batch_id) references payout_batches (home, id) on delete cascade,
  constraint payout_batch_changes_state_known check (state in ('invalid', 'ready', 'removed')),
  constraint payout_batch_changes_row_has_state check ((row_number is null) = (state is null))
);
create index payout_batch_changes_by_phone on payout_batch_changes (phone_number) where phone_number is not null;
