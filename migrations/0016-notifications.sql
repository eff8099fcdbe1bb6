-- Tables of server/views/notifications.

-- A payer's receipt, once for each completed payment: a payment has one event, whose id contains its time. A payment for which no mail could be
-- sent has a row too, so that it is not checked again.
create table receipts (
  home smallint not null,
  event_id uuid not null,
  outcome text not null,
  created_at timestamptz(3) not null default clock_now(),
  -- The page of a payment with a mailed receipt: receipts are counted by page.
  page_id uuid,
  primary key (home, event_id),
  constraint receipts_event foreign key (home, event_id) references events (home, id),
  constraint receipts_outcome_known check (outcome in ('mailed', 'no_address', 'too_many', 'not_wanted'))
);
create index receipts_mailed_by_page on receipts (page_id, created_at) where outcome = 'mailed';

-- Up to which time events have their receipts.
create table receipt_sweep (
  one boolean primary key default true,
  swept_until timestamptz(3) not null default clock_now(),
  constraint receipt_sweep_is_one check (one)
);
insert into receipt_sweep default values;
