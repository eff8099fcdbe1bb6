-- Second factors, sign-ins that wait for one, codes sent by mail, and people without a student's facts: operators.

-- Sessions from before this migration count as signed in long ago, so what is sensitive asks them to show again who they are.
alter table sessions add column authenticated_at timestamptz(3) not null default '1970-01-01T00:00:00Z';
alter table sessions alter column authenticated_at set default clock_now();

alter table users add column email_verified_at timestamptz(3);
alter table users alter column phone_number drop not null;
alter table users alter column student_id drop not null;
alter table users alter column institution drop not null;
alter table users add constraint users_students_complete check (
  role = 'admin' or (phone_number is not null and student_id is not null and institution is not null)
);

-- One row for whoever has tried a factor or a password for step-up: it counts their wrong tries too, and is the lock under which
-- tries take turns.
create table second_factors (
  user_id uuid primary key references users (id),
  sealed_secret text,
  confirmed_at timestamptz(3),
  -- The newest 30-second step whose code was taken: no code of it, or of one before it, is taken again.
  last_step bigint,
  -- An enrolment that is not confirmed yet; the confirmed factor works until it is.
  pending_sealed_secret text,
  pending_since timestamptz(3),
  failures integer not null default 0,
  last_failed_at timestamptz(3),
  locked_until timestamptz(3),
  -- Since the last right try: the wrong ones, however far apart, and the locks, of which each is twice as long as the one before.
  wrong_tries integer not null default 0,
  locks integer not null default 0,
  -- When the person was last told by mail that tries are locked.
  lock_mailed_at timestamptz(3),
  constraint second_factors_confirmed_with_secret check ((confirmed_at is null) = (sealed_secret is null)),
  constraint second_factors_pending_with_time check ((pending_since is null) = (pending_sealed_secret is null)),
  constraint second_factors_failures_counted check (failures >= 0),
  constraint second_factors_wrong_tries_counted check (wrong_tries >= 0),
  constraint second_factors_locks_counted check (locks >= 0)
);

create table recovery_codes (
  user_id uuid not null references users (id),
  code_hash bytea not null,
  used_at timestamptz(3),
  primary key (user_id, code_hash),
  constraint recovery_codes_hash_length check (octet_length(code_hash) = 32)
);

-- A password that was right, waiting for the second factor.
create table sign_in_challenges (
  token_hash bytea primary key,
  user_id uuid not null references users (id),
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  user_agent text,
  constraint sign_in_challenges_hash_length check (octet_length(token_hash) = 32)
);
create index sign_in_challenges_by_user on sign_in_challenges (user_id);

-- A token is bound to the address that it was mailed to.
create table mailed_tokens (
  token_hash bytea primary key,
  user_id uuid not null references users (id),
  purpose text not null,
  email text not null,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  created_at timestamptz(3) not null default clock_now(),
  constraint mailed_tokens_hash_length check (octet_length(token_hash) = 32),
  constraint mailed_tokens_purpose_known check (purpose in ('password_reset', 'email_verification'))
);
create index mailed_tokens_by_user on mailed_tokens (user_id, purpose, created_at desc);
