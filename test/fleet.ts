/** Several real processes of the service on one database, with the simulator beside them: for tests of effects between processes. */
import assert from 'node:assert/strict'
import { fork, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import type { Command, Poison, Step } from './faults/start-with-faults.ts'
import { freePorts, startTestApp, testSettings, type TestApp, type TestAppOptions } from './app.ts'

export type Member = {
  url: string
  checkoutUrl: string
  storageUrl: string
  /** Resident memory of the process, in MB, after a collection of garbage. */
  residentMb(): Promise<number>
  /** The most that it had since its start. */
  highestMb(): Promise<number>
  /** The part of it in use. */
  liveMb(): Promise<number>
  /** Resolves when this process reaches the step that it was started with; fails if it ends first, or does not within a minute. */
  readonly reached: Promise<void>
  /** Stops the process for this time, as happens to a virtual machine during a move: it continues as if no time had passed. */
  freeze(ms: number): Promise<void>
  /** Stops the process until it may continue. */
  pause(): void
  resume(): void
  /** Sets the error of its clock from now on; only for a process that was started with a separate clock. */
  setClock(offsetMs: number): void
  /** Resolves with its exit code when it has ended, for any reason. */
  gone: Promise<number | null>
  /** Sends kill -9 and waits until the process is gone. */
  kill(): Promise<void>
  /** Sends SIGTERM; returns the exit code. */
  stop(): Promise<number | null>
}

/** The faults of a member from its start on, and its settings in addition to the common ones. */
export type Fault = {
  step?: Step
  clockOffsetMs?: number
  poison?: Poison
  settings?: Record<string, string>
  /** Gets every line of its log instead of the terminal. */
  logTo?(line: string): void
  /** The folder of another version of the service; the default is this one. */
  version?: string
  /** Options of the process itself, such as its memory limit. */
  execArgv?: string[]
}

export type Fleet = {
  app: TestApp
  api(fault?: Step | Fault): Promise<Member>
  worker(fault?: Step | Fault): Promise<Member>
  /** A worker that only sends webhooks. */
  dispatcher(fault?: Fault): Promise<Member>
}

const ownVersion = join(import.meta.dirname, '..')

/** No process needs this long for what a test waits for, also on a busy machine. */
const longestMs = 60_000

/**
 * A fleet around a test app whose own process serves only the set-up. The provider calls back at `callbackPort`, where the first api
 * of the fleet listens, and after its death the next one.
 */
export async function startFleet(
  t: TestContext,
  settings: Record<string, string> = {},
  options: Pick<TestAppOptions, 'database' | 'simulator'> = {},
): Promise<Fleet> {
  const [callbackPort] = await freePorts(1)
  const callback = { PROVIDER_CALLBACK_BASE_URL: `http://127.0.0.1:${callbackPort}` }
  const given: Record<string, string> = {
    ...callback,
    CHARGE_CLAIM_LEASE_SECONDS: '1',
    PAYMENT_CHECK_DELAYS_SECONDS: '0.5',
    ...settings,
  }
  const app = await startTestApp(t, { ...options, settings: given })
  const members = new Set<ChildProcess>()
  let holder: ChildProcess | undefined

  async function start(role: 'api' | 'worker' | 'dispatcher', asked: Step | Fault = {}): Promise<Member> {
    const fault: Fault = typeof asked === 'string' ? { step: asked } : asked
    const [free, checkout, storage] = await freePorts(3)
    const takesCallbacks = role === 'api' && holder === undefined
    const port = takesCallbacks ? callbackPort! : free!
    const { url } = app.config.database
    const env = {
      ...process.env,
      ...testSettings(url, { api: port, checkout: checkout!, storage: storage! }, app.simulatorUrl),
      ...app.settings,
      ...given,
      PORT: String(port),
      // One installation has one public address, whichever of its processes answers.
      BASE_URL: app.config.urls.api,
      CHECKOUT_PORT: String(checkout),
      STORAGE_PORT: String(storage),
      ...fault.settings,
    }
    const { step, clockOffsetMs, poison, version = ownVersion, logTo, execArgv = [] } = fault
    const program = join(version, 'test/faults/start-with-faults.ts')
    const child = fork(program, [role, JSON.stringify({ step, clockOffsetMs, poison })], {
      env,
      // A process that a poison message kills prints a long report.
      stdio: ['ignore', logTo ? 'pipe' : 'inherit', poison ? 'ignore' : 'inherit', 'ipc'],
      execArgv,
    })
    members.add(child)
    if (logTo) createInterface({ input: child.stdout! }).on('line', logTo)
    if (takesCallbacks) holder = child
    const gone = new Promise<number | null>((resolve) =>
      child.once('exit', (code) => {
        members.delete(child)
        if (holder === child) holder = undefined
        resolve(code)
      }),
    )
    /** Says what did not happen, and what became of the process. Without it, a test ends only at the limit of its file. */
    async function within<Result>(wanted: Promise<Result>, what: string): Promise<Result> {
      const who = `The ${role} (${step ?? 'no step'})`
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<never>((_resolve, reject) => {
        const failure = new Error(`${who} runs, but did not ${what} within ${longestMs / 1000} seconds.`)
        timer = setTimeout(() => reject(failure), longestMs).unref()
      })
      const ended = gone.then((code) => assert.fail(`${who} ended with ${code} before it could ${what}.`))
      try {
        return await Promise.race([wanted, ended, late])
      } finally {
        clearTimeout(timer)
      }
    }
    const received = (key: 'ready' | 'reached') =>
      new Promise<void>((resolve) => child.on('message', (message: Record<string, unknown>) => key in message && resolve()))
    const send = (command: Command): void => void child.send(command)
    function askMemory(question: 'residentMb' | 'highestMb' | 'liveMb'): Promise<number> {
      const answered = new Promise<number>((resolve) => {
        const onMessage = (message: { memoryMb?: number }): void => {
          if (message.memoryMb === undefined) return
          child.off('message', onMessage)
          resolve(message.memoryMb)
        }
        child.on('message', onMessage)
      })
      send(question)
      return within(answered, 'report its memory')
    }
    const [ready, reached] = [received('ready'), received('reached')]
    // A process that cannot even start never ends.
    const failed = new Promise<never>((_resolve, reject) => child.once('error', reject))
    await within(Promise.race([ready, failed]), 'start')
    return {
      url: `http://127.0.0.1:${port}`,
      checkoutUrl: `http://127.0.0.1:${checkout}`,
      storageUrl: `http://127.0.0.1:${storage}`,
      residentMb: () => askMemory('residentMb'),
      highestMb: () => askMemory('highestMb'),
      liveMb: () => askMemory('liveMb'),
      get reached() {
        return within(reached, 'reach its step')
      },
      gone,
      pause: () => void child.kill('SIGSTOP'),
      resume: () => void child.kill('SIGCONT'),
      setClock: (offsetMs) => send({ clockOffsetMs: offsetMs }),
      async freeze(ms) {
        child.kill('SIGSTOP')
        await new Promise((resolve) => setTimeout(resolve, ms))
        child.kill('SIGCONT')
      },
      async kill() {
        child.kill('SIGKILL')
        await gone
      },
      async stop() {
        child.kill('SIGTERM')
        return within(gone, 'stop')
      },
    }
  }

  // Before the app checks its books: a failed check must not leave processes behind, because the run would wait for them.
  app.beforeClose(async () => {
    const ends = [...members].map((child) => new Promise((resolve) => child.once('exit', resolve)))
    for (const child of members) child.kill('SIGKILL')
    await Promise.all(ends)
  })
  return {
    app,
    api: (fault) => start('api', fault),
    worker: (fault) => start('worker', fault),
    dispatcher: (fault) => start('dispatcher', fault),
  }
}
