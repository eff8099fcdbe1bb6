-- Tables of server/pay-out/payout-batches.

-- Many payouts that one person approves at once: a draft until then. Each row becomes one payout.
create table payout_batches (
  home smallint not null,
  id uuid not null,
  merchant_id uuid not null references merchants (id),
  environment text not null,
  -- The merchant's words; never in an event.
  title text,
  status text not null default 'draft',
  -- Sums over the rows that were not removed, changed only together with the rows of a draft.
  row_count integer not null default 0,
  invalid_count integer not null default 0,
  warned_count integer not null default 0,
  -- TZS that the recipients get.
  total bigint not null default 0,
  -- TZS that the provider takes in addition; null until every row has a fee.
  fees bigint,
  -- When to ask for more fees; null: all of them are known, or no row is ready.
  fees_due_at timestamptz(3),
  approval text not null default 'none',
  -- SHA-256 of the rows as they were sent, and of these and the title: the first finds the same file again, the second compares repeats.
  content_hash bytea not null,
  request_hash bytea not null,
  requested_by text not null,
  -- The person behind it: for a key, the one who made the key. They never approve it under a rule.
  requested_by_user uuid not null references users (id),
  -- The others who have changed rows. They never approve it under a rule.
  edited_by uuid[] not null default '{}',
  request_id text not null,
  -- Why members did not approve it.
  failure_code text,
  approved_by text,
  approved_at timestamptz(3),
  -- From then on no row is sent for the first time.
  stopped_at timestamptz(3),
  -- When the last payout ended.
  finished_at timestamptz(3),
  -- When the owner was mailed about the end.
  notified_at timestamptz(3),
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  -- A decision of members names the version that they saw.
  version integer not null default 1,
  primary key (home, id),
  constraint payout_batches_environment_known check (environment in ('test', 'live')),
  constraint payout_batches_status_known check (status in ('draft', 'waiting', 'running', 'done', 'stopped')),
  constraint payout_batches_approval_known check (approval in ('none', 'required', 'approved', 'refused')),
  constraint payout_batches_runs_complete check (
    status in ('draft', 'waiting') or approval = 'refused'
    or (approved_at is not null and approved_by is not null and invalid_count = 0 and row_count > 0 and fees is not null)),
  constraint payout_batches_waits_for_members check ((status = 'waiting') = (approval = 'required')),
  constraint payout_batches_failure_known check (failure_code in ('approval_refused', 'approval_expired')),
  constraint payout_batches_refused_has_code check ((failure_code is not null) = (approval = 'refused')),
  constraint payout_batches_refused_pays_nothing check (approval <> 'refused' or (status = 'stopped' and approved_at is null)),
  constraint payout_batches_stopped_has_time check ((status = 'stopped') = (stopped_at is not null)),
  constraint payout_batches_done_has_time check (status <> 'done' or finished_at is not null),
  constraint payout_batches_ended_once check (finished_at is null or status in ('done', 'stopped')),
  constraint payout_batches_told_after_end check (notified_at is null or finished_at is not null)
);
create index payout_batches_by_merchant on payout_batches (home, merchant_id, environment, created_at desc, id desc);
create index payout_batches_by_content on payout_batches (home, merchant_id, environment, content_hash);
create index payout_batches_fees_due on payout_batches (fees_due_at) where fees_due_at is not null;
create index payout_batches_unfinished on payout_batches (approved_at) where status in ('running', 'stopped') and finished_at is null;
create index payout_batches_to_tell on payout_batches (finished_at) where finished_at is not null and notified_at is null;
create index payout_batches_drafts on payout_batches (created_at) where status = 'draft' or approval = 'refused';

create table payout_batch_rows (
  home smallint not null,
  batch_id uuid not null,
  -- From 1, in the order of the file.
  row_number integer not null,
  -- The line of the file that it starts on; null: it was sent as JSON.
  line integer,
  state text not null,
  amount bigint,
  phone_number text,
  network text,
  recipient_name text,
  narration text,
  reference text,
  -- The provider's quote; null: not asked yet.
  fee bigint,
  -- What is wrong with it: [{"column", "code", "message", "value"}].
  errors jsonb not null default '[]',
  -- An earlier row of the batch with the same phone and amount.
  duplicate_of integer,
  -- The number was last paid under another name.
  name_differs boolean not null default false,
  primary key (home, batch_id, row_number),
  constraint payout_batch_rows_batch foreign key (home, batch_id) references payout_batches (home, id) on delete cascade,
  constraint payout_batch_rows_state_known check (state in ('invalid', 'ready', 'removed')),
  constraint payout_batch_rows_network_known check (network in ('mpesa', 'airtel', 'mixx', 'halotel')),
  constraint payout_batch_rows_invalid_has_error check (state = 'removed' or (state = 'invalid') = (errors <> '[]')),
  constraint payout_batch_rows_ready_complete check (
    state <> 'ready' or (amount > 0 and phone_number is not null and recipient_name is not null)),
  constraint payout_batch_rows_fee_not_negative check (fee >= 0)
);
-- The rows whose fee is not known yet.
create index payout_batch_rows_unquoted on payout_batch_rows (home, batch_id, amount) where state = 'ready' and fee is null;
create index payout_batch_rows_by_phone on payout_batch_rows (phone_number) where phone_number is not null;

alter table payouts
  add constraint payouts_batch_row foreign key (home, batch_id, batch_row) references payout_batch_rows (home, batch_id, row_number);

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
