/** The data of the operators' overview, over the tables of other slices: read only. Every count has an upper limit. */
import type { Environment } from '../../domain/environment.ts'
import { sql, type Runner } from '../../platform/db/db.ts'
import { homeCount } from '../../platform/ids.ts'
import { recordset } from '../../platform/db/recordset.ts'

export const queueNames = ['webhook_deliveries', 'provider_messages', 'charge_checks', 'payout_checks', 'mails'] as const

/** Work that waits for a worker: how much is due, and the age of the oldest. */
export type Queue = { name: (typeof queueNames)[number]; due: number; oldestSeconds: number | null }

/** Every queue of the service, each counted up to `among`. */
export async function readQueues(db: Runner, among: number): Promise<Queue[]> {
  return db.rows<Queue>(sql`
    with due (name, at) as (
      (select 'webhook_deliveries', next_attempt_at from webhook_deliveries
        where status = 'pending' and not is_test and next_attempt_at <= clock_now() and (lease_until is null or lease_until <= clock_now())
        order by next_attempt_at limit ${among})
      union all
      (select 'webhook_deliveries', next_attempt_at from webhook_deliveries
        where status = 'pending' and is_test and next_attempt_at <= clock_now() and (lease_until is null or lease_until <= clock_now())
        order by next_attempt_at limit ${among})
      union all
      (select 'provider_messages', next_attempt_at from provider_inbox
        where state = 'received' and next_attempt_at <= clock_now() order by next_attempt_at limit ${among})
      union all
      (select 'charge_checks', next_attempt_at from provider_charges
        where next_attempt_at <= clock_now() order by next_attempt_at limit ${among})
      union all
      -- The orders of batches wait for the provider's budget as a rule.
      (select 'payout_checks', next_attempt_at from provider_payouts
        where not is_batch and next_attempt_at <= clock_now() order by next_attempt_at limit ${among})
      union all
      (select 'mails', next_attempt_at from mails
        where state = 'due' and not is_bulk and next_attempt_at <= clock_now() order by next_attempt_at limit ${among})
      union all
      (select 'mails', next_attempt_at from mails
        where state = 'due' and is_bulk and next_attempt_at <= clock_now() order by next_attempt_at limit ${among})
    )
    select q.name, least(count(d.at), ${among}::integer) as due, extract(epoch from clock_now() - min(d.at))::double precision as oldest_seconds
    from unnest(${[...queueNames]}::text[]) with ordinality as q (name, place)
    left join due d on d.name = q.name
    group by q.name, q.place
    order by q.place`)
}

/** The outcomes of the newest automatic webhook attempts in the last hour, at most `perHome` of each home. */
export async function tallyWebhooks(db: Runner, perHome: number): Promise<{ succeeded: number; failed: number }> {
  return db.one<{ succeeded: number; failed: number }>(sql`
    with range as (
      select (lpad(to_hex(((extract(epoch from clock_now()) - 3600) * 1000)::bigint), 12, '0') || '00000000000000000000')::uuid as least_id
    )
    select count(*) filter (where a.outcome = 'succeeded') as succeeded, count(*) filter (where a.outcome = 'failed') as failed
    from range r
    cross join generate_series(0, ${homeCount - 1}::integer) as h (home)
    cross join lateral (
      select a.outcome from webhook_attempts a
      where a.home = h.home::smallint and a.id >= r.least_id and a.trigger = 'automatic'
      order by a.id desc limit ${perHome}
    ) a`)
}

export type ReservedPayouts = {
  environment: Environment
  count: number
  amount: number
  oldestSeconds: number | null
  waitingForApproval: number
  /** The age of the oldest payout that waits for an operator. */
  oldestWaitingSeconds: number | null
  waitingForMembers: number
}

/** A refund outside the wallet reserves nothing. */
const isReserved = sql`p.method = 'provider'`
/** We pay the fee of a return to a payer: it is not reserved. */
const reservedSum = sql`p.amount + case when p.purpose = 'return_to_payer' then 0 else p.fee end`

/** `count` and `amount` (TZS): what reserves money. What waits for approval may reserve none. */
export async function readReservedPayouts(db: Runner): Promise<ReservedPayouts[]> {
  return db.rows<ReservedPayouts>(sql`
    select e.environment, count(p.id) filter (where ${isReserved}) as count, coalesce(sum(${reservedSum}) filter (where ${isReserved}), 0)::bigint as amount,
      -- The time that members take to approve is not ours: it counts from their approval.
      extract(epoch from clock_now() - min(coalesce(r.decided_at, p.created_at)) filter (where r.status is distinct from 'waiting'))::double precision
        as oldest_seconds,
      count(*) filter (where p.approval = 'required' and p.approval_by = 'operators') as waiting_for_approval,
      extract(epoch from clock_now() - min(p.created_at) filter (where p.approval = 'required' and p.approval_by = 'operators'))::double precision
        as oldest_waiting_seconds,
      count(*) filter (where p.approval = 'required' and p.approval_by = 'members') as waiting_for_members
    from (values ('live'), ('test')) as e (environment)
    left join (payouts p left join approval_requests r on r.home = p.home and r.id = p.id) on p.environment = e.environment and p.status in ('pending', 'processing')
    group by e.environment order by e.environment`)
}

export async function countOpenBreaks(
  db: Runner,
): Promise<{ environment: Environment; kind: string; count: number; proposed: number; oldestAt: Date }[]> {
  return db.rows(sql`
    select environment, kind, count(*) as count, count(proposal) as proposed, min(opened_at) as oldest_at
    from breaks where resolved_at is null
    group by environment, kind order by environment, kind`)
}

export type LastRun = {
  subject: string
  environment: Environment
  provider: string
  endedAt: Date | null
  /** Since the first comparison was planned if none has ended. */
  secondsAgo: number | null
  breaks: number | null
  lastDay: string | null
  /** For how long a late success may have been missed: since the start of the last complete read of the list. */
  lateReachSeconds: number | null
}

export const accountColumns = { subject: 'text', environment: 'text', provider: 'text' } as const

/** The last completed comparison with each account, and the last day that was compared. */
export async function readLastRuns(
  db: Runner,
  accounts: { subject: string; environment: string; provider: string }[],
): Promise<LastRun[]> {
  return db.rows<LastRun>(sql`
    select a.subject, a.environment, a.provider, r.ended_at, r.breaks, to_char(d.day, 'YYYY-MM-DD') as last_day,
      extract(epoch from clock_now() - coalesce(r.ended_at, (
        select min(f.due_at) from reconciliation_runs f
        where f.kind = 'recent' and f.subject = a.subject and f.environment = a.environment and f.provider = a.provider
      )))::double precision as seconds_ago,
      extract(epoch from clock_now() - l.started_at)::double precision as late_reach_seconds
    from ${recordset(accounts, 'a', accountColumns, 'place')}
    left join lateral (
      select r.ended_at, r.breaks from reconciliation_runs r
      where r.kind = 'recent' and r.subject = a.subject and r.environment = a.environment and r.provider = a.provider and r.ended_at is not null
      order by r.due_at desc limit 1
    ) r on true
    left join lateral (
      select r.day from reconciliation_runs r
      where r.kind = 'daily' and r.subject = a.subject and r.environment = a.environment and r.provider = a.provider and r.ended_at is not null
      order by r.day desc limit 1
    ) d on true
    left join lateral (
      select r.started_at from reconciliation_runs r
      where r.kind = 'late' and r.subject = a.subject and r.environment = a.environment and r.provider = a.provider and r.ended_at is not null
      order by r.due_at desc limit 1
    ) l on true
    order by a.place`)
}

export async function readMoment(db: Runner): Promise<Date> {
  return db.value<Date>(sql`select clock_now() as now`)
}
