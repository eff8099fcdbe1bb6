-- What a payer may do to a payment under way: have the same prompt shown again, and cancel.
alter table provider_charges
  add column pushes smallint not null default 0,
  add column pushed_at timestamptz(3),
  add constraint provider_charges_pushes_at_most_3 check (pushes between 0 and 3);
-- Wanted by the payer; the payment ends so when the provider has come to an end that is no success.
alter table payments add column cancel_requested_at timestamptz(3);
-- A prompt that is shown again is counted under a key of its own; this is the key of the payment that it asks for.
alter table prompts add column repeats bytea;
