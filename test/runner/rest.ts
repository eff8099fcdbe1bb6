/**
 * What `.ci/run` runs after `npm test`, within its limit of time. What it leaves out is in `npm run nightly`, each with its reason in
 * scripts/run-nightly.ts.
 */
import { execFileSync } from 'node:child_process'
import { fileTimeoutMs } from './batch.ts'
import type { RunJob } from './run.ts'
import { suitesOf, type TestFile } from './suites.ts'

/** Files of the long and fault suites that only the nightly run has. */
export const nightlyOnly: RegExp[] = [
  /^test\/faults\/game-day\./,
  /^test\/release\./,
  /^test\/clients\//,
  /^test\/browser\/till-day\./,
]

/** Recorded seconds of the browser files that a run draws, and the seconds for mutants. */
const browserSeconds = 90
const mutantSeconds = 90

/** A number that another commit changes, so that each draws other samples. */
export const seedOfCommit = (root: string): string =>
  String(Number.parseInt(execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).slice(0, 8), 16))

/** Numbers from 0 to 1 that depend only on the seed (mulberry32, https://gist.github.com/tommyettinger/46a874533244883189143505d203312c). */
export function dice(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Files in a random order, until their recorded time is used up. */
export function draw<File extends { seconds: number }>(files: readonly File[], seed: number, seconds: number): File[] {
  const roll = dice(seed)
  const shuffled = files.map((file) => ({ file, place: roll() })).toSorted((one, other) => one.place - other.place)
  let left = seconds
  return shuffled.flatMap(({ file }) => {
    if (file.seconds > left) return []
    left -= file.seconds
    return [file]
  })
}

/** The fuzz asks the same questions for every change; other seeds are tried by hand. */
export const shortFuzz = { requests: '25', seed: '366626' }

/** The command of a job that is no test file. */
const command = (title: string, seconds: number, args: string[], tag: RunJob['tag'] = 'cpu'): RunJob => ({
  title,
  tag,
  seconds,
  command: 'node',
  args,
  files: [],
  timeoutMs: 3 * fileTimeoutMs,
})

export function restOfCi(all: readonly TestFile[], seed: string): { files: TestFile[]; commands: RunJob[] } {
  const isOf = (path: string, ...suites: string[]): boolean => suitesOf(path).some((suite) => suites.includes(suite))
  const wanted = all.filter(
    ({ path }) => isOf(path, 'long', 'faults', 'fuzz') && !nightlyOnly.some((pattern) => pattern.test(path)),
  )
  // What `npm test` has run already is not drawn.
  const drawn = draw(
    all.filter(({ path }) => isOf(path, 'browser') && !isOf(path, 'fast', 'long')),
    Number(seed),
    browserSeconds,
  )
  process.stdout.write(`# Drawn with --seed ${seed}: ${drawn.map(({ path }) => path).join(' ')}\n`)
  return {
    files: [...wanted, ...drawn],
    commands: [
      command('supply chain', 10, ['scripts/check-supply-chain.ts'], 'wait'),
      command('60 simulated days', 170, ['scripts/run-year.ts', '--days', '60', '--seed', '6']),
      command('a sample of mutants', mutantSeconds, [
        'scripts/run-mutants.ts',
        '--sample',
        '1000',
        '--seconds',
        String(mutantSeconds),
        '--seed',
        seed,
      ]),
    ],
  }
}
