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
  /** Does one round; true when there is probably more to do. */
  round(): Promise<boolean>
  log: Log
}

export function startLoop({ name, pauseMs, round, log }: LoopOptions): Loop {
  let isStopping = false
  let isWoken = false
  let wakeUp = () => {}

  async function run(): Promise<void> {
    while (!isStopping) {
      isWoken = false
      let hasMore = false
      try {
        hasMore = await round()
      } catch (error) {
        log.error('a round of work failed', error, { job: name })
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
