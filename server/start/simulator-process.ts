/** The provider simulator as a child process of a local start: it ends with its parent and is restarted when it crashes. */
import { fork, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { childEnvironment } from '../config/config.ts'

export type SimulatorProcess = { stop(): Promise<void> }

const program = join(import.meta.dirname, '../../simulator/main.ts')
const restartMs = 1_000

export class SimulatorFailed extends Error {}

/** Starts the simulator and waits until it listens. */
export async function startSimulatorProcess(
  settings: Record<string, string>,
  log: (line: string) => void,
): Promise<SimulatorProcess> {
  let child: ChildProcess
  let isStopping = false

  const start = (): Promise<void> =>
    new Promise((resolve, reject) => {
      let isReady = false
      let lastWords = ''
      child = fork(program, { env: childEnvironment(settings), stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
      child.stdout!.on('data', (chunk: Buffer) => log(chunk.toString().trimEnd()))
      child.stderr!.on('data', (chunk: Buffer) => {
        lastWords = chunk.toString().trim()
        log(lastWords)
      })
      child.on('message', (message: { ready?: boolean }) => {
        if (message.ready !== true) return
        isReady = true
        resolve()
      })
      child.once('exit', () => {
        if (!isReady) reject(new SimulatorFailed(lastWords || 'The simulator ended at its start.'))
        else if (!isStopping) setTimeout(() => void start().catch((error: unknown) => log(String(error))), restartMs).unref()
      })
    })

  await start()
  return {
    async stop() {
      isStopping = true
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
    },
  }
}
