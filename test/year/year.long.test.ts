/** Some days of the simulated year: that its clock, its processes and its checks work together. The whole of it is `npm run year`. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

test('a year ends, with a crash and everybody’s bad luck, and nothing is wrong after any day', { timeout: 600_000 }, async () => {
  const words = ['--days', '3', '--seed', '1', '--faults', 'trouble,crashes']
  const { stdout } = await promisify(execFile)('node', ['scripts/run-year.ts', ...words], {
    cwd: join(import.meta.dirname, '../..'),
  })
  assert.match(stdout, /day 3 2028-01-01/)
  assert.match(stdout, /freezes of payouts: 0, frozen time: 0 s\n/)
  assert.match(stdout, /payments: \d+ \(\d+ completed/)
})
