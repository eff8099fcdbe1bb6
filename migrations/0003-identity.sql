-- Tables of server/accounts/identity.

-- People, their sessions, and merchants, which own money. Operators have no student data, and neither needs a person who was invited to a business.

create table users (
  id uuid primary key,
  full_name text not null,
  email text not null,
  phone_number text,
  password_hash text not null,
  student_id text,
  institution text,
  role text not null default 'student',
  disabled_at timestamptz(3),
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  email_verified_at timestamptz(3),
  -- When the person was last mailed about a registration attempt with their address or phone number; at most once a day.
  registration_mailed_at timestamptz,
  -- When a mailed code set the password. Payouts wait after it, because the account may have been taken over.
  password_reset_at timestamptz,
  -- When the e-mail address or the phone number was last changed. Payouts wait after it, for the same reason.
  contact_changed_at timestamptz,
  -- The person registered with an invitation to a business, which was open for their address.
  was_invited boolean not null default false,
  constraint users_email_unique unique (email),
  constraint users_phone_unique unique (phone_number),
  constraint users_email_lower_case check (email = lower(email)),
  constraint users_role_known check (role in ('student', 'admin')),
  constraint users_students_complete check (
  role = 'admin' or (phone_number is not null and (was_invited or (student_id is not null and institution is not null)))
)
);
create index users_by_email_beginning on users (email text_pattern_ops);
create index users_by_name_beginning on users (lower(full_name) text_pattern_ops);

-- A personal merchant has the id of its user. `home` never changes, because every id of its money contains it.
create table merchants (
  id uuid primary key,
  home smallint not null,
  kind text not null,
  user_id uuid not null references users (id),
  display_name text not null,
  verification_status text not null default 'unsubmitted',
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  -- Operators have stopped the merchant's live business. Payments that had started continue to their end.
  suspended_at timestamptz(3),
  suspension_reason text,
  constraint merchants_home_in_range check (home between 0 and 4095),
  constraint merchants_kind_known check (kind in ('personal', 'business')),
  constraint merchants_personal_is_its_user check (kind <> 'personal' or id = user_id),
  constraint merchants_verification_known check (verification_status in ('unsubmitted', 'pending', 'verified', 'rejected')),
  constraint merchants_suspended_says_why check ((suspended_at is null) = (suspension_reason is null))
);
create index merchants_by_user on merchants (user_id);
create index merchants_by_status on merchants (kind, verification_status);
create index merchants_by_name_beginning on merchants (lower(display_name) text_pattern_ops);

create table sessions (
  id uuid primary key,
  user_id uuid not null references users (id),
  -- Authentication methods of RFC 8176: pwd, and mfa after a second factor.
  amr text[] not null,
  generation integer not null default 0,
  refresh_hash bytea not null,
  rotated_at timestamptz(3) not null default clock_now(),
  idle_expires_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  revoked_reason text,
  user_agent text,
  created_at timestamptz(3) not null default clock_now(),
  last_used_at timestamptz(3) not null default clock_now(),
  -- When the person last authenticated; sensitive requests need a recent authentication.
  authenticated_at timestamptz(3) not null default clock_now(),
  -- When the device of the session was first used; payouts wait on a new device. Null: the start of the session counts.
  device_since timestamptz
);
create index sessions_by_user on sessions (user_id, created_at desc);
-- For the prune jobs.
create index sessions_by_end on sessions (expires_at);

-- One row for each person that has tried a second factor, or a password for step-up. It counts wrong tries, and serializes concurrent tries
-- by its row lock.
create table second_factors (
  user_id uuid primary key references users (id),
  sealed_secret text,
  confirmed_at timestamptz(3),
  -- The newest 30-second step whose code was accepted: codes of this step and of earlier steps are refused.
  last_step bigint,
  -- An unconfirmed enrolment; until it is confirmed, the previous factor works.
  pending_sealed_secret text,
  pending_since timestamptz(3),
  failures integer not null default 0,
  last_failed_at timestamptz(3),
  locked_until timestamptz(3),
  -- Wrong tries and locks since the last correct try. Each lock is twice as long as the previous one.
  wrong_tries integer not null default 0,
  locks integer not null default 0,
  -- When the person was last mailed about a lock.
  lock_mailed_at timestamptz(3),
  -- When the last factor was disconnected; payouts wait after it, as after connecting one. Null: never.
  removed_at timestamptz,
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

-- A sign-in with a correct password that waits for the second factor.
create table sign_in_challenges (
  token_hash bytea primary key,
  user_id uuid not null references users (id),
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  user_agent text,
  constraint sign_in_challenges_hash_length check (octet_length(token_hash) = 32)
);
create index sign_in_challenges_by_user on sign_in_challenges (user_id);
create index sign_in_challenges_by_end on sign_in_challenges (expires_at);

-- Codes sent by mail, each valid only for the address that it was mailed to.
create table mailed_tokens (
  token_hash bytea primary key,
  user_id uuid not null references users (id),
  purpose text not null,
  email text not null,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  created_at timestamptz(3) not null default clock_now(),
  -- A code has six digits, so it becomes invalid after a few wrong tries.
  wrong_tries integer not null default 0,
  -- How often a code was mailed: a new password reset code replaces the previous one while that one has tries left.
  mails integer not null default 1,
  -- The number that a code of `contact_change` sets; null: the code sets the address that it was mailed to.
  new_phone_number text,
  constraint mailed_tokens_hash_length check (octet_length(token_hash) = 32),
  constraint mailed_tokens_purpose_known check (purpose in ('password_reset', 'email_verification', 'contact_change')),
  constraint mailed_tokens_new_phone_is_a_change check (new_phone_number is null or purpose = 'contact_change'),
  constraint mailed_tokens_tries_counted check (wrong_tries >= 0)
);
create index mailed_tokens_by_user on mailed_tokens (user_id, purpose, created_at desc);
create index mailed_tokens_by_end on mailed_tokens (expires_at);
create unique index mailed_tokens_one_open_contact_change on mailed_tokens (user_id)
  where purpose = 'contact_change' and used_at is null;

-- The mails that a person has chosen. A person without a row has the defaults of the columns.
create table notification_preferences (
  user_id uuid primary key references users (id),
  payment_received boolean not null default false,
  payout_finished boolean not null default true,
  webhook_disabled boolean not null default true,
  new_device boolean not null default true,
  -- The person was notified of payments up to this time.
  payments_told_until timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now()
);
create index notification_preferences_of_payments on notification_preferences (payments_told_until) where payment_received;
