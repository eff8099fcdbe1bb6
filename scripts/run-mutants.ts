/**
 * `npm run mutants`: removes one guard of the service at a time (`test/mutants/README.md`), in a copy of the tree, and runs the
 * tests that must fail. A guard counts as killed only when a test that is named for it fails. The run fails for a guard whose
 * removal fails no test, for a test that fails without any change, and for a change that no longer applies.
 *
 * `--only owner-of,refunds` runs those whose names have these prefixes, `--jobs 2` runs two at once. `--sample 30` draws that many,
 * others for each commit, or those of `--seed`. `--seconds 90` starts no more after that time, and none whose tests are long or
 * inject faults: one of them would take it all. `--trust-green` does not try the tests that `npm test` runs without a change: for a
 * tree that has just passed it.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { globalSetup, globalTeardown } from '../test/global-setup.ts'
import { createDice } from '../test/fuzz/dice.ts'
import { mutated, type Mutant } from '../test/mutants/apply.ts'
import { copyTree } from '../test/mutants/copy-tree.ts'
import { readMutants } from '../test/mutants/read-mutants.ts'
import { patternOf, runTests, type Results } from '../test/mutants/run-tests.ts'
import { readOptions } from './read-options.ts'

const { values: options } = readOptions({
  options: {
    only: { type: 'string' },
    jobs: { type: 'string', default: '1' },
    sample: { type: 'string' },
    seed: { type: 'string' },
    seconds: { type: 'string' },
    'trust-green': { type: 'boolean', default: false },
  },
})
const root = join(import.meta.dirname, '..')
const startedAt = performance.now()
const secondsSince = (since: number): number => (performance.now() - since) / 1000
const longestMs = 240_000

type Verdict = 'killed' | 'survived' | 'red without it' | 'broken'
type Outcome = { mutant: Mutant; verdict: Verdict; seconds: number; by: string }

/** Runs the tests that a guard names in one process, in a copy of the tree. */
function runNamed(folder: string, { tests }: Mutant, hasOwnServer: boolean): Promise<Results> {
  const names = tests.map(({ name }) => patternOf(name))
  const options = ['--test-isolation=none', `--test-timeout=${longestMs}`, `--test-name-pattern=${names.join('|')}`]
  const files = new Set(tests.map(({ file }) => file))
  return runTests({ folder, files, options, hasOwnServer, longestMs: longestMs + 20_000 })
}

/** The results of the tests on the unchanged tree, each run once. */
const asItIs = new Map<string, Promise<Results>>()

function runAsItIs(folder: string, mutant: Mutant): Promise<Results> {
  const key = JSON.stringify(mutant.tests)
  const known = asItIs.get(key) ?? runNamed(folder, mutant, false)
  asItIs.set(key, known)
  return known
}

/** `npm test` runs all tests but these. */
const isLong = (file: string): boolean => file.endsWith('.long.test.ts') || file.startsWith('test/faults/')

/** The first named test without a result. */
const untried = ({ tests }: Mutant, { failed, passed }: Results): string | undefined =>
  tests.find(({ name }) => ![...failed, ...passed].some((test) => test.startsWith(name)))?.name

async function judge(folder: string, mutant: Mutant): Promise<Omit<Outcome, 'mutant' | 'seconds'>> {
  const changed = mutated(mutant.edits, (file) => readFileSync(join(folder, file), 'utf8'))
  if (typeof changed === 'string') return { verdict: 'broken', by: changed }
  if (!options['trust-green'] || mutant.tests.some(({ file }) => isLong(file))) {
    const results = await runAsItIs(folder, mutant)
    const missing = untried(mutant, results)
    if (results.failed.length > 0) return { verdict: 'red without it', by: results.failed[0]! }
    if (missing !== undefined) return { verdict: 'broken', by: `no test is named ${missing}…` }
  }
  const originals = [...changed.keys()].map((file) => [file, readFileSync(join(folder, file))] as const)
  try {
    for (const [file, text] of changed) writeFileSync(join(folder, file), text)
    const hasOwnServer = [...changed.keys()].some((file) => file.startsWith('migrations/'))
    const results = await runNamed(folder, mutant, hasOwnServer)
    const killer = results.failed.find((test) => mutant.tests.some(({ name }) => test.startsWith(name)))
    if (killer !== undefined) return { verdict: 'killed', by: killer }
    // A failure of a whole file does not prove that a test has detected anything, and nor does a test that did not run.
    const other = results.failed[0] ?? untried(mutant, results)
    return other === undefined ? { verdict: 'survived', by: '' } : { verdict: 'broken', by: other }
  } finally {
    for (const [file, bytes] of originals) writeFileSync(join(folder, file), bytes)
  }
}

/** Draws guards: `--seed`, or else the commit, decides which. */
function draw(mutants: Mutant[], count: number): Mutant[] {
  const seed = options.seed ?? execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
  process.stdout.write(`${Math.min(count, mutants.length)} of ${mutants.length} guards: --sample ${count} --seed ${seed}\n`)
  const dice = createDice(seed)
  const left = [...mutants]
  return Array.from({ length: Math.min(count, left.length) }, () => left.splice(dice.between(0, left.length - 1), 1)[0]!)
}

const { mutants, problems } = readMutants()
if (problems.length > 0) {
  process.stdout.write(`${problems.join('\n')}\n`)
  process.exit(1)
}
const prefixes = options.only?.split(',')
const wanted = mutants.filter(
  ({ name, tests }) =>
    (prefixes === undefined || prefixes.some((prefix) => name.startsWith(prefix))) &&
    (options.seconds === undefined || !tests.some(({ file }) => isLong(file))),
)
if (wanted.length === 0) {
  process.stdout.write('No guard is called so.\n')
  process.exit(1)
}
const waiting = options.sample === undefined ? wanted : draw(wanted, Number(options.sample))
const chosen = waiting.length
const outcomes: Outcome[] = []

/** The next guard, as long as there is time. */
const next = (): Mutant | undefined =>
  options.seconds !== undefined && secondsSince(startedAt) > Number(options.seconds) ? undefined : waiting.shift()

/** Works on one mutant after the other in a separate tree. */
async function work(): Promise<void> {
  const folder = copyTree()
  try {
    for (let mutant = next(); mutant; mutant = next()) {
      const since = performance.now()
      const { verdict, by } = await judge(folder, mutant)
      const seconds = secondsSince(since)
      outcomes.push({ mutant, verdict, by, seconds })
      process.stdout.write(
        `${verdict === 'killed' ? '✔' : '✖'} ${mutant.name.padEnd(28)} ${verdict.padEnd(9)} ${seconds.toFixed(1).padStart(6)} s  ${by.slice(0, 90)}\n`,
      )
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

await globalSetup()
try {
  await Promise.all(Array.from({ length: Number(options.jobs) }, work))
} finally {
  await globalTeardown()
}
const alive = outcomes.filter(({ verdict }) => verdict !== 'killed')
const untriedText = outcomes.length < chosen ? ` (of ${chosen}; the time was up)` : ''
process.stdout.write(
  `\n${outcomes.length - alive.length} of ${outcomes.length} guards${untriedText} are proven, in ${secondsSince(startedAt).toFixed(0)} s\n`,
)
for (const { mutant, verdict, by } of alive)
  process.stdout.write(`  ${verdict}: ${mutant.guard} (${mutant.at}, ${mutant.name}) ${by}\n`)
process.exit(alive.length > 0 ? 1 : 0)
