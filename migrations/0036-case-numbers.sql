-- outside a transaction
-- Operators find cases by the number in the payer's SMS.
drop index concurrently if exists support_cases_by_number;
create index concurrently support_cases_by_number on support_cases (sms_number) where sms_number is not null;
-- 0029 added them without a look at old rows, so that no one waited.
alter table payment_pages validate constraint payment_pages_custom_fields_at_most_5;
alter table payments validate constraint payments_custom_fields_at_most_5;
