/**
 * A reporter of node:test for the runner: one JSON line for each file that ended, with its duration and processor time, and one for
 * each diagnostic. In a batch each file is a suite of its own (test/runner/batch.ts); otherwise the whole process is one file.
 */
import { readFileSync } from 'node:fs'

const ticksPerSecond = 100

/** Processor seconds of this process and of the processes that it has started and that have ended. */
function processorSeconds() {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond
  } catch {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  }
}

const isSummary = (message) => /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) \d/.test(message)

export default async function* record(events) {
  const inBatch = process.env.MALIPO_TEST_BATCH !== undefined
  const counts = { passed: 0, failed: 0, skipped: 0 }
  let before = inBatch ? processorSeconds() : 0
  let seconds = 0
  for await (const { type, data } of events) {
    if (type === 'test:diagnostic') {
      if (!isSummary(data.message)) yield `${JSON.stringify({ kind: 'figure', text: data.message })}\n`
      continue
    }
    if (type !== 'test:pass' && type !== 'test:fail') continue
    if (data.details.type !== 'suite') {
      if (data.skip !== undefined) counts.skipped += 1
      else if (type === 'test:pass') counts.passed += 1
      else counts.failed += 1
    }
    if (data.nesting > 0) continue
    seconds += data.details.duration_ms / 1000
    if (!inBatch) continue
    const now = processorSeconds()
    const processor = now - before
    before = now
    yield `${JSON.stringify({ kind: 'file', file: data.name, seconds: data.details.duration_ms / 1000, processor })}\n`
  }
  yield `${JSON.stringify({ kind: 'end', ...counts, seconds, processor: processorSeconds() })}\n`
}
