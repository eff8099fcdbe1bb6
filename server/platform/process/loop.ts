/** Repeated work of a worker: run, and run again at once while there is a full load, else after a pause or when woken. One at a time. */
import type { Log } from './log.ts'

export type Loop = {
  wake(): void
  /** Resolves when the work in hand is done; none is begun after. */
  stop(): Promise<void>
}

export type LoopOptions = {
  /** `slice/use-case`. */
  name: string
  pauseMs: number
  /** A round that takes longer raises an alarm: while it lasts nothing else of this job is done. */
  stuckAfterMs?: number
  /** Does one round; true when there is probably more to do. */
  round(): Promise<boolean>
  log: Log
}

export function startLoop({ name, pauseMs, round, log, stuckAfterMs = 15 * 60_000 }: LoopOptions): Loop {
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
