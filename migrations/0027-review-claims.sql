-- Which operator has taken a submitted case in hand, so that two do not read the same one.
create table review_claims (
  merchant_id uuid primary key references verifications (merchant_id),
  reviewer_id uuid not null references users (id),
  claimed_at timestamptz(3) not null default clock_now()
);
create index review_claims_by_reviewer on review_claims (reviewer_id);
create index verifications_waiting on verifications (submitted_at, merchant_id) where stage = 'submitted';
create index merchants_by_status on merchants (kind, verification_status);
