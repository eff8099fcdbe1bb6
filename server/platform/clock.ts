/** The process's own clock, for timers and deadlines only: time on money rows is SQL `clock_now()`. */

export type Clock = {
  /** Milliseconds since the epoch. */
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }
