-- What operators have stopped: a merchant's live business, or one page. What had begun goes on to its end.
alter table merchants
  add column suspended_at timestamptz(3),
  add column suspension_reason text,
  add constraint merchants_suspended_says_why check ((suspended_at is null) = (suspension_reason is null));
alter table payment_pages
  add column suspended_at timestamptz(3),
  add column suspension_reason text,
  add constraint payment_pages_suspended_says_why check ((suspended_at is null) = (suspension_reason is null));
