/** Repeated work of a worker: after a full round it runs again at once, otherwise after a pause or when woken. One round at a time. */
import type { Log } from './log.ts'
import type { Meters } from './meters.ts'

export type Loop = {
  wake(): void
  /** Resolves when the current round is done; no other round starts. */
  stop(): Promise<void>
}

export type LoopOptions = {
  /** `slice/use-case`. */
  name: string
  pauseMs: number
  /** A round that takes longer raises an alarm: it blocks all other work of this job. */
  stuckAfterMs?: number
  /** Does one round; returns true when more work is probably waiting. */
  round(): Promise<boolean>
  log: Log
  meters: Meters
}

export function startLoop({ name, pauseMs, round, log, meters, stuckAfterMs = 15 * 60_000 }: LoopOptions): Loop {
  // `job` is the label that Prometheus itself gives to a scrape.
  const countFailure = meters.counter('malipo_job_failures_total', 'Rounds of a repeated job that failed.', ['name'])
  // The first failure is then an increase, too.
  countFailure({ name }, 0)
  let isStopping = false
  let isWoken = false
  let wakeUp = () => {}

  async function run(): Promise<void> {
    while (!isStopping) {
      isWoken = false
      let hasMore = false
      const alarm = setInterval(() => {
        log.error('job.stuck', new Error('stuck_job'), { alert: true, job: name })
      }, stuckAfterMs)
      alarm.unref()
      try {
        hasMore = await round()
      } catch (error) {
        countFailure({ name })
        log.error('job.failed', error, { job: name })
      } finally {
        clearInterval(alarm)
      }
      if (hasMore || isWoken || isStopping) continue
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pauseMs)
        wakeUp = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }

  const running = run()
  return {
    wake() {
      isWoken = true
      wakeUp()
    },
    stop() {
      isStopping = true
      wakeUp()
      return running
    },
  }
}
