/** The clock of the process, for timers and deadlines only: time on money rows is SQL `clock_now()`. */

export type Clock = {
  /** Milliseconds since the epoch. */
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

/** Measures durations: it runs evenly when the time of day is changed, and is correct only for differences. */
export const steadyClock: Clock = { now: () => performance.timeOrigin + performance.now() }
