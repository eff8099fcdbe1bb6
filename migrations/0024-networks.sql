-- How each network does, as the charges of the last minutes tell: written by one worker every few seconds, shown to payers before they type.
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
