/** The process's own clock, for timers and deadlines only: time on money rows is SQL `clock_now()`. */

export type Clock = {
  /** Milliseconds since the epoch. */
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

/** For how long something has been or shall be: it goes on evenly when the time of day is set, and is right only from one moment to another. */
export const steadyClock: Clock = { now: () => performance.timeOrigin + performance.now() }
