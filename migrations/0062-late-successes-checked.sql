-- outside a transaction
alter table provider_charges validate constraint provider_charges_rechecked_after_end;
alter table reconciliation_runs validate constraint reconciliation_runs_kind_known;
alter table breaks validate constraint breaks_kind_known;
drop index concurrently if exists provider_charges_rechecks;
create index concurrently provider_charges_rechecks on provider_charges (recheck_at) where recheck_at is not null;
