-- Which mails a person wants. Who never chose has no row: the defaults stand with the columns.
create table notification_preferences (
  user_id uuid primary key references users (id),
  payment_received boolean not null default false,
  payout_finished boolean not null default true,
  webhook_disabled boolean not null default true,
  new_device boolean not null default true,
  -- Up to here payments were told of.
  payments_told_until timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now()
);
create index notification_preferences_of_payments on notification_preferences (payments_told_until) where payment_received;

-- The end that the owner of a payout was told of; what has ended before is old news.
alter table payouts add column told_status text;
update payouts set told_status = status where status in ('completed', 'failed', 'reversed');
create index payouts_to_tell on payouts (updated_at)
  where status in ('completed', 'failed', 'reversed') and told_status is distinct from status;
