-- outside a transaction
-- Since 0040 the cases without a credit are read through support_cases_looks, and nothing reads this index.
drop index concurrently if exists support_cases_unpaid;
