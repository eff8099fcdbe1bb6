/** The embedded PostgreSQL with real processes: each test has a separate folder and leaves neither files nor processes behind. */
import assert from 'node:assert/strict'
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
} from 'node:fs'
import { rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import type { EmbeddedPostgres } from './embedded-postgres.ts'

const isRoot = process.getuid!() === 0
const unprivileged = { uid: 65_534, gid: 65_534 }
const checkout = join(import.meta.dirname, '../../..')
const platformPackage = `@embedded-postgres/${process.platform}-${process.arch}`

/** A process that uses the server: it starts, reports that, obeys "stop", queries the server on Ctrl-C, and ends when its input ends. */
const holderProgram = `
import { createInterface } from 'node:readline'
const [program, options] = process.argv.slice(1)
const { startEmbeddedPostgres } = await import(program)
const say = (line) => process.stdout.write(JSON.stringify(line) + '\\n')
let server
process.on('SIGINT', async () => {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: server.connectionString })
  await client.connect()
  const { rows } = await client.query('select 1 as one')
  await client.end()
  say({ answeredAfterInterrupt: rows[0].one })
})
createInterface({ input: process.stdin })
  .on('line', async () => { await server.stop(); say({ stopped: true }); process.exit() })
  .on('close', () => process.exit())
try {
  server = await startEmbeddedPostgres({ ...JSON.parse(options), log: (line) => process.stderr.write(line + '\\n') })
  // A program that outlives us must not count as a holder.
  const { spawn } = await import('node:child_process')
  const survivor = spawn('/bin/sleep', ['600'], { detached: true, stdio: 'inherit' })
  say({ server, uid: process.getuid(), survivor: survivor.pid })
} catch (error) {
  say({ error: error.constructor.name + ': ' + error.message })
}
`

type Said = {
  server?: Omit<EmbeddedPostgres, 'stop'>
  uid?: number
  survivor?: number
  error?: string
  stopped?: true
  answeredAfterInterrupt?: number
}

type Holder = {
  child: ChildProcess
  pid: number
  next(): Promise<Said>
  ready(): Promise<Omit<EmbeddedPostgres, 'stop'>>
  stop(): Promise<void>
}

type HolderOptions = {
  dataDir: string
  fsync?: boolean
  stateDir?: string
  as?: { uid: number; gid: number }
  node?: string
  checkout?: string
}

/** The processes of a test; they are dead before its folder is checked and removed. */
const running = new WeakMap<TestContext, ChildProcess[]>()
/** Processes that those have started. They are ended last, because the server must not wait for them. */
const survivors = new WeakMap<TestContext, number[]>()

async function until(what: string, condition: () => boolean | Promise<boolean>, withinMs = 15_000): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!(await condition())) {
    assert.ok(performance.now() < deadline, `${what}, within ${withinMs} ms`)
    await sleep(10)
  }
}

function hold(t: TestContext, options: HolderOptions): Holder {
  const { as, node = process.execPath, checkout: from = checkout, ...start } = { fsync: false, ...options }
  const program = join(from, 'server/platform/local-postgres/embedded-postgres.ts')
  const child = spawn(node, ['--input-type=module', '-e', holderProgram, pathToFileURL(program).href, JSON.stringify(start)], {
    ...as,
    cwd: from,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let complaints = ''
  child.stderr.on('data', (chunk: Buffer) => void (complaints += chunk.toString()))
  child.stdin.on('error', () => undefined)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  running.get(t)?.push(child)
  const next = async () => {
    const line = await lines.next()
    assert.ok(!line.done, `the process ended:\n${complaints}`)
    const said = JSON.parse(line.value) as Said
    if (said.survivor !== undefined) survivors.get(t)?.push(said.survivor)
    return said
  }
  return {
    child,
    pid: child.pid!,
    next,
    async ready() {
      const said = await next()
      assert.ok(said.server, said.error)
      return said.server
    },
    async stop() {
      child.stdin.write('stop\n')
      assert.deepEqual(await next(), { stopped: true })
    },
  }
}

type Process = { pid: number; parent: number; command: string }

/** Every living process of the machine; zombies count as dead. */
function processes(): Process[] {
  if (process.platform !== 'linux') {
    const lines = execFileSync('/bin/ps', ['-axo', 'pid=,ppid=,command='], { encoding: 'utf8' }).split('\n')
    return lines.flatMap((line) => {
      const [, pid, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
      return command === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command }]
    })
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const [state, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8')
          .replace(/^.*\) /s, '')
          .split(' ')
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
        return state === 'Z' ? [] : [{ pid: Number(pid), parent: Number(parent), command }]
      } catch {
        return [] // The process ended while we read it.
      }
    })
}

function isAlive(pid: number): boolean {
  return processes().some((found) => found.pid === pid)
}

function killAll(pids: number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch (error) {
      // The process had already ended.
      assert.equal((error as NodeJS.ErrnoException).code, 'ESRCH')
    }
  }
}

/** The watchdog, the server and the server's child processes of one data folder. */
function serverProcesses(folder: string): { watchdogs: Process[]; postmasters: Process[]; all: number[] } {
  const found = processes().filter(({ command }) => !command.includes('startEmbeddedPostgres'))
  const mine = found.filter(({ command }) => command.includes(`${folder}/`))
  const pids = new Set(mine.map(({ pid }) => pid))
  const all = [...pids, ...found.filter(({ parent }) => pids.has(parent)).map(({ pid }) => pid)]
  return {
    watchdogs: mine.filter(({ command }) => command.includes('malipo-postgres-watchdog')),
    postmasters: mine.filter(({ command }) => /postgres -D/.test(command) && !command.includes('malipo-postgres-watchdog')),
    all: [...new Set(all)],
  }
}

/** A fresh folder. At the end every process that runs in it must stop without help once the test's processes are dead. */
function freshFolder(t: TestContext): string {
  const folder = realpathSync(mkdtempSync('/tmp/malipo-embedded-test-'))
  // Other users may enter: the server's user must reach the data folder in it.
  chmodSync(folder, 0o755)
  running.set(t, [])
  survivors.set(t, [])
  t.after(async () => {
    for (const child of running.get(t)!) child.kill('SIGKILL')
    try {
      await until('no process is left behind', () => serverProcesses(folder).all.length === 0)
    } finally {
      killAll(survivors.get(t)!)
      killAll(
        processes()
          .filter(({ command }) => command.includes(`${folder}/`))
          .map(({ pid }) => pid),
      )
      const locked = join(folder, 'checkout/node_modules', platformPackage, 'native/lib')
      if (existsSync(locked)) chmodSync(locked, 0o755)
      rmSync(folder, { recursive: true, force: true })
    }
  })
  return folder
}

async function query<Row extends pg.QueryResultRow>(
  server: Pick<EmbeddedPostgres, 'connectionString'>,
  text: string,
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: server.connectionString })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

async function postmasterPid(server: Pick<EmbeddedPostgres, 'connectionString'>): Promise<number> {
  const [row] = await query<{ pid: number }>(
    server,
    `select split_part(pg_read_file('postmaster.pid'), e'\\n', 1)::integer as pid`,
  )
  return row!.pid
}

/** A checkout with only the files that the launcher needs, as real files, so that the modes of its folder decide who can read it. */
function smallCheckout(folder: string): { checkout: string; node: string; native: string } {
  const copy = join(folder, 'checkout')
  mkdirSync(join(copy, 'server/platform/local-postgres'), { recursive: true })
  mkdirSync(join(copy, 'node_modules'))
  writeFileSync(join(copy, 'package.json'), '{"type":"module"}')
  for (const name of readdirSync(import.meta.dirname).filter((file) => /^embedded-postgres(-\w+)?\.ts$/.test(file))) {
    cpSync(join(import.meta.dirname, name), join(copy, 'server/platform/local-postgres', name))
  }
  const queue = ['pg', platformPackage]
  for (const name of queue) {
    const from = join(checkout, 'node_modules', name)
    cpSync(from, join(copy, 'node_modules', name), { recursive: true, verbatimSymlinks: true })
    const { dependencies = {} } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')) as {
      dependencies?: Record<string, string>
    }
    queue.push(...Object.keys(dependencies).filter((dependency) => !queue.includes(dependency)))
  }
  cpSync(process.execPath, join(copy, 'node'))
  const native = join(copy, 'node_modules', platformPackage, 'native')
  for (const { target } of JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as { target: string }[]) {
    rmSync(join(native, '..', target), { force: true })
  }
  return { checkout: copy, node: join(copy, 'node'), native }
}

test('the first start makes a database with checksums, on a socket that only its user can reach, and accepts a login', async (t) => {
  const dataDir = join(freshFolder(t), 'data')
  const holder = hold(t, { dataDir })
  const server = await holder.ready()

  assert.equal(server.attached, false)
  const [settings] = await query(
    server,
    `select current_user as user, current_database() as database, current_setting('server_encoding') as encoding,
      current_setting('data_checksums') as checksums, current_setting('listen_addresses') as addresses,
      current_setting('timezone') as timezone, current_setting('max_connections') as connections, current_setting('fsync') as fsync,
      datcollate as collation, datlocale as locale
    from pg_database where datname = current_database()`,
  )
  assert.deepEqual(settings, {
    user: 'malipo',
    database: 'malipo',
    encoding: 'UTF8',
    checksums: 'on',
    addresses: '',
    timezone: 'UTC',
    connections: '200',
    fsync: 'off',
    collation: 'C',
    locale: 'C.UTF-8',
  })
  const owner = isRoot ? unprivileged.uid : process.getuid!()
  for (const path of [server.folder, server.socketDir]) {
    const { mode, uid } = statSync(path)
    assert.deepEqual({ path, mode: mode & 0o777, uid }, { path, mode: 0o700, uid: owner })
  }
  assert.equal(statSync(join(server.socketDir, '.s.PGSQL.5432')).uid, owner)

  await holder.stop()
  assert.deepEqual(serverProcesses(dataDir).postmasters, [])
  assert.deepEqual(readdirSync(server.socketDir), [])
})

test('fsync is on unless it is turned off, and a start with fsync refuses a running server without it', async (t) => {
  const folder = freshFolder(t)
  const durable = hold(t, { dataDir: join(folder, 'durable'), fsync: undefined })
  const server = await durable.ready()
  assert.deepEqual(await query(server, 'show fsync'), [{ fsync: 'on' }])
  await durable.stop()

  const dataDir = join(folder, 'quick')
  await hold(t, { dataDir }).ready()
  const said = await hold(t, { dataDir, fsync: true }).next()
  assert.match(said.error!, /^EmbeddedPostgresError: .* was started for tests, without fsync: stop it/)
})

test('a second process joins the running server, and the server stays until the last of them lets go', async (t) => {
  const dataDir = join(freshFolder(t), 'data')
  const first = hold(t, { dataDir })
  const server = await first.ready()
  const pid = await postmasterPid(server)
  const second = hold(t, { dataDir })
  const third = hold(t, { dataDir })
  assert.deepEqual([(await second.ready()).attached, (await third.ready()).attached], [true, true])

  await second.stop()
  assert.equal(await postmasterPid(server), pid)
  await first.stop()
  assert.equal(await postmasterPid(server), pid, 'the process that started it has gone, the third still uses it')
  await third.stop()
  assert.deepEqual(serverProcesses(dataDir).postmasters, [])
})

test('a process that joins at the moment when the last holder stops gets a server that keeps running', async (t) => {
  const dataDir = join(freshFolder(t), 'data')
  let current = hold(t, { dataDir })
  await current.ready()
  for (let round = 0; round < 10; round += 1) {
    const next = hold(t, { dataDir })
    // Processes need a while to start: spread the stop over the time in which the other process joins.
    await sleep(round * 15)
    await current.stop()
    const server = await next.ready()
    await query(server, 'select 1')
    current = next
  }
  await current.stop()
})

test('four first starts at once make one database and one server', async (t) => {
  const dataDir = join(freshFolder(t), 'data')
  const holders = Array.from({ length: 4 }, () => hold(t, { dataDir }))
  const servers = await Promise.all(holders.map((holder) => holder.ready()))

  assert.equal(servers.filter((server) => !server.attached).length, 1)
  const pids = await Promise.all(servers.map(postmasterPid))
  assert.equal(new Set(pids).size, 1)
  assert.equal(serverProcesses(dataDir).postmasters.length, 1)
  assert.deepEqual(
    readdirSync(dataDir).filter((name) => name.startsWith('cluster')),
    ['cluster'],
  )
  await Promise.all(holders.map((holder) => holder.stop()))
  assert.deepEqual(serverProcesses(dataDir).postmasters, [])
})

test('after SIGKILL of the only holder the server stops within seconds, and the next start has its data', async (t) => {
  const dataDir = join(freshFolder(t), 'data')
  const killed = hold(t, { dataDir })
  const server = await killed.ready()
  await query(server, 'create table kept (word text)')
  await query(server, `insert into kept values ('durable')`)
  const left = serverProcesses(dataDir).all
  assert.ok(left.length > 2)

  killed.child.kill('SIGKILL')
  await until('the server and its watchdog end', () => !left.some(isAlive), 5_000)

  const again = hold(t, { dataDir })
  assert.deepEqual(await query(await again.ready(), 'select word from kept'), [{ word: 'durable' }])
  assert.doesNotMatch(readFileSync(join(dataDir, 'postgres.log'), 'utf8'), /not properly shut down/)
})

test('after SIGKILL of the process that started the server, the process that joined keeps it', async (t) => {
  const dataDir = join(freshFolder(t), 'data')
  const starter = hold(t, { dataDir })
  const pid = await postmasterPid(await starter.ready())
  const joined = hold(t, { dataDir })
  const server = await joined.ready()

  starter.child.kill('SIGKILL')
  await until('the starter is dead', () => !isAlive(starter.pid))
  assert.equal(await postmasterPid(server), pid)
  joined.child.kill('SIGKILL')
  await until('the server ends', () => !isAlive(pid), 5_000)
})

test('the next start recovers after SIGKILL of everything, including watchdog and server', async (t) => {
  const dataDir = join(freshFolder(t), 'data')
  const killed = hold(t, { dataDir, fsync: true })
  const server = await killed.ready()
  await query(server, 'create table kept as select 1 as one')
  const left = serverProcesses(dataDir).all
  killAll([killed.pid, ...left])

  const again = hold(t, { dataDir, fsync: true })
  assert.deepEqual(await query(await again.ready(), 'select one from kept'), [{ one: 1 }])
  assert.match(readFileSync(join(dataDir, 'postgres.log'), 'utf8'), /not properly shut down; automatic recovery/)
  assert.equal(readdirSync(join(dataDir, 'run')).filter((name) => name.startsWith('holders-')).length, 1)
})

test('the last stop stops a server that lost its watchdog, and the next start replaces it', async (t) => {
  const dataDir = join(freshFolder(t), 'data')
  const first = hold(t, { dataDir })
  await first.ready()
  process.kill(serverProcesses(dataDir).watchdogs[0]!.pid, 'SIGKILL')
  await first.stop()
  assert.deepEqual(serverProcesses(dataDir).postmasters, [])

  const second = hold(t, { dataDir })
  const orphan = await postmasterPid(await second.ready())
  killAll([serverProcesses(dataDir).watchdogs[0]!.pid, second.pid])
  const server = await hold(t, { dataDir }).ready()
  assert.equal(server.attached, false)
  assert.notEqual(await postmasterPid(server), orphan)
  assert.equal(serverProcesses(dataDir).postmasters.length, 1)
})

test('a start that is killed while it makes the database does not break the next start', async (t) => {
  const dataDir = join(freshFolder(t), 'data')
  const killed = hold(t, { dataDir })
  await until(
    'initdb is at work',
    () => existsSync(dataDir) && readdirSync(dataDir).some((name) => name.startsWith('cluster.new-')),
  )
  killed.child.kill('SIGKILL')

  const server = await hold(t, { dataDir }).ready()
  assert.deepEqual(await query(server, 'select 1 as one'), [{ one: 1 }])
})

test('a postmaster.pid with the process id of another program does not prevent the start, and that program is not stopped', async (t) => {
  const dataDir = join(freshFolder(t), 'data')
  const killed = hold(t, { dataDir })
  await killed.ready()
  const pidFile = join(dataDir, 'cluster/postmaster.pid')
  const lines = readFileSync(pidFile, 'utf8').split('\n')
  const left = serverProcesses(dataDir).all
  killAll([killed.pid, ...left])
  await until('all are dead', () => !left.some(isAlive))

  // It runs as the same user; otherwise PostgreSQL itself would detect that it is not one of its servers.
  const other = spawn('/bin/sleep', ['600'], { ...(isRoot ? unprivileged : {}), stdio: 'ignore' })
  t.after(() => other.kill('SIGKILL'))
  writeFileSync(pidFile, [String(other.pid), ...lines.slice(1)].join('\n'))

  const server = await hold(t, { dataDir }).ready()
  assert.notEqual(await postmasterPid(server), other.pid)
  assert.ok(isAlive(other.pid!))
})

test('a data folder whose path is too long for a socket gets a private socket folder in /tmp, the same one each time', async (t) => {
  const dataDir = join(freshFolder(t), 'a-long-name-'.repeat(10), 'data, with "signs" and späces')
  const first = hold(t, { dataDir })
  const server = await first.ready()
  t.after(() => rmSync(server.socketDir, { recursive: true, force: true }))
  assert.match(server.socketDir, /^\/tmp\/malipo-pg-\w{6}$/)
  assert.equal(statSync(server.socketDir).mode & 0o777, 0o700)
  const second = hold(t, { dataDir })
  const same = await second.ready()
  assert.deepEqual([same.attached, same.socketDir], [true, server.socketDir])
  await first.stop()
  await second.stop()

  rmSync(server.socketDir, { recursive: true })
  const moved = await hold(t, { dataDir }).ready()
  t.after(() => rmSync(moved.socketDir, { recursive: true, force: true }))
  assert.notEqual(moved.socketDir, server.socketDir)
  await query(moved, 'select 1')
})

test('Ctrl-C reaches our process but not the server, which answers until we stop it', async (t) => {
  const dataDir = join(freshFolder(t), 'data')
  const holder = hold(t, { dataDir })
  const pid = await postmasterPid(await holder.ready())

  // A terminal sends the signal to the whole process group.
  process.kill(-holder.pid, 'SIGINT')
  assert.deepEqual(await holder.next(), { answeredAfterInterrupt: 1 })
  assert.ok(isAlive(pid))
  assert.doesNotMatch(readFileSync(join(dataDir, 'postgres.log'), 'utf8'), /shutdown request/)
  await holder.stop()
  assert.ok(!isAlive(pid))
})

test('a database that lost its files reports that, with the log, and leaves nothing running', async (t) => {
  const dataDir = join(freshFolder(t), 'data')
  const first = hold(t, { dataDir })
  await first.ready()
  await first.stop()
  unlinkSync(join(dataDir, 'cluster/global/pg_control'))

  const { error } = await hold(t, { dataDir }).next()
  assert.match(error!, /did not start; correct what its log \(.*postgres\.log\) says, or set DATABASE_URL[^]*pg_control/)
  await until('its watchdog ends', () => serverProcesses(dataDir).all.length === 0)
})

test('data of another PostgreSQL version and a folder with other files are refused with a sentence that says what to do', async (t) => {
  const folder = freshFolder(t)
  const dataDir = join(folder, 'data')
  const first = hold(t, { dataDir })
  await first.ready()
  await first.stop()
  writeFileSync(join(dataDir, 'cluster/PG_VERSION'), '17\n')
  assert.match((await hold(t, { dataDir }).next()).error!, /made by PostgreSQL 17, and 18 cannot read it: move the folder away/)

  const documents = join(folder, 'documents')
  mkdirSync(documents)
  writeFileSync(join(documents, 'letter.txt'), 'mine')
  const { uid } = statSync(documents)
  assert.match((await hold(t, { dataDir: documents }).next()).error!, /not PostgreSQL's \(letter\.txt\): choose an empty folder/)
  assert.equal(statSync(documents).uid, uid, 'nothing was changed')
})

test('in a checkout under a private home, root copies the programs and the data to the state folder; a normal user works in place', async (t) => {
  const folder = freshFolder(t)
  const home = join(folder, 'home')
  mkdirSync(home, { mode: 0o700 })
  const stateDir = join(folder, 'state')
  const small = smallCheckout(home)
  const dataDir = join(small.checkout, 'data/postgres')
  const holders = [0, 1].map(() => hold(t, { dataDir, stateDir, checkout: small.checkout, node: small.node }))
  const servers = await Promise.all(holders.map((holder) => holder.ready()))
  const server = servers[0]!

  assert.equal(servers.filter(({ attached }) => attached).length, 1)
  await query(server, 'create table kept as select 1 as one')
  if (isRoot) {
    assert.equal(dirname(server.folder), stateDir)
    assert.match(basename(server.folder), /^data-[0-9a-f]{16}$/)
    assert.equal(statSync(server.folder).uid, unprivileged.uid)
    assert.match(readFileSync(join(dataDir, 'where.txt'), 'utf8'), new RegExp(server.folder))
    assert.equal(readdirSync(stateDir).filter((name) => name.startsWith('postgres-18.')).length, 1, 'one copy of the programs')
    assert.ok(!readdirSync(stateDir).some((name) => name.includes('.new-')))
  } else {
    assert.equal(server.folder, dataDir)
    assert.ok(!existsSync(stateDir))
  }
  await Promise.all(holders.map((holder) => holder.stop()))

  const again = await hold(t, { dataDir, stateDir, checkout: small.checkout, node: small.node }).ready()
  assert.deepEqual(await query(again, 'select one from kept'), [{ one: 1 }])
})

test('a state folder that other users can write is refused', async (t) => {
  const folder = freshFolder(t)
  const small = smallCheckout(folder)
  const stateDir = join(folder, 'state')
  mkdirSync(stateDir)
  chmodSync(stateDir, 0o777)
  // A user needs a copy when the links are missing and cannot be made; root needs one when the server's user cannot read the
  // programs.
  chmodSync(isRoot ? join(small.native, 'bin') : join(small.native, 'lib'), isRoot ? 0o700 : 0o500)
  const { error } = await hold(t, { dataDir: join(folder, 'data'), stateDir, checkout: small.checkout, node: small.node }).next()
  assert.match(error!, /state is not a folder that only this user can write: remove it and start again/)
})

test('a normal user starts the server as itself, with a copy of the programs when it may not complete the installed ones', async (t) => {
  const folder = freshFolder(t)
  const small = smallCheckout(folder)
  const own = join(folder, 'own')
  mkdirSync(own, { mode: 0o700 })
  const as = isRoot ? unprivileged : { uid: process.getuid!(), gid: process.getgid!() }
  if (isRoot) chownSync(own, as.uid, as.gid)
  else chmodSync(join(small.native, 'lib'), 0o500)
  const options = {
    dataDir: join(own, 'data'),
    stateDir: join(own, 'state'),
    checkout: small.checkout,
    node: small.node,
    ...(isRoot ? { as } : {}),
  }

  const holder = hold(t, options)
  const said = await holder.next()
  assert.ok(said.server, said.error)
  assert.deepEqual([said.uid, said.server.folder], [as.uid, options.dataDir])
  assert.equal(statSync(join(said.server.folder, 'cluster')).uid, as.uid)
  assert.equal(readdirSync(options.stateDir).length, 1)
  assert.equal((await hold(t, options).ready()).attached, true)
})

test('a user gets an error when another user owns the data folder, and root keeps the owner of a database it did not make', async (t) => {
  const folder = freshFolder(t)
  if (!isRoot) {
    assert.match((await hold(t, { dataDir: '/tmp' }).next()).error!, /choose an empty folder|belongs to another user/)
    return
  }
  const small = smallCheckout(folder)
  const dataDir = join(folder, 'data')
  mkdirSync(dataDir)
  const asUnprivileged = {
    dataDir,
    stateDir: join(folder, 'state'),
    as: unprivileged,
    checkout: small.checkout,
    node: small.node,
  }
  assert.match((await hold(t, asUnprivileged).next()).error!, /belongs to another user: start as that user \(or as root\)/)

  // "daemon" stands for a user who started the service before another user ran sudo.
  const otherUser = { uid: 1, gid: 1 }
  chownSync(dataDir, otherUser.uid, otherUser.gid)
  const stateDir = join(folder, 'state-of-other')
  mkdirSync(stateDir)
  chownSync(stateDir, otherUser.uid, otherUser.gid)
  const theirs = hold(t, { ...asUnprivileged, as: otherUser, stateDir })
  await theirs.ready()
  const joined = hold(t, { dataDir })
  assert.equal((await joined.ready()).attached, true)
  await theirs.stop()
  await joined.stop()
  const alone = hold(t, { dataDir })
  assert.equal((await alone.ready()).attached, false)
  assert.equal(statSync(join(dataDir, 'cluster')).uid, otherUser.uid)
})
