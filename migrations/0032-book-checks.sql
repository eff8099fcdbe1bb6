-- What the last check of the books found, for operators to see that it happens.
create table book_checks (
  only_row boolean primary key default true,
  checked_at timestamptz(3) not null,
  duration_ms integer not null,
  violations jsonb not null,
  constraint book_checks_is_one check (only_row)
);
