-- Tables of server/money/controls.

-- Kill switches. A switch without a row was never changed, and is on.
create table switches (
  name text primary key,
  is_on boolean not null default true,
  -- One sentence for other operators.
  reason text,
  changed_by text,
  changed_at timestamptz(3),
  constraint switches_name_known check (name ~ '^(payouts|(test|live)\.(checkout|payouts)(\.(mpesa|airtel|mixx|halotel))?)$'),
  constraint switches_off_says_who_and_why check (is_on or (reason is not null and changed_by is not null and changed_at is not null))
);

-- Merchants whose payouts are frozen because a promise about their money is broken. An operator lifts a freeze; the audit log records who.
create table payout_freezes (
  home smallint not null,
  merchant_id uuid not null,
  environment text not null,
  -- One sentence for operators.
  reason text not null,
  since timestamptz(3) not null default clock_now(),
  primary key (home, merchant_id, environment),
  constraint payout_freezes_merchant foreign key (merchant_id) references merchants (id),
  constraint payout_freezes_environment_known check (environment in ('test', 'live')),
  constraint payout_freezes_says_why check (reason <> '')
);

-- The state of each network, from the charges of the last minutes: written by one worker every few seconds, shown to payers before they type.
create table network_states (
  environment text not null,
  network text not null,
  status text not null default 'operational',
  since timestamptz(3) not null default clock_now(),
  -- Counts of the last check.
  worked integer not null default 0,
  failed integer not null default 0,
  checked_at timestamptz(3),
  primary key (environment, network),
  constraint network_states_environment_known check (environment in ('test', 'live')),
  constraint network_states_network_known check (network in ('mpesa', 'airtel', 'mixx', 'halotel')),
  constraint network_states_status_known check (status in ('operational', 'degraded', 'down'))
);
insert into network_states (environment, network)
select environment, network
from unnest(array['test', 'live']) as environment, unnest(array['mpesa', 'airtel', 'mixx', 'halotel']) as network;

-- Restores of this database to an earlier moment. Only the providers know the operations after that moment. While a restore is open, no
-- payment or payout is started, and no order is sent for the first time.
create table restores (
  -- The id in the marker of the restore, so that each restore is recorded once.
  id uuid primary key,
  restored_to timestamptz(3) not null,
  noted_at timestamptz(3) not null default clock_now(),
  noted_by text not null,
  -- When the comparisons of the lost span were planned, and when all of them had ended.
  planned_at timestamptz(3),
  ended_at timestamptz(3),
  -- The operator that did not wait for the comparisons, and the reason.
  forced_by text,
  forced_reason text,
  constraint restores_force_is_whole check (num_nonnulls(forced_by, forced_reason) in (0, 2) and (forced_by is null or ended_at is not null))
);

revoke delete, truncate on restores from malipo_service;
