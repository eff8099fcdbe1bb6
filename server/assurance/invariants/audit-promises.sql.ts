/** The promises about permanent records: the audit log, and the closed days of the ledger. */
import { sql, type Sql } from '../../platform/db/db.ts'
import { closedDays, limitsOf } from './closed-day-scope.sql.ts'
import { digestOfHomes } from './closed-day.sql.ts'
import { idsOf, permissions, type Check, type Scope } from './scope.sql.ts'

/** The entry after which a check starts, and the last one that it reads. */
const stretch = (scope: Scope): Sql =>
  scope.keys
    ? sql`(select ${idsOf(scope)[0]}::bigint as from_seq, ${idsOf(scope)[1]}::bigint as to_seq)`
    : sql`(select greatest(h.seq - 1000, 0) as from_seq, 9223372036854775807 as to_seq from audit_head h)`

export const auditPromises: readonly Check[] = [
  {
    invariant: 'I11',
    over: 'audit_log',
    broken: (scope) => sql`
      with start as ${stretch(scope)},
      chain as (
        select l.*, start.from_seq + row_number() over entries as place,
          coalesce(lag(hash) over entries, (select b.hash from audit_log b where b.seq = start.from_seq), sha256('malipo audit log')) as before_hash
        from audit_log l cross join start
        where l.seq > start.from_seq and l.seq <= start.to_seq
        window entries as (order by l.seq)
      ),
      broken as (
        select seq from chain
        where seq <> place
          or previous_hash <> before_hash
          or hash <> audit_entry_hash(previous_hash, seq, at, actor, action, object, before, after, request_id, ip, merchant_id)
        order by place limit 1
      )
      select format('the audit log is broken at entry %s', seq) as what from broken
      union all
      select format('the audit log says that the %s was closed with %s, and there is no record of it', l.object, l.after)
      from audit_log l cross join start
      where l.seq > start.from_seq and l.seq <= start.to_seq and l.action = 'ledger.day_closed' and l.object like 'day:%'
        and not exists (select from closed_days d where 'day:' || to_char(d.day, 'YYYY-MM-DD') = l.object)`,
  },
  {
    invariant: 'I11',
    over: 'glance',
    broken: () => sql`
      select format('the audit log ends at entry %s, its head says %s', coalesce(last.seq, 0), h.seq) as what
      from audit_head h
      left join lateral (select seq, hash from audit_log order by seq desc limit 1) last on true
      where h.seq <> coalesce(last.seq, 0) or h.hash <> coalesce(last.hash, sha256('malipo audit log'))
      union all
      select 'the audit log has no head' where not exists (select from audit_head)`,
  },
  { invariant: 'I11', over: 'glance', broken: () => permissions(['audit_log']) },
  {
    invariant: 'I11',
    over: 'closed_days',
    broken: (scope) => sql`
      select format('the day %s was closed with %s transfers and digest %s, the audit log says %s', d.day, d.transfers,
        encode(d.digest, 'hex'), t.after) as what
      from ${closedDays(scope)} d
      left join audit_log t on t.action = 'ledger.day_closed' and t.object = 'day:' || to_char(d.day, 'YYYY-MM-DD')
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
    over: 'closed_days',
    broken: (scope) => {
      const { firstDay, firstHome, lastDay, lastHome } = limitsOf(scope)
      return sql`
      with d as materialized ${closedDays(scope)}
      select format('the day %s was closed with %s transfers and another digest: now it has %s', d.day, d.transfers, n.transfers) as what,
        null::smallint as home
      from d
      cross join lateral ledger_day_digest(d.day) n
      where d.version = 1 and d.from_home = 0 and (n.digest <> d.digest or n.transfers <> d.transfers)
      union all
      select format('the day %s was closed with %s transfers in home %s and another digest: now there are %s', coalesce(h.day, n.day), coalesce(h.transfers, 0),
        coalesce(h.home, n.home), coalesce(n.transfers, 0)), coalesce(h.home, n.home)
      from (select n.* from d join ledger_digests_of_days(${firstDay}, ${firstHome}, ${lastDay}, ${lastHome}) n on n.day = d.day where d.version = 2) n
      full join (select h.* from d join closed_day_homes h on h.day = d.day and h.home between d.from_home and d.to_home) h on h.day = n.day and h.home = n.home
      where (h.digest, h.transfers) is distinct from (n.digest, n.transfers)
      union all
      select format('the day %s was closed with %s transfers and another digest than its homes: they have %s', d.day, d.transfers, h.transfers), null
      from d
      cross join lateral (
        select coalesce(sum(h.transfers), 0) as transfers, ${digestOfHomes(sql`h`)} as digest from closed_day_homes h where h.day = d.day
      ) h
      where d.version = 2 and (h.transfers, h.digest) is distinct from (d.transfers, d.digest)`
    },
  },
]
