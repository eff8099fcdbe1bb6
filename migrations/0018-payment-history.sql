-- The messages that a payment's history shows.
create index provider_inbox_by_payment on provider_inbox (home, payment_id) where payment_id is not null;
