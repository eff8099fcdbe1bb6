-- Tables of server/accounts/members.

-- Who may act for a merchant, and in which role. A personal merchant has one member, its person. A row without a person is an invitation.
create table members (
  id uuid primary key,
  merchant_id uuid not null references merchants (id),
  user_id uuid references users (id),
  role text not null,
  -- The invited address; null for the person that registered the merchant.
  email text,
  token_hash bytea,
  invitation_expires_at timestamptz(3),
  invited_by uuid references users (id),
  -- When the person became a member.
  joined_at timestamptz(3),
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  removed_at timestamptz(3),
  removed_by uuid references users (id),
  -- From when a new role moves money in live, decides and makes power; null: at once. An owner who has served this wait can end that of another.
  power_from timestamptz(3),
  power_confirmed_at timestamptz(3),
  constraint members_role_known check (role in ('owner', 'admin', 'approver', 'accountant', 'cashier', 'developer')),
  constraint members_email_lower_case check (email = lower(email)),
  constraint members_joined_with_person check ((user_id is null) = (joined_at is null)),
  constraint members_invitation_complete check (
    user_id is not null or removed_at is not null or (email is not null and token_hash is not null and invitation_expires_at is not null)),
  -- A token works once.
  constraint members_token_of_an_invitation check (token_hash is null or user_id is null and removed_at is null),
  constraint members_token_unique unique (token_hash)
);
-- A person has one role in a business, and an address one invitation.
create unique index members_one_role_per_person on members (merchant_id, user_id) where removed_at is null;
create unique index members_one_invitation_per_address on members (merchant_id, email) where removed_at is null and user_id is null;
create index members_by_merchant on members (merchant_id, created_at desc, id desc);
create index members_by_person on members (user_id);
create index members_invitations_ended on members (coalesce(removed_at, invitation_expires_at)) where user_id is null;
create index members_by_address on members (email) where user_id is null;

-- Every merchant has its person as an owner from the start.
create function members_add_person() returns trigger language plpgsql as $$
begin
  insert into members (id, merchant_id, user_id, role, joined_at) values (new.id, new.id, new.user_id, 'owner', clock_now());
  return null;
end $$;
create trigger members_add_person after insert on merchants for each row execute function members_add_person();

-- A personal merchant has no other member, and the person of a merchant stays one of its owners.
create function members_keep_the_person() returns trigger language plpgsql as $$
begin
  if exists (
    select from merchants m
    where m.id = new.merchant_id and (
      m.kind = 'personal' and new.user_id is distinct from m.user_id
      or not exists (select from members x where x.merchant_id = m.id and x.user_id = m.user_id and x.role = 'owner' and x.removed_at is null)
    )
  ) then
    raise exception 'the person of a merchant is one of its owners, and the only member of a personal merchant'
      using errcode = 'integrity_constraint_violation', constraint = 'members_keep_the_person', table = 'members';
  end if;
  return null;
end $$;
create constraint trigger members_keep_the_person after insert or update on members
  deferrable initially deferred for each row execute function members_keep_the_person();

-- A business may get another person, one of its owners; a personal merchant keeps its person, and a merchant its kind.
create function merchants_keep_their_person() returns trigger language plpgsql as $$
begin
  if new.kind is distinct from old.kind or new.kind = 'personal' or not exists (
    select from members x where x.merchant_id = new.id and x.user_id = new.user_id and x.role = 'owner' and x.removed_at is null
  ) then
    raise exception 'a merchant keeps its kind, and its person is one of its owners'
      using errcode = 'integrity_constraint_violation', constraint = 'merchants_keep_their_person', table = 'merchants';
  end if;
  return new;
end $$;

-- The record of a business names the student id of its person.
create function businesses_follow_their_person() returns trigger language plpgsql as $$
begin
  update businesses b set representative_student_id = u.student_id, updated_at = clock_now() from users u where b.id = new.id and u.id = new.user_id;
  return null;
end $$;
create trigger businesses_follow_their_person after update on merchants for each row
  when (new.user_id is distinct from old.user_id) execute function businesses_follow_their_person();

create trigger merchants_keep_their_person before update on merchants for each row
  when (new.user_id is distinct from old.user_id or new.kind is distinct from old.kind)
  execute function merchants_keep_their_person();

-- The rule of a wallet: payouts, refunds and batches above an amount wait until this many other people have approved them.
create table approval_rules (
  home smallint not null,
  merchant_id uuid not null references merchants (id),
  environment text not null,
  -- TZS. 0: every amount.
  above bigint not null,
  approvers smallint not null,
  set_by uuid not null references users (id),
  set_at timestamptz(3) not null default clock_now(),
  -- The sum of the wallet's day; null: it has no limit. The people of a rule that is older than this limit are asked once.
  above_total bigint,
  asks_total boolean not null default true,
  -- When the owners were asked for it by mail; null: not yet.
  total_asked_at timestamptz(3),
  primary key (home, merchant_id, environment),
  constraint approval_rules_environment_known check (environment in ('test', 'live')),
  constraint approval_rules_above_not_negative check (above >= 0),
  constraint approval_rules_approvers_known check (approvers in (1, 2)),
  constraint approval_rules_above_total_not_negative check (above_total >= 0)
);

-- What waits, or waited, for the approval of members. The id is that of the payout, refund or batch, or a separate one for a change of the rule.
create table approval_requests (
  home smallint not null,
  id uuid not null,
  merchant_id uuid not null references merchants (id),
  environment text not null,
  kind text not null,
  -- TZS without fees; null for a change of the rule.
  amount bigint,
  -- How many people must approve, by the rule at the time of the request.
  approvers smallint not null,
  status text not null default 'waiting',
  -- `usr_…` or `key_…`, and the person behind it: the one who made the key.
  requested_by text not null,
  requested_by_user uuid not null references users (id),
  -- The wanted rule of a change; no value: no rule.
  new_above bigint,
  new_approvers smallint,
  reason text,
  decided_at timestamptz(3),
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default clock_now(),
  -- A decision names the version of what waits. Which sum needed the approval, what it was and how much the rule allowed; null: members were
  -- asked without need, or it is a change of the rule.
  version integer not null default 1,
  exceeded text,
  exceeded_sum bigint,
  exceeded_above bigint,
  new_above_total bigint,
  -- A new approver, admin or owner waits for others as money does. The hash is of a token that was mailed to the requester, who confirms alone
  -- because no one else could decide.
  member_id uuid,
  new_role text,
  token_hash bytea,
  primary key (home, id),
  -- For the votes, which name the person who requested it.
  constraint approval_requests_by unique (home, id, requested_by_user),
  constraint approval_requests_environment_known check (environment in ('test', 'live')),
  constraint approval_requests_kind_known check (kind in ('payout', 'refund', 'payout_batch', 'rule_change', 'member_role')),
  constraint approval_requests_status_known check (status in ('waiting', 'approved', 'refused', 'expired', 'withdrawn')),
  constraint approval_requests_approvers_known check (approvers in (1, 2)),
  constraint approval_requests_amount_of_money check ((kind in ('rule_change', 'member_role')) = (amount is null)),
  constraint approval_requests_new_rule_complete check (
    (new_above is null) = (new_approvers is null) and (new_above is null or kind = 'rule_change' and new_above >= 0 and new_approvers in (1, 2))),
  constraint approval_requests_decided_has_time check ((status = 'waiting') = (decided_at is null)),
  constraint approval_requests_exceeded_known check (exceeded in ('amount', 'recipient_day', 'wallet_day')),
  constraint approval_requests_exceeded_complete check (
    (exceeded is null) = (exceeded_sum is null) and (exceeded is null) = (exceeded_above is null) and exceeded_sum > exceeded_above),
  constraint approval_requests_new_total_of_rule check (new_above_total is null or new_above is not null and new_above_total >= 0),
  constraint approval_requests_role_complete check ((kind = 'member_role') = (member_id is not null) and (member_id is null) = (new_role is null)),
  constraint approval_requests_new_role_known check (new_role in ('owner', 'admin', 'approver', 'accountant', 'cashier', 'developer'))
);
create index approval_requests_waiting on approval_requests (home, merchant_id, environment, created_at desc, id desc) where status = 'waiting';
create index approval_requests_to_end on approval_requests (expires_at) where status = 'waiting';
create index approval_requests_by_person on approval_requests (requested_by_user) where status = 'waiting';
create index approval_requests_by_member on approval_requests (home, member_id, created_at) where member_id is not null;
create unique index approval_requests_one_rule_change on approval_requests (home, merchant_id, environment)
  where kind = 'rule_change' and status = 'waiting';

-- Who approved what. A person approves once.
create table approval_votes (
  home smallint not null,
  request_id uuid not null,
  -- The requester never approves.
  requested_by_user uuid not null,
  user_id uuid not null references users (id),
  at timestamptz(3) not null default clock_now(),
  primary key (home, request_id, user_id),
  constraint approval_votes_request foreign key (home, request_id, requested_by_user)
    references approval_requests (home, id, requested_by_user),
  constraint approval_votes_by_others check (user_id <> requested_by_user)
);
