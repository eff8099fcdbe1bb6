/**
 * Lets everything that is due happen: moves the clock in small steps until no queue of the service and no task of the provider is
 * due.
 */
import assert from 'node:assert/strict'
import { compareWithProvider } from './checks.ts'
import type { Service } from './service.ts'

/** Longer than a step of a reconciliation and the longest delay of a webhook, so that each move triggers one. */
const creepMs = 5_000
/** Provider tasks due within this time are waited for. */
const soonMs = 5_000
/** More than the longest work of one moment: daily runs of every account, with lists of many pages. */
const mostCreeps = 400

/** The turns of the retention job wait for its pause, a minute, and are not accelerated. */
const dueStatement = `
  select 'charges' as queue, count(*)::integer as due from provider_charges where next_attempt_at <= clock_now()
  union all select 'payouts', count(*)::integer from provider_payouts where next_attempt_at <= clock_now()
  union all select 'messages', count(*)::integer from provider_inbox where state = 'received' and next_attempt_at <= clock_now()
  union all select 'deliveries', count(*)::integer from webhook_deliveries where status = 'pending' and next_attempt_at <= clock_now()
  union all select 'mails', count(*)::integer from mails where state = 'due' and next_attempt_at <= clock_now()
  union all select 'runs', count(*)::integer from reconciliation_runs
    where ended_at is null and due_at <= clock_now() and coalesce(next_attempt_at, clock_now()) <= clock_now()
  union all select 'retention', count(*)::integer from retention_turns where next_at <= clock_now() - interval '90 seconds'`

/** The number of due rows, by queue. */
async function dueNow(service: Service): Promise<Record<string, number>> {
  const { rows } = await service.owner.query<{ queue: string; due: number }>({ name: 'due', text: dueStatement })
  const { next_at: nextAt } = await service.control('GET', '/clock')
  const isProviderDue = nextAt !== null && Date.parse(nextAt) <= service.clock.now() + soonMs
  const due = rows.filter((row) => row.due > 0).map((row) => [row.queue, row.due] as const)
  return Object.fromEntries([...due, ...(isProviderDue ? [['provider', 1] as const] : [])])
}

/**
 * Whether anything is in flight that ends only in real time: a webhook, a stored message being settled, a statement. Work claimed
 * by a killed process looks the same, and becomes due by the clock.
 */
async function isInFlight(service: Service): Promise<boolean> {
  const { rows } = await service.owner.query<{ things: number }>({
    name: 'in-flight',
    text: `select (select count(*) from webhook_deliveries where leased_by is not null and next_attempt_at > clock_now())::integer
       + (select count(*) from provider_inbox where state = 'received' and attempts = 0 and received_at > clock_now() - interval '10 seconds')::integer
       + (select count(*) from pg_stat_activity where backend_type = 'client backend' and state <> 'idle' and pid <> pg_backend_pid())::integer
       as things`,
  })
  const { running } = await service.control('GET', '/clock')
  return rows[0]!.things > 0 || running > 0
}

const patienceMs = 3_000

async function waitForAnswers(service: Service): Promise<boolean> {
  const until = performance.now() + patienceMs
  while (await isInFlight(service)) {
    if (performance.now() > until) return false
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return true
}

export async function settleDown(service: Service): Promise<void> {
  let due: Record<string, number> = {}
  for (let creeps = 0; creeps <= mostCreeps; creeps += 1) {
    const isAnswered = await waitForAnswers(service)
    due = await dueNow(service)
    if (Object.keys(due).length === 0 && isAnswered) return
    await service.clock.forward(creepMs)
  }
  assert.fail(`queues do not become empty: ${JSON.stringify(due)}`)
}

/** Continues until the comparisons of the previous day have ended: one that the provider did not answer is retried within minutes. */
export async function finishDailyRuns(service: Service): Promise<void> {
  for (let tries = 0; tries < 60; tries += 1) {
    const { rows } = await service.owner.query<{ due: number }>(
      `select count(*)::integer as due from reconciliation_runs where kind = 'daily' and due_at <= clock_now() and ended_at is null`,
    )
    if (rows[0]!.due === 0) return
    await service.clock.forward(60_000)
    await settleDown(service)
  }
  assert.fail('the daily comparison does not come to its end within an hour')
}

/** A payment may be in flight this long after its day: a charge without news is queried less and less often. */
const onItsWayMs = 2 * 3_600_000

/**
 * Continues while our books differ from the provider's, until every charge and fee that the service queries again by itself has
 * been queried.
 */
export async function finishCharges(service: Service): Promise<void> {
  const until = service.clock.now() + onItsWayMs
  for (let tries = 0; tries < 20; tries += 1) {
    const { wrong, excused } = await compareWithProvider(service)
    if (wrong.length === 0 && !excused.includes('list')) return
    const { rows } = await service.owner.query<{ at: Date | null }>(
      `select min(at) as at from (select least(next_attempt_at, recheck_at) as at from provider_charges
         union all select next_attempt_at from provider_payouts) due`,
    )
    const next = rows[0]!.at?.getTime() ?? Infinity
    if (next > until) return
    // A repeated query may be due already: the clock moves in any case.
    await service.clock.moveTo(Math.max(next, service.clock.now()) + 1_000)
    await settleDown(service)
  }
}
