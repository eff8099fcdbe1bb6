/** Business metrics that only this folder reads, over the tables of other slices: read only, and equally fast for any history. */
import type { Environment } from '../../domain/environment.ts'
import { markerSetting } from '../../money/controls/restore.sql.ts'
import { systemHolder } from '../../money/ledger/account.sql.ts'
import { sql, type Runner } from '../../platform/db/db.ts'
import { homeCount } from '../../platform/ids.ts'
import { recordset } from '../../platform/db/recordset.ts'
import { accountColumns } from '../operators/overview.sql.ts'

/** TZS in suspense, of all homes together. */
export async function readSuspense(db: Runner): Promise<{ environment: Environment; amount: number }[]> {
  return db.rows(sql`
    select e.environment, coalesce(sum(a.balance), 0)::bigint as amount
    from (values ('live'), ('test')) as e (environment)
    cross join generate_series(0, ${homeCount - 1}::integer) as h (home)
    left join ledger_accounts a on a.home = h.home::smallint and a.environment = e.environment and a.kind = 'suspense'
      and a.holder = ${systemHolder}
    group by e.environment order by e.environment`)
}

/** Provider messages of the last day that match nothing of ours, or that failed every time: left to operators. */
export async function countMessagesLeft(db: Runner): Promise<number> {
  return db.value<number>(sql`
    select count(*) as count from provider_inbox where state = 'orphan' and received_at > clock_now() - interval '1 day'`)
}

/** How long the oldest query about an ended charge has been due, in seconds; 0: none is due. */
export async function readRecheckDelay(db: Runner): Promise<number> {
  return db.value<number>(sql`
    select coalesce(extract(epoch from clock_now() - min(recheck_at)), 0)::double precision as seconds
    from provider_charges where recheck_at <= clock_now()`)
}

/** How long the oldest open comparison of each longer kind and account has been due, in seconds; 0: it is not due yet. */
export async function readOverdueRuns(
  db: Runner,
  accounts: { subject: string; environment: string; provider: string }[],
): Promise<{ kind: string; subject: string; environment: Environment; provider: string; seconds: number }[]> {
  return db.rows(sql`
    select r.kind, a.subject, a.environment, a.provider, greatest(0, extract(epoch from clock_now() - min(r.due_at)))::double precision as seconds
    from ${recordset(accounts, 'a', accountColumns)}
    join reconciliation_runs r on r.subject = a.subject and r.environment = a.environment and r.provider = a.provider
    where r.ended_at is null and r.kind in ('daily', 'weekly', 'balance')
    group by r.kind, a.subject, a.environment, a.provider`)
}

/**
 * The state of the server's WAL archive, from which a lost database is restored: seconds since the last archived file, and whether the
 * last attempt failed. Undefined if there is no archive. A restore turns the archive off: until it is on again, it counts as failing.
 */
export async function readArchive(db: Runner): Promise<{ seconds: number; isFailing: boolean } | undefined> {
  return db.maybeOne<{ seconds: number; isFailing: boolean }>(sql`
    select extract(epoch from clock_now() - coalesce(last_archived_time, pg_postmaster_start_time()))::double precision as seconds,
      is_off or coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as is_failing
    from pg_stat_archiver
    cross join lateral (select current_setting('archive_mode') = 'off' as is_off) m
    where not is_off or coalesce(current_setting(${markerSetting}, true), '') <> ''`)
}

/** For how many seconds the oldest statement has been due that no worker has mailed; 0: none is. */
export async function readStatementDelay(db: Runner): Promise<number> {
  return db.value<number>(sql`
    select coalesce(extract(epoch from
      clock_now() - (min(next_on)::timestamp + interval '7 hours') at time zone 'Africa/Dar_es_Salaam'), 0)::double precision as seconds
    from statement_schedules
    where next_on <= ((clock_now() - interval '7 hours') at time zone 'Africa/Dar_es_Salaam')::date`)
}
