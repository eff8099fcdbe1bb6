-- outside a transaction
alter table provider_references validate constraint provider_references_one_owner;
