/**
 * Starts the embedded PostgreSQL of a data folder, or joins the one that runs there. Invariant: a server runs exactly as long as
 * some process holds it; when the last one releases it or dies in any way, SIGKILL too, the server stops.
 *
 * How: each start makes a named pipe. A shell, the watchdog, is the parent of the server and reads the pipe; every process that
 * uses the server keeps the pipe's writing end open. The kernel counts the ends and closes those of dead processes, so the
 * watchdog reads the end of the file exactly when no process holds the server. No list of process ids can become stale. The
 * server's setting `malipo.holders` names its pipe, so every process that can log in can join. A process that joins writes a name
 * and waits until the watchdog has made a file of that name: only then is it certain that the watchdog had not already decided to
 * stop.
 *
 * The code needs no lock. A new cluster is made under another name and appears by one rename; when two servers start at once,
 * PostgreSQL keeps one, and the process of the other server joins it.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, constants, existsSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { readdir, readFile, readlink, rename, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { findBinaries } from './embedded-postgres-binaries.ts'
import {
  cleanEnvironment,
  elsewhere,
  EmbeddedPostgresError,
  errorCode,
  port,
  prepareFolders,
  runAs,
  type Folders,
} from './embedded-postgres-folders.ts'

type EmbeddedPostgresOptions = {
  /** The folder for the server's data; made when it is missing. */
  dataDir: string
  /** False trades durability for speed: for tests only. */
  fsync?: boolean
  /** Shared buffers, in PostgreSQL's notation. The default is enough for a developer's machine. */
  sharedBuffers?: string
  /** Further settings of a server that this call starts, in PostgreSQL's notation. */
  settings?: Record<string, string>
  /** Where data and programs go when the server's user cannot reach them in place; embedded-postgres-folders.ts has the default. */
  stateDir?: string
  /** Receives sentences that describe each step. */
  log?: (line: string) => void
}

export type EmbeddedPostgres = {
  /** The folder of the database: the data folder, or its replacement in the state folder. */
  folder: string
  /** The folder of the unix socket: the `host` of a connection. */
  socketDir: string
  user: string
  database: string
  port: number
  /** Works with `pg` and libpq. */
  connectionString: string
  /** Whether another process started the server. */
  attached: boolean
  /** Releases the server. If no other process holds it, the server stops, and this waits for that. May be called again. */
  stop(): Promise<void>
}

const user = 'malipo'
const database = 'malipo'
const majorVersion = '18'

const startWithinMs = 300_000
const stopWithinMs = 30_000
const pollMs = 10
const slowestPollMs = 250

/**
 * $1 folder of pipe and socket, $2 name of the pipe, $3 log file, then the server's command line.
 * Descriptors: 3 comes from us, and only the server keeps it, so that its end shows that the server is gone. 4 keeps the pipe
 * open until we have opened it; without it, opening 5 would wait. 5 is the reading end. The last line of standard input says that
 * we hold the pipe; if we die before, it ends, and so does the pipe.
 * The server is this shell's child, and the shell waits for it only at the end, so its process id cannot be another program's.
 */
const watchdog = `
umask 077
trap '' HUP INT TERM
run=$1 holders=$1/$2 log=$3
shift 3
mkdir -p "$run" && mkfifo "$holders" || exit 1
exec 4<>"$holders" 5<"$holders"
: >"$log"
"$@" </dev/null >>"$log" 2>&1 4>&- 5<&- &
server=$!
exec 3>&-
echo ready
read -r held
exec 4>&- </dev/null >/dev/null 2>&1
while read -r joined <&5; do true >"$run/$joined"; done
kill -INT "$server"
tries=0
while kill -0 "$server"; do
  tries=$((tries + 1))
  if [ "$tries" -eq 200 ]; then kill -QUIT "$server"; fi
  if [ "$tries" -eq 300 ]; then kill -KILL "$server"; fi
  sleep 0.05
done
rm -f "$holders"
`

function connectionString(socketDir: string): string {
  // Sets sslmode, because PGSSLMODE in the environment would otherwise ask for TLS on a unix socket.
  const settings = new URLSearchParams({ host: socketDir, user, port: String(port), sslmode: 'disable' })
  return `postgresql:///${database}?${settings.toString()}`
}

type Running = { holders: string; fsync: boolean; postmasterPid: number }

/** Logs in: `absent` when nothing listens, `busy` while the server starts or stops. */
async function ask(folders: Folders, databaseName = database): Promise<Running | 'absent' | 'busy'> {
  const client = new pg.Client({
    host: folders.socketDir,
    port,
    user,
    database: databaseName,
    ssl: false,
    connectionTimeoutMillis: 10_000,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    if (databaseName !== database) {
      await client.query(`create database ${database}`)
      return 'busy'
    }
    const { rows } = await client.query<Running>(`
      select current_setting('malipo.holders', true) as holders, current_setting('fsync')::boolean as fsync,
        split_part(pg_read_file('postmaster.pid'), e'\\n', 1)::integer as "postmasterPid"`)
    return rows[0]!
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return 'absent'
    // The database does not exist: the process that made the cluster died before it made the database.
    if (code === '3D000') return ask(folders, 'postgres')
    // 42P04 and 23505: another process makes the same database. Not queryable: the server stopped between login and query.
    const isPassing = ['57P01', '57P02', '57P03', '53300', '42P04', '23505', '58P01', 'ECONNRESET', 'EPIPE', 'EAGAIN']
    if (code === undefined ? /terminated|timeout|not queryable/i.test(String(error)) : isPassing.includes(code)) return 'busy'
    const reason = error instanceof Error ? error.message : String(error)
    throw new EmbeddedPostgresError(
      `The PostgreSQL at ${folders.socketDir} does not let us in (${reason}): start as the user who runs it, ${elsewhere}.`,
      { cause: error },
    )
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Opens the pipe for writing; undefined when no watchdog reads it. */
function openHolders(path: string): number | undefined {
  try {
    // Node opens with O_CLOEXEC: child processes do not hold the server by accident.
    return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch (error) {
    if (['ENXIO', 'ENOENT'].includes(errorCode(error) ?? '')) return undefined
    throw error
  }
}

function isHeldByOthers(path: string): boolean {
  let descriptor: number
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch {
    return false
  }
  try {
    // Without writers an empty pipe ends (0 bytes); with writers the read would block (EAGAIN). Bytes that are read by accident
    // are written again.
    return readSync(descriptor, Buffer.alloc(1)) > 0
  } catch (error) {
    return errorCode(error) === 'EAGAIN'
  } finally {
    closeSync(descriptor)
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

/** Whether this process is the PostgreSQL server of this cluster, and not another program that got its process id. */
async function isServerOf(folders: Folders, pid: number): Promise<boolean> {
  if (process.platform === 'linux') {
    // A server's working directory is its cluster folder. A process that we cannot read belongs to another user and is not ours.
    const [program, folder] = await Promise.all(
      ['exe', 'cwd'].map((link) => readlink(`/proc/${pid}/${link}`).catch(() => undefined)),
    )
    return program !== undefined && basename(program).startsWith('postgres') && folder === folders.cluster
  }
  const { output } = await runAs(undefined, '/bin/ps', ['-o', 'command=', '-p', String(pid)])
  return output.includes('postgres') && output.includes(`-D ${folders.cluster}`)
}

/** Stops a server without a watchdog. */
async function stopOrphan(folders: Folders, pid: number): Promise<void> {
  const signals = ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const
  for (const signal of signals) {
    if (!(await isServerOf(folders, pid))) return
    process.kill(pid, signal)
    const deadline = performance.now() + 10_000
    // Wait until the id is free: a dead process keeps its id until its parent has reaped it.
    while ((await isServerOf(folders, pid)) && performance.now() < deadline) await sleep(pollMs)
  }
}

function held(folders: Folders, holders: string, descriptor: number, postmasterPid: number, attached: boolean): EmbeddedPostgres {
  let stopping: Promise<void> | undefined
  const release = async () => {
    closeSync(descriptor)
    // The watchdog removes the pipe when the server is gone.
    for (let waitedMs = 0; existsSync(holders) && !isHeldByOthers(holders); waitedMs += pollMs) {
      // Probe rarely: during the probe, another process that stops sees one more holder.
      if (waitedMs % 500 === 250) {
        const probe = openHolders(holders)
        if (probe === undefined) {
          await stopOrphan(folders, postmasterPid)
          return
        }
        closeSync(probe)
      }
      if (waitedMs > stopWithinMs) {
        throw new EmbeddedPostgresError(
          `PostgreSQL (process ${postmasterPid}) does not stop: look into ${folders.logFile}, then end it with "kill ${postmasterPid}".`,
        )
      }
      await sleep(pollMs)
    }
  }
  return {
    folder: folders.folder,
    socketDir: folders.socketDir,
    user,
    database,
    port,
    connectionString: connectionString(folders.socketDir),
    attached,
    stop: () => (stopping ??= release()),
  }
}

/** Joins the holders of a running server; undefined when it stopped meanwhile, or when it had to be stopped because it has no watchdog. */
async function joinHolders(folders: Folders, running: Running, deadline: number): Promise<number | undefined> {
  const holders = join(folders.socketDir, running.holders)
  const descriptor = openHolders(holders)
  if (descriptor === undefined) {
    await stopOrphan(folders, running.postmasterPid)
    return undefined
  }
  const name = `joined-${randomBytes(6).toString('hex')}`
  const answer = join(folders.socketDir, name)
  try {
    for (let waitedMs = 0; performance.now() < deadline; waitedMs += pollMs) {
      // Write again from time to time: a process that checks for other holders may have read the name instead of the watchdog.
      if (waitedMs % 200 === 0) {
        if (!(await isServerOf(folders, running.postmasterPid))) break
        writeSync(descriptor, `${name}\n`)
      }
      if (existsSync(answer)) {
        unlinkSync(answer)
        return descriptor
      }
      await sleep(pollMs)
    }
  } catch (error) {
    if (errorCode(error) !== 'EPIPE') {
      closeSync(descriptor)
      throw error
    }
  }
  closeSync(descriptor)
  return undefined
}

/** Makes the cluster if it is missing. Safe when several processes do it at once, and when one dies during it. */
async function ensureCluster(folders: Folders, binaries: string, fsync: boolean, log: (line: string) => void): Promise<void> {
  const versionFile = join(folders.cluster, 'PG_VERSION')
  if (!existsSync(versionFile)) {
    const fresh = `${folders.cluster}.new-${randomBytes(6).toString('hex')}`
    const startedAt = performance.now()
    const { exitCode, output } = await runAs(folders.user, join(binaries, 'initdb'), [
      `--pgdata=${fresh}`,
      `--username=${user}`,
      '--encoding=UTF8',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C',
      '--data-checksums',
      // The folder of the socket is the protection: only the server's user and root can enter it.
      '--auth-local=trust',
      '--auth-host=reject',
      '--no-instructions',
      ...(fsync ? [] : ['--no-sync']),
    ])
    if (exitCode === 0) {
      try {
        await rename(fresh, folders.cluster)
        log(`Made a new PostgreSQL database in ${folders.cluster} in ${Math.round(performance.now() - startedAt)} ms.`)
      } catch (error) {
        if (!['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) throw error
        await runAs(folders.user, '/bin/rm', ['-rf', '--', fresh])
      }
    } else if (output.includes('could not look up effective user ID')) {
      throw new EmbeddedPostgresError(
        `PostgreSQL needs a name for the user that runs it, and user ${folders.user?.uid ?? process.getuid!()} has none in /etc/passwd: start as a user with a name, ${elsewhere}.`,
      )
    } else if (!existsSync(versionFile)) {
      throw new EmbeddedPostgresError(
        `PostgreSQL could not make a database in ${folders.cluster}; correct the problem in its output below, ${elsewhere}.\n${output}`,
      )
    }
  }
  const version = (await readFile(versionFile, 'utf8')).trim()
  if (version !== majorVersion) {
    throw new EmbeddedPostgresError(
      `The data in ${folders.cluster} was made by PostgreSQL ${version}, and ${majorVersion} cannot read it: move the folder away to start with an empty database, ${elsewhere}.`,
    )
  }
}

type ServerOptions = { fsync: boolean; sharedBuffers: string; more: Record<string, string> }

function serverArguments(folders: Folders, holders: string, { fsync, sharedBuffers, more }: ServerOptions): string[] {
  const settings = {
    'malipo.holders': holders,
    listen_addresses: '',
    // The setting is a list of names; in quotes, a path may contain commas.
    unix_socket_directories: `"${folders.socketDir.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    port: String(port),
    max_connections: '200',
    shared_buffers: sharedBuffers,
    timezone: 'UTC',
    log_timezone: 'UTC',
    // The details of an error quote addresses and phone numbers.
    log_error_verbosity: 'terse',
    log_destination: 'stderr',
    logging_collector: 'off',
    ...(fsync ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
    ...more,
  }
  return ['-D', folders.cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}

/** The process id in `postmaster.pid` when it now belongs to another program; PostgreSQL would take that program for one of its servers. */
async function reusedPid(folders: Folders): Promise<number | undefined> {
  const text = await readFile(join(folders.cluster, 'postmaster.pid'), 'utf8').catch(() => '')
  const pid = Number.parseInt(text, 10)
  return pid > 0 && isAlive(pid) && !(await isServerOf(folders, pid)) ? pid : undefined
}

/** PostgreSQL's errors when another server has the cluster, or when processes of a killed server are still running. */
const oftenPassing = /lock file ".*" already exists|pre-existing shared memory block|is another (postmaster|postgres)/

/** Starts a server; undefined when another server has the cluster. */
async function launch(
  folders: Folders,
  binaries: string,
  options: ServerOptions,
  deadline: number,
): Promise<EmbeddedPostgres | undefined> {
  const name = `holders-${randomBytes(6).toString('hex')}`
  const holders = join(folders.socketDir, name)
  // Two simultaneous starts must neither overwrite each other's server log nor read it as their own.
  const ownLog = `${folders.logFile}.new-${name}`
  const stalePid = await reusedPid(folders)
  const server = [join(binaries, 'postgres'), ...serverArguments(folders, name, options)]
  const child = spawn('/bin/sh', ['-c', watchdog, 'malipo-postgres-watchdog', folders.socketDir, name, ownLog, ...server], {
    ...folders.user,
    cwd: '/',
    // A separate session: only we react to Ctrl-C in our terminal. PostgreSQL does not take a process with the id in
    // PG_GRANDPARENT_PID for a server (pg_ctl uses the variable for the same purpose) and replaces postmaster.pid itself.
    // Deleting that file here would race with another start.
    detached: true,
    env: { ...cleanEnvironment, ...(stalePid === undefined ? {} : { PG_GRANDPARENT_PID: String(stalePid) }) },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  })
  const lifeline = child.stdio[3] as NodeJS.ReadableStream & { destroy(): void }
  let complaint = ''
  let isGone = false
  const gone = () => void (isGone = true)
  child.on('error', (error) => {
    complaint += error.message
    gone()
  })
  child.stdin.on('error', () => undefined)
  child.stderr.on('data', (chunk: Buffer) => void (complaint += chunk.toString()))
  lifeline.on('error', gone).on('close', gone).resume()
  await new Promise<void>((ready) => {
    child.stdout.once('data', () => ready())
    child.stdout.once('close', () => ready())
  })

  const descriptor = openHolders(holders)
  child.stdin.end('held\n')
  try {
    let waitMs = pollMs
    while (!isGone && descriptor !== undefined && performance.now() < deadline) {
      const running = await ask(folders)
      if (typeof running !== 'string' && running.holders === name) {
        await rename(ownLog, folders.logFile)
        await removeLeftovers(folders, name)
        return held(folders, holders, descriptor, running.postmasterPid, false)
      }
      await sleep(waitMs)
      // Poll less and less often, so that a long recovery does not fill the log with refused logins.
      waitMs = Math.min(waitMs * 1.2, slowestPollMs)
    }
    if (descriptor !== undefined) closeSync(descriptor)
  } catch (error) {
    if (descriptor !== undefined) closeSync(descriptor)
    throw error
  } finally {
    // From here on only the pipe connects us to the watchdog: neither the watchdog nor its streams keep our process from ending.
    lifeline.destroy()
    child.stdout.destroy()
    child.stderr.destroy()
    child.unref()
  }
  const logged = await readFile(ownLog, 'utf8').catch(() => '')
  const lines = `${complaint}\n${logged}`.trim().split('\n').slice(-20).join('\n')
  if (isGone && oftenPassing.test(logged)) {
    await runAs(folders.user, '/bin/rm', ['-f', '--', ownLog])
    return undefined
  }
  await rename(ownLog, folders.logFile).catch(() => undefined)
  throw new EmbeddedPostgresError(
    `The embedded PostgreSQL did not start; correct what its log (${folders.logFile}) says, ${elsewhere}.\n${lines}`,
  )
}

/** Removes the files that killed processes left behind. */
async function removeLeftovers(folders: Folders, ownName: string): Promise<void> {
  for (const name of await readdir(folders.socketDir)) {
    if (!/^(holders|joined)-/.test(name) || name === ownName) continue
    const path = join(folders.socketDir, name)
    const descriptor = name.startsWith('holders-') ? openHolders(path) : undefined
    if (descriptor === undefined) await runAs(folders.user, '/bin/rm', ['-f', '--', path])
    else closeSync(descriptor)
  }
  for (const name of await readdir(folders.folder)) {
    if (!/^(cluster|postgres\.log)\.new-/.test(name)) continue
    const { mtimeMs } = await stat(join(folders.folder, name))
    // Older than an hour, so no other process is still making it.
    if (performance.timeOrigin + performance.now() - mtimeMs > 3_600_000)
      await runAs(folders.user, '/bin/rm', ['-rf', '--', join(folders.folder, name)])
  }
}

/** Starts the server of this data folder, or joins the one that runs; resolves when a login has succeeded. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDir, fsync = true, sharedBuffers = '128MB', settings: more = {}, stateDir, log = () => undefined } = options
  if (process.platform === 'win32') {
    throw new EmbeddedPostgresError(
      'The embedded PostgreSQL does not run on Windows: set DATABASE_URL to a PostgreSQL of your own, or start inside WSL.',
    )
  }
  const folders = await prepareFolders(dataDir, stateDir, log)
  const startedAt = performance.now()
  const deadline = startedAt + startWithinMs
  let binaries: string | undefined
  let waitMs = pollMs
  while (performance.now() < deadline) {
    const running = await ask(folders)
    if (running === 'absent') {
      binaries ??= await findBinaries(folders.user, stateDir, log)
      await ensureCluster(folders, binaries, fsync, log)
      const started = await launch(folders, binaries, { fsync, sharedBuffers, more }, deadline)
      if (started) {
        log(`PostgreSQL runs at ${folders.socketDir}, started in ${Math.round(performance.now() - startedAt)} ms.`)
        return started
      }
    } else if (running !== 'busy') {
      if (fsync && !running.fsync) {
        throw new EmbeddedPostgresError(
          `The PostgreSQL that runs in ${dataDir} was started for tests, without fsync: stop it, or choose another DATA_DIR.`,
        )
      }
      const descriptor = await joinHolders(folders, running, deadline)
      if (descriptor !== undefined) {
        log(`PostgreSQL runs at ${folders.socketDir} already; joined it.`)
        return held(folders, join(folders.socketDir, running.holders), descriptor, running.postmasterPid, true)
      }
    }
    await sleep(waitMs)
    waitMs = Math.min(waitMs * 1.2, slowestPollMs)
  }
  throw new EmbeddedPostgresError(
    `The PostgreSQL in ${dataDir} neither answers nor stops: look into ${folders.logFile}, end its processes, ${elsewhere}.`,
  )
}
