/**
 * A primary and its replica on two ports of this machine, as an installation has them on two machines. The replica is made from a
 * base backup and confirms every commit before it is answered. The primary can be stopped as by a power loss.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { appendFile, chmod, chown, copyFile, lchown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { findBinaries } from '../../server/platform/local-postgres/embedded-postgres-binaries.ts'
import { cleanEnvironment, runAs, type ServerUser } from '../../server/platform/local-postgres/embedded-postgres-folders.ts'
import { migrateDatabase, type TestDatabase } from '../databases.ts'
import { eventually, freePorts } from '../app.ts'

export type ReplicatedDatabase = TestDatabase & {
  /** SIGKILL to every process of the primary at once. */
  killPrimary(): Promise<void>
  /** Makes the replica the primary. */
  promote(): Promise<void>
  /** The mode of the replication: `sync` when each commit waits for the replica. */
  syncState(): Promise<string | undefined>
}

const name = 'malipo'

/** Stops the server when the process that started it ends in any way: its standard input closes then. */
const untilAlone = '"$@" </dev/null & server=$!; read -r nothing; kill -QUIT $server; wait $server'

type Server = { url: string; pid(): Promise<number>; end(): Promise<void> }

async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

async function startServer(user: ServerUser, binaries: string, folder: string, port: number, password: string): Promise<Server> {
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '120',
    timezone: 'UTC',
    log_timezone: 'UTC',
  }
  const words = ['-D', folder, ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`])]
  const child = spawn('/bin/sh', ['-c', untilAlone, 'malipo-server', join(binaries, 'postgres'), ...words], {
    ...user,
    cwd: '/',
    env: cleanEnvironment,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const gone = new Promise((resolve) => child.once('exit', resolve))
  const url = `postgresql://${name}:${password}@127.0.0.1:${port}/postgres`
  await eventually('the server answers', () => query(url, 'select 1').then(Boolean, () => false), 30_000)
  return {
    url,
    pid: async () => Number.parseInt(await readFile(join(folder, 'postmaster.pid'), 'utf8'), 10),
    async end() {
      child.stdin.end('\n')
      await gone
    },
  }
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return text.split(' ').filter(Boolean).map(Number)
}

/** Files of a running server that a copy leaves out: they describe only that server. */
const left = /^(postmaster\.(pid|opts)|pg_wal\/.+|pg_replslot\/.+|pg_stat_tmp\/.+|pg_notify\/.+|pg_subtrans\/.+|.*pgsql_tmp.*)$/

/** Copies files that change during the copy: the log from the start of the backup repairs torn or missing ones. */
async function copyFolder(from: string, to: string, user: ServerUser, under = ''): Promise<void> {
  await mkdir(join(to, under), { mode: 0o700 })
  if (user) await chown(join(to, under), user.uid, user.gid)
  for (const entry of await readdir(join(from, under), { withFileTypes: true })) {
    const path = under === '' ? entry.name : `${under}/${entry.name}`
    if (left.test(path)) continue
    if (entry.isDirectory()) await copyFolder(from, to, user, path)
    else {
      try {
        await copyFile(join(from, path), join(to, path))
      } catch (error) {
        // Dropped after it was listed.
        if ((error as { code?: string }).code === 'ENOENT') continue
        throw error
      }
      await chmod(join(to, path), 0o600)
      if (user) await lchown(join(to, path), user.uid, user.gid)
    }
  }
}

/** A base backup of a running server, by the server's own two functions: pg_basebackup is not installed with it. */
async function backUp(url: string, from: string, to: string, user: ServerUser): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`select pg_backup_start('replica', fast => true)`)
    await copyFolder(from, to, user)
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(wait_for_archive => false)')
    await writeFile(join(to, 'backup_label'), rows[0]!.labelfile)
  } finally {
    await client.end()
  }
}

export async function startReplicatedDatabase(): Promise<ReplicatedDatabase> {
  const user: ServerUser = process.getuid!() === 0 ? { uid: 65_534, gid: 65_534 } : undefined
  const binaries = await findBinaries(user, undefined, () => undefined)
  const folder = await mkdtemp(join(tmpdir(), 'malipo-replicated-'))
  if (user) await chown(folder, user.uid, user.gid)
  const [primaryFolder, replicaFolder, secret] = [join(folder, 'primary'), join(folder, 'replica'), join(folder, 'secret')]
  const password = randomBytes(16).toString('hex')
  const own = (path: string) => (user ? chown(path, user.uid, user.gid) : undefined)
  await writeFile(secret, password, { mode: 0o600 })
  await own(secret)
  const made = await runAs(user, join(binaries, 'initdb'), [
    `--pgdata=${primaryFolder}`,
    `--username=${name}`,
    `--pwfile=${secret}`,
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    '--data-checksums',
    '--auth=scram-sha-256',
  ])
  if (made.exitCode !== 0) throw new Error(made.output)

  const ports = await freePorts(2)
  const primary = await startServer(user, binaries, primaryFolder, ports[0]!, password)
  await query(primary.url, `create database ${name}`)
  await query(primary.url, `select pg_create_physical_replication_slot('replica', immediately_reserve => true)`)
  await backUp(primary.url, primaryFolder, replicaFolder, user)
  await writeFile(join(replicaFolder, 'standby.signal'), '')
  await appendFile(
    join(replicaFolder, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=127.0.0.1 port=${ports[0]} user=${name} password=${password} application_name=replica'\n` +
      `primary_slot_name = 'replica'\n`,
  )
  for (const file of ['standby.signal', 'backup_label']) await own(join(replicaFolder, file))
  const replica = await startServer(user, binaries, replicaFolder, ports[1]!, password)

  const syncState = async (): Promise<string | undefined> => {
    const [row] = await query<{ state: string }>(primary.url, 'select sync_state as state from pg_stat_replication')
    return row?.state
  }
  // Only once a replica can confirm.
  await query(primary.url, `alter system set synchronous_standby_names = 'replica'`)
  await query(primary.url, 'select pg_reload_conf()')
  await eventually('each commit waits for the replica', async () => (await syncState()) === 'sync', 30_000)
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',')
  const url = `postgresql://${name}:${password}@${hosts}/${name}`
  await migrateDatabase(url)

  return {
    url,
    syncState,
    async killPrimary() {
      const postmaster = await primary.pid()
      // The postmaster first, so that it starts no replacements for the processes that end.
      process.kill(postmaster, 'SIGSTOP')
      for (const pid of [...(await childrenOf(postmaster)), postmaster]) process.kill(pid, 'SIGKILL')
      await eventually('no process listens', () =>
        query(primary.url, 'select 1').then(
          () => false,
          () => true,
        ),
      )
    },
    async promote() {
      const [row] = await query<{ promoted: boolean }>(replica.url, 'select pg_promote() as promoted')
      if (!row!.promoted) throw new Error('The replica was not promoted.')
    },
    async drop() {
      await Promise.all([primary.end(), replica.end()])
      if (existsSync(folder)) await rm(folder, { recursive: true, force: true })
    },
  }
}
