/**
 * How a process and all it leans on do, one by one: for operators and their tools on the private port, never for a balancer, which would
 * take every process out at once when a provider ails.
 */
import { readQueues } from '../operators/overview.sql.ts'
import type { Db } from '../platform/db/db.ts'
import { whyNotReady, type HealthDeps } from '../platform/http/health.ts'
import type { CircuitHealth } from '../providers/circuit.ts'
import type { DocumentStore } from '../documents/document-store.ts'

export type DeepHealthDeps = {
  db: Db
  documentStore: DocumentStore
  providerHealth(): CircuitHealth[]
  health: HealthDeps
}

type Check = { name: string; ok: boolean; says: string }

const patienceMs = 3_000
/** What has been due for so long, nobody is doing. */
const jobLateSeconds = 120

/** What nobody stores: asking for it shows whether the store answers. */
const probeKey = 'health/probe'

async function inTime(name: string, look: () => Promise<Omit<Check, 'name'>>): Promise<Check> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<Omit<Check, 'name'>>((resolve) => {
    timer = setTimeout(() => resolve({ ok: false, says: 'does not answer' }), patienceMs)
  })
  // What went wrong in words may name addresses: the log has it.
  const looked = look().catch(() => ({ ok: false, says: 'fails' }))
  return { name, ...(await Promise.race([looked, tooLate]).finally(() => clearTimeout(timer))) }
}

export async function checkDeeply(deps: DeepHealthDeps): Promise<{ ok: boolean; checks: Check[] }> {
  const checks = await Promise.all([
    inTime('database', async () => {
      const reason = await whyNotReady(deps.health)
      return { ok: reason === undefined, says: reason ?? 'can be written to' }
    }),
    inTime('storage', async () => {
      await deps.documentStore.sizeOf(probeKey)
      return { ok: true, says: 'answers' }
    }),
    ...(await inTimeForQueues(deps.db)),
  ])
  const circuits = deps.providerHealth().map(({ provider, environment, direction, state, lastTrouble }): Check => ({
    name: `${provider} ${environment} ${direction}`,
    ok: state === 'closed',
    says: state === 'closed' ? 'is called' : `is not called for a while (${state}): ${lastTrouble?.kind ?? 'trouble'}`,
  }))
  const all = [...checks, ...circuits]
  return { ok: all.every(({ ok }) => ok), checks: all }
}

async function inTimeForQueues(db: Db): Promise<Promise<Check>[]> {
  const queues = readQueues(db, 1)
  queues.catch(() => undefined)
  const names = ['webhook_deliveries', 'provider_messages', 'charge_checks', 'payout_checks', 'mails']
  return names.map((name) =>
    inTime(`queue ${name}`, async () => {
      const seconds = Math.floor((await queues).find((queue) => queue.name === name)?.oldestSeconds ?? 0)
      return { ok: seconds < jobLateSeconds, says: seconds === 0 ? 'nothing is due' : `the oldest has been due for ${seconds} s` }
    }),
  )
}
