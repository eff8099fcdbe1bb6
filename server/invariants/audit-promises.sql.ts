/** What is always true of what is recorded for ever: the audit log, and the days of the ledger that are closed. */
import { sql } from '../platform/db.ts'
import { digestOfHomes } from './closed-day.sql.ts'
import { permissions, type Check } from './scope.sql.ts'

export const auditPromises: readonly Check[] = [
  {
    invariant: 'I11',
    over: 'glance',
    broken: (scope) => sql`
      with start as (
        select ${scope.since === null ? sql`0` : sql`greatest(h.seq - 1000, 0)`} as seq from audit_head h
      ),
      chain as (
        select l.*, start.seq + row_number() over entries as place,
          coalesce(lag(hash) over entries, (select b.hash from audit_log b where b.seq = start.seq), sha256('malipo audit log')) as before_hash
        from audit_log l cross join start
        where l.seq > start.seq
        window entries as (order by l.seq)
      ),
      broken as (
        select seq from chain
        where seq <> place
          or previous_hash <> before_hash
          or hash <> audit_entry_hash(previous_hash, seq, at, actor, action, object, before, after, request_id, ip)
        order by place limit 1
      )
      select format('the audit log is broken at entry %s', seq) as what from broken
      union all
      select format('the audit log ends at entry %s, its head says %s', coalesce(last.seq, 0), h.seq)
      from audit_head h
      left join lateral (select seq, hash from audit_log order by seq desc limit 1) last on true
      where h.seq <> coalesce(last.seq, 0) or h.hash <> coalesce(last.hash, sha256('malipo audit log'))
      union all
      select 'the audit log has no head' where not exists (select from audit_head)`,
  },
  { invariant: 'I11', over: 'glance', broken: () => permissions(['audit_log']) },
  {
    invariant: 'I11',
    over: 'glance',
    broken: () => sql`
      select format('the day %s was closed with %s transfers and digest %s, the audit log says %s', coalesce(d.day, t.day), d.transfers,
        encode(d.digest, 'hex'), t.after) as what
      from closed_days d
      full join (
        select substr(object, 5)::date as day, after from audit_log where action = 'ledger.day_closed' and object like 'day:%'
      ) t on t.day = d.day
      where (t.after ->> 'digest') is distinct from encode(d.digest, 'hex') or (t.after ->> 'transfers')::bigint is distinct from d.transfers`,
  },
  {
    invariant: 'I11',
    over: 'glance',
    broken: () => sql`
      select format('of %s days %s are closed', span, days) as what
      from (select count(*) as days, max(day) - min(day) + 1 as span from closed_days) n where days <> span`,
  },
  {
    invariant: 'I11',
    over: 'glance',
    broken: (scope) => sql`
      with d as materialized (
        select day, version, transfers, digest from closed_days
        -- All of them in turn: the one that was looked at longest ago.
        ${scope.since === null ? sql`` : sql`order by rechecked_at, day limit 1`}
      )
      select format('the day %s was closed with %s transfers and another digest: now it has %s', d.day, d.transfers, n.transfers) as what,
        null::smallint as home
      from d
      cross join lateral ledger_day_digest(d.day) n
      where d.version = 1 and (n.digest <> d.digest or n.transfers <> d.transfers)
      union all
      select format('the day %s was closed with %s transfers in home %s and another digest: now there are %s', coalesce(h.day, n.day), coalesce(h.transfers, 0),
        coalesce(h.home, n.home), coalesce(n.transfers, 0)), coalesce(h.home, n.home)
      from (select d.day, n.* from d cross join lateral ledger_home_digests(d.day, 0::smallint, 255::smallint) n where d.version = 2) n
      full join (select h.* from d join closed_day_homes h on h.day = d.day) h on h.day = n.day and h.home = n.home
      where (h.digest, h.transfers) is distinct from (n.digest, n.transfers)
      union all
      select format('the day %s was closed with %s transfers and another digest than its homes: they have %s', d.day, d.transfers, h.transfers), null
      from d
      cross join lateral (
        select coalesce(sum(h.transfers), 0) as transfers, ${digestOfHomes(sql`h`)} as digest from closed_day_homes h where h.day = d.day
      ) h
      where d.version = 2 and (h.transfers, h.digest) is distinct from (d.transfers, d.digest)`,
  },
]
