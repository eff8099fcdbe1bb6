-- A code over each order to a provider and the facts of the payment or payout that it is for, made under a key that the database does not
-- have (INTEGRITY_KEYS): whoever changes one of them in the database cannot make the code that fits. Null: stored before this version.
set local lock_timeout = '2s';
alter table provider_charges add column order_mac text;
alter table provider_payouts add column order_mac text;
