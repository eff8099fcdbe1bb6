-- outside a transaction
-- 0042 added it without a look at old rows, so that no one waited.
alter table api_keys validate constraint api_keys_waiting_scopes_are_its_own;
