/** A separate database server for a test, to be stopped during its work and started again on the same data. */
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbeddedPostgres } from '../../server/platform/local-postgres/embedded-postgres.ts'
import { migrateDatabase, sealsOwnWrites, type TestDatabase } from '../databases.ts'
import { eventually } from '../app.ts'

/** Commits reach the operating system before they are answered, whatever the server's start settings. */
const keepsCommits = `do $$ begin execute format('alter database %I set synchronous_commit = on', current_database()); end $$`

async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(statement)
  await client.end()
}

export type OwnDatabase = TestDatabase & {
  /** The effect of `pg_ctl stop -m immediate`: nothing is finished, nothing is written; the next start recovers from the log. */
  crash(): Promise<void>
  start(): Promise<void>
  /** The folder of its files. */
  cluster: string
  /** The user that it runs as. */
  owner: { uid: number; gid: number }
}

/** Without `fsync`, commits survive a crash of the server, but not one of the machine: for runs that crash no machine. */
export async function startOwnDatabase({ fsync = true, within = tmpdir() } = {}): Promise<OwnDatabase> {
  const dataDir = await mkdtemp(join(within, 'malipo-own-'))
  let server = await startEmbeddedPostgres({ dataDir, fsync })
  const { connectionString: url } = server
  await migrateDatabase(url)
  await administer(url, sealsOwnWrites)
  if (!fsync) await administer(url, keepsCommits)
  async function readPid(): Promise<number> {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query<{ pid: number }>(
      `select split_part(pg_read_file('postmaster.pid'), e'\\n', 1)::integer as pid`,
    )
    await client.end()
    return rows[0]!.pid
  }

  /** Whether no process listens any more. It does not check for an ended process, because its parent may not have noticed yet. */
  async function isGone(): Promise<boolean> {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => undefined)
    try {
      await client.connect()
      return false
    } catch (error) {
      return ['ENOENT', 'ECONNREFUSED'].includes((error as { code?: string }).code ?? '')
    } finally {
      await client.end().catch(() => undefined)
    }
  }

  const cluster = join(server.folder, 'cluster')
  const { uid, gid } = await stat(cluster)
  return {
    url,
    cluster,
    owner: { uid, gid },
    // The app that uses the server releases it last; without a release, the server ends with this process.
    async drop() {
      await server.stop()
      for (const folder of new Set([dataDir, server.folder, server.socketDir])) await rm(folder, { recursive: true, force: true })
    },
    async crash() {
      process.kill(await readPid(), 'SIGQUIT')
      await eventually('the server is gone', isGone)
    },
    async start() {
      const next = await startEmbeddedPostgres({ dataDir, fsync })
      // The watchdog of the server that crashed ends with its last holder.
      await server.stop()
      server = next
    },
  }
}
