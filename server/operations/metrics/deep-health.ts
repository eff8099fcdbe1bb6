/**
 * The health of a process and of each of its dependencies: for operators and their tools on the private port, never for a load balancer,
 * which would remove every process at once when a provider is unhealthy.
 */
import { readQueues, queueNames } from '../operators/overview.sql.ts'
import type { Db } from '../../platform/db/db.ts'
import { whyNotReady, type HealthDeps } from '../../platform/http/health.ts'
import type { CircuitHealth } from '../../money/providers/circuit.ts'
import type { DocumentStore } from '../../merchants/documents/document-store.ts'

export type DeepHealthDeps = {
  db: Db
  documentStore: DocumentStore
  providerHealth(): CircuitHealth[]
  health: HealthDeps
}

type Check = { name: string; ok: boolean; says: string }

const patienceMs = 3_000
/** A job that has been due for this long is not being processed. */
const jobLateSeconds = 120

/** A key that is never stored: a request for it shows whether the store answers. */
const probeKey = 'health/probe'

async function inTime(name: string, look: () => Promise<Omit<Check, 'name'>>): Promise<Check> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<Omit<Check, 'name'>>((resolve) => {
    timer = setTimeout(() => resolve({ ok: false, says: 'does not answer' }), patienceMs)
  })
  // The error message may contain addresses: it is only in the log.
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
  return queueNames.map((name) =>
    inTime(`queue ${name}`, async () => {
      const seconds = Math.floor((await queues).find((queue) => queue.name === name)?.oldestSeconds ?? 0)
      return { ok: seconds < jobLateSeconds, says: seconds === 0 ? 'nothing is due' : `the oldest has been due for ${seconds} s` }
    }),
  )
}
