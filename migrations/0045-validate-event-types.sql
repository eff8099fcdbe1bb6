-- outside a transaction
alter table events validate constraint events_type_known;
