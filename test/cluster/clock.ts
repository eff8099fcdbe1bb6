/** The clock of one machine, for the programs that start through it: libfaketime reads how far it is off from a file. */
import { writeFileSync } from 'node:fs'
import { clockLibrary } from './programs.ts'

export type Clock = {
  /** Words directly before those of a program: its user must not change any more. */
  through: string[]
  /** 0 is the right time. Intervals are measured with the monotonic clock, which goes on as it is. */
  set(secondsAhead: number): void
}

export function makeClock(file: string): Clock {
  const set = (secondsAhead: number): void =>
    writeFileSync(file, secondsAhead < 0 ? `${secondsAhead}` : `+${secondsAhead}`, { mode: 0o644 })
  set(0)
  return {
    through: [
      'env',
      `LD_PRELOAD=${clockLibrary}`,
      `FAKETIME_TIMESTAMP_FILE=${file}`,
      'FAKETIME_CACHE_DURATION=1',
      'FAKETIME_DONT_FAKE_MONOTONIC=1',
    ],
    set,
  }
}
