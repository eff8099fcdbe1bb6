/** Lets everything that is due happen: the clock creeps until no queue of the service and no task of the provider is due. */
import assert from 'node:assert/strict'
import type { Service } from './service.ts'

/** Longer than a step of a reconciliation, so that each move makes one. */
const creepMs = 2_500
/** More than the longest work of one moment: daily runs of every account, with lists of many pages. */
const mostCreeps = 400

const dueStatement = `
  select 'charges' as queue, count(*)::integer as due from provider_charges where next_check_at <= clock_now()
  union all select 'payouts', count(*)::integer from provider_payouts where next_check_at <= clock_now()
  union all select 'messages', count(*)::integer from provider_inbox where state = 'received' and next_try_at <= clock_now()
  union all select 'deliveries', count(*)::integer from webhook_deliveries
    where status = 'pending' and (lease_id is not null or next_attempt_at <= clock_now())
  union all select 'mails', count(*)::integer from mails where state = 'due' and next_attempt_at <= clock_now()
  union all select 'runs', count(*)::integer from reconciliation_runs
    where ended_at is null and due_at <= clock_now() and coalesce(retry_at, clock_now()) <= clock_now()
  union all select 'retention', count(*)::integer from retention_turns where next_at <= clock_now()`

/** What is due now, by queue. */
export async function dueNow(service: Service): Promise<Record<string, number>> {
  const { rows } = await service.owner.query<{ queue: string; due: number }>(dueStatement)
  const provider = await service.control('GET', '/clock')
  const isProviderBusy =
    provider.running > 0 || (provider.next_at !== null && Date.parse(provider.next_at) <= service.clock.now() + 5_000)
  const due = rows.filter((row) => row.due > 0).map((row) => [row.queue, row.due] as const)
  return Object.fromEntries([...due, ...(isProviderBusy ? [['provider', 1] as const] : [])])
}

/** Answers how often the clock had to move. */
export async function settleDown(service: Service): Promise<number> {
  let due: Record<string, number> = {}
  for (let creeps = 1; creeps <= mostCreeps; creeps += 1) {
    await service.clock.forward(creepMs)
    due = await dueNow(service)
    if (Object.keys(due).length === 0) return creeps
  }
  return assert.fail(`queues do not become empty: ${JSON.stringify(due)}`)
}
