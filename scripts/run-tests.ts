/**
 * `npm test`: runs the checks, then the tests on one embedded database server, except files that took over ten seconds. Every run goes
 * through one queue (test/runner), which knows how long each file took last time and what it needs of the machine.
 *
 *   --all              the slow ones, too, and whether each operation of the API was called: `.ci/run` does
 *   --only <text>      the files whose path contains the text
 *   --rest             long, faults, a short fuzz, a short year, and samples of the browser files and of the mutants, drawn by `--seed`,
 *                      else by the commit; with `--all` in the same queue as the others: `.ci/run` does
 *   --long --faults --browser --clients --image --soak --fuzz    one suite (test/runner/suites.ts)
 *   --checks           types, style, format and dead code, and no test
 *   --again            runs once more, alone, what has failed, and names what passes then: `.ci/run` does, a person repairs it
 *   --record           writes how long each file took into test/runner/seconds.json
 *   --minutes --requests --route --seed    for the soak and the fuzz
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { killsVariable } from '../test/faults/kills.ts'
import { exercisedFile, notesVariable } from '../test/api-description.ts'
import { fileTimeoutMs, writeBatch } from '../test/runner/batch.ts'
import { inBatches } from '../test/runner/queue.ts'
import { fewKills, restOfCi, seedOfCommit, shortFuzz } from '../test/runner/rest.ts'
import { runJobs, testJob, type RunJob } from '../test/runner/run.ts'
import { findFiles, suites, suitesOf, writeRecord, type Suite, type TestFile } from '../test/runner/suites.ts'
import { readOptions } from './read-options.ts'

const root = join(import.meta.dirname, '..')
const flag = { type: 'boolean', default: false } as const
const text = { type: 'string' } as const
const words = { only: text, minutes: text, requests: text, route: text, seed: text }
const kinds = {
  rest: flag,
  checks: flag,
  long: flag,
  faults: flag,
  fuzz: flag,
  browser: flag,
  clients: flag,
  image: flag,
  soak: flag,
}
const { values: options } = readOptions({ options: { ...words, ...kinds, all: flag, record: flag, again: flag } })

function run(title: string, command: string, args: string[]): void {
  const startedAt = performance.now()
  process.stdout.write(`# ${title}\n`)
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, NODE_ENV: 'test' } })
  if (status !== 0) {
    process.stdout.write(`# ${title}: failed\n`)
    process.exit(status ?? 1)
  }
  process.stdout.write(`# ${title}: passed in ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`)
}

type Check = { title: string; command: string; args: string[] }

/** Runs checks in parallel, and prints the output of each, in order. Ends the process when one has failed. */
async function runSideBySide(checks: Check[], width: number): Promise<void> {
  const waiting = [...checks]
  const outcomes = new Map<Check, { isPassed: boolean; text: string }>()
  const runOne = async (check: Check): Promise<void> => {
    const startedAt = performance.now()
    const child = spawn(check.command, check.args, { cwd: root, env: { ...process.env, NODE_ENV: 'test' } })
    const output: Buffer[] = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => void output.push(chunk))
    const failure = await new Promise<string | undefined>((resolve) => {
      child.once('error', (error) => resolve(error.message))
      child.once('close', (status) => resolve(status === 0 ? undefined : `exit code ${status}`))
    })
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    const end = failure === undefined ? `passed in ${seconds} s` : `failed (${failure})`
    const text = `# ${check.title}\n${Buffer.concat(output).toString()}# ${check.title}: ${end}\n`
    outcomes.set(check, { isPassed: failure === undefined, text })
  }
  const runNext = async (): Promise<void> => {
    for (let check = waiting.shift(); check; check = waiting.shift()) await runOne(check)
  }
  await Promise.all(Array.from({ length: width }, runNext))
  for (const check of checks) process.stdout.write(outcomes.get(check)!.text)
  if ([...outcomes.values()].some(({ isPassed }) => !isPassed)) process.exit(1)
}

/** Installs the packages of a folder that has its own, generates the types of the API, and builds the dashboards, where a file of the run needs them. */
function prepare(files: readonly TestFile[], isEverything: boolean): void {
  const needs = (pattern: RegExp): boolean => files.some(({ path }) => pattern.test(path))
  if (isEverything || needs(/^test\/browser\//)) run('types of the API', 'node', ['scripts/generate.ts'])
  const install = (whose: string, folder: string): void =>
    run(`packages of ${whose}`, 'node', ['scripts/ensure-installed.mjs', folder])
  // The checks read the types of the browser tests.
  if (isEverything || needs(/^test\/browser\//)) install('the browser tests', 'test/browser')
  // The programs that integrators copy run through a proxy of the client tests.
  const hasExamples = needs(/^test\/(guides\.|browser\/shop\.)/)
  if (hasExamples || needs(/^test\/clients\//)) install('the client tests', 'test/clients')
  if (hasExamples) install('the example', 'examples/shop-node')
  // `npm start`, releases, the next version and the browser tests serve the built dashboards; the checks read their packages.
  if (isEverything || needs(/^test\/(browser\/|documentation\.|(production-)?start\.|dashboard[.-]|faults\/upgrade\.)/)) {
    install('the dashboards', 'dashboard')
    run('dashboards', 'node', ['scripts/ensure-dashboard.mjs'])
  }
}

async function runChecks(): Promise<void> {
  // The compiler's cache of the last run, for files that have not changed.
  const known = join(root, 'node_modules/.cache/types')
  mkdirSync(known, { recursive: true })
  const types = (part: string): Check => ({
    title: part === '.' ? 'types' : `types of ${part}`,
    command: 'tsc',
    args: [
      '-p',
      part,
      '--incremental',
      '--tsBuildInfoFile',
      join(known, `${part === '.' ? 'all' : part.replaceAll('/', '-')}.json`),
    ],
  })
  // The slowest ones first.
  const checks: Check[] = [
    { title: 'style', command: 'oxlint', args: ['--type-aware', '--deny-warnings'] },
    ...['.', 'dashboard/src/merchant', 'dashboard', 'dashboard/src/admin', 'cli'].map(types),
    { title: 'dead code', command: 'knip', args: [] },
    { title: 'format', command: 'oxfmt', args: ['--check', '.'] },
  ]
  await runSideBySide(checks, availableParallelism())
}

/** Operations of the API that no test has called, in a run of all tests. */
function untried(file: string): string[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  const named = (kind: string) => new Set(lines.filter((line) => line.startsWith(`${kind} `)).map((line) => line.split(' ')[1]!))
  const exercised = named('exercised')
  return [...named('described')].filter((operation) => !exercised.has(operation))
}

function settingsOf(suite: Suite): Record<string, string> {
  const given = (name: string, value: string | undefined) => (value === undefined ? {} : { [name]: value })
  if (suite === 'soak') return given('MALIPO_SOAK_MINUTES', options.minutes)
  if (suite === 'faults') return given(killsVariable, options.rest ? fewKills : undefined)
  if (suite !== 'fuzz') return {}
  const { requests = '500', seed, route } = options.rest ? { ...shortFuzz, route: undefined } : options
  return {
    MALIPO_FUZZ_REQUESTS: requests,
    ...given('MALIPO_FUZZ_SEED', seed),
    ...given('MALIPO_FUZZ_ROUTE', route),
  }
}

/** Long enough for a batch to be worth its start (two seconds of processor), short enough for the last ones to end together. */
const batchSeconds = 100

/** The jobs of the fast files: those that compute share processes, and so do those that wait. One that hangs leaves time to run again. */
function batchJobs(files: readonly TestFile[], notes: string): RunJob[] {
  return [...Map.groupBy(files, ({ tag }) => tag)].flatMap(([tag, tagged]) =>
    // A batch of files that wait is short: it takes half the place of one that computes.
    inBatches(tagged, batchSeconds).map((batch, index) => {
      const title = `${tag} ${index + 1}`
      const paths = batch.map(({ path }) => path)
      const seconds = batch.reduce((sum, file) => sum + file.seconds, 0)
      const path = writeBatch(join(notes, `${tag}-${index + 1}.test.mjs`), paths)
      return testJob({ title, tag, seconds, path, files: paths, timeoutMs: 2 * fileTimeoutMs }, notes)
    }),
  )
}

const longest: Partial<Record<Suite, number>> = { browser: 600_000, fuzz: 3_600_000, soak: 7_200_000, image: 3_600_000 }

/** The job of one file in a process of its own. */
function jobOf({ path, tag, seconds }: TestFile, notes: string): RunJob {
  const suite = suitesOf(path)[0]!
  const timeoutMs = longest[suite] ?? fileTimeoutMs
  return testJob({ title: path, tag, seconds, path, files: [path], env: settingsOf(suite), timeoutMs }, notes)
}

const all = findFiles()
const inSuite = (suite: Suite): TestFile[] => all.filter(({ path }) => suitesOf(path).includes(suite))
const chosen = (Object.keys(suites) as Suite[]).find((suite) => suite !== 'fast' && options[suite])
const isEverything = options.only === undefined && chosen === undefined && (options.all || !options.rest)
const notes = mkdtempSync(join(tmpdir(), 'malipo-run-'))
process.env[notesVariable] = notes
process.on('exit', () => rmSync(notes, { recursive: true, force: true }))

/** `npm test` is for a person who waits: its files are five minutes' work on two cores. Those without a record count as ten seconds. */
const quickSeconds = 10

function wantedJobs(): { files: TestFile[]; jobs: () => RunJob[] } {
  if (options.only !== undefined) {
    const files = all.filter(({ path }) => path.includes(options.only!))
    return { files, jobs: () => files.map((file) => jobOf(file, notes)) }
  }
  if (options.rest) {
    const { files, commands } = restOfCi(all, options.seed ?? seedOfCommit(root))
    const fast = options.all ? inSuite('fast') : []
    return {
      files: [...fast, ...files],
      jobs: () => [...batchJobs(fast, notes), ...files.map((file) => jobOf(file, notes)), ...commands],
    }
  }
  if (chosen !== undefined) {
    const files = inSuite(chosen)
    return { files, jobs: () => files.map((file) => jobOf(file, notes)) }
  }
  const files = inSuite('fast').filter(({ seconds }) => options.all || seconds <= quickSeconds)
  return { files, jobs: () => batchJobs(files, notes) }
}

const { files, jobs } = wantedJobs()
if (files.length === 0) {
  process.stdout.write(`No test file contains ${JSON.stringify(options.only)}.\n`)
  process.exit(1)
}
prepare(files, isEverything)
if (isEverything) await runChecks()
if (options.checks) process.exit(0)
const outcome = await runJobs(jobs(), { isDetailed: options.only !== undefined, again: options.again })
if (options.record) writeRecord(outcome.files)
const missing = options.all && outcome.isPassed ? untried(join(notes, exercisedFile)) : []
if (missing.length > 0) process.stderr.write(`No test has called these operations of the API: ${missing.join(', ')}\n`)
process.exit(outcome.isPassed && missing.length === 0 ? 0 : 1)
