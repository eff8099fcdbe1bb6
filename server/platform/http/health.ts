/** Liveness and readiness: alive means that the event loop turns, ready means that the process can serve a request. */
import { z } from 'zod'
import { steadyClock } from '../clock.ts'
import { databaseErrorCode, sql, type Db } from '../db/db.ts'
import { remembered } from '../process/remembered.ts'
import type { Http } from './http.ts'
import { appliedMigration, newestMigration } from '../db/migrate.ts'
import { Refusal } from '../refusal.ts'
import { cellHeader, cellInHeader, type Cell } from './cell.ts'

export type HealthDeps = { db: Db; isDraining(): boolean }

const unready = (reason: string) => new Refusal(503, 'not_ready', `Not ready: ${reason}.`, { retryAfterSeconds: 1 })

/** The longest time that a readiness check waits for the database; a slower database counts as not answering. */
const patienceMs = 2_000

/** How often a process writes to the disk of the database, however often it is asked. */
const diskProbeMs = 5_000

/**
 * Whether the disk of the database is full. The probe is a temporary file of about a megabyte, which PostgreSQL removes at once: a row
 * would often find room in a page that exists, and would fill the log of the database.
 */
async function isDiskFull(db: Db): Promise<boolean> {
  try {
    await db.tx(async (tx) => {
      await tx.rows(sql`select set_config('work_mem', '64kB', true)`)
      // More rows than this memory holds.
      await tx.rows(sql`select count(*) from generate_series(1, 40000)`)
    })
    return false
  } catch (error) {
    const code = databaseErrorCode(error)
    if (code === '53100') return true
    // Its administrator allows no temporary file of this size.
    if (code === '53400') return false
    throw error
  }
}

const diskProbes = new WeakMap<Db, () => Promise<boolean>>()

/** One probe for all ports of a process. */
function diskProbeOf(db: Db): () => Promise<boolean> {
  const probe = diskProbes.get(db) ?? remembered(() => isDiskFull(db), { forMs: diskProbeMs, clock: steadyClock })
  diskProbes.set(db, probe)
  return probe
}

async function whyDatabaseNotReady(db: Db): Promise<string | undefined> {
  try {
    const [row] = await db.rows<{ readOnly: string }>(sql`select current_setting('transaction_read_only') as read_only`)
    if (row?.readOnly !== 'off') return 'the database is read-only'
    const [applied, newest] = [await appliedMigration(db), await newestMigration()]
    if (applied === undefined || applied < newest) return 'the database lacks migrations'
    if (await diskProbeOf(db)()) return 'the disk of the database is full'
    return undefined
  } catch {
    return 'the database does not answer'
  }
}

/** Why this process must get no traffic; undefined when it is ready. */
export async function whyNotReady({ db, isDraining }: HealthDeps): Promise<string | undefined> {
  if (isDraining()) return 'draining'
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('the database does not answer'), patienceMs)
  })
  return Promise.race([whyDatabaseNotReady(db), tooLate]).finally(() => clearTimeout(timer))
}

export async function healthRoutes(http: Http, deps: HealthDeps & { cell: Cell }): Promise<void> {
  // Reads the migrations that this process was started with, before the files are replaced.
  await newestMigration()
  const ok = z.object({ status: z.literal('ok') })
  http.get(
    '/livez',
    { schema: { operationId: 'livez', summary: 'Check that the process is alive', response: { 200: ok } } },
    () => ({ status: 'ok' as const }),
  )
  http.get(
    '/readyz',
    {
      config: { refuses: ['not_ready'] },
      schema: { operationId: 'readyz', summary: 'Check that the process is ready', response: { 200: ok } },
    },
    async (_request, reply) => {
      const { name, homes } = deps.cell
      if (name !== '') void reply.header(cellHeader, cellInHeader(name, homes))
      const reason = await whyNotReady(deps)
      if (reason !== undefined) throw unready(reason)
      return { status: 'ok' as const }
    },
  )
}
