/**
 * Ends a process whose event loop is blocked: such a job would otherwise silently block all other work of the process forever.
 * The claimed work becomes due again and runs in a new process that a supervisor starts.
 */
import { Worker } from 'node:worker_threads'
import { logEvents, type LogEvent } from '../../domain/log-events.ts'

export type Watchdog = { stop(): Promise<void> }

/** The interval of the heartbeat. The watchdog counts missed beats, not time, so that a suspended machine does not look like a blocked process. */
const beatMs = 250

const program = `
const { workerData } = require('node:worker_threads')
const { beats, beatMs, missedAtMost, sentence } = workerData
const heart = new Int32Array(beats)
let last = -1
let missed = 0
setInterval(() => {
  const now = Atomics.load(heart, 0)
  missed = now === last ? missed + 1 : 0
  last = now
  if (missed <= missedAtMost) return
  require('node:fs').writeSync(2, sentence + '\\n')
  process.kill(process.pid, 'SIGKILL')
}, beatMs)
`

/** Kills this process, with a line on its standard error, when its event loop has been blocked for this long. */
export function startWatchdog({ stuckAfterMs }: { stuckAfterMs: number }): Watchdog {
  const beats = new SharedArrayBuffer(4)
  const heart = new Int32Array(beats)
  const timer = setInterval(() => void Atomics.add(heart, 0, 1), beatMs)
  timer.unref()
  const sentence = JSON.stringify({
    level: 'error',
    event: 'process.stuck' satisfies LogEvent,
    message: logEvents['process.stuck'],
    alert: true,
    stuck_after_ms: stuckAfterMs,
    pid: process.pid,
  })
  const worker = new Worker(program, {
    eval: true,
    workerData: { beats, beatMs, missedAtMost: Math.ceil(stuckAfterMs / beatMs), sentence },
  })
  worker.unref()
  return {
    async stop() {
      clearInterval(timer)
      await worker.terminate()
    },
  }
}
