-- Wrong recovery codes are counted apart from wrong codes of the app (server/accounts/identity/second-factor.sql.ts).

alter table second_factors
  add column recovery_failures integer not null default 0,
  add column recovery_failed_at timestamptz(3),
  add column recovery_locked_until timestamptz(3),
  add constraint second_factors_recovery_failures_counted check (recovery_failures >= 0) not valid;

-- It looks like a repeat of another payout or refund of the last day (server/pay-out/payouts/payout.sql.ts).
alter table payouts add column is_double boolean not null default false;
