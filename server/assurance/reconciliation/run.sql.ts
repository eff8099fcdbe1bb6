/**
 * The only statements on `reconciliation_runs`. Runs are planned before they are due, claimed by one process at a time, and continued by
 * any process.
 */
import type { Direction } from '../../domain/provider.ts'
import type { RunKind, RunPhase } from '../../domain/reconciliation.ts'
import type { Environment } from '../../domain/environment.ts'
import { earlier, moved } from '../../platform/db/clock-mark.sql.ts'
import { sql, type Runner, type Tx } from '../../platform/db/db.ts'
import { recordset } from '../../platform/db/recordset.ts'
import type { Account, Counts, Run } from './run.ts'

const accountColumns = {
  id: 'uuid',
  subject: 'text',
  environment: 'text',
  provider: 'text',
  lists: 'boolean',
  lateId: 'uuid',
  weeklyId: 'uuid',
  balanceId: 'uuid',
} as const

/**
 * Plans the runs that are due or will be next. All but daily runs: one for the tick that has begun, unless a run of that kind is still in
 * progress; balances when the day's comparison begins. Daily runs: one for each day without a run since the last one, up to today; the run of today is due tomorrow.
 */
export async function planRuns(
  db: Runner,
  accounts: { id: string; lateId: string; weeklyId: string; balanceId: string; account: Account; lists: boolean }[],
  times: { everyMinutes: number; afterDaySeconds: number; daysMadeUpFor: number },
  newIds: string[],
): Promise<void> {
  await db.rows(sql`
    with account as (
      select * from ${recordset(
        accounts.map(({ account, ...ids }) => ({ ...account, ...ids })),
        'a',
        accountColumns,
      )}
    ),
    often as (
      select id, 'recent' as kind, subject, environment, provider, make_interval(mins => ${times.everyMinutes}::integer) as every,
        interval '0' as after
      from account
      union all
      -- Only a list shows charges that are no longer queried. For payouts the list of the daily run is enough.
      select late_id, 'late', subject, environment, provider, make_interval(mins => ${times.everyMinutes}::integer), interval '0'
      from account where lists and subject = 'charges'
      union all
      select weekly_id, 'weekly', subject, environment, provider, interval '7 days', interval '0' from account where lists
      union all
      -- An account has one balance, for both directions.
      select balance_id, 'balance', subject, environment, provider, interval '1 day',
        make_interval(secs => ${times.afterDaySeconds}::double precision)
      from account where subject = 'payouts'
    ),
    ticks as (
      insert into reconciliation_runs (id, kind, subject, environment, provider, due_at, requested_by)
      select a.id, a.kind, a.subject, a.environment, a.provider, t.began, 'system'
      from often a
      cross join lateral (select date_bin(a.every, clock_now() - a.after, 'epoch') + a.after as began) t
      where not exists (
        select from reconciliation_runs r
        where r.ended_at is null and r.kind = a.kind and r.subject = a.subject and r.environment = a.environment and r.provider = a.provider)
        -- A tick that began before this account was in use has nothing to look back at.
        and (a.kind in ('recent', 'late') or exists (
          select from reconciliation_runs r
          where r.kind = 'recent' and r.subject = a.subject and r.environment = a.environment and r.provider = a.provider and r.due_at < t.began))
      on conflict on constraint reconciliation_runs_one_per_tick do nothing
    ),
    last_day as (
      select a.subject, a.environment, a.provider, (
        select r.day from reconciliation_runs r
        where r.kind = 'daily' and r.requested_by = 'system' and r.restore_id is null
          and r.subject = a.subject and r.environment = a.environment and r.provider = a.provider
        order by r.day desc limit 1) as day
      from account a where a.lists
    ),
    wanted as (
      select l.subject, l.environment, l.provider, d.day::date as day, row_number() over () as place
      from last_day l
      cross join lateral generate_series(
        greatest(coalesce(l.day + 1, clock_now()::date), clock_now()::date - ${times.daysMadeUpFor}::integer)::timestamp,
        clock_now()::date::timestamp, interval '1 day') as d (day)
    ),
    ids as (select id, place from unnest(${newIds}::uuid[]) with ordinality as i (id, place))
    insert into reconciliation_runs (id, kind, subject, environment, provider, day, due_at, requested_by)
    select i.id, 'daily', w.subject, w.environment, w.provider, w.day,
      (w.day + 1)::timestamp at time zone 'UTC' + make_interval(secs => ${times.afterDaySeconds}::double precision), 'system'
    from wanted w join ids i on i.place = w.place
    on conflict on constraint reconciliation_runs_one_per_tick do nothing`)
}

/** Adds a run that is wanted now, or that a restore requires. Adds nothing if a run of its kind has the same time. */
export async function insertRun(
  db: Runner,
  run: Account & { id: string; kind: RunKind; day: string | null; requestedBy: string; restoreId?: string; dueAt?: Date },
): Promise<boolean> {
  const { restoreId = null, dueAt = null } = run
  return db.any(sql`
    insert into reconciliation_runs (id, kind, subject, environment, provider, day, due_at, requested_by, restore_id)
    values (${run.id}, ${run.kind}, ${run.subject}, ${run.environment}, ${run.provider}, ${run.day}::date,
      coalesce(${dueAt}::timestamptz, clock_now()), ${run.requestedBy}, ${restoreId})
    on conflict on constraint reconciliation_runs_one_per_tick do nothing
    returning id`)
}

/**
 * Claims the due runs of a kind, one for each account: the runs of this process, and those whose process has stopped renewing its lease.
 * The row of a run decides which process gets it. An index ensures that only one run of an account is in progress.
 */
export async function claimRuns(db: Runner, kind: RunKind, leasedBy: string, leaseSeconds: number): Promise<Run[]> {
  return db.rows<Run>(sql`
    with due as (
      select distinct on (r.subject, r.environment, r.provider) r.id
      from reconciliation_runs r
      where r.kind = ${kind} and r.ended_at is null
        -- It is kept in whole milliseconds: one that was made due this moment may have been rounded up.
        and r.due_at <= clock_now() + interval '1 millisecond'
        -- A list that cannot be read must not delay the later days.
        and (r.leased_by is not null or r.next_attempt_at is null or r.next_attempt_at <= clock_now())
      -- What a restore waits for comes before the others that have not begun.
      order by r.subject, r.environment, r.provider, r.leased_by nulls last, r.restore_id nulls last, r.due_at, r.id
    ),
    free as (
      select r.id
      from reconciliation_runs r
      where r.id in (select id from due) and r.ended_at is null and (r.next_attempt_at is null or r.next_attempt_at <= clock_now())
        and (r.leased_by is null or r.leased_by = ${leasedBy} or r.lease_until <= clock_now())
      for update skip locked
    )
    update reconciliation_runs r
    set leased_by = ${leasedBy}, lease_until = clock_now() + make_interval(secs => ${leaseSeconds}), started_at = coalesce(r.started_at, clock_now())
    from free f
    where r.id = f.id
    returning r.id, r.kind, r.subject, r.environment, r.provider, r.phase, r.next_page, r.after_id, r.list_from, r.attempts,
      r.day::timestamp at time zone 'UTC' as day_from, (r.day + 1)::timestamp at time zone 'UTC' as day_to, r.id::text as request_id`)
}

export type Step = Counts & {
  phase: RunPhase
  calls: number
  nextPage: number
  afterId: string | null
  listFrom: Date | null
  /** Null: the answer was usable. */
  retryAfterSeconds: number | null
  /** True when the wait follows an unusable answer, false when the question could not be sent yet. */
  isTry: boolean
}

/** Records the progress of a run. Returns false when another process has taken over the run; then only the steps of that process count. */
export async function recordStep(
  db: Runner,
  run: { id: string; leasedBy: string },
  step: Step,
  leaseSeconds: number,
): Promise<boolean> {
  return db.any(sql`
    update reconciliation_runs
    set phase = ${step.phase}, next_page = ${step.nextPage}, after_id = ${step.afterId}, list_from = ${step.listFrom},
      calls = calls + ${step.calls}, seen = seen + ${step.seen}, matched = matched + ${step.matched}, repaired = repaired + ${step.repaired},
      breaks = breaks + ${step.breaks}, unreadable = unreadable + ${step.unreadable},
      attempts = case when ${step.retryAfterSeconds}::double precision is null then 0 else attempts + ${step.isTry ? 1 : 0}::integer end,
      next_attempt_at = clock_now() + make_interval(secs => ${step.retryAfterSeconds}::double precision),
      lease_until = clock_now() + make_interval(secs => ${leaseSeconds}),
      leased_by = case when ${step.phase}::text = 'ended' or ${step.retryAfterSeconds !== null && step.isTry}::boolean then null else leased_by end,
      ended_at = case when ${step.phase}::text = 'ended' then clock_now() end
    where id = ${run.id} and leased_by = ${run.leasedBy}
    returning id`)
}

/**
 * The sums of a daily run by network, from the provider's records and from the ledger, and its counts. A record that was read twice counts
 * once. Returns the TZS that are in no account because operators have decided so, and the number of records that could not be read.
 */
export async function recordTotals(db: Runner, runId: string): Promise<{ decided: number; unreadable: number }> {
  return db.one<{ decided: number; unreadable: number }>(sql`
    with success as (
      select coalesce(n.network, 'unknown') as network, n.amount, coalesce(credited.amount + coalesce(since.credited, 0), paid_out.amount, 0) as credited,
        -- Suspended money that was credited later is no longer in suspense.
        case when credited.amount is null then coalesce(put_aside.amount, 0) else 0 end + greatest(0, least(n.amount,
          case r.subject when 'charges' then -decided.paid else decided.paid end)) as put_aside,
        -- Only an open break explains a remainder. What operators have decided is told, and stops no payouts.
        own.is_open, own.is_decided
      from reconciliation_records n
      join reconciliation_runs r on r.id = n.run_id
      -- A second charge for one payment is not what the payment was credited for.
      left join provider_references bound on r.subject = 'charges' and bound.provider = r.provider and bound.environment = r.environment
        and bound.reference = n.reference and bound.payment_id = n.subject_id
      left join ledger_transfers credited on credited.home = bound.home and credited.payment_id = bound.payment_id and credited.kind = 'payment'
      left join ledger_transfers put_aside on put_aside.home = bound.home and put_aside.payment_id = bound.payment_id and put_aside.kind = 'suspense'
      -- What operators have moved since: of few payments, each of which has a break.
      left join lateral (
        select sum(case when t.kind = 'credit_added' then t.amount when t.kind in ('credit_reversed', 'credit_reversed_owed') then -t.amount end)::bigint as credited
        from breaks b
        join ledger_transfers t on t.home = b.home and t.break_id = b.id and t.payment_id = b.payment_id
        where b.home = bound.home and b.payment_id = bound.payment_id
      ) since on true
      -- A payout may have come back, been paid again, or been corrected.
      left join lateral (
        select sum(case when t.kind in ('payout_settled', 'return_settled', 'payout_raised', 'payout_raised_owed', 'payout_written_off') then t.amount
          when t.kind in ('payout_returned', 'return_brought_back', 'payout_lowered', 'payout_write_off_returned') then -t.amount end)::bigint as amount
        from ledger_transfers t
        where r.subject = 'payouts' and t.home = n.home and t.payout_id = n.subject_id
      ) paid_out on true
      -- What decisions have booked for a record that belonged to no payment or payout: as findLeft reads it.
      cross join lateral (
        select coalesce(sum(case
            when t.kind in ('unallocated_paid', 'unallocated_credited') then t.amount
            when t.kind = 'unallocated_found' or t.kind = 'unallocated_debited' and b.resolution is distinct from 'debit_wallet' then -t.amount
          end), 0)::bigint as paid
        from breaks b
        join ledger_transfers t on t.home = b.home and t.break_id = b.id
        where b.provider = r.provider and b.environment = r.environment and b.provider_reference = n.reference and b.resolved_at is not null
      ) decided
      cross join lateral (
        select coalesce(bool_or(b.resolved_at is null), false) as is_open, coalesce(bool_or(b.resolved_by <> 'system'), false) as is_decided
        from (
          select * from breaks b where b.home = n.home and b.payment_id = n.subject_id
          union all
          select * from breaks b where b.home = n.home and b.payout_id = n.subject_id
          union all
          select * from breaks b where b.provider = r.provider and b.environment = r.environment and b.provider_reference = n.reference
        ) b
      ) own
      where n.run_id = ${runId} and n.in_day and n.amount is not null
        -- A payout that came back after the run had begun was still paid in the list that it read.
        and not exists (
          select from ledger_transfers t
          where r.subject = 'payouts' and t.home = n.home and t.payout_id = n.subject_id and t.kind in ('payout_returned', 'return_brought_back')
            and t.created_at >= r.started_at
        )
    ),
    total as (
      select network, count(*) as records, sum(amount)::bigint as provider, sum(credited)::bigint as credited, sum(put_aside)::bigint as suspended,
        coalesce(sum(amount - credited - put_aside) filter (where is_open), 0)::bigint as in_breaks,
        coalesce(sum(amount - credited - put_aside) filter (where is_decided and not is_open), 0)::bigint as decided
      from success group by network
    )
    update reconciliation_runs r
    set by_network = coalesce((select jsonb_object_agg(network, to_jsonb(total) - 'network') from total), '{}'),
      seen = c.seen, matched = c.matched, repaired = c.repaired, breaks = c.breaks
    from (
      select count(*) filter (where status <> 'missing') as seen, count(*) filter (where outcome = 'matched') as matched,
        count(*) filter (where outcome = 'repaired') as repaired, count(*) filter (where outcome = 'break') as breaks
      from reconciliation_records where run_id = ${runId} and in_day
    ) c
    where r.id = ${runId}
    returning (select coalesce(sum(abs(decided)), 0)::bigint from total) as decided, r.unreadable`)
}

export type RunRow = Counts & {
  id: string
  kind: RunKind
  subject: Direction
  environment: Environment
  provider: string
  day: string | null
  dueAt: Date
  requestedBy: string
  phase: RunPhase
  calls: number
  attempts: number
  byNetwork: Record<
    string,
    { records: number; provider: number; credited: number; suspended: number; in_breaks: number; decided?: number }
  >
  startedAt: Date | null
  endedAt: Date | null
}

const columns = sql`id, kind, subject, environment, provider, to_char(day, 'YYYY-MM-DD') as day, due_at, requested_by, phase, calls, attempts, seen, matched,
  repaired, breaks, unreadable, by_network, started_at, ended_at`

/** Newest first. Returns one more row than the limit. */
export async function listRuns(
  db: Runner,
  wanted: { kind: RunKind | null; environment: Environment | null; beforeId: string | null; limit: number },
): Promise<RunRow[]> {
  const { kind, environment, beforeId, limit } = wanted
  return db.rows<RunRow>(sql`
    select ${columns} from reconciliation_runs
    where (${kind}::text is null or kind = ${kind}::text) and (${environment}::text is null or environment = ${environment}::text)
      and (${beforeId}::uuid is null or id < ${beforeId}::uuid)
    order by id desc
    limit ${limit + 1}`)
}

export type DayRow = Pick<RunRow, 'id' | 'subject' | 'environment' | 'provider' | 'byNetwork' | 'breaks' | 'unreadable'> & {
  day: string
  endedAt: Date
}

/** The last comparison of each day and account between two days, both included, newest day first. */
export async function listDays(
  db: Runner,
  wanted: { environment: Environment | null; subject: Direction | null; from: string; to: string },
): Promise<DayRow[]> {
  return db.rows<DayRow>(sql`
    select distinct on (day, environment, subject, provider) id, to_char(day, 'YYYY-MM-DD') as day, environment, subject, provider, by_network,
      breaks, unreadable, ended_at
    from reconciliation_runs
    where kind = 'daily' and ended_at is not null and day between ${wanted.from}::date and ${wanted.to}::date
      and (${wanted.environment}::text is null or environment = ${wanted.environment}::text)
      and (${wanted.subject}::text is null or subject = ${wanted.subject}::text)
    order by day desc, environment, subject, provider, ended_at desc`)
}

export async function findRun(db: Runner, id: string): Promise<RunRow> {
  return db.one<RunRow>(sql`select ${columns} from reconciliation_runs where id = ${id}`)
}

/** Removes old recent and late runs. Daily runs stay. */
export async function pruneRuns(db: Runner, olderThanDays: number): Promise<void> {
  await db.rows(sql`
    delete from reconciliation_runs
    where kind <> 'daily' and ended_at < clock_now() - make_interval(days => ${olderThanDays}::integer)`)
}

/**
 * Moves leases, retries and the ticks of runs when the clock was set back by that many seconds: a tick that was used up under the old clock
 * would delay the next runs. A daily run begins when its day is over, so its time stays.
 */
export async function moveRunTimes(tx: Tx, seconds: number): Promise<void> {
  await tx.rows(sql`
    update reconciliation_runs
    set lease_until = ${moved(sql`lease_until`, seconds)}, next_attempt_at = ${moved(sql`next_attempt_at`, seconds)}
    where ended_at is null and (lease_until > clock_now() or next_attempt_at > clock_now())`)
  await tx.rows(sql`
    update reconciliation_runs set due_at = ${earlier(sql`due_at`, seconds)} where kind <> 'daily' and due_at > clock_now()`)
}
