/**
 * Runs one test of test/faults for longer. Each option becomes a variable of that test: `--runs` of the model is MODEL_RUNS.
 *   npm run model -- --runs 20 [--seed 1] [--seconds 20]: random clients and faults against a model in memory, one seed after the other;
 *     `--seed` with `--runs 1` repeats one of them.
 *   npm run game-day -- [--minutes 10]: the service under load loses its provider (for that many minutes), then its database, its worker, its
 *     disk and one merchant's endpoint (for a fifth of that each); prints what the metrics, the alerts and the operators' overview showed.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ParseArgsOptionsConfig } from 'node:util'
import { runJobs, testJob } from '../test/runner/run.ts'
import { readOptions } from './read-options.ts'

const faults: Record<string, { timeoutMs: number; options: ParseArgsOptionsConfig }> = {
  model: {
    timeoutMs: 300_000,
    options: { runs: { type: 'string', default: '20' }, seconds: { type: 'string', default: '20' }, seed: { type: 'string' } },
  },
  corrupt: {
    timeoutMs: 900_000,
    options: { seed: { type: 'string' }, count: { type: 'string' }, measure: { type: 'string' }, all: { type: 'string' } },
  },
  // The test has its own timeout.
  'game-day': { timeoutMs: 3_600_000, options: { minutes: { type: 'string', default: '10' } } },
}

const [name = '', ...args] = process.argv.slice(2)
const fault = faults[name]
if (!fault) {
  process.stderr.write(`Usage: node scripts/run-fault.ts ${Object.keys(faults).join('|')} [options]\n`)
  process.exit(2)
}
const { timeoutMs, options } = fault
const { values } = readOptions({ args, options })
const variables = Object.entries(values).map(([key, value]) => [`${name}_${key}`.replace('-', '_').toUpperCase(), String(value)])

const notes = mkdtempSync(join(tmpdir(), 'malipo-fault-'))
process.on('exit', () => rmSync(notes, { recursive: true, force: true }))
const path = `test/faults/${name}.test.ts`
const job = { title: path, tag: 'alone', seconds: 0, path, files: [path], env: Object.fromEntries(variables), timeoutMs } as const
const { isPassed } = await runJobs([testJob({ ...job, files: [path] }, notes)], { isDetailed: true })
process.exit(isPassed ? 0 : 1)
