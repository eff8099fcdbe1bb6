/** Several real processes of the service on one database, with the simulator beside them: for what only happens between processes. */
import assert from 'node:assert/strict'
import { fork, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Step } from './faults/start-at-step.ts'
import { freePorts, startWorld, testSettings, type World } from './world.ts'

export type Member = {
  url: string
  storageUrl: string
  /** Resident memory of the process, in MB, after a collection of garbage. */
  residentMb(): Promise<number>
  /** What of it is in use. */
  liveMb(): Promise<number>
  /** Resolves when the step that this process was started with is reached. */
  reached: Promise<void>
  /** Stops it where it stands for so long, as a machine does that is moved: it goes on as if no time had passed. */
  freeze(ms: number): Promise<void>
  /** kill -9, and waits until it is gone. */
  kill(): Promise<void>
  /** SIGTERM; answers with the exit code. */
  stop(): Promise<number | null>
}

export type Fleet = {
  world: World
  api(step?: Step): Promise<Member>
  worker(step?: Step): Promise<Member>
}

const program = join(import.meta.dirname, 'faults/start-at-step.ts')

/**
 * A fleet around a world whose own process serves nothing but the set-up: the provider calls back at `callbackPort`, where the first
 * api of the fleet, and after its death the next one, listens.
 */
export async function startFleet(t: TestContext, settings: Record<string, string> = {}): Promise<Fleet> {
  const [callbackPort] = await freePorts(1)
  const callback = { PROVIDER_CALLBACK_BASE_URL: `http://127.0.0.1:${callbackPort}` }
  const given: Record<string, string> = {
    ...callback,
    CHARGE_CLAIM_LEASE_SECONDS: '1',
    PAYMENT_CHECK_DELAYS_SECONDS: '0.5',
    ...settings,
  }
  const world = await startWorld(t, { settings: given })
  const members = new Set<ChildProcess>()
  let holder: ChildProcess | undefined

  async function start(role: 'api' | 'worker', step?: Step): Promise<Member> {
    const [free, checkout, storage] = await freePorts(3)
    const takesCallbacks = role === 'api' && holder === undefined
    const port = takesCallbacks ? callbackPort! : free!
    const { url } = world.config.database
    const env = {
      ...process.env,
      ...testSettings(url, { api: port, checkout: checkout!, storage: storage! }, world.simulatorUrl),
      ...world.settings,
      ...given,
      PORT: String(port),
      // One installation has one public address, whichever of its processes answers.
      BASE_URL: world.config.urls.api,
      CHECKOUT_PORT: String(checkout),
      STORAGE_PORT: String(storage),
    }
    const child = fork(program, [role, ...(step ? [step] : [])], {
      env,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      execArgv: ['--expose-gc'],
    })
    members.add(child)
    if (takesCallbacks) holder = child
    const gone = new Promise<number | null>((resolve) =>
      child.once('exit', (code) => {
        members.delete(child)
        if (holder === child) holder = undefined
        resolve(code)
      }),
    )
    const heard = (key: 'ready' | 'reached') =>
      new Promise<void>((resolve) => child.on('message', (message: Record<string, unknown>) => key in message && resolve()))
    function askMemory(question: 'residentMb' | 'liveMb'): Promise<number> {
      const told = new Promise<number>((resolve) => {
        const hear = (message: { memoryMb?: number }): void => {
          if (message.memoryMb === undefined) return
          child.off('message', hear)
          resolve(message.memoryMb)
        }
        child.on('message', hear)
      })
      child.send(question)
      return told
    }
    const [ready, reached] = [heard('ready'), heard('reached')]
    await Promise.race([ready, gone.then(() => assert.fail(`The ${role} ended at its start.`))])
    return {
      url: `http://127.0.0.1:${port}`,
      storageUrl: `http://127.0.0.1:${storage}`,
      residentMb: () => askMemory('residentMb'),
      liveMb: () => askMemory('liveMb'),
      reached,
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
        return gone
      },
    }
  }

  // Before the world looks at its books: a check that fails must not leave processes behind, which the run would wait for.
  world.beforeClose(async () => {
    const ends = [...members].map((child) => new Promise((resolve) => child.once('exit', resolve)))
    for (const child of members) child.kill('SIGKILL')
    await Promise.all(ends)
  })
  return { world, api: (step) => start('api', step), worker: (step) => start('worker', step) }
}
