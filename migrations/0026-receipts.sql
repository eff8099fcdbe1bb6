-- The language in which the payer paid, for what is said to them afterwards.
alter table payments
  add column payer_language text not null default 'sw',
  add constraint payments_payer_language_known check (payer_language in ('sw', 'en'));

-- A payer's receipt, once for each completed payment: the event is the payment's only one, and its id tells when it was. Also where no
-- mail could go out, so that nobody looks at it again.
create table receipts (
  home smallint not null,
  event_id uuid not null,
  outcome text not null,
  created_at timestamptz(3) not null default clock_now(),
  primary key (home, event_id),
  constraint receipts_event foreign key (home, event_id) references events (home, id),
  constraint receipts_outcome_known check (outcome in ('mailed', 'no_address', 'too_many', 'not_wanted'))
);
-- How far the events have been looked at. What was completed before there were receipts gets none.
create table receipt_sweep (
  one boolean primary key default true,
  swept_until timestamptz(3) not null default clock_now(),
  constraint receipt_sweep_is_one check (one)
);
insert into receipt_sweep default values;

-- Mail that many payments make at once never stands before a code that somebody is waiting for.
alter table mails add column is_bulk boolean not null default false;
drop index mails_due;
create index mails_due on mails (is_bulk, next_attempt_at) where state = 'due';
-- To count what one address got of test payments, which anybody can make without paying.
create index mails_of_test_receipts on mails (lower(recipient), created_at) where kind = 'test_receipt';
