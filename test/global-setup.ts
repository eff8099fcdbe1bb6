/**
 * One embedded PostgreSQL for a whole test run, in a fresh folder, with the template database made. Invariant: it is gone when the
 * run ends, however it ends. A server that an outer runner has put into the environment is used as it is, template and all.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../server/platform/local-postgres/embedded-postgres.ts'
import { prepareTemplate, serverVariable } from './databases.ts'

let stop: (() => Promise<void>) | undefined

/** Runs once in the runner's process; the processes of the test files inherit its environment. */
export async function globalSetup(): Promise<void> {
  if (process.env[serverVariable]) return
  const dataDir = await mkdtemp(join(tmpdir(), 'malipo-test-'))
  const server = await startEmbeddedPostgres({ dataDir, fsync: false })
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
