-- Tables of server/views/notifications.

-- Who wants the statement of which wallet by mail, and how often. Whether the person may still read it is checked when a mail is written.
create table statement_schedules (
  user_id uuid not null references users (id),
  merchant_id uuid not null references merchants (id),
  environment text not null,
  frequency text not null,
  language text not null,
  -- The morning in East Africa of the next mail.
  next_on date not null,
  -- The day after the last period that was mailed since the person asked; null before the first mail.
  mailed_until date,
  -- A mail that could not be written is tried again later, so that it does not hold up the others.
  failed_at timestamptz(3),
  created_at timestamptz(3) not null default clock_now(),
  primary key (user_id, merchant_id, environment),
  constraint statement_schedules_environment_known check (environment in ('test', 'live')),
  constraint statement_schedules_frequency_known check (frequency in ('daily', 'weekly', 'monthly')),
  constraint statement_schedules_language_known check (language in ('sw', 'en'))
);
create index statement_schedules_due on statement_schedules (next_on);

-- The periods that were mailed: one row, one mail. The rows outlive the schedule, so that asking again sends no period twice.
create table mailed_statements (
  user_id uuid not null references users (id),
  merchant_id uuid not null references merchants (id),
  environment text not null,
  frequency text not null,
  -- In East Africa Time; the last day is included.
  first_day date not null,
  last_day date not null,
  mailed_at timestamptz(3) not null default clock_now(),
  primary key (user_id, merchant_id, environment, frequency, first_day),
  constraint mailed_statements_environment_known check (environment in ('test', 'live')),
  constraint mailed_statements_frequency_known check (frequency in ('daily', 'weekly', 'monthly')),
  constraint mailed_statements_days_in_order check (first_day <= last_day)
);
create index mailed_statements_by_time on mailed_statements (mailed_at);
