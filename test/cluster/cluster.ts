/**
 * A cluster as `docs/cluster.md` describes it, from the files in `ops/cluster`: three machines with etcd, Patroni and PostgreSQL, and two
 * with HAProxy, an api and a worker. The provider's simulator and the clients are outside.
 */
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { migrate } from '../../server/platform/db/migrate.ts'
import { eventually, startTestApp, testSettings, type TestApp } from '../app.ts'
import { migrateDatabase } from '../databases.ts'
import { makeNextVersion } from '../faults/next-version.ts'
import { makeClock, type Clock } from './clock.ts'
import { makeDisk, type Disk } from './disk.ts'
import { makeNetwork, outside, subnet, type Machine, type Network } from './network.ts'
import { patroni, postgres } from './programs.ts'

const root = join(import.meta.dirname, '../..')
const nobody = 65_534
const asNobody = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups']
const password = randomBytes(16).toString('hex')

/** A machine with programs that a supervisor keeps running, unless a fault stopped them. */
export type Unit = Machine & {
  clock: Clock
  start(): void
  /** Ends all its programs at once, as a power cut does. */
  kill(): Promise<void>
  /** Ends all its programs in order, as a shutdown does. */
  stop(): Promise<void>
}

export type Cluster = {
  network: Network
  folder: string
  nodes: (Unit & { disk: Disk })[]
  apps: (Unit & { url: string; isReady(): Promise<boolean> })[]
  app: TestApp
  /** The database on one machine, whatever its role is. */
  urlOf(node: Machine, database?: string): string
  /** The machine that holds the lock, as Patroni says. */
  primary(): Promise<Cluster['nodes'][number] | undefined>
  /** Whether a primary has a synchronous standby and all machines replicate. */
  isWhole(): Promise<boolean>
  /** Prepares the other version of the service: what starts from now on is that one. The first time, its migrations run. */
  changeVersion(): Promise<'next' | 'this'>
}

/** The tests and their services log in as the superuser, from each machine. */
const letTestsIn = (text: string): string =>
  text.replace('  pg_hba:\n', `  pg_hba:\n    - host all malipo ${subnet} scram-sha-256\n`)

function fill(file: string, to: string, values: Record<string, string>): string {
  const text = letTestsIn(readFileSync(join(root, 'ops/cluster', file), 'utf8'))
  writeFileSync(
    to,
    text.replace(/^[^#]*$/gm, (line) => line.replace(/\$\{(\w+)\}/g, (_, name: string) => values[name]!)),
    { mode: 0o600 },
  )
  chownSync(to, nobody, nobody)
  return to
}

/** `programs` are started again when they end by themselves. */
function supervise(
  machine: Machine,
  clock: Clock,
  programs: () => { words: string[]; log: string; env?: NodeJS.ProcessEnv }[],
): Unit {
  let isUp = false
  let life = 0
  return {
    ...machine,
    clock,
    start() {
      isUp = true
      const own = ++life
      for (const { words, log, env } of programs()) {
        const keep = (): void => {
          if (!isUp || own !== life) return
          machine.spawn(words, log, env).once('exit', () => setTimeout(keep, 500))
        }
        keep()
      }
    },
    async kill() {
      isUp = false
      await eventually(`${machine.name} is killed`, async () => {
        await machine.signal('SIGKILL')
        return !(await machine.runs())
      })
    },
    async stop() {
      isUp = false
      // Patroni stops PostgreSQL and gives the lock back, for which it needs etcd.
      for (const only of [patroni, '']) {
        await machine.signal('SIGTERM', only)
        await eventually(`${machine.name} stops`, async () => !(await machine.runs(only)), 60_000)
      }
    },
  }
}

async function statusOf(machine: Machine, path: string): Promise<number> {
  const asked = fetch(`http://${machine.address}:8008${path}`, { signal: AbortSignal.timeout(1_000) })
  return asked.then(
    ({ status }) => status,
    () => 0,
  )
}

async function prepareDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url.replace(/\/\w+$/, '/postgres') })
  await client.connect()
  await client.query('create database malipo')
  await client.query('create table writes (number bigint primary key, node text not null)')
  await client.end()
  await migrateDatabase(url)
}

/** All files are made in `folder`. Its processes end with this one. */
export async function startCluster(folder: string): Promise<Cluster> {
  chownSync(folder, nobody, nobody)
  const network = await makeNetwork()
  const addresses = { n1: '10.46.0.1', n2: '10.46.0.2', n3: '10.46.0.3' }
  const values = {
    SUBNET: subnet,
    PASSWORD: password,
    REPLICATION_PASSWORD: randomBytes(16).toString('hex'),
    REST_PASSWORD: randomBytes(16).toString('hex'),
    BIN: postgres,
    N1: addresses.n1,
    N2: addresses.n2,
    N3: addresses.n3,
    ETCD_PEERS: Object.entries(addresses)
      .map(([name, address]) => `${name}=http://${address}:2380`)
      .join(),
    ETCD_CLIENTS: Object.values(addresses)
      .map((address) => `${address}:2379`)
      .join(),
  }

  const nodes: Cluster['nodes'] = []
  for (const [name, address] of Object.entries(addresses)) {
    const disk = await makeDisk(join(folder, name))
    const machine = await network.add(name, address, disk.through)
    const own = disk.folder
    chmodSync(own, 0o700)
    chownSync(own, nobody, nobody)
    const all = { ...values, NAME: name, ADDRESS: address, FOLDER: own }
    const [etcdFile, patroniFile] = [
      fill('etcd.yml', join(own, 'etcd.yml'), all),
      fill('patroni.yml', join(own, 'patroni.yml'), all),
    ]
    const clock = makeClock(join(folder, `${name}-clock`))
    const unit = supervise(machine, clock, () => [
      { words: [...asNobody, 'etcd', '--config-file', etcdFile], log: join(folder, `${name}-etcd.log`) },
      { words: [...asNobody, ...clock.through, patroni, patroniFile], log: join(folder, `${name}-patroni.log`) },
    ])
    nodes.push({ ...unit, disk })
    unit.start()
  }
  const hosts = Object.values(addresses)
    .map((address) => `${address}:5432`)
    .join()
  const url = `postgresql://malipo:${password}@${hosts}/malipo`
  const primary = async (): Promise<Cluster['nodes'][number] | undefined> => {
    const statuses = await Promise.all(nodes.map((node) => statusOf(node, '/primary')))
    return nodes[statuses.indexOf(200)]
  }
  const isWhole = async (): Promise<boolean> => {
    const statuses = await Promise.all(
      nodes.map(async (node) => [
        await statusOf(node, '/primary'),
        await statusOf(node, '/replica'),
        await statusOf(node, '/sync'),
      ]),
    )
    const count = (at: number): number => statuses.filter((one) => one[at] === 200).length
    return count(0) === 1 && count(1) === 2 && count(2) === 1
  }
  await eventually('the cluster is whole', isWhole, 120_000)
  await prepareDatabase(url.replace(hosts, `${(await primary())!.address}:5432`))

  const appAddresses = { a1: '10.46.0.11', a2: '10.46.0.12' }
  const settings = {
    RATE_LIMITS: 'off',
    PROVIDER_CALLBACK_BASE_URL: 'http://127.0.0.1:4000',
    CHARGE_CLAIM_LEASE_SECONDS: '1',
    PAYMENT_CHECK_DELAYS_SECONDS: '0.5',
    WEBHOOK_RETRY_DELAYS_SECONDS: '1,2,5,15',
  }
  // Nothing is released: what it has made is in the folder and in the namespaces.
  const app = await startTestApp(
    { after: () => undefined },
    {
      database: { url, drop: async () => undefined },
      settings,
      // While the first api is away, its messages are lost, and the service asks for the results.
      simulator: { host: '0.0.0.0', deliverTo: `http://${appAddresses.a1}:4000` },
    },
  )
  const simulatorUrl = app.simulatorUrl.replace('127.0.0.1', outside)
  const apps: Cluster['apps'] = []
  let version = root
  for (const [name, address] of Object.entries(appAddresses)) {
    const machine = await network.add(name, address)
    const haproxy = fill('haproxy.cfg', join(folder, `${name}-haproxy.cfg`), values)
    const ports = { api: 4000, checkout: 4001, storage: 4002 }
    const env = {
      ...process.env,
      ...app.settings,
      ...pickProviders(testSettings('', ports, simulatorUrl)),
      HOST: '0.0.0.0',
      LOG_LEVEL: 'warn',
      PORT: '4000',
      CHECKOUT_PORT: '4001',
      STORAGE_PORT: '4002',
      // One public address, as in front of a balancer: both issue and accept the same tokens.
      BASE_URL: app.config.urls.api,
      DATABASE_URL: `postgresql://malipo:${password}@127.0.0.1:5000/malipo`,
    }
    const clock = makeClock(join(folder, `${name}-clock`))
    const program = (role: string, metrics: string) => ({
      words: [...clock.through, process.execPath, join(version, 'server/start/main.ts'), role],
      log: join(folder, `${name}-${role}.log`),
      env: { ...env, METRICS_PORT: metrics },
    })
    const unit = supervise(machine, clock, () => [
      { words: ['haproxy', '-db', '-f', haproxy], log: join(folder, `${name}-haproxy.log`) },
      program('api', '4003'),
      program('worker', '4004'),
    ])
    const url = `http://${address}:4000`
    const isReady = (): Promise<boolean> =>
      fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
        ({ status }) => status === 200,
        () => false,
      )
    apps.push({ ...unit, url, isReady })
    unit.start()
  }
  for (const { name, isReady } of apps) await eventually(`the api of ${name} is ready`, isReady, 60_000)

  let next: string | undefined
  async function changeVersion(): Promise<'next' | 'this'> {
    if (next === undefined) {
      const made = await makeNextVersion({ after: () => undefined })
      const migrations = await made.lay('expand', 'index')
      // A migration that a fault interrupted is run again, as an operator does.
      await eventually(
        'the schema of the next version is there',
        () =>
          migrate(app.owner, migrations).then(
            () => true,
            () => false,
          ),
        60_000,
      )
      next = made.folder
    }
    version = version === root ? next : root
    return version === root ? 'this' : 'next'
  }
  const urlOf = (node: Machine, database = 'malipo'): string => `postgresql://malipo:${password}@${node.address}:5432/${database}`
  return { network, folder, nodes, apps, app, urlOf, primary, isWhole, changeVersion }
}

const pickProviders = (settings: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => name.endsWith('_BASE_URL')))
