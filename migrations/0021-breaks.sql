-- What does not agree, between our books and a provider's or between what a provider says and what it said: opened by the service,
-- decided by two operators. It takes in what payment_cases held.
alter table payment_cases rename to breaks;
alter table breaks
  alter column payment_id drop not null,
  add column environment text,
  -- Of a payout's break.
  add column payout_id uuid,
  -- Whose record it is about, and that one's own reference of it; all there is to name a record that is nobody's with us.
  add column provider text,
  add column provider_reference text,
  -- What one operator wants done, until another one does it. Operators stand here as the audit log has them.
  add column proposal text,
  add column proposal_note text,
  add column proposed_by text,
  add column proposed_at timestamptz(3),
  add column resolution text,
  -- The second operator, or `system` where the provider's own later word has settled it.
  add column resolved_by text,
  drop constraint payment_cases_one_of_each,
  drop constraint payment_cases_kind_known;
alter table breaks rename constraint payment_cases_pkey to breaks_pkey;
alter table breaks rename constraint payment_cases_payment to breaks_payment;
update breaks b
set environment = p.environment, provider = b.details ->> 'provider', provider_reference = b.details ->> 'reference',
  resolution = case when b.resolved_at is not null then 'already_settled' end,
  resolved_by = case when b.resolved_at is not null then 'system' end
from payments p where p.home = b.home and p.id = b.payment_id;
alter table breaks
  alter column environment set not null,
  add constraint breaks_environment_known check (environment in ('test', 'live')),
  add constraint breaks_kind_known check (kind in (
    'amount_differs', 'charge_unknown', 'reference_conflict',
    'payout_amount_differs', 'payout_unknown', 'payout_contradicts', 'payout_reference_conflict',
    'missing_at_provider', 'unknown_at_provider', 'settled_differs')),
  add constraint breaks_names_its_subject check (
    num_nonnulls(payment_id, payout_id) = 1
    or (num_nonnulls(payment_id, payout_id) = 0 and provider is not null and provider_reference is not null)),
  add constraint breaks_proposal_is_whole check (
    num_nonnulls(proposal, proposal_note, proposed_by, proposed_at) in (0, 4)),
  add constraint breaks_resolution_is_whole check (num_nonnulls(resolution, resolved_by, resolved_at) in (0, 3)),
  -- What an operator has proposed, that operator never does.
  add constraint breaks_two_operators check (resolved_by <> proposed_by);
create unique index breaks_one_open_per_payment on breaks (home, payment_id, kind) where resolved_at is null and payment_id is not null;
create unique index breaks_one_open_per_payout on breaks (home, payout_id, kind) where resolved_at is null and payout_id is not null;
create unique index breaks_one_open_per_record on breaks (provider, environment, provider_reference, kind)
  where resolved_at is null and payment_id is null and payout_id is null;
create index breaks_by_id on breaks (id desc);
create index breaks_open on breaks (id desc) where resolved_at is null;
create index breaks_by_payment on breaks (home, payment_id) where payment_id is not null;
create index breaks_by_record on breaks (provider, environment, provider_reference) where provider_reference is not null;
