-- Digests of closed days for each home, over every column of a transfer. A day can be checked home by home, in short statements.
set local lock_timeout = '2s';
-- 1: the digest of ledger_day_digest, over the columns of its time. 2: the digest of the day's rows in closed_day_homes.
alter table closed_days
  add column version smallint not null default 1,
  add constraint closed_days_version_known check (version in (1, 2)) not valid;

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
revoke update, delete, truncate on closed_day_homes from malipo_service;

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
