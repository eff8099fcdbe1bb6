/** The only statements on network_states, and the query over the newest charges that decides on them. */
import type { Environment } from '../../domain/environment.ts'
import type { Network, NetworkStatus } from '../../domain/network.ts'
import { moved } from '../../platform/db/clock-mark.sql.ts'
import { sql, type Runner, type Sql, type Tx } from '../../platform/db/db.ts'
import { recordset } from '../../platform/db/recordset.ts'
import { notifyAfterCommit } from '../../platform/db/notify.sql.ts'
import type { Tally } from './network.ts'

export type NetworkState = { environment: Environment; network: Network; status: NetworkStatus; since: Date }

export async function readNetworkStates(db: Runner): Promise<NetworkState[]> {
  return db.rows<NetworkState>(sql`select environment, network, status, since from network_states`)
}

/** All states, locked until the transaction ends, if no check has run for `seconds`; none if a check has, or is running. */
export async function lockStatesToCheck(tx: Tx, seconds: number): Promise<NetworkState[]> {
  return tx.rows<NetworkState>(sql`
    select environment, network, status, since from network_states
    where checked_at is null or checked_at <= clock_now() - make_interval(secs => ${seconds})
    order by environment, network
    for update skip locked`)
}

/** The least id of what was created at a moment. Ids are ordered by creation time. */
export const leastIdOf = (moment: Sql): Sql =>
  sql`(lpad(to_hex((extract(epoch from ${moment}) * 1000)::bigint), 12, '0') || '00000000000000000000')::uuid`

/** Where the last seconds begin: the moment, and the least id of that time. Ids are ordered by creation time. */
export const startOfLast = (seconds: number): Sql => sql`
  select clock_now() - make_interval(secs => ${seconds}) as begins,
    -- The clocks of the processes that create ids may differ by a minute; the column created_at decides.
    ${leastIdOf(sql`clock_now() - make_interval(secs => ${seconds}::double precision + 60)`)} as least_id`

export type NetworkTally = Tally & { environment: Environment; network: Network }

/**
 * The outcomes of the newest charges of each home, at most `perHome` of each and none older than `windowSeconds`. The cost does
 * not depend on the history: for each home it reads the end of the primary key, because ids are ordered by creation time.
 */
export async function tallyCharges(
  db: Runner,
  look: { homes: number; perHome: number; windowSeconds: number },
): Promise<NetworkTally[]> {
  return db.rows<NetworkTally>(sql`
    with range as (${startOfLast(look.windowSeconds)}),
    recent as (
      select p.home, p.id, p.environment, p.network, p.status, p.failure_code, p.updated_at
      from range r
      cross join generate_series(0, ${look.homes}::integer - 1) as h (home)
      cross join lateral (
        select p.home, p.id, p.environment, p.network, p.status, p.failure_code, p.updated_at, p.created_at
        from payments p
        where p.home = h.home::smallint and p.id >= r.least_id
        order by p.id desc
        limit ${look.perHome}
      ) p
      where p.created_at >= r.begins
    ),
    judged as (
      select p.environment, p.network, p.updated_at,
        case
          when p.status = 'completed' then true
          when p.status = 'failed' and p.failure_code in ('network_unavailable', 'provider_error') then false
          when p.status = 'failed' and p.failure_code <> 'prompt_timeout' then true
          when p.status in ('pending', 'processing') and c.state in ('unknown', 'unsent') then false
        end as has_worked
      from recent p
      join provider_charges c on c.home = p.home and c.payment_id = p.id
    ),
    newest as (
      select environment, network, max(updated_at) filter (where not has_worked) as failed_at from judged group by environment, network
    )
    select j.environment, j.network, count(*) filter (where j.has_worked)::integer as worked,
      count(*) filter (where not j.has_worked)::integer as failed,
      count(*) filter (where j.has_worked and (n.failed_at is null or j.updated_at > n.failed_at))::integer as worked_since,
      extract(epoch from clock_now() - max(n.failed_at))::double precision as quiet_seconds
    from judged j
    join newest n on n.environment = j.environment and n.network = j.network
    group by j.environment, j.network`)
}

export type CheckedState = NetworkState & { worked: number; failed: number; hasChanged: boolean }

const stateColumns = {
  environment: 'text',
  network: 'text',
  status: 'text',
  worked: 'integer',
  failed: 'integer',
  hasChanged: 'boolean',
} as const

/** Stores the result of a check, and notifies every process when something has changed. */
export async function updateStates(tx: Tx, states: CheckedState[]): Promise<void> {
  await tx.rows(sql`
    with checked as (
      select *
      from ${recordset(states, 'c', stateColumns)}
    )
    update network_states s
    set status = c.status, since = case when c.has_changed then clock_now() else s.since end, worked = c.worked, failed = c.failed,
      checked_at = clock_now()
    from checked c
    where s.environment = c.environment and s.network = c.network`)
  if (states.some(({ hasChanged }) => hasChanged)) await notifyAfterCommit(tx, [{ channel: 'networks_changed', payload: '' }])
}

/** Moves the time of the last check after a clock was set back by this many seconds. */
export async function moveNetworkTimes(tx: Tx, seconds: number): Promise<void> {
  await tx.rows(sql`update network_states set checked_at = ${moved(sql`checked_at`, seconds)}`)
}
