/**
 * One embedded PostgreSQL for a whole test run, in a fresh folder, with the template database made. Invariant: it is gone when the
 * run ends, however it ends. A server that an outer runner has put into the environment is used unchanged, with its template.
 */
import { rm } from 'node:fs/promises'
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

export async function globalTeardown(): Promise<void> {
  await stop?.()
  stop = undefined
}
