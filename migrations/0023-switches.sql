-- What operators have switched off. A switch that nobody has ever turned has no row here, and is on.
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
