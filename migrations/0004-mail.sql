-- Tables of server/base/mail.

-- Outgoing mail. The content (subject and text) may contain a code that opens an account, so it is sealed, and erased as soon as the mail is
-- sent or has failed.
create table mails (
  id uuid primary key,
  kind text not null,
  recipient text not null,
  sealed_content text,
  state text not null default 'due',
  -- Attempts with a known outcome.
  attempts integer not null default 0,
  next_attempt_at timestamptz(3) default clock_now(),
  -- End of the lease of the worker that claimed the mail. It also distinguishes one claim from the next.
  lease_until timestamptz(3),
  last_error_code text,
  created_at timestamptz(3) not null default clock_now(),
  finished_at timestamptz(3),
  -- Bulk mail about payments is sent after other mail, so that it does not delay a code.
  is_bulk boolean not null default false,
  constraint mails_kind_is_a_word check (kind ~ '^[a-z][a-z_]{0,49}$'),
  constraint mails_recipient_is_one_address check (recipient ~ '^[^[:space:][:cntrl:],;<>@]+@[^[:space:][:cntrl:],;<>@]+$'),
  constraint mails_state_known check (state in ('due', 'sent', 'failed')),
  constraint mails_content_while_due check ((state = 'due') = (sealed_content is not null)),
  constraint mails_next_attempt_while_due check ((state = 'due') = (next_attempt_at is not null)),
  constraint mails_finished_has_time check ((state = 'due') = (finished_at is null)),
  constraint mails_lease_while_due check (lease_until is null or state = 'due'),
  constraint mails_failed_has_error check (state <> 'failed' or last_error_code is not null),
  constraint mails_six_attempts check (attempts between 0 and 6)
);
create index mails_due on mails (is_bulk, next_attempt_at) where state = 'due';
-- Counts the receipts of test payments to one address, because test payments cost nothing.
create index mails_of_test_receipts on mails (lower(recipient), created_at) where kind = 'test_receipt';
create index mails_finished on mails (finished_at) where finished_at is not null;
-- The mails to one address, for data export.
create index mails_by_recipient on mails (lower(recipient));
create index mails_of_receipts on mails (lower(recipient), created_at) where kind = 'receipt';
