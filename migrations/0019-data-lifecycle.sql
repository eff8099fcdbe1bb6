-- Tables of server/data-lifecycle.

-- The rules that remove rows whose time is over: when each is due, and how far it has come. One process at a time works on a rule, and the
-- next one goes on from there.
create table retention_turns (
  rule text primary key,
  next_at timestamptz(3) not null default clock_now(),
  -- Until then a process works on it; the moment also tells one turn from the next.
  lease_until timestamptz(3),
  -- For rules that look at each row once: the last one that they have looked at.
  position text,
  ended_at timestamptz(3),
  removed bigint not null default 0,
  constraint retention_turns_removed_not_negative check (removed >= 0)
);

-- Accounts and payers who were erased at their request, and until when the law keeps records. It names nobody: only the id of the account is left.
create table erasures (
  id uuid primary key,
  -- Of an account; a payer has none.
  user_id uuid references users (id),
  -- What replaces the person from now on.
  pseudonym text not null,
  erased_at timestamptz(3) not null default clock_now(),
  -- Records of identification are kept until then, and erased after.
  held_until timestamptz(3),
  held_erased_at timestamptz(3),
  constraint erasures_pseudonym_unique unique (pseudonym),
  constraint erasures_pseudonym_names_nobody check (pseudonym ~ '^erased-[0-9a-f]{16}$'),
  constraint erasures_only_accounts_are_held check (held_until is null or user_id is not null),
  constraint erasures_held_before_erased check (held_erased_at is null or held_until is not null)
);
create unique index erasures_one_per_account on erasures (user_id) where user_id is not null;
create index erasures_held on erasures (held_until) where held_until is not null and held_erased_at is null;

-- The history of a review is never rewritten, and the service may not. Only this function removes what the history of an erased
-- account quotes; who decided what, and when, stays.
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
