-- The digests of ledger_home_digests (0070) of many days at once: from a home of the first day to a home of the last one, in one reading.
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
