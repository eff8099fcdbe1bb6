-- contract: two lists of words grow, so their constraints are made again; no version loses a word.
-- The balance of our account with each provider, compared with our books once a day: server/assurance/reconciliation.

-- Money that reached or left an account with a provider outside of charges and payouts, as operators recorded it. Never changed: a mistake is
-- balanced by a correction.
create table provider_movements (
  id uuid primary key,
  provider text not null,
  environment text not null,
  -- opening: what lay there before the first charge or payout of this service.
  kind text not null,
  -- TZS; negative for money that left.
  amount bigint not null,
  -- The operator's own name for it, as on the provider's statement: it is recorded once.
  reference text collate "C" not null,
  note text not null,
  -- As in the audit log.
  recorded_by text not null,
  recorded_at timestamptz(3) not null default clock_now(),
  constraint provider_movements_environment_known check (environment in ('test', 'live')),
  constraint provider_movements_kind_known check (kind in ('opening', 'top_up', 'withdrawal', 'correction')),
  constraint provider_movements_amount_has_sign check (
    case kind when 'opening' then amount >= 0 when 'top_up' then amount > 0 when 'withdrawal' then amount < 0 else amount <> 0 end),
  constraint provider_movements_once unique (provider, environment, reference)
);
create unique index provider_movements_one_opening on provider_movements (provider, environment) where kind = 'opening';
revoke update, delete, truncate on provider_movements from malipo_service;

-- How far the transfers of a clearing account have been assigned to a provider, and what they left with it. Derived: without a row, it is
-- summed again from the first transfer, some in each step.
create table provider_positions (
  provider text not null,
  environment text not null,
  home smallint not null,
  seq bigint not null,
  -- TZS that should be with the provider.
  amount bigint not null,
  -- TZS and number of charges whose fee no record named, so that no transfer books it.
  unnamed bigint not null,
  unnamed_count bigint not null,
  primary key (home, provider, environment)
);

-- The last answer of each comparison of a balance.
create table provider_balances (
  -- That of its run; runs are removed after some weeks.
  run_id uuid primary key,
  provider text not null,
  environment text not null,
  read_at timestamptz(3) not null default clock_now(),
  -- TZS: the provider's answer, our clearing, what operators recorded.
  reported bigint not null,
  booked bigint not null,
  moved bigint not null,
  has_opening boolean not null,
  -- Of all positions.
  unnamed bigint not null,
  unnamed_count bigint not null,
  -- The unnamed fees that the provider has taken lie between these, by this and all earlier answers.
  fees_low bigint not null,
  fees_high bigint not null,
  -- The balance may lie between these: charges, payouts and breaks that have not ended may already have moved money there.
  low bigint not null,
  high bigint not null,
  -- What nothing explains; below zero: money that the provider lacks.
  difference bigint not null,
  constraint provider_balances_difference_is_outside check ((difference = 0) = (reported between low and high)),
  constraint provider_balances_in_order check (low <= high and 0 <= fees_low and fees_low <= fees_high)
);
create index provider_balances_newest on provider_balances (provider, environment, read_at desc);

-- weekly: the last 30 days of a provider's list. balance: its balance, once a day.
alter table reconciliation_runs drop constraint reconciliation_runs_kind_known;
alter table reconciliation_runs add constraint reconciliation_runs_kind_known
  check (kind in ('recent', 'late', 'daily', 'weekly', 'balance')) not valid;

-- balance_differs: its record has the reference `balance`.
alter table breaks drop constraint breaks_kind_known;
alter table breaks add constraint breaks_kind_known check (kind in (
  'amount_differs', 'charge_unknown', 'reference_conflict',
  'payout_amount_differs', 'payout_unknown', 'payout_contradicts', 'payout_reference_conflict',
  'missing_at_provider', 'unknown_at_provider', 'settled_differs', 'fee_differs', 'balance_differs')) not valid;
