/**
 * `npm test`: runs the checks, then the tests on one embedded database server. `--only <text>` runs the test files whose path
 * contains the text, `--browser` those that drive a browser, `--checks` none. Slow tests, and tests that measure durations, have
 * names that end in `.long.test.ts`: `--long` runs these, one after the other, and `npm test` skips them. `--faults` runs those
 * of `test/faults`, which end databases and processes and cut connections, one file after the other. `--soak` loads the service
 * for half an hour (`--minutes`) and watches its resources. Of the browser tests, `npm test` runs those whose names end in
 * `.smoke.test.ts`; `--browser` runs all, one file after the other. `--clients` runs those of `test/clients`, which generate clients
 * from the description; `--long` runs the ones that need nothing but Node. `--image` builds the image and runs it in containers.
 *
 * `npm test` runs many files in one process, because loading the service costs more than most files (test/batch.ts). Every other
 * run starts a separate process for each file.
 */
import { spawn, spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { writeBatches } from '../test/batch.ts'
import { exercisedVariable } from '../test/api-description.ts'

const root = join(import.meta.dirname, '..')
const words = process.argv.slice(2)
const valueOf = (flag: string): string | undefined => (words.includes(flag) ? words[words.indexOf(flag) + 1] : undefined)

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

/** The number of parallel test processes. They wait for the database at times, so there are more than cores; each may need a gigabyte. */
function processesAtOnce(): number {
  const cores = availableParallelism()
  return Math.max(1, Math.min(cores + Math.ceil(cores / 2), Math.floor(totalmem() / 2 ** 30 / 2)))
}

const only = valueOf('--only')
const isBrowserOnly = words.includes('--browser')
const isLongOnly = words.includes('--long')
const isFuzzOnly = words.includes('--fuzz')
const isFaultsOnly = words.includes('--faults')
const isSoakOnly = words.includes('--soak')
const isClientsOnly = words.includes('--clients')
const isImageOnly = words.includes('--image')
const isEverything =
  only === undefined &&
  !isBrowserOnly &&
  !isLongOnly &&
  !isFuzzOnly &&
  !isFaultsOnly &&
  !isSoakOnly &&
  !isClientsOnly &&
  !isImageOnly

/** Whether a test belongs to a run without file names. */
function isWanted(file: string): boolean {
  if (isBrowserOnly || isFaultsOnly || isClientsOnly || isImageOnly) return true
  if (file.startsWith(join('test', 'faults')) || file.startsWith(join('test', 'image'))) return false
  if (file.startsWith(join('test', 'fuzz')) !== isFuzzOnly) return false
  if (file.startsWith(join('test', 'soak')) !== isSoakOnly) return false
  if (file.startsWith(join('test', 'browser')) && !isLongOnly && !file.endsWith('.smoke.test.ts')) return false
  if (file.startsWith(join('test', 'clients')) && !isLongOnly) return false
  return file.endsWith('.long.test.ts') === isLongOnly
}

const everywhere = '{server,simulator,scripts,test,dashboard/src}/**/*.test.ts'
const folder = isBrowserOnly ? 'browser' : isFaultsOnly ? 'faults' : isClientsOnly ? 'clients' : isImageOnly ? 'image' : undefined
const files = globSync(folder === undefined ? everywhere : `test/${folder}/*.test.ts`, {
  cwd: root,
  exclude: ['**/node_modules/**'],
})
  .filter((file) => (only === undefined ? isWanted(file) : file.includes(only)))
  .sort()
if (files.length === 0) {
  process.stdout.write(`No test file contains ${JSON.stringify(only)}.\n`)
  process.exit(1)
}
// The browser tests have separate packages; the checks read their types, the tests use them.
if (isEverything || files.some((file) => file.startsWith('test/browser/'))) {
  run('packages of the browser tests', 'node', ['scripts/ensure-installed.mjs', 'test/browser'])
}
// The programs that integrators copy run through a proxy of the client tests.
const hasExamples = files.some((file) => /^test\/(guides\.|browser\/shop\.)/.test(file))
if (hasExamples || files.some((file) => file.startsWith('test/clients/'))) {
  run('packages of the client tests', 'node', ['scripts/ensure-installed.mjs', 'test/clients'])
}
if (hasExamples) run('packages of the example', 'node', ['scripts/ensure-installed.mjs', 'examples/shop-node'])
// `npm start`, releases, the next version and the browser tests serve the built dashboards; the checks read their packages.
if (
  isEverything ||
  files.some((file) => /^test\/(browser\/|documentation\.|(production-)?start\.|dashboard[.-]|faults\/upgrade\.)/.test(file))
) {
  run('packages of the dashboards', 'node', ['scripts/ensure-installed.mjs', 'dashboard'])
  run('dashboards', 'node', ['scripts/ensure-dashboard.mjs'])
}
if (isEverything) {
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
if (words.includes('--checks')) process.exit(0)

/** Operations of the API that no test has called, in a run of all tests. */
function untried(file: string): string[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  const named = (kind: string) => new Set(lines.filter((line) => line.startsWith(`${kind} `)).map((line) => line.split(' ')[1]!))
  const exercised = named('exercised')
  return [...named('described')].filter((operation) => !exercised.has(operation))
}

const fuzzing = {
  MALIPO_FUZZ_REQUESTS: valueOf('--requests') ?? '500',
  ...(valueOf('--seed') !== undefined && { MALIPO_FUZZ_SEED: valueOf('--seed') }),
  ...(valueOf('--route') !== undefined && { MALIPO_FUZZ_ROUTE: valueOf('--route') }),
}

const soaking = valueOf('--minutes') === undefined ? {} : { MALIPO_SOAK_MINUTES: valueOf('--minutes') }

const notes = mkdtempSync(join(tmpdir(), 'malipo-run-'))
const exercisedFile = join(notes, 'exercised')

const inBatches = isEverything ? writeBatches(files, notes) : files
const isOneByOne = isLongOnly || isBrowserOnly || isFaultsOnly || isClientsOnly

// Last, so that the run ends with the test runner's summary.
const { status } = spawnSync(
  'node',
  [
    '--test',
    '--test-reporter=spec',
    `--test-concurrency=${isOneByOne ? 1 : processesAtOnce()}`,
    // A batch gives each of its files five minutes.
    `--test-timeout=${isFuzzOnly || isSoakOnly || isImageOnly || isEverything ? 3_600_000 : 300_000}`,
    '--test-global-setup=test/global-setup.ts',
    ...inBatches,
  ],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      NODE_ENV: 'test',
      // Each test file is a separate process, which would otherwise compile the same sources again.
      NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled'),
      [exercisedVariable]: exercisedFile,
      ...(isFuzzOnly && fuzzing),
      ...soaking,
    },
  },
)
const missing = isEverything ? untried(exercisedFile) : []
rmSync(notes, { recursive: true, force: true })
if (missing.length > 0) process.stderr.write(`No test has called these operations of the API: ${missing.join(', ')}\n`)
process.exit(missing.length > 0 ? 1 : (status ?? 1))
