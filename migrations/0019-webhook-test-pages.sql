-- The page of an owner's test environment whose payments are made to try webhooks out. Its events are real; the list of deliveries
-- says what they were for.
alter table payment_pages
  add column for_webhook_tests boolean not null default false,
  add constraint payment_pages_webhook_tests_in_test check (not for_webhook_tests or environment = 'test');
create unique index payment_pages_one_for_webhook_tests on payment_pages (home, merchant_id) where for_webhook_tests;
