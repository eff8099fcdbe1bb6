/**
 * The clock of one process of the simulated year, loaded before anything else (`--import`): `Date` and `performance.now()` are
 * ahead of the machine's clock by the amount that the run sends over IPC. The pauses of the service's loops follow them, so a pause
 * that is over by the moved clock ends at once. All other timers (time limits of calls, pools) run in real time, because the work
 * that they wait for does too.
 */

import { flushCompileCache } from 'node:module'

const RealDate = Date
const realNow = performance.now.bind(performance)
const realSetTimeout = globalThis.setTimeout
const realClearTimeout = globalThis.clearTimeout

let aheadMs = Number(process.env['YEAR_AHEAD_MS'] ?? 0)

class MovedDate extends RealDate {
  constructor(...given: unknown[]) {
    if (given.length === 0) super(RealDate.now() + aheadMs)
    else super(...(given as [number]))
  }
  static override now(): number {
    return RealDate.now() + aheadMs
  }
}

globalThis.Date = MovedDate as DateConstructor
performance.now = () => realNow() + aheadMs

type Pause = { dueAt: number; end(): void; timer: NodeJS.Timeout }

/** The pauses of loops that have not ended, by the result of `setTimeout`. */
const pauses = new Map<NodeJS.Timeout, Pause>()
/** The number of loops: as many as ever paused at once. */
let loops = 0
let whenIdle: (() => void)[] = []

/**
 * Whether a pause of `server/platform/process/loop.ts` is being set: it ends with a promise, whose constructor is two calls above.
 */
function isPauseOfLoop(end: () => void): boolean {
  // The form of a function that resolves a promise; few others have it, and a stack trace is expensive.
  if (end.name !== '' || end.length !== 1) return false
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 2
  const where: { stack?: string } = {}
  Error.captureStackTrace(where, globalThis.setTimeout)
  Error.stackTraceLimit = stackTraceLimit
  return where.stack!.includes('platform/process/loop.ts')
}

function startPause(end: () => void, ms: number): NodeJS.Timeout {
  const dueAt = performance.now() + ms
  const timer = realSetTimeout(() => {
    pauses.delete(timer)
    end()
  }, ms)
  pauses.set(timer, { dueAt, end, timer })
  loops = Math.max(loops, pauses.size)
  if (pauses.size === loops) {
    for (const notify of whenIdle) notify()
    whenIdle = []
  }
  return timer
}

globalThis.setTimeout = Object.assign((...given: Parameters<typeof realSetTimeout>) => {
  const [end, ms] = given
  return ms !== undefined && ms >= 100 && isPauseOfLoop(end) ? startPause(end, ms) : realSetTimeout(...given)
}, realSetTimeout) as typeof setTimeout
globalThis.clearTimeout = ((timer: NodeJS.Timeout | undefined) => {
  if (timer) pauses.delete(timer)
  realClearTimeout(timer)
}) as typeof clearTimeout

/** Moves this process's clock; ends the pauses that are over by then. */
export function moveTime(toAheadMs: number): void {
  aheadMs = toAheadMs
  const now = performance.now()
  for (const [timer, { dueAt, end }] of pauses) {
    if (dueAt > now) continue
    realClearTimeout(timer)
    pauses.delete(timer)
    end()
  }
}

/** Resolves when every loop of this process pauses. */
async function idle(): Promise<void> {
  if (pauses.size < loops) await new Promise<void>((resolve) => whenIdle.push(resolve))
}

/** The command of the run: move the clock, then answer with `question` when every loop has done its round. */
export type TimeCommand = { question: number; aheadMs: number }

if (process.send) {
  process.on('message', (command: Partial<TimeCommand>) => {
    // Programs that a process of the service starts inherit this file, and have different messages.
    const { question, aheadMs: ahead } = command
    if (question === undefined || ahead === undefined) return
    // It may be killed before it ends normally, and the next process need not compile everything again.
    if (question === 1) flushCompileCache()
    moveTime(ahead)
    void idle().then(() => process.send!({ question }))
  })
  process.on('disconnect', () => process.exit(1))
}
