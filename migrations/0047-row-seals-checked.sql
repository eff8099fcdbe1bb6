-- outside a transaction
alter table provider_inbox validate constraint provider_inbox_applied_names_subject;
-- The check of the books reads the references of breaks, which are few.
drop index concurrently if exists provider_references_of_breaks;
create index concurrently provider_references_of_breaks on provider_references (break_id) where break_id is not null;
