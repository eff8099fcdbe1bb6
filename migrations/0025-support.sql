-- Tables of server/collect/support-cases.

-- Where payers reach a merchant. Without a row, payers see its name and the operators' contact.
create table support_contacts (
  merchant_id uuid not null primary key references merchants (id),
  -- E.164.
  phone text,
  email text,
  -- E.164.
  whatsapp text,
  -- A user.
  changed_by text not null,
  updated_at timestamptz(3) not null default clock_now(),
  constraint support_contacts_not_empty check (phone is not null or email is not null or whatsapp is not null),
  constraint support_contacts_phone_e164 check (phone ~ '^\+[1-9][0-9]{7,14}$'),
  constraint support_contacts_whatsapp_e164 check (whatsapp ~ '^\+[1-9][0-9]{7,14}$'),
  constraint support_contacts_email_is_one check (email ~ '^[^\s@]+@[^\s@]+$' and char_length(email) <= 254)
);

-- The moves of a case. A test compares them with server/collect/support-cases/support-case.ts.
create table support_case_transitions (
  from_state text not null,
  to_state text not null,
  primary key (from_state, to_state)
);
insert into support_case_transitions (from_state, to_state) values
  ('open', 'asking'),
  ('asking', 'answered'), ('asking', 'with_operators'),
  ('answered', 'with_operators'),
  ('with_operators', 'answered'), ('with_operators', 'closed');

-- A payer says that money was taken.
create table support_cases (
  home smallint not null,
  id uuid not null,
  payment_id uuid not null,
  merchant_id uuid not null references merchants (id),
  environment text not null,
  state text not null default 'open',
  -- The number in the network's message to the payer, as letters and digits. Null: erased.
  sms_number text,
  -- What the payer says, each optional. TZS; E.164.
  claimed_amount bigint,
  claimed_phone text,
  claimed_time text,
  words text,
  email text,
  payer_language text not null,
  -- What is proven about this payment, and since when.
  finding text,
  proven_at timestamptz(3),
  -- Why operators have it.
  escalated_because text,
  escalated_at timestamptz(3),
  -- Another payment whose receipt has this number. Only operators see it.
  number_owner_id uuid,
  questions smallint not null default 0,
  -- When the provider is asked next; also the lease of a worker that asks.
  next_attempt_at timestamptz(3) default clock_now(),
  -- When the payer first saw an outcome.
  first_outcome_at timestamptz(3),
  decision text,
  decision_note text,
  decision_message text,
  decided_by text,
  decided_at timestamptz(3),
  request_id text not null,
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  -- When the payment of the case is next looked at, for a credit after the last answer. Null: not looked at yet, so at once.
  next_look_at timestamptz(3),
  -- The report came from the browser that paid, or has the number of the payment's receipt. Reports without proof are one row for operators.
  has_proof boolean not null default true,
  primary key (home, id),
  constraint support_cases_payment foreign key (home, payment_id) references payments (home, id),
  constraint support_cases_one_per_number unique (home, payment_id, sms_number),
  constraint support_cases_environment_known check (environment in ('test', 'live')),
  constraint support_cases_language_known check (payer_language in ('sw', 'en')),
  constraint support_cases_state_known check (state in ('open', 'asking', 'answered', 'with_operators', 'closed')),
  constraint support_cases_finding_known check (finding in ('received', 'no_money')),
  constraint support_cases_finding_has_time check ((finding is null) = (proven_at is null)),
  constraint support_cases_answer_is_proven check (state <> 'answered' or finding is not null),
  constraint support_cases_reason_known check (escalated_because in ('still_open', 'not_found', 'not_proven', 'no_answer', 'money_held',
    'number_differs', 'number_of_another', 'payer_disagrees')),
  constraint support_cases_escalated_has_reason check (state not in ('with_operators', 'closed') or (escalated_because is not null and escalated_at is not null)),
  constraint support_cases_open_is_asked check (state not in ('open', 'asking') or next_attempt_at is not null),
  constraint support_cases_ended_is_not_asked check (state not in ('answered', 'closed') or next_attempt_at is null),
  constraint support_cases_decision_known check (decision in ('received', 'no_money', 'other')),
  constraint support_cases_closed_is_decided check ((state = 'closed') = (decision is not null)),
  constraint support_cases_decision_complete check ((decision is null) = (decided_by is null) and (decision is null) = (decided_at is null)
    and (decision is null) = (decision_note is null)),
  constraint support_cases_number_printable check (sms_number ~ '^[0-9A-Z]{6,32}$')
);
create index support_cases_due on support_cases (next_attempt_at) where next_attempt_at is not null;
-- The next looks in their order, without the cases that are done.
create index support_cases_looks on support_cases (coalesce(next_look_at, created_at))
  where finding is distinct from 'received' and state <> 'closed';
-- Operators find cases by the number in the payer's SMS.
create index support_cases_by_number on support_cases (sms_number) where sms_number is not null;
create index support_cases_by_state on support_cases (state, id);
create index support_cases_unpaid on support_cases (home, payment_id) where finding is distinct from 'received';
create index support_cases_by_claimed_phone on support_cases (claimed_phone) where claimed_phone is not null;
create index support_cases_old on support_cases (updated_at) where state in ('answered', 'closed');

-- Every answer of a provider about a case, as evidence for operators.
create table support_case_answers (
  home smallint not null,
  case_id uuid not null,
  place smallint not null,
  answer text not null,
  reason text,
  provider text not null,
  provider_reference text,
  provider_status text,
  -- TZS.
  amount bigint,
  network_receipt text,
  answered_at timestamptz(3) not null default clock_now(),
  primary key (home, case_id, place),
  constraint support_case_answers_case foreign key (home, case_id) references support_cases (home, id),
  constraint support_case_answers_kind_known check (answer in ('found', 'not_found', 'indeterminate', 'not_asked'))
);
