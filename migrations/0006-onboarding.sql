-- Tables of server/merchants/onboarding.

-- Reviews of merchants: the submitted package, and every decision about it.
-- The status itself is merchants.verification_status, because every payment reads it there.
create table verification_moves (
  from_status text not null,
  to_status text not null,
  primary key (from_status, to_status)
);
insert into verification_moves (from_status, to_status) values
  ('unsubmitted', 'pending'), ('unsubmitted', 'verified'), ('unsubmitted', 'rejected'),
  ('pending', 'pending'), ('pending', 'verified'), ('pending', 'rejected'),
  ('rejected', 'pending'), ('rejected', 'verified'), ('rejected', 'rejected'),
  ('verified', 'rejected'), ('verified', 'verified');

-- A merchant without a row is a draft without a submission.
create table verifications (
  merchant_id uuid primary key references merchants (id),
  stage text not null default 'draft',
  -- Increases with every submission, change and decision. A decision about an older version is refused.
  version integer not null default 0,
  rejection_reason text,
  submitted_at timestamptz(3),
  decided_at timestamptz(3),
  verified_at timestamptz(3),
  -- What the reviewer found wrong, by document and field, beside the reason as one text.
  problems jsonb,
  constraint verifications_stage_known check (stage in ('draft', 'submitted', 'decided')),
  constraint verifications_submitted_has_time check (stage <> 'submitted' or submitted_at is not null),
  constraint verifications_decided_has_time check (stage <> 'decided' or decided_at is not null),
  constraint verifications_reason_of_a_decision check (rejection_reason is null or stage = 'decided'),
  constraint verifications_problems_are_a_list check (jsonb_typeof(problems) = 'array')
);
create index verifications_by_stage on verifications (stage, submitted_at);
create index verifications_waiting on verifications (submitted_at, merchant_id) where stage = 'submitted';

-- The files of the package under review, pinned with their bytes. A later upload does not change the package.
create table submitted_documents (
  merchant_id uuid not null references verifications (merchant_id),
  purpose text not null,
  document_id uuid not null,
  sha256 bytea not null,
  primary key (merchant_id, purpose),
  constraint submitted_documents_pinned foreign key (document_id, merchant_id, purpose, sha256)
    references documents (id, merchant_id, purpose, sha256)
);

create table verification_history (
  merchant_id uuid not null references verifications (merchant_id),
  version integer not null,
  action text not null,
  from_status text not null,
  to_status text not null,
  reason text,
  -- The submitted facts, and the documents with their hashes.
  package jsonb,
  -- Null for the operator's command line.
  actor_user_id uuid references users (id),
  request_id text not null,
  at timestamptz(3) not null default clock_now(),
  -- Two decisions on one version, or a decision and a concurrent change, conflict here.
  primary key (merchant_id, version),
  constraint verification_history_action_known check (action in ('submitted', 'changed', 'verified', 'rejected')),
  constraint verification_history_move foreign key (from_status, to_status) references verification_moves (from_status, to_status),
  constraint verification_history_rejected_says_why check (action <> 'rejected' or reason is not null),
  constraint verification_history_package check ((action in ('submitted', 'changed')) = (package is not null)),
  -- The moves allowed to reviewers. Only the operator's command line may set any status.
  constraint verification_history_reviewers_move check (
    actor_user_id is null
    or action not in ('verified', 'rejected')
    or from_status = 'pending'
    or (from_status = 'verified' and to_status = 'rejected')),
  constraint verification_history_outcome check (to_status = case when action in ('verified', 'rejected') then action else 'pending' end)
);

-- Identity data that a person entered. The national identity number is sealed; its HMAC finds a second account of one person.
create table identity_papers (
  user_id uuid primary key references users (id),
  sealed_national_id text not null,
  national_id_hash bytea not null,
  national_id_last4 text not null,
  date_of_birth date not null,
  updated_at timestamptz(3) not null default clock_now()
);
create index identity_papers_by_hash on identity_papers (national_id_hash);

-- The operator that has claimed a submitted case, so that two operators do not review the same one.
create table review_claims (
  merchant_id uuid primary key references verifications (merchant_id),
  reviewer_id uuid not null references users (id),
  claimed_at timestamptz(3) not null default clock_now()
);
create index review_claims_by_reviewer on review_claims (reviewer_id);

-- Merchants that are businesses, each represented by a person. These facts are claims; the status of the merchant says whether they are
-- verified.
create table businesses (
  id uuid primary key references merchants (id),
  legal_name text not null,
  trading_name text,
  business_type text not null,
  registration_number text not null,
  tax_identification_number text,
  country text not null,
  address text not null,
  city text not null,
  region text not null,
  website text,
  phone text not null,
  email text not null,
  representative_role text not null,
  -- The value when they registered the business or became its person, for audit.
  representative_student_id text,
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  constraint businesses_type_known check (business_type in ('sole_proprietor', 'company', 'partnership', 'ngo', 'other')),
  constraint businesses_country_is_tanzania check (country = 'TZ'),
  constraint businesses_registered_unless_sole_proprietor check (registration_number <> '' or business_type = 'sole_proprietor'),
  constraint businesses_website_is_https check (website like 'https://%')
);
create index businesses_by_time on businesses (created_at desc, id desc);
create index businesses_by_registration_number on businesses (registration_number) where registration_number <> '';
create index businesses_by_tax_number on businesses (tax_identification_number) where tax_identification_number is not null;
create index businesses_by_phone on businesses (phone);
create index businesses_by_email_beginning on businesses (lower(email) text_pattern_ops);
create index businesses_by_legal_name_beginning on businesses (lower(legal_name) text_pattern_ops);

-- A version increases by one, and at commit each version has its entry in the history, with the current status of the merchant. Version 0 has
-- no entry.
create function verifications_go_on() returns trigger language plpgsql as $$
begin
  if new.version <> old.version + 1 then
    raise exception 'a review goes on by one version' using errcode = 'integrity_constraint_violation', constraint = 'verifications_go_on';
  end if;
  return new;
end $$;
create trigger verifications_go_on before update on verifications for each row execute function verifications_go_on();

create function verifications_are_told() returns trigger language plpgsql as $$
declare
  subject uuid := coalesce(to_jsonb(new) ->> 'merchant_id', to_jsonb(new) ->> 'id');
begin
  if exists (
    select from verifications v
    join merchants m on m.id = v.merchant_id
    left join verification_history h on h.merchant_id = v.merchant_id and h.version = v.version
    where v.merchant_id = subject and v.version > 0 and h.to_status is distinct from m.verification_status)
  then
    raise exception 'a status without its entry in the history' using errcode = 'integrity_constraint_violation', constraint = 'verifications_are_told';
  end if;
  return null;
end $$;
create constraint trigger verifications_are_told after insert or update on verifications
  deferrable initially deferred for each row execute function verifications_are_told();
create constraint trigger verifications_are_told after update of verification_status on merchants
  deferrable initially deferred for each row execute function verifications_are_told();

-- The merchant of a business has the kind `business`.
create function businesses_are_business_merchants() returns trigger language plpgsql as $$
begin
  if not exists (select from merchants where id = new.id and kind = 'business') then
    raise exception 'a business belongs to a business merchant' using errcode = 'integrity_constraint_violation', constraint = 'businesses_are_business_merchants';
  end if;
  return new;
end $$;
create trigger businesses_are_business_merchants before insert on businesses for each row execute function businesses_are_business_merchants();

revoke update, delete, truncate on verification_history from malipo_service;
revoke delete, truncate on verifications, identity_papers, businesses from malipo_service;
revoke insert, update, delete, truncate on verification_moves from malipo_service;
