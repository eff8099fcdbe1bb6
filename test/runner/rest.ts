/**
 * What `.ci/run` runs beside `npm test`, within its limit of time. What it leaves out is in `npm run nightly`, each with its reason in
 * scripts/run-nightly.ts.
 */
import { execFileSync } from 'node:child_process'
import { createDice } from '../fuzz/dice.ts'
import { fileTimeoutMs } from './batch.ts'
import type { RunJob } from './run.ts'
import { suitesOf, type TestFile } from './suites.ts'

/** Files of the long and fault suites that only the nightly run has. */
export const nightlyOnly: RegExp[] = [
  /^test\/faults\/game-day\./,
  /^test\/release\./,
  /^test\/(benches|bench-floors)\./,
  /^test\/clients\//,
  /^test\/browser\/till-day\./,
]

/**
 * Files of the long and fault suites that every run has: killed processes and restored databases must not lose or double money, two use
 * cases may meet in any order, and what is erased or sealed under a key must be all of it. The others are drawn.
 */
export const inEachRun: RegExp[] = [
  /^test\/faults\/(crashes|payout-crashes|refund-crashes|event-crashes|database-crash|restore|races|model)\./,
  /^test\/orders\//,
  /^test\/fuzz\//,
  /^test\/cells\/two-cells\./,
  /^test\/(personal-data|key-rotation)\./,
]

/** Recorded seconds of the files that a run draws, by kind, and the seconds for mutants. Those that measure run alone. */
const drawnSeconds = { usual: 60, measuring: 30, browser: 50 }
const mutantSeconds = 50

/** The beginning of the commit's name: each commit draws other samples. */
export const seedOfCommit = (root: string): string =>
  execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()

/** Files in a random order, until their recorded time is used up. */
export function draw<File extends { seconds: number }>(files: readonly File[], seed: string, seconds: number): File[] {
  const dice = createDice(seed)
  const shuffled = files.map((file) => ({ file, place: dice.next() })).toSorted((one, other) => one.place - other.place)
  let left = seconds
  return shuffled.flatMap(({ file }) => {
    if (file.seconds > left) return []
    left -= file.seconds
    return [file]
  })
}

/** The fuzz asks the same questions for every change; other seeds are tried by hand. */
export const shortFuzz = { requests: '10', seed: '366626' }

/** Kills in the tests that kill a hundred times: `npm run nightly` has the hundred. */
export const fewKills = '30'

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
  const isAmong = (patterns: RegExp[], path: string): boolean => patterns.some((pattern) => pattern.test(path))
  const mayRun = all.filter(({ path }) => isOf(path, 'long', 'faults', 'fuzz') && !isAmong(nightlyOnly, path))
  const wanted = mayRun.filter(({ path }) => isAmong(inEachRun, path))
  const others = mayRun.filter((file) => !wanted.includes(file))
  const measuring = others.filter(({ tag }) => tag === 'alone')
  const usual = others.filter(({ tag }) => tag !== 'alone')
  // What `npm test` has run already is not drawn.
  const browser = all.filter(({ path }) => isOf(path, 'browser') && !isOf(path, 'fast', 'long'))
  const drawn = Object.entries({ usual, measuring, browser }).flatMap(([kind, files]) =>
    draw(files, seed, drawnSeconds[kind as keyof typeof drawnSeconds]),
  )
  process.stdout.write(`# Drawn with --seed ${seed}: ${drawn.map(({ path }) => path).join(' ')}\n`)
  return {
    files: [...wanted, ...drawn],
    commands: [
      command('supply chain', 10, ['scripts/check-supply-chain.ts'], 'wait'),
      command('60 simulated days', 220, ['scripts/run-year.ts', '--days', '60', '--seed', '6']),
      // The last ones begin within the time, and some take minutes: they are not the end of the queue.
      command('a sample of mutants', 3 * mutantSeconds, [
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
