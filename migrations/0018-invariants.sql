-- Tables of server/assurance/invariants.

-- Allows checks of the books without reading the whole history. A closed day of the ledger: the number of its transfers, and a digest of all
-- their columns. The audit log holds the same digest.
create table closed_days (
  day date primary key,
  transfers bigint not null,
  digest bytea not null,
  closed_at timestamptz(3) not null,
  -- No longer used.
  rechecked_at timestamptz(3),
  -- 1: the digest of ledger_day_digest, over the columns that existed then. 2: the digest of the day's rows in closed_day_homes.
  version smallint not null default 1,
  constraint closed_days_digest_length check (octet_length(digest) = 32),
  constraint closed_days_version_known check (version in (1, 2))
);

-- Digests of closed days for each home, over every column of a transfer. A day can be checked home by home, in short statements.
create table closed_day_homes (
  day date not null,
  home smallint not null,
  transfers bigint not null,
  digest bytea not null,
  primary key (day, home),
  constraint closed_day_homes_of_a_day foreign key (day) references closed_days (day),
  constraint closed_day_homes_have_transfers check (transfers > 0),
  constraint closed_day_homes_digest_length check (octet_length(digest) = 32)
);

-- Digests of the rows of short spans of time, made soon after each span, so that a row that is changed or removed later on the same day is
-- detected even if no promise about its columns is broken. A finished day of the ledger has another digest (closed_days).
create table sealed_spans (
  -- The digested table: rows by their created_at, with the columns that never change.
  what text not null,
  from_at timestamptz(3) not null,
  to_at timestamptz(3) not null,
  row_count bigint not null,
  digest bytea not null,
  sealed_at timestamptz(3) not null,
  primary key (what, from_at),
  constraint sealed_spans_goes_forward check (from_at < to_at),
  constraint sealed_spans_digest_length check (octet_length(digest) = 32),
  constraint sealed_spans_what_known
    check (what in ('ledger_transfers', 'breaks_of_transfers', 'payments', 'events', 'payouts'))
);

-- The result of the last check of the books, so that operators can see that checks run.
create table book_checks (
  only_row boolean primary key default true,
  checked_at timestamptz(3) not null,
  duration_ms integer not null,
  violations jsonb not null,
  -- The time of the last incremental check without violations, where the next one starts. The other columns belong to that check too.
  clean_at timestamptz(3),
  constraint book_checks_is_one check (only_row)
);

-- The position of the full check. Its violations are stored separately from those of the incremental check.
create table check_cursors (
  -- whole: the full check. turn: the rows that incremental checks read in turn, because they have no time of change.
  pass text not null,
  -- The part: a table, a chain, the days, orders to providers.
  walked text not null,
  -- The last row that was read; the meaning depends on the part (server/assurance/invariants/walks.sql.ts).
  home smallint not null,
  last_id text not null,
  pass_started_at timestamptz(3) not null,
  -- Null while the pass runs.
  finished_at timestamptz(3),
  lease_until timestamptz(3),
  -- Rows per step, after a step took too long.
  step_rows integer,
  -- Violations of the current pass, and of the previous pass, which count until the current one has ended.
  findings jsonb not null default '[]',
  earlier_findings jsonb not null default '[]',
  primary key (pass, walked),
  constraint check_cursors_pass_known check (pass in ('whole', 'turn')),
  constraint check_cursors_step_rows_positive check (step_rows > 0)
);

-- Days in East Africa Time. The digest covers the JSON text of each transfer, in the order of ids.
create function ledger_day_digest(of_day date, out transfers bigint, out digest bytea) language sql stable as $$
  with lines as (
    select home, id, sha256(convert_to(jsonb_build_array(
      home, id, movement_id, environment, kind, debit_account_id, credit_account_id, amount, debit_seq, credit_seq, debit_balance_after,
      credit_balance_after, payment_id, page_id, payout_id, actor, request_id, (extract(epoch from created_at) * 1000)::bigint)::text, 'utf8')) as line
    from ledger_transfers
    where created_at >= (of_day::timestamp - interval '3 hours') at time zone 'UTC'
      and created_at < (of_day::timestamp + interval '21 hours') at time zone 'UTC'
  ),
  homes as (
    select home, count(*) as transfers, sha256(string_agg(line, ''::bytea order by id)) as digest from lines group by home
  )
  select coalesce(sum(homes.transfers), 0)::bigint, sha256(coalesce(string_agg(homes.digest, ''::bytea order by homes.home), ''::bytea))
  from homes
$$;

-- Days in East Africa Time. Covers every column, including columns that a later migration adds: null columns are left out, so the digests of
-- older rows do not change.
create function ledger_home_digests(of_day date, from_home smallint, to_home smallint)
returns table (home smallint, transfers bigint, digest bytea) language sql stable as $$
  select t.home, count(*), sha256(string_agg(
    sha256(convert_to((jsonb_strip_nulls(to_jsonb(t)) || jsonb_build_object('created_at', (extract(epoch from t.created_at) * 1000)::bigint))::text, 'utf8')),
    ''::bytea order by t.id))
  from ledger_transfers t
  where t.created_at >= (of_day::timestamp - interval '3 hours') at time zone 'UTC'
    and t.created_at < (of_day::timestamp + interval '21 hours') at time zone 'UTC'
    and t.home between from_home and to_home
  group by t.home
$$;

-- As ledger_home_digests, for many days in one statement: from a home of the first day to a home of the last one.
create function ledger_digests_of_days(first_day date, first_home smallint, last_day date, last_home smallint)
returns table (day date, home smallint, transfers bigint, digest bytea) language sql stable as $$
  select l.day, l.home, count(*), sha256(string_agg(l.line, ''::bytea order by l.id))
  from (
    select (t.created_at at time zone 'UTC' + interval '3 hours')::date as day, t.home, t.id,
      sha256(convert_to((jsonb_strip_nulls(to_jsonb(t)) || jsonb_build_object('created_at', (extract(epoch from t.created_at) * 1000)::bigint))::text, 'utf8'))
        as line
    from ledger_transfers t
    where t.created_at >= (first_day::timestamp - interval '3 hours') at time zone 'UTC'
      and t.created_at < (last_day::timestamp + interval '21 hours') at time zone 'UTC'
  ) l
  where (l.day > first_day or l.home >= first_home) and (l.day < last_day or l.home <= last_home)
  group by l.day, l.home
$$;

revoke update, delete, truncate on closed_days from malipo_service;
grant update (rechecked_at) on closed_days to malipo_service;
revoke update, delete, truncate on closed_day_homes from malipo_service;
-- Old ones are pruned.
revoke update, truncate on sealed_spans from malipo_service;
