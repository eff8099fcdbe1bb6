-- People, their sessions, and merchants: whoever money can belong to.
-- Time on money rows comes from clock_now() and from nothing else, so that a test can move it.
create function clock_now() returns timestamptz language sql stable as $$ select now() $$;

create table users (
  id uuid primary key,
  full_name text not null,
  email text not null,
  phone_number text not null,
  password_hash text not null,
  student_id text not null,
  institution text not null,
  role text not null default 'student',
  disabled_at timestamptz(3),
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  constraint users_email_unique unique (email),
  constraint users_phone_unique unique (phone_number),
  constraint users_email_lower_case check (email = lower(email)),
  constraint users_role_known check (role in ('student', 'admin'))
);

-- A personal merchant has the id of its user. `home` is fixed when the merchant is made: every id of its money carries it.
create table merchants (
  id uuid primary key,
  home smallint not null,
  kind text not null,
  user_id uuid not null references users (id),
  display_name text not null,
  verification_status text not null default 'unsubmitted',
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  constraint merchants_home_in_range check (home between 0 and 4095),
  constraint merchants_kind_known check (kind in ('personal', 'business')),
  constraint merchants_personal_is_its_user check (kind <> 'personal' or id = user_id),
  constraint merchants_verification_known check (verification_status in ('unsubmitted', 'pending', 'verified', 'rejected'))
);
create index merchants_by_user on merchants (user_id);

create table sessions (
  id uuid primary key,
  user_id uuid not null references users (id),
  -- Authentication methods of RFC 8176: pwd, and mfa once a second factor was shown.
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
  last_used_at timestamptz(3) not null default clock_now()
);
create index sessions_by_user on sessions (user_id, created_at desc);
