-- outside a transaction
-- 0026 added it without a look at old rows, so that no one waited.
alter table verifications validate constraint verifications_problems_are_a_list;
