-- outside a transaction
alter table second_factors validate constraint second_factors_recovery_failures_counted;
