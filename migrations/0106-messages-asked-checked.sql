-- outside a transaction
alter table provider_inbox validate constraint provider_inbox_state_known;
