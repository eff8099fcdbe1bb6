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
