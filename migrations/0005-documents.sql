-- Tables of server/merchants/documents.

-- Identity documents: a row is one upload, from its signed address to the stored bytes.
create table documents (
  id uuid primary key,
  merchant_id uuid not null references merchants (id),
  purpose text not null,
  content_type text not null,
  state text not null default 'awaiting',
  address_expires_at timestamptz(3) not null,
  -- The running upload: only it may finish, until its time is over. Its id is the storage place, so two uploads never share one.
  upload_id uuid,
  upload_until timestamptz(3),
  size_bytes integer,
  sha256 bytea,
  -- As its owner named it, shown to the owner alone.
  file_name text,
  -- The re-encoded image for reviewers. Null for a file that cannot be decoded.
  review_content_type text,
  review_sha256 bytea,
  refused_code text,
  refused_reason text,
  created_at timestamptz(3) not null default clock_now(),
  finished_at timestamptz(3),
  constraint documents_purpose_known check (purpose in (
    'registration_certificate', 'tax_certificate', 'business_license', 'proof_of_address', 'national_id', 'student_id_card', 'selfie')),
  constraint documents_type_known check (content_type in ('image/jpeg', 'image/png', 'application/pdf')),
  constraint documents_state_known check (state in ('awaiting', 'uploaded', 'refused')),
  constraint documents_finished_has_time check ((state = 'awaiting') = (finished_at is null)),
  constraint documents_uploaded_is_pinned check ((state = 'uploaded') = (sha256 is not null)),
  constraint documents_hash_length check (octet_length(sha256) = 32 and octet_length(review_sha256) = 32),
  constraint documents_size check (size_bytes > 0),
  constraint documents_review_copy check ((review_sha256 is null) = (review_content_type is null) and (review_sha256 is null or state = 'uploaded')),
  constraint documents_refused_says_why check ((state = 'refused') = (refused_code is not null) and (refused_code is null) = (refused_reason is null)),
  -- The target of foreign keys that pin a document of one merchant, for one purpose, with its bytes.
  constraint documents_pin_unique unique (id, merchant_id, purpose, sha256)
);
create index documents_finished on documents (merchant_id, purpose, finished_at desc) where finished_at is not null;
create index documents_by_hash on documents (sha256) where sha256 is not null;

-- Places in the document store that are being written to. A place that remains here belongs to no document and is deleted.
create table unfinished_objects (
  key text primary key,
  since timestamptz(3) not null default clock_now()
);

-- Links to a document for a reviewer. A link works once, for the session that requested it.
create table document_views (
  id uuid primary key,
  document_id uuid not null references documents (id),
  session_id uuid not null references sessions (id),
  expires_at timestamptz(3) not null,
  opened_at timestamptz(3),
  created_at timestamptz(3) not null default clock_now()
);
create index document_views_by_document on document_views (document_id, created_at desc);
create index document_views_by_session on document_views (session_id);

-- A received document never changes. Files that were not submitted, and old links, are pruned. Submitted files are pinned by their package,
-- and each view is in the audit log.
create function documents_stay_as_received() returns trigger language plpgsql as $$
begin
  raise exception 'a received document does not change' using errcode = 'integrity_constraint_violation', constraint = 'documents_stay_as_received';
end $$;
create trigger documents_stay_as_received before update on documents for each row
  when (old.state <> 'awaiting') execute function documents_stay_as_received();
