/**
 * Runs jobs of a test run: test files in processes of their own, and other commands, on one database server. Prints a line for each
 * file, the whole output of a job that failed, the ten slowest files, and the sums.
 */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { globalSetup, globalTeardown, processorSecondsOfDatabase } from '../global-setup.ts'
import { runQueue, type Job } from './queue.ts'

const root = join(import.meta.dirname, '../..')

/** One process of the run. With `files` it runs tests; the figures of a file are printed under its name. */
export type RunJob = Job & {
  command: string
  args: string[]
  files: string[]
  env?: Record<string, string>
  timeoutMs: number
}

type FileFigures = { file: string; seconds: number; processor: number }
type Outcome = { job: RunJob; isPassed: boolean; files: FileFigures[]; passed: number; failed: number; skipped: number }

/** The outcome of a run: whether everything passed, and the figures of each file, for the record. */
export type RunOutcome = { isPassed: boolean; files: FileFigures[] }

const reporter = join(import.meta.dirname, 'record.mjs')

/** The job that runs one test file or one batch in a process of its own. `notes` is the run's folder for what processes report. */
export function testJob(
  of: Job & { path: string; files: string[]; env?: Record<string, string>; timeoutMs: number },
  notes: string,
): RunJob {
  const { path, files, env, ...job } = of
  const name = path.replaceAll(/[^\w.]/g, '-')
  const streams = { spec: join(notes, `${name}.txt`), [reporter]: join(notes, `${name}.jsonl`) }
  const reporters = Object.entries(streams).flatMap(([kind, to]) => [
    `--test-reporter=${kind}`,
    `--test-reporter-destination=${to}`,
  ])
  return {
    ...job,
    command: 'node',
    args: [...reporters, path],
    files,
    env: { ...env, MALIPO_TEST_RECORD: join(notes, name), ...(files[0] !== path && { MALIPO_TEST_BATCH: '1' }) },
  }
}

const say = (line: string): void => void process.stdout.write(`${line}\n`)
const inSeconds = (seconds: number): string => `${seconds.toFixed(1)} s`

/** Runs one process to its end, or kills it with all that it started when its time is over. */
function finish({ command, args, env, timeoutMs }: RunJob): Promise<{ problem: string | undefined; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        NODE_ENV: 'test',
        // Each process would otherwise compile the same sources again.
        NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled'),
        ...env,
      },
    })
    running.add(child.pid!)
    const output: Buffer[] = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => void output.push(chunk))
    let isLate = false
    const deadline = setTimeout(() => {
      isLate = true
      endGroup(child.pid!)
    }, timeoutMs)
    const end = (problem: string | undefined): void => {
      clearTimeout(deadline)
      running.delete(child.pid!)
      resolve({
        problem: isLate ? `not finished after ${timeoutMs / 1000} s` : problem,
        output: Buffer.concat(output).toString(),
      })
    }
    child.once('error', (error) => end(error.message))
    child.once('close', (code, signal) => end(code === 0 ? undefined : `ended with ${code ?? signal}`))
  })
}

/** The processes that run now: each leads a group, so that what it has started ends with it. */
const running = new Set<number>()

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended in the meantime.
  }
}

type Line =
  | { kind: 'figure'; text: string }
  | ({ kind: 'file' } & FileFigures)
  | { kind: 'end'; passed: number; failed: number; skipped: number; seconds: number; processor: number }

function readLines(path: string): Line[] {
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line) as Line)
}

async function runJob(job: RunJob, isDetailed: boolean): Promise<Outcome> {
  const startedAt = performance.now()
  const { problem, output } = await finish(job)
  const seconds = (performance.now() - startedAt) / 1000
  const record = job.env?.['MALIPO_TEST_RECORD']
  const lines = record === undefined ? [] : readLines(`${record}.jsonl`)
  const report = record !== undefined && existsSync(`${record}.txt`) ? readFileSync(`${record}.txt`, 'utf8') : ''
  const end = lines.find((line) => line.kind === 'end')
  const isBatch = job.env?.['MALIPO_TEST_BATCH'] !== undefined
  const files: FileFigures[] = isBatch
    ? lines.flatMap((line) => (line.kind === 'file' ? [line] : []))
    : [{ file: job.title, seconds, processor: end?.processor ?? 0 }]
  const isPassed = problem === undefined && (job.files.length === 0 || (end !== undefined && end.failed === 0))
  if (isPassed && isDetailed) {
    say(`# ${job.title}\n${report}${output}`)
  } else if (isPassed) {
    for (const file of files) say(`✔ ${file.file}  ${inSeconds(file.seconds)}`)
    for (const line of lines) if (line.kind === 'figure') say(`    ${line.text}`)
    if (job.files.length === 0 && output.trim() !== '') say(output.trimEnd().replaceAll(/^/gm, '    '))
  } else {
    say(`\n✖ ${job.title}: ${problem ?? `${end?.failed ?? 0} tests failed`}, after ${inSeconds(seconds)}`)
    say(`${report}${output}`)
    if (isBatch) say(`The files of this process, in order: ${job.files.join(' ')}\n`)
  }
  const counts = end ?? (job.files.length > 0 ? { passed: 0, failed: 1, skipped: 0 } : countOf(isPassed))
  return { job, isPassed, files, ...counts, failed: isPassed ? 0 : Math.max(1, counts.failed) }
}

/** A command that is no test counts as one. */
const countOf = (isPassed: boolean) => ({ passed: Number(isPassed), failed: Number(!isPassed), skipped: 0 })

/** How many processes the memory allows: each may need a gigabyte, and a fleet of them is several. */
const processesInMemory = (): number => Math.max(1, Math.floor(totalmem() / 2 ** 30 / 2))

/** Seconds of all processors of the machine, since its start: idle, and all. */
function processorTimes(): { idle: number; all: number } {
  const times = cpus().map((processor) => processor.times)
  const all = times.flatMap((kinds) => Object.values(kinds)).reduce((sum, time) => sum + time, 0)
  return { idle: times.reduce((sum, { idle }) => sum + idle, 0), all }
}

/** Runs all jobs on one database server, and reports; with `isDetailed` also what passed, test by test. With `again`, what failed
 * runs once more, alone; what passes then is listed as unsteady, and is to be repaired. */
export async function runJobs(jobs: RunJob[], { isDetailed = false, again = false } = {}): Promise<RunOutcome> {
  const startedAt = performance.now()
  const before = processorTimes()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      for (const pid of running) endGroup(pid)
      void globalTeardown().finally(() => process.exit(130))
    })
  }
  await globalSetup()
  const outcomes: Outcome[] = []
  const unsteady: string[] = []
  let databaseSeconds = 0
  try {
    const limits = { cores: availableParallelism(), atMost: processesInMemory() }
    await runQueue(jobs, limits, async (job) => void outcomes.push(await runJob(job, isDetailed)))
    for (const [index, { isPassed, job }] of again ? outcomes.entries() : []) {
      if (isPassed) continue
      say(`\n# ${job.title} once more, alone`)
      outcomes[index] = await runJob(job, isDetailed)
      if (outcomes[index].isPassed) unsteady.push(job.title)
    }
    databaseSeconds = await processorSecondsOfDatabase()
  } finally {
    await globalTeardown()
  }
  const files = outcomes.flatMap((outcome) => outcome.files)
  const sumOf = (figure: (outcome: Outcome) => number): number => outcomes.reduce((sum, outcome) => sum + figure(outcome), 0)
  const slowest = files.toSorted((one, other) => other.seconds - one.seconds).slice(0, 10)
  say('\nThe slowest, with their own processor time:')
  for (const { file, seconds, processor } of slowest)
    say(`${inSeconds(seconds).padStart(9)} ${inSeconds(processor).padStart(9)}  ${file}`)
  const processor = files.reduce((sum, file) => sum + file.processor, 0)
  const wall = (performance.now() - startedAt) / 1000
  // Below 85 % on a machine that does nothing else, the queue could run more at once.
  const after = processorTimes()
  const busy = 100 * (1 - (after.idle - before.idle) / (after.all - before.all))
  say(
    `\n${files.length} files in ${inSeconds(wall)}; processor ${inSeconds(processor)}, and the shared database ${inSeconds(databaseSeconds)}; this machine was busy ${busy.toFixed(0)} % of its time`,
  )
  for (const title of unsteady) say(`UNSTEADY, failed once and passed alone: ${title}`)
  for (const outcome of outcomes) if (!outcome.isPassed) process.exitCode = 1
  say(
    `${sumOf(({ passed }) => passed)} passed, ${sumOf(({ failed }) => failed)} failed, ${sumOf(({ skipped }) => skipped)} skipped`,
  )
  return { isPassed: outcomes.every(({ isPassed }) => isPassed), files }
}
