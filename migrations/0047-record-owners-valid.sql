-- outside a transaction
alter table provider_references validate constraint provider_references_one_owner;
alter table ledger_transfers validate constraint ledger_transfers_kind_known;
