/**
 * The results of the newest charges, by provider and network: for operators and for an alert. The cost does not depend on the size of the
 * history.
 */
import { leastIdOf, startOfLast } from '../../money/controls/network.sql.ts'
import type { Environment } from '../../domain/environment.ts'
import type { Network } from '../../domain/network.ts'
import { sql, type Runner } from '../../platform/db/db.ts'
import { homeCount } from '../../platform/ids.ts'

export type RecentCharges = {
  environment: Environment
  provider: string
  network: Network | null
  begun: number
  completed: number
  failed: number
  /** Open charges with no certain facts. */
  unknown: number
  /** From checkout to credit; null if none was credited. */
  medianSeconds: number | null
  /** The number of credited charges that a message of the provider reported. Our queries found the others (`queried`). */
  reported: number
  queried: number
  /** The last credit that a message caused. */
  lastReportAt: Date | null
}

/** The charges started in the last `windowSeconds`, at most `perHome` of each home. Ids are ordered by creation time. */
export async function summariseRecentCharges(
  db: Runner,
  range: { windowSeconds: number; perHome: number },
): Promise<RecentCharges[]> {
  return db.rows<RecentCharges>(sql`
    with range as (${startOfLast(range.windowSeconds)}),
    recent as (
      select p.*
      from range r
      cross join generate_series(0, ${homeCount - 1}::integer) as h (home)
      cross join lateral (
        select p.home, p.id, p.environment, p.network, p.status, p.created_at, p.completed_at
        from payments p
        where p.home = h.home::smallint and p.id >= r.least_id
        order by p.id desc
        limit ${range.perHome}
      ) p
      where p.created_at >= r.begins
    )
    select p.environment, c.provider, p.network, count(*) as begun,
      count(*) filter (where p.status = 'completed') as completed,
      count(*) filter (where p.status = 'failed') as failed,
      count(*) filter (where p.status in ('pending', 'processing') and c.state in ('unknown', 'unsent', 'deferred') and c.confirm_by is null) as unknown,
      (percentile_cont(0.5) within group (order by extract(epoch from p.completed_at - p.created_at)::double precision)
        filter (where p.status = 'completed')) as median_seconds,
      count(*) filter (where t.actor = 'provider:webhook') as reported,
      count(*) filter (where t.actor in ('provider:poll', 'provider:list', 'provider:answer')) as queried,
      max(t.created_at) filter (where t.actor = 'provider:webhook') as last_report_at
    from recent p
    join provider_charges c on c.home = p.home and c.payment_id = p.id
    left join ledger_transfers t on t.home = p.home and t.payment_id = p.id and t.kind = 'payment'
    group by p.environment, c.provider, p.network
    order by p.environment, c.provider, p.network`)
}

/** Ended charges of a network that began in one hour. */
export type HourOfCharges = { environment: Environment; network: Network; begins: Date; completed: number; failed: number }

/**
 * How the charges that began in these hours ended, by network and hour. Reads at most the newest `perHome` of each home and hour, so that the cost
 * does not depend on the history, and a quiet hour is as complete as a busy one.
 */
export async function tallyChargesByHour(db: Runner, wanted: { hours: Date[]; perHome: number }): Promise<HourOfCharges[]> {
  return db.rows<HourOfCharges>(sql`
    with hours as (
      select h.begins, ${leastIdOf(sql`h.begins`)} as least_id, ${leastIdOf(sql`h.begins + interval '1 hour'`)} as next_id
      from unnest(${wanted.hours}::timestamptz[]) as h (begins)
    )
    select p.environment, p.network, h.begins, count(*) filter (where p.status = 'completed') as completed,
      count(*) filter (where p.status = 'failed') as failed
    from hours h
    cross join generate_series(0, ${homeCount - 1}::integer) as n (home)
    cross join lateral (
      select p.environment, p.network, p.status from payments p
      where p.home = n.home::smallint and p.id >= h.least_id and p.id < h.next_id
      order by p.id desc
      limit ${wanted.perHome}
    ) p
    where p.network is not null and p.status in ('completed', 'failed')
    group by p.environment, p.network, h.begins
    order by p.environment, p.network, h.begins`)
}
