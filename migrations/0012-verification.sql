-- Whether people have looked at who is behind a merchant: the package that was submitted, and every decision about it.
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

create table verifications (
  merchant_id uuid primary key references merchants (id),
  stage text not null default 'draft',
  -- Grows with every submission, change and decision: who decides on an older one is told so.
  version integer not null default 0,
  rejection_reason text,
  submitted_at timestamptz(3),
  decided_at timestamptz(3),
  verified_at timestamptz(3),
  constraint verifications_stage_known check (stage in ('draft', 'submitted', 'decided')),
  constraint verifications_submitted_has_time check (stage <> 'submitted' or submitted_at is not null),
  constraint verifications_decided_has_time check (stage <> 'decided' or decided_at is not null),
  constraint verifications_reason_of_a_decision check (rejection_reason is null or stage = 'decided')
);
create index verifications_by_stage on verifications (stage, submitted_at);
-- A merchant without a row here is a draft that nothing was submitted for. Who was decided on before starts where it stands.
insert into verifications (merchant_id, stage, decided_at, verified_at)
select id, 'decided', updated_at, case when verification_status = 'verified' then updated_at end
from merchants where verification_status in ('verified', 'rejected');

-- The files of the package that is looked at, pinned with their bytes: a later upload is not among them.
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
  -- What was submitted: the facts and the documents with their hashes.
  package jsonb,
  -- Null for the operator's command line.
  actor_user_id uuid references users (id),
  request_id text not null,
  at timestamptz(3) not null default clock_now(),
  -- Two decisions on one version, or a decision beside a change of it, cannot both be.
  primary key (merchant_id, version),
  constraint verification_history_action_known check (action in ('submitted', 'changed', 'verified', 'rejected')),
  constraint verification_history_move foreign key (from_status, to_status) references verification_moves (from_status, to_status),
  constraint verification_history_rejected_says_why check (action <> 'rejected' or reason is not null),
  constraint verification_history_package check ((action in ('submitted', 'changed')) = (package is not null)),
  constraint verification_history_outcome check (to_status = case when action in ('verified', 'rejected') then action else 'pending' end)
);

-- What a person wrote about themselves. The national identity number is sealed; its HMAC finds a second account of one person.
create table identity_papers (
  user_id uuid primary key references users (id),
  sealed_national_id text not null,
  national_id_hash bytea not null,
  national_id_last4 text not null,
  date_of_birth date not null,
  updated_at timestamptz(3) not null default clock_now()
);
create index identity_papers_by_hash on identity_papers (national_id_hash);

revoke update, delete, truncate on verification_history from malipo_service;
revoke insert, update, delete, truncate on verification_moves from malipo_service;
