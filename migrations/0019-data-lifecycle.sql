-- Tables of server/operations/data-lifecycle.

-- The retention rules: when each is due, and its position. One process at a time runs a rule, and the next one continues from its
-- position.
create table retention_turns (
  rule text primary key,
  next_at timestamptz(3) not null default clock_now(),
  -- End of the lease of the process that runs it. It also distinguishes one turn from the next.
  lease_until timestamptz(3),
  -- For rules that check each row once: the last checked row.
  position text,
  ended_at timestamptz(3),
  removed bigint not null default 0,
  constraint retention_turns_removed_not_negative check (removed >= 0)
);

-- Erased accounts and payers, and until when the law requires their records. It identifies no person: only the id of the account remains.
create table erasures (
  id uuid primary key,
  -- The id of the account; null for a payer.
  user_id uuid references users (id),
  -- The pseudonym that replaces the person.
  pseudonym text not null,
  erased_at timestamptz(3) not null default clock_now(),
  -- Identification records are kept until then, then erased.
  held_until timestamptz(3),
  held_erased_at timestamptz(3),
  constraint erasures_pseudonym_unique unique (pseudonym),
  constraint erasures_pseudonym_names_nobody check (pseudonym ~ '^erased-[0-9a-f]{16}$'),
  constraint erasures_only_accounts_are_held check (held_until is null or user_id is not null),
  constraint erasures_held_before_erased check (held_erased_at is null or held_until is not null)
);
create unique index erasures_one_per_account on erasures (user_id) where user_id is not null;
create index erasures_held on erasures (held_until) where held_until is not null and held_erased_at is null;

-- The service cannot rewrite the history of a review. Only this function removes the personal data that it contains, for an erased account.
-- The decisions and their times stay.
create function erase_identification(subject uuid) returns void language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not exists (select from erasures where user_id = subject and (held_until is null or held_until <= clock_now())) then
    raise exception 'records are held, or the account is not erased' using errcode = 'integrity_constraint_violation', constraint = 'identification_is_held';
  end if;
  update verification_history set
    package = case when package is not null then '{"facts": {}, "documents": []}'::jsonb end,
    reason = case when reason is not null then 'Erased.' end
  where merchant_id in (select id from merchants where user_id = subject);
  delete from identity_papers where user_id = subject;
end $$;

revoke delete, truncate on erasures from malipo_service;
revoke all on function erase_identification(uuid) from public;
grant execute on function erase_identification(uuid) to malipo_service;
