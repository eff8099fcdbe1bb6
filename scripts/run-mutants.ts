/**
 * `npm run mutants`: removes one guard of the service at a time (`test/mutants/mutants.ts`), in a copy of the tree, and runs the
 * tests that must fail. A guard counts as killed only when a test that is named for it fails. The run fails for a guard whose
 * removal fails no test, for a test that fails without any change, and for a change that no longer applies. `--only
 * owner-of,refunds` runs those whose names have these prefixes, `--jobs 2` runs two at once.
 */
import { spawn } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { globalSetup, globalTeardown } from '../test/global-setup.ts'
import { serverVariable } from '../test/databases.ts'
import { mutated, type Mutant } from '../test/mutants/apply.ts'
import { copyTree } from '../test/mutants/copy-tree.ts'
import { mutants } from '../test/mutants/mutants.ts'
import { readOptions } from './read-options.ts'

const { values: options } = readOptions({ options: { only: { type: 'string' }, jobs: { type: 'string', default: '1' } } })
const wantedNames = options.only?.split(',')
const jobs = Number(options.jobs)
const longestMs = 120_000

type Verdict = 'killed' | 'survived' | 'red without it' | 'broken'
type Outcome = { mutant: Mutant; verdict: Verdict; seconds: number; by: string }

/** The names of the failed and passed tests, without nested tests. */
type Results = { failed: string[]; passed: string[] }

/** Runs the named tests of one file in a copy of the tree. */
function runTests(folder: string, file: string, names: string[], hasOwnServer: boolean): Promise<Results> {
  const pattern = names.map((name) => `^${name.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)}`).join('|')
  return new Promise((resolve) => {
    const child = spawn(
      'node',
      [
        '--test',
        '--test-reporter=tap',
        '--test-global-setup=test/global-setup.ts',
        `--test-timeout=${longestMs}`,
        `--test-name-pattern=${pattern}`,
        file,
      ],
      {
        cwd: folder,
        // A change of the schema needs a separate template.
        env: { ...process.env, NODE_ENV: 'test', ...(hasOwnServer && { [serverVariable]: '' }) },
        stdio: ['ignore', 'pipe', 'ignore'],
        detached: true,
      },
    )
    // A test that waits for an event that its guard would have prevented may never end, nor its processes.
    const deadline = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), longestMs + 20_000)
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.on('close', () => {
      clearTimeout(deadline)
      const lines = [...output.matchAll(/^(not ok|ok) \d+ - (.*)$/gm)]
      const of = (state: string) =>
        lines.filter((line) => line[1] === state).map((line) => line[2]!.replaceAll(String.raw`\#`, '#'))
      resolve({ failed: of('not ok'), passed: of('ok') })
    })
  })
}

const testsByFile = ({ tests }: Mutant): Map<string, string[]> =>
  Map.groupBy(tests, ({ file }) => file)
    .entries()
    .reduce(
      (byFile, [file, named]) =>
        byFile.set(
          file,
          named.map(({ name }) => name),
        ),
      new Map<string, string[]>(),
    )

const isNamed = (names: string[], test: string): boolean => names.some((name) => test.startsWith(name))

/** The results of the tests on the unchanged tree, each run once. */
const asItIs = new Map<string, Promise<Results>>()

function runAsItIs(folder: string, file: string, names: string[]): Promise<Results> {
  const key = `${file} ${names.join('|')}`
  const known = asItIs.get(key) ?? runTests(folder, file, names, false)
  asItIs.set(key, known)
  return known
}

async function judge(folder: string, mutant: Mutant): Promise<Outcome> {
  const startedAt = performance.now()
  const outcome = (verdict: Verdict, by: string): Outcome => ({
    mutant,
    verdict,
    by,
    seconds: (performance.now() - startedAt) / 1000,
  })
  const changed = mutated(mutant, (file) => readFileSync(join(folder, file), 'utf8'))
  if (typeof changed === 'string') return outcome('broken', changed)
  for (const [file, names] of testsByFile(mutant)) {
    const { failed, passed } = await runAsItIs(folder, file, names)
    const missing = names.find((name) => !passed.some((test) => test.startsWith(name)))
    if (failed.length > 0) return outcome('red without it', failed[0]!)
    if (missing !== undefined) return outcome('broken', `no test of ${file} is named ${missing}…`)
  }
  const originals = [...changed.keys()].map((file) => [file, readFileSync(join(folder, file))] as const)
  try {
    for (const [file, text] of changed) writeFileSync(join(folder, file), text)
    const hasOwnServer = [...changed.keys()].some((file) => file.startsWith('migrations/'))
    const others: string[] = []
    for (const [file, names] of testsByFile(mutant)) {
      const { failed } = await runTests(folder, file, names, hasOwnServer)
      const killer = failed.find((test) => isNamed(names, test))
      if (killer !== undefined) return outcome('killed', killer)
      others.push(...failed)
    }
    // A failure of a whole file does not prove that a test has detected anything.
    return others.length > 0 ? outcome('broken', others[0]!) : outcome('survived', '')
  } finally {
    for (const [file, bytes] of originals) writeFileSync(join(folder, file), bytes)
  }
}

const wanted = mutants.filter(({ name }) => wantedNames === undefined || wantedNames.some((start) => name.startsWith(start)))
if (wanted.length === 0) {
  process.stdout.write('No guard is called so.\n')
  process.exit(1)
}

const outcomes: Outcome[] = []
const waiting = [...wanted]

/** Works on one mutant after the other in a separate tree. */
async function work(): Promise<void> {
  const folder = copyTree()
  try {
    for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
      const outcome = await judge(folder, mutant)
      outcomes.push(outcome)
      const { verdict, seconds, by } = outcome
      process.stdout.write(
        `${verdict === 'killed' ? '✔' : '✖'} ${mutant.name.padEnd(28)} ${verdict.padEnd(9)} ${seconds.toFixed(1).padStart(6)} s  ${by.slice(0, 90)}\n`,
      )
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const startedAt = performance.now()
await globalSetup()
try {
  await Promise.all(Array.from({ length: jobs }, work))
} finally {
  await globalTeardown()
}
const alive = outcomes.filter(({ verdict }) => verdict !== 'killed')
process.stdout.write(
  `\n${outcomes.length - alive.length} of ${outcomes.length} guards are proven, in ${((performance.now() - startedAt) / 1000).toFixed(0)} s\n`,
)
for (const { mutant, verdict, by } of alive) process.stdout.write(`  ${verdict}: ${mutant.guard} (${mutant.name}) ${by}\n`)
process.exit(alive.length > 0 ? 1 : 0)
