-- Tables of server/assurance/invariants: a digest of each row of the tables that direct or release money and are not written by every
-- payment, made by triggers with the row itself. A row that was changed, removed or added with triggers off, or by a superuser by hand,
-- does not agree with its digest. The digests have no key: they show changes by hand, by a restore or by a fault. What leaves for a
-- provider has codes under keys besides (order_mac). The service writes digests only through the functions of this file, which run as the
-- owner of the tables.

-- The last word of an approval has a code under a key, like the order that it releases.
alter table provider_payouts add column approval_mac text;

create table sealed_tables (
  name text collate "C" primary key,
  key text[] not null,
  -- Left out: columns that may change at any time and direct nothing, and those that later migrations add.
  covers text[] not null,
  -- A broken seal stops payouts, and does not only alert.
  moves_money boolean not null,
  -- The last row from before this migration that was sealed, and since when all rows have seals. Only a migration sets both to null.
  read_to text,
  complete_at timestamptz(3)
);

create table row_seals (
  what text collate "C" not null,
  id text collate "C" not null,
  digest bytea not null,
  sealed_at timestamptz(3) not null,
  primary key (what, id)
);
create index row_seals_recent on row_seals (what, sealed_at);

create function row_seal_key(line jsonb, key text[]) returns text language sql immutable as $$
  select string_agg(line ->> k.name, '|' order by k.place) from unnest(key) with ordinality as k (name, place)
$$;

-- A migration that adds a column and lists it here changes no digest where it is null; one that drops a listed column or changes its type
-- removes the seals of its table, and sets read_to and complete_at to null: they are then made again.
create function row_seal_digest(line jsonb, covers text[]) returns bytea language sql immutable as $$
  select sha256(convert_to(coalesce(jsonb_object_agg(e.key, e.value), '{}')::text, 'utf8')) from jsonb_each(jsonb_strip_nulls(line)) e where e.key = any(covers)
$$;

-- Runs once for each statement, or, for a table of which most changes are of columns without a seal, for each row of which others changed.
-- It seals what the service writes; others say in their session that their changes are to be sealed, as migrations do.
create function seal_rows() returns trigger language plpgsql security definer set search_path = public, pg_temp set timezone = 'UTC' as $$
declare
  of_table sealed_tables;
begin
  -- Not current_user, which is the owner here.
  if (case current_setting('role') when 'none' then session_user else current_setting('role') end) <> 'malipo_service'
    and current_setting('malipo.changes_by_hand', true) is distinct from 'sealed' then return null; end if;
  select * into of_table from sealed_tables where name = tg_table_name;
  if tg_level = 'ROW' then
    insert into row_seals as s (what, id, digest, sealed_at)
    values (tg_table_name, row_seal_key(to_jsonb(new), of_table.key), row_seal_digest(to_jsonb(new), of_table.covers), clock_now())
    on conflict (what, id) do update set digest = excluded.digest, sealed_at = excluded.sealed_at where s.digest <> excluded.digest;
    return null;
  end if;
  if tg_op = 'UPDATE' then
    delete from row_seals s using was w where s.what = tg_table_name and s.id = row_seal_key(to_jsonb(w), of_table.key)
      and s.id not in (select row_seal_key(to_jsonb(c), of_table.key) from changed c);
  end if;
  if tg_op = 'DELETE' then
    delete from row_seals s using changed c where s.what = tg_table_name and s.id = row_seal_key(to_jsonb(c), of_table.key);
  else
    insert into row_seals as s (what, id, digest, sealed_at)
    select tg_table_name, row_seal_key(c.line, of_table.key), row_seal_digest(c.line, of_table.covers), clock_now()
    from (select to_jsonb(c) as line from changed c) c
    on conflict (what, id) do update set digest = excluded.digest, sealed_at = excluded.sealed_at where s.digest <> excluded.digest;
  end if;
  return null;
end $$;

-- The condition that rows `x` stand after a place in the order of their keys (`>`), or not after it (`<=`).
create function row_seal_range(of_table sealed_tables, relation text, place text) returns text language sql stable as $$
  select format('(%s) %s (%s)', string_agg(format('x.%I', k.name), ', ' order by k.place), relation,
    string_agg(format('split_part(%L, ''|'', %s)::%s', row_seal_range.place, k.place, format_type(a.atttypid, null)), ', ' order by k.place))
  from unnest(of_table.key) with ordinality as k (name, place)
  join pg_attribute a on a.attrelid = of_table.name::regclass and a.attname = k.name
$$;

-- The key of the last of the next rows, at most so many, in the order of their keys; null behind the last row.
create function row_seal_place(of_table sealed_tables, after text, at_most integer) returns text language plpgsql stable set timezone = 'UTC' as $$
declare
  forward text;
  backward text;
  found text;
begin
  select string_agg(format('x.%I', k.name), ', ' order by k.place), string_agg(format('x.%I desc', k.name), ', ' order by k.place) into forward, backward
  from unnest(of_table.key) with ordinality as k (name, place);
  execute format('select row_seal_key(to_jsonb(l), %L) from (
      select * from (select * from %I x where %s order by %s limit %s) x order by %s limit 1
    ) l', of_table.key, of_table.name, case when after = '' then 'true' else row_seal_range(of_table, '>', after) end, forward, at_most, backward)
  into found;
  return found;
end $$;

-- The condition that row `x` has the key that the expression `id` contains.
create function row_seal_match(of_table sealed_tables, id text) returns text language sql stable as $$
  select string_agg(format('x.%I = split_part(%s, ''|'', %s)::%s', k.name, row_seal_match.id, k.place, format_type(a.atttypid, null)), ' and ')
  from unnest(of_table.key) with ordinality as k (name, place)
  join pg_attribute a on a.attrelid = of_table.name::regclass and a.attname = k.name
$$;

-- Seals the next rows in the order of their keys, except those that have a seal. Returns whether there are more. It does so once: a row
-- without a seal in a table that is complete was not written by the service. Where complete_at was set to null by hand, it seals nothing.
create function seal_old_rows(of_name text, at_most integer) returns boolean
language plpgsql security definer set search_path = public, pg_temp set timezone = 'UTC' as $$
declare
  of_table sealed_tables;
  last text;
begin
  select * into of_table from sealed_tables t where t.name = of_name and t.complete_at is null and not exists (
    select from row_seals s join sealed_tables own on own.name = s.what
    where s.what = 'sealed_tables' and s.id = t.name and s.digest <> row_seal_digest(to_jsonb(t), own.covers));
  if of_table.name is null then return false; end if;
  -- Locked, so that a row which is removed meanwhile is not sealed; what the service may not change or remove needs no lock.
  if not has_any_column_privilege('malipo_service', of_name, 'update') and has_table_privilege('malipo_service', of_name, 'delete') then execute format('lock table %I in share mode', of_name); end if;
  last := row_seal_place(of_table, coalesce(of_table.read_to, ''), at_most);
  if last is not null then
    execute format('insert into row_seals (what, id, digest, sealed_at)
      select %L, row_seal_key(r.line, %L), row_seal_digest(r.line, %L), clock_now()
      from (select to_jsonb(x) as line from %I x where %s and %s %s) r on conflict do nothing',
      of_name, of_table.key, of_table.covers, of_name,
      case when of_table.read_to is null then 'true' else row_seal_range(of_table, '>', of_table.read_to) end,
      row_seal_range(of_table, '<=', last), case when has_any_column_privilege('malipo_service', of_name, 'update') then 'for share' else '' end);
  end if;
  update sealed_tables set read_to = coalesce(last, read_to), complete_at = case when last is null then clock_now() end where name = of_name;
  return last is not null;
end $$;

-- For an administrator, as the owner, after two people have compared a row that was changed by hand with its reason: seals it as it is, or
-- removes the seal of a row that is gone. Returns which of the two.
create function seal_again(of_name text, of_id text) returns text language plpgsql set timezone = 'UTC' as $$
declare
  of_table sealed_tables;
  sealed integer;
begin
  select * into strict of_table from sealed_tables where name = of_name;
  delete from row_seals where what = of_name and id = of_id;
  execute format('insert into row_seals (what, id, digest, sealed_at) select %L, %L, row_seal_digest(to_jsonb(x), %L), clock_now() from %I x where %s',
    of_name, of_id, of_table.covers, of_name, row_seal_match(of_table, quote_literal(of_id)));
  get diagnostics sealed = row_count;
  return case sealed when 0 then 'There is no such row. It has no seal any more.' else 'The row is sealed as it is.' end;
end $$;

-- The rows of a stretch of seals, or with `since` of those made since then, that do not agree with them.
create function broken_row_seals(of_money boolean, from_what text, from_id text, to_what text, to_id text, since timestamptz)
returns table (what text, home smallint, merchant_id uuid, environment text) language plpgsql stable set timezone = 'UTC' as $$
declare
  of_table sealed_tables;
begin
  for of_table in select * from sealed_tables t where t.moves_money = of_money and (since is not null or t.name between from_what and to_what) order by t.name loop
    return query execute format('
      select format(''%%s %%s %%s'', s.what, s.id, case when r.line is null then ''is gone'' else ''was changed outside the service'' end),
        (r.line ->> ''home'')::smallint, (r.line ->> ''merchant_id'')::uuid, r.line ->> ''environment''
      from row_seals s
      left join lateral (select to_jsonb(x) as line from %I x where %s offset 0) r on true
      where s.what = %L and %s and (r.line is null or row_seal_digest(r.line, %L) <> s.digest)', of_table.name, row_seal_match(of_table, 's.id'), of_table.name,
      -- Each can use an index.
      case when since is null then '(s.what, s.id) > ($1, $2) and (s.what, s.id) <= ($3, $4)' else 's.sealed_at >= $5' end, of_table.covers)
    using from_what, from_id, to_what, to_id, since;
  end loop;
end $$;

-- The rows of a table between two keys that nothing of the service wrote. Before its old rows are sealed, none is known.
create function unsealed_rows(of_name text, after text, up_to text)
returns table (what text, home smallint, merchant_id uuid, environment text) language plpgsql stable set timezone = 'UTC' as $$
declare
  of_table sealed_tables;
begin
  select * into of_table from sealed_tables t where t.name = of_name and t.complete_at is not null;
  if of_table.name is null then return; end if;
  return query execute format('
    select format(''%%s %%s was added outside the service'', %L, r.id), (r.line ->> ''home'')::smallint, (r.line ->> ''merchant_id'')::uuid, r.line ->> ''environment''
    from (select l.line, row_seal_key(l.line, %L) as id from (select to_jsonb(x) as line from %I x where %s and %s offset 0) l offset 0) r
    left join lateral (select true as is_there from row_seals s where s.what = %L and s.id = r.id offset 0) s on true
    where s.is_there is null',
    of_name, of_table.key, of_name, case when after = '' then 'true' else row_seal_range(of_table, '>', after) end, row_seal_range(of_table, '<=', up_to), of_name);
end $$;

-- When the first worker ran that makes codes of approvals. An hour later no payout leaves without one (server/pay-out/payouts/release-code.sql.ts).
-- The service writes it once, with the time of the database.
create table release_code_start (
  is_only boolean primary key default true,
  started_at timestamptz(3) not null default clock_now(),
  constraint release_code_start_one_row check (is_only)
);
revoke insert, update, delete, truncate on release_code_start from malipo_service;
grant insert (is_only) on release_code_start to malipo_service;

insert into sealed_tables (name, key, covers, moves_money)
select t.name,
  array(select a.attname::text from pg_index i cross join unnest(i.indkey::smallint[]) with ordinality as k (attnum, place)
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum where i.indrelid = t.name::regclass and i.indisprimary order by k.place),
  array(select a.attname::text from pg_attribute a
    where a.attrelid = t.name::regclass and a.attnum > 0 and not a.attisdropped and not a.attname = any(t.without) order by a.attnum),
  t.moves_money
from (values
  ('approval_requests', '{}'::text[], true), ('approval_rules', '{}', true), ('approval_votes', '{}', true),
  ('breaks', '{}', true), ('idempotent_answers', '{}', true), ('payout_batch_changes', '{}', true), ('payout_batch_rows', '{}', true),
  ('payout_batches', '{}', true), ('payout_freezes', '{}', true), ('payouts', '{}', true), ('provider_movements', '{}', true), ('provider_payouts', '{}', true),
  ('release_code_start', '{}', true), ('recipients', '{}', true), ('restores', '{}', true), ('switches', '{}', true), ('members', '{}', true), ('api_keys', '{last_used_at}', true),
  ('webhook_endpoints', '{last_success_at,last_failure_at}', true), ('ledger_accounts', '{balance,last_seq}', true),
  ('payment_pages', '{held_count,paid_count,paid_total,updated_at}', true),
  ('apps', '{}', false), ('businesses', '{}', false), ('customer_counts', '{}', false), ('documents', '{}', false), ('erasures', '{}', false),
  ('identity_papers', '{}', false), ('mailed_tokens', '{}', false), ('merchants', '{}', false), ('payment_page_slugs', '{}', false),
  ('payment_requests', '{}', false), ('reconciliation_runs', '{}', false), ('redirect_hosts', '{}', false), ('second_factors', '{}', false),
  ('second_step_orders', '{}', false), ('sealed_spans', '{}', false), ('sealed_tables', '{read_to}', false), ('statement_schedules', '{}', false), ('submitted_documents', '{}', false), ('support_cases', '{}', false),
  ('support_case_answers', '{}', false), ('users', '{}', false), ('verifications', '{}', false), ('verification_history', '{}', false)
) as t (name, without, moves_money);

-- The rows from before are sealed by the check of the books, in batches: this transaction holds locks.
do $$
declare
  t sealed_tables;
  columns text;
  for_rows text;
begin
  for t in select * from sealed_tables order by name loop
    for_rows := 'for each statement execute function seal_rows()';
    if not exists (select from pg_attribute a where a.attrelid = t.name::regclass and a.attnum > 0 and not a.attisdropped and not a.attname = any(t.covers)) then
      execute format('create trigger %I after insert on %I referencing new table as changed %s', t.name || '_seal_insert', t.name, for_rows);
      execute format('create trigger %I after update on %I referencing old table as was new table as changed %s', t.name || '_seal_update', t.name, for_rows);
    else
      -- By their names, so that a statement which sets none of them, as each payment makes, costs nothing. No trigger before it sets others.
      select string_agg(format('%%1$s%I', a.attname), ', ' order by a.attnum) into columns from pg_attribute a
      where a.attrelid = t.name::regclass and a.attnum > 0 and a.attname = any(t.covers);
      execute format('create trigger %I after insert on %I for each row execute function seal_rows()', t.name || '_seal_insert', t.name);
      execute format('create trigger %I after update of %s on %I for each row when ((%s) is distinct from (%s)) execute function seal_rows()',
        t.name || '_seal_update', format(columns, ''), t.name, format(columns, 'old.'), format(columns, 'new.'));
    end if;
    execute format('create trigger %I after delete on %I referencing old table as changed %s', t.name || '_seal_delete', t.name, for_rows);
  end loop;
end $$;

revoke insert, update, delete, truncate on sealed_tables, row_seals from malipo_service;
-- No trigger of another table, or of a temporary one with the name of a sealed table, may use these functions.
revoke all on function seal_rows(), seal_old_rows(text, integer), seal_again(text, text) from public;
grant execute on function seal_old_rows(text, integer) to malipo_service;
-- Which migrations a database has, and since when, decides what the checks of the books expect.
revoke insert, update, delete, truncate on kysely_migration from malipo_service;

alter table provider_inbox add constraint provider_inbox_applied_names_subject check (
  (state in ('settled', 'asked')) = (settled_at is not null) and (state in ('settled', 'asked') or payment_id is null)
  and (state <> 'asked' or payment_id is not null) and (payment_id is null or home is not null)) not valid;
