/**
 * The whole service of the simulated year: PostgreSQL, one api, one worker and the simulator, each in a separate process, on one
 * clock.
 */
import assert from 'node:assert/strict'
import { fork, type ChildProcess } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { loadConfig, type Config } from '../../server/config/config.ts'
import { startOwnDatabase, type OwnDatabase } from '../faults/own-database.ts'
import { controlSimulator, eventually, freePorts, simulatorConfig, testSettings, type Answer, type CallOptions } from '../app.ts'
import { addEffort, readDatabaseSeconds, readSeconds, type Effort } from './effort.ts'
import { makeYearFolder } from '../fast-folder.ts'
import { createYearClock, type Follower, type YearClock } from './year-clock.ts'

const root = join(import.meta.dirname, '../..')

export type ProcessName = 'api' | 'worker' | 'simulator'

export type Service = {
  clock: YearClock
  database: OwnDatabase
  /** The owner of the schema: the run reads the books directly, not through the service. */
  owner: pg.Pool
  config: Config
  /** The settings of the processes; a change applies from their next start on. */
  settings: Record<string, string>
  /** The folder of its logs. */
  folder: string
  /** The folder for all other data that it writes: the cluster, its backups, documents, mails, the simulator's books. */
  fastFolder: string
  simulatorUrl: string
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  control(method: string, path: string, body?: unknown): Promise<any>
  /**
   * The provider's faults (`/__control/faults`). The simulator loses them when its process ends and gets them again at its next
   * start.
   */
  faults: Record<string, any> | undefined
  setFaults(faults: Record<string, any>): Promise<void>
  start(name: ProcessName): Promise<void>
  /** Sends kill -9 and waits until the process is gone. */
  kill(name: ProcessName): Promise<void>
  /** Sends SIGTERM and waits for a clean exit. */
  stop(name: ProcessName): Promise<void>
  /** Waits until the database accepts writes, and sets its clock. */
  findDatabase(): Promise<void>
  /** Ends everything; returns the processor seconds of all of it. */
  close(): Promise<Effort>
}

type Running = { child: ChildProcess; gone: Promise<number | null>; follower: Follower }

function followerOf(child: ChildProcess): Follower {
  let questions = 0
  const waiting = new Map<number, () => void>()
  const release = (): void => {
    for (const answered of waiting.values()) answered()
    waiting.clear()
  }
  child.on('message', ({ question }: { question?: number }) => {
    if (question === undefined) return
    waiting.get(question)?.()
    waiting.delete(question)
  })
  child.once('exit', release)
  return {
    moveTo: (aheadMs) =>
      new Promise((resolve) => {
        if (!child.connected) return resolve()
        questions += 1
        waiting.set(questions, resolve)
        child.send({ question: questions, aheadMs }, (error) => error && release())
      }),
  }
}

async function isReady(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ status }) => status === 200,
    () => false,
  )
}

/** Notes the effort of a server before the server is gone. */
function countingCrashes(database: OwnDatabase, effort: Effort): OwnDatabase {
  const crash = async (): Promise<void> => {
    addEffort(effort, 'database', await readDatabaseSeconds(database.cluster))
    await database.crash()
  }
  return { ...database, crash }
}

export async function startService(folder: string, seed: string): Promise<Service> {
  const fastFolder = await makeYearFolder()
  const effort: Effort = new Map()
  const database = countingCrashes(await startOwnDatabase({ fsync: false, within: fastFolder }), effort)
  const ports = await freePorts(5)
  const [api, checkout, storage, simulatorPort, metrics] = ports as [number, number, number, number, number]
  const simulatorUrl = `http://127.0.0.1:${simulatorPort}`
  const settings: Record<string, string> = {
    ...testSettings(database.url, { api, checkout, storage }, simulatorUrl),
    DATA_DIR: fastFolder,
    LOG_LEVEL: 'info',
    RATE_LIMITS: 'off',
    DATABASE_POOL_SIZE: '4',
    PROVIDER_CIRCUIT_OPEN_SECONDS: '15',
  }
  const config = loadConfig(settings, {})
  const plays = simulatorConfig(settings)
  const simulatorSettings: Record<string, string> = {
    SIMULATOR_PORT: String(simulatorPort),
    SIMULATOR_DATA_DIR: join(fastFolder, 'simulator'),
    SNIPPE_TEST_API_KEY: plays.accounts.test.apiKey,
    SNIPPE_LIVE_API_KEY: plays.accounts.live.apiKey,
    SNIPPE_TEST_WEBHOOK_SECRETS: plays.accounts.test.webhookSecret,
    SNIPPE_LIVE_WEBHOOK_SECRETS: plays.accounts.live.webhookSecret,
    SIMULATOR_CLICKPESA_TEST_WEBHOOK_URL: plays.clickPesa['clickpesa-test'].webhookUrl ?? '',
    SIMULATOR_CLICKPESA_LIVE_WEBHOOK_URL: plays.clickPesa['clickpesa-live'].webhookUrl ?? '',
    SIMULATOR_ALLOW_HTTP_WEBHOOKS: 'true',
    SIMULATOR_OPENING_BALANCE: '1000000000',
    SIMULATOR_DELAY_MS: '100',
    SIMULATOR_SEED: seed,
  }
  const owner = new pg.Pool({ connectionString: database.url, max: 3, options: '-c timezone=UTC' })
  owner.on('error', () => undefined)
  // With so few rows, and processes that restart often, planning a statement costs more than running it.
  await owner.query(`alter system set plan_cache_mode = 'force_generic_plan'`)
  const clock = createYearClock(() => owner)
  const running = new Map<ProcessName, Running>()
  let starts = 0

  const moveSimulator: Follower = {
    async moveTo() {
      await control('POST', '/clock', { now: new Date(clock.now()).toISOString() })
    },
  }

  function spawn(name: ProcessName): ChildProcess {
    const isSimulator = name === 'simulator'
    const program = join(root, isSimulator ? 'simulator/main.ts' : 'server/start/main.ts')
    const child = fork(program, isSimulator ? [] : [name], {
      cwd: root,
      env: {
        PATH: process.env['PATH'],
        ...(isSimulator ? simulatorSettings : settings),
        ...(name === 'worker' && { METRICS_PORT: String(metrics) }),
        YEAR_AHEAD_MS: String(clock.aheadMs()),
        // A restarted process does not compile the same code again.
        NODE_COMPILE_CACHE: join(folder, 'compiled'),
      },
      // The simulator moves its own clock from then on.
      execArgv: ['--import', join(import.meta.dirname, 'moved-time.ts')],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    starts += 1
    const log = createWriteStream(join(folder, `${name}-${starts}.log`))
    child.stdout!.pipe(log)
    child.stderr!.pipe(log)
    return child
  }

  async function start(name: ProcessName): Promise<void> {
    const child = spawn(name)
    const follower = name === 'simulator' ? moveSimulator : followerOf(child)
    const gone = new Promise<number | null>((resolve) => child.once('exit', resolve))
    running.set(name, { child, gone, follower })
    const url = {
      api: `http://127.0.0.1:${api}/readyz`,
      worker: `http://127.0.0.1:${metrics}/readyz`,
      simulator: `${simulatorUrl}/__truth/totals`,
    }
    const ended = gone.then((code) => assert.fail(`The ${name} ended at its start with ${code}; its log is in ${folder}.`))
    ended.catch(() => undefined)
    await Promise.race([eventually(`the ${name} is ready`, () => isReady(url[name]), 300_000), ended])
    clock.follow(follower)
    // Its loops have finished their first rounds; the simulator has no loops.
    if (name !== 'simulator') await follower.moveTo(clock.aheadMs())
    else if (service.faults) await service.setFaults(service.faults)
  }

  async function end(name: ProcessName, signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    const { child, gone, follower } = running.get(name)!
    clock.leave(follower)
    running.delete(name)
    addEffort(effort, name, await readSeconds(child.pid!))
    child.kill(signal)
    return gone
  }

  const control = (method: string, path: string, body?: unknown): Promise<any> =>
    controlSimulator(simulatorUrl, method, path, body)

  const service: Service = {
    clock,
    database,
    owner,
    config,
    settings,
    folder,
    fastFolder,
    simulatorUrl,
    async call(method, path, { token, key, body, headers = {} } = {}) {
      const response = await fetch(`${config.urls.api}${path}`, {
        method,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(key !== undefined && { 'x-api-key': key }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.includes('json') ?? false
      return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
    },
    control,
    faults: undefined,
    async setFaults(faults) {
      service.faults = faults
      await control('PATCH', '/faults', faults)
    },
    start,
    async kill(name) {
      await end(name, 'SIGKILL')
    },
    async stop(name) {
      assert.equal(await end(name, 'SIGTERM'), 0, `The ${name} did not end well.`)
    },
    async findDatabase() {
      await eventually(
        'the database takes writes',
        async () => {
          const { rows } = await owner.query<{ isRecovering: boolean }>('select pg_is_in_recovery() as "isRecovering"')
          return !rows[0]!.isRecovering
        },
        60_000,
      )
      await clock.tellDatabase()
    },
    async close() {
      await Promise.all([...running.keys()].map((name) => end(name, 'SIGKILL')))
      await owner.end()
      addEffort(effort, 'database', await readDatabaseSeconds(database.cluster))
      await database.drop()
      // The watchdog of a server is a child of the run, and has waited for it.
      const ofOthers = [...effort.values()].reduce((sum, seconds) => sum + seconds, 0)
      return effort.set('run and commands', Math.max(0, (await readSeconds('self')) - ofOthers))
    },
  }
  return service
}
