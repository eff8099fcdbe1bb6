-- outside a transaction
alter table audit_head validate constraint audit_head_keyed_after_not_later;
