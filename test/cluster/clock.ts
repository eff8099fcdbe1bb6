/** The clock of one machine, for the programs that start through it: libfaketime reads how far it is off from a file. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { clockLibrary } from './programs.ts'

/**
 * Python reads this file at its start. Its `time.sleep` waits until a moment of the monotonic clock, which libfaketime 0.9.10 refuses
 * (EINVAL): each pause of Patroni would end it, or the step that it is at.
 */
const pythonStart = `import select, time
time.sleep = lambda seconds: select.select([], [], [], seconds) and None
`

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
  const python = `${file}-python`
  mkdirSync(python)
  writeFileSync(`${python}/sitecustomize.py`, pythonStart)
  return {
    through: [
      'env',
      `LD_PRELOAD=${clockLibrary}`,
      `FAKETIME_TIMESTAMP_FILE=${file}`,
      'FAKETIME_CACHE_DURATION=1',
      'FAKETIME_DONT_FAKE_MONOTONIC=1',
      `PYTHONPATH=${python}`,
    ],
    set,
  }
}
