-- Tables of server/money/breaks.

-- Differences between our books and a provider's records, or between two reports of a provider. The service opens a break; two operators
-- resolve it.
create table breaks (
  home smallint not null,
  id uuid not null,
  payment_id uuid,
  kind text not null,
  details jsonb not null default '{}',
  opened_at timestamptz(3) not null default clock_now(),
  resolved_at timestamptz(3),
  environment text not null,
  payout_id uuid,
  -- The provider of the record, and its reference: the only identification of a record that is unknown to us.
  provider text,
  provider_reference text,
  -- The proposal of one operator, until another one confirms it. Operators are stored as in the audit log.
  proposal text,
  proposal_note text,
  proposed_by text,
  proposed_at timestamptz(3),
  resolution text,
  -- The second operator, or `system` if a later report of the provider resolved it.
  resolved_by text,
  -- The parameters of the proposal: a payment, a payout, a merchant.
  proposal_parameters jsonb,
  -- The payer's phone of an unknown charge, as reported by the provider; the money can be returned to it.
  payer_phone text,
  primary key (home, id),
  constraint breaks_payment foreign key (home, payment_id) references payments (home, id),
  constraint breaks_environment_known check (environment in ('test', 'live')),
  constraint breaks_names_its_subject check (
    num_nonnulls(payment_id, payout_id) = 1
    or (num_nonnulls(payment_id, payout_id) = 0 and provider is not null and provider_reference is not null)),
  constraint breaks_proposal_is_whole check (
    num_nonnulls(proposal, proposal_note, proposed_by, proposed_at) in (0, 4)),
  constraint breaks_resolution_is_whole check (num_nonnulls(resolution, resolved_by, resolved_at) in (0, 3)),
  -- No operator confirms their own proposal.
  constraint breaks_two_operators check (resolved_by <> proposed_by),
  -- fee_differs: the provider reports a fee that cannot be right; it is booked after operators have decided.
  constraint breaks_kind_known check (kind in (
    'amount_differs', 'charge_unknown', 'reference_conflict',
    'payout_amount_differs', 'payout_unknown', 'payout_contradicts', 'payout_reference_conflict',
    'missing_at_provider', 'unknown_at_provider', 'settled_differs', 'fee_differs'))
);
create unique index breaks_one_open_per_payment on breaks (home, payment_id, kind) where resolved_at is null and payment_id is not null;
create unique index breaks_one_open_per_payout on breaks (home, payout_id, kind) where resolved_at is null and payout_id is not null;
create index breaks_by_id on breaks (id desc);
create index breaks_open on breaks (id desc) where resolved_at is null;
create index breaks_by_payment on breaks (home, payment_id) where payment_id is not null;
-- A break that is opened again finds the earlier ones of its payout, which may have no reference.
create index breaks_by_payout on breaks (home, payout_id) where payout_id is not null;
create index breaks_by_record on breaks (provider, environment, provider_reference) where provider_reference is not null;
-- Every break has a home; a break about an unknown record has the first one.
create unique index breaks_one_open_per_record on breaks (home, provider, environment, provider_reference, kind)
  where resolved_at is null and payment_id is null and payout_id is null;
-- Finds a payout that a restored database has lost, by our id in the provider's record.
create index breaks_by_our_reference on breaks ((details ->> 'our_reference_there')) where kind = 'unknown_at_provider';

alter table ledger_transfers
  add constraint ledger_transfers_break foreign key (home, break_id) references breaks (home, id);
