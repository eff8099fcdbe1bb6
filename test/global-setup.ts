/**
 * One embedded PostgreSQL for a whole test run, in a fresh folder, with the template database made. Invariant: it is gone when the
 * run ends, however it ends. A server that an outer runner has put into the environment is used unchanged, with its template.
 */
import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import pg from 'pg'
import { startEmbeddedPostgres } from '../server/platform/local-postgres/embedded-postgres.ts'
import { prepareTemplate, serverVariable } from './databases.ts'
import { makeTestFolder } from './fast-folder.ts'

/**
 * Hundreds of databases are created and dropped, and none outlives the run: no log of commits for a backup, no checkpoint within a
 * run, and no vacuum of tables that exist for seconds.
 */
const settings = {
  wal_level: 'minimal',
  max_wal_senders: '0',
  checkpoint_timeout: '1h',
  max_wal_size: '2GB',
  autovacuum: 'off',
  // Compiling a statement costs more than running it on a test's few rows, and so does starting processes that share it: without
  // statistics the planner takes each table for larger than it is.
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  // A statement is otherwise planned for its first five parameters on each of a test's few connections.
  plan_cache_mode: 'force_generic_plan',
  max_connections: '500',
}

let stop: (() => Promise<void>) | undefined

/** Runs once in the runner's process; the processes of the test files inherit its environment. */
export async function globalSetup(): Promise<void> {
  if (process.env[serverVariable]) return
  const dataDir = await makeTestFolder()
  const server = await startEmbeddedPostgres({ dataDir, fsync: false, settings })
  stop = async () => {
    await server.stop()
    for (const folder of new Set([dataDir, server.folder, server.socketDir])) await rm(folder, { recursive: true, force: true })
  }
  try {
    process.env[serverVariable] = server.connectionString
    await prepareTemplate()
  } catch (error) {
    await globalTeardown()
    throw error
  }
}

const ticksPerSecond = 100

/** Processor seconds of the server and of all connections that have ended; 0 where the system does not tell. */
export async function processorSecondsOfDatabase(): Promise<number> {
  const client = new pg.Client({ connectionString: process.env[serverVariable]! })
  await client.connect()
  try {
    const { rows } = await client.query<{ pid: string }>(`select split_part(pg_read_file('postmaster.pid'), e'\\n', 1) as pid`)
    const fields = readFileSync(`/proc/${rows[0]!.pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond
  } catch {
    return 0
  } finally {
    await client.end()
  }
}

export async function globalTeardown(): Promise<void> {
  await stop?.()
  stop = undefined
}
