-- Tables of server/controls.

-- What operators have switched off. A switch that was never changed has no row here, and is on.
create table switches (
  name text primary key,
  is_on boolean not null default true,
  -- In one sentence, for the other operators.
  reason text,
  changed_by text,
  changed_at timestamptz(3),
  constraint switches_name_known check (name ~ '^(payouts|(test|live)\.(checkout|payouts)(\.(mpesa|airtel|mixx|halotel))?)$'),
  constraint switches_off_says_who_and_why check (is_on or (reason is not null and changed_by is not null and changed_at is not null))
);

-- Merchants whose payouts stopped because a promise about their money is broken, until an operator lifts it. The audit log keeps who did.
create table payout_freezes (
  home smallint not null,
  merchant_id uuid not null,
  environment text not null,
  -- In one sentence, for operators.
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
  -- What the last look counted.
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

-- Restores of this database to an earlier moment: what began after that moment is known to the providers only. While one is open, nothing
-- begins, and no order is sent for the first time.
create table restores (
  -- As the marker of the restore names it, so that every process notes it once.
  id uuid primary key,
  restored_to timestamptz(3) not null,
  noted_at timestamptz(3) not null default clock_now(),
  noted_by text not null,
  -- When the comparisons of the lost span were planned, and when all of them had ended.
  planned_at timestamptz(3),
  ended_at timestamptz(3),
  -- The operator who did not wait for them, and why.
  forced_by text,
  forced_reason text,
  constraint restores_force_is_whole check (num_nonnulls(forced_by, forced_reason) in (0, 2) and (forced_by is null or ended_at is not null))
);

revoke delete, truncate on restores from malipo_service;
