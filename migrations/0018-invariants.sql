-- Tables of server/invariants.

-- What lets the books be checked without reading all that ever was. A day of the ledger that is over: how many transfers it has, and a
-- digest of all their columns; the audit log has the same digest.
create table closed_days (
  day date primary key,
  transfers bigint not null,
  digest bytea not null,
  closed_at timestamptz(3) not null,
  -- Not used any more.
  rechecked_at timestamptz(3),
  -- 1: the digest of ledger_day_digest, over the columns of its time. 2: the digest of the day's rows in closed_day_homes.
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

-- Stretches of time of which what was written is digested soon afterwards, so that a row that is changed or removed later on the same day is
-- found, though no promise about its columns is broken. A day of the ledger has its own digest once it is over (closed_days).
create table sealed_spans (
  -- The table that is digested, by the created_at of its rows, over the columns that never change.
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

-- What the last check of the books found, for operators to see that it happens.
create table book_checks (
  only_row boolean primary key default true,
  checked_at timestamptz(3) not null,
  duration_ms integer not null,
  violations jsonb not null,
  -- When a check of what is new found nothing; the next one begins there. The other columns are of that check too.
  clean_at timestamptz(3),
  constraint book_checks_is_one check (only_row)
);

-- The check of everything goes on where it stopped, and its findings stand apart from those of the check of what is new.
create table check_cursors (
  -- whole: the check of everything. turn: what the checks of what is new read in turn, because nothing says when it changed.
  pass text not null,
  -- The part: a table, a chain, the days, orders to providers.
  walked text not null,
  -- The last row that was read; what both are depends on the part (server/invariants/walks.sql.ts).
  home smallint not null,
  last_id text not null,
  pass_started_at timestamptz(3) not null,
  -- Null while the pass goes on.
  finished_at timestamptz(3),
  lease_until timestamptz(3),
  -- Rows in a step, after one took too long.
  step_rows integer,
  -- Of the pass that goes on, and of the one before it, which count until this one has ended.
  findings jsonb not null default '[]',
  earlier_findings jsonb not null default '[]',
  primary key (pass, walked),
  constraint check_cursors_pass_known check (pass in ('whole', 'turn')),
  constraint check_cursors_step_rows_positive check (step_rows > 0)
);

-- A day as East Africa has it. What a digest covers, unambiguously: the JSON text of each transfer, in the order of their ids.
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

-- A day as East Africa has it. Covers every column, also those that a later migration adds: a column that is null is left out, so that the
-- digests of older rows stay what they are.
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

-- The digests of ledger_home_digests of many days at once: from a home of the first day to a home of the last one, in one reading.
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
