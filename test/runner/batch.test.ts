/** Files that share a process: each fails for itself, and the runner does not follow their promises. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { test, type TestContext } from 'node:test'
import { writeBatch } from './batch.ts'

const root = join(import.meta.dirname, '../..')

/** Runs these sources as files of one batch; returns its exit code, and what it reported. */
function runFiles(t: TestContext, sources: Record<string, string>): { status: number | null; report: string } {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-batch-'))
  t.after(() => rmSync(folder, { recursive: true }))
  for (const [name, source] of Object.entries(sources))
    writeFileSync(join(folder, name), `import { test } from 'node:test'\n${source}\n`)
  const files = Object.keys(sources).map((name) => relative(root, join(folder, name)))
  const args = ['--test-reporter=tap', writeBatch(join(folder, 'batch.mjs'), files)]
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { status, stdout, stderr } = spawnSync('node', args, { encoding: 'utf8', env, timeout: 60_000 })
  return { status, report: stdout + stderr }
}

test('an uncaught error ends and fails its own file, and the next file runs', (t) => {
  for (const fault of ['setTimeout(() => { throw new Error("a fault") })', 'void Promise.reject(new Error("a fault"))']) {
    const { status, report } = runFiles(t, {
      'first.mjs': `test('before', () => undefined)
        test('never ends', async () => { ${fault}; await new Promise((resolve) => setTimeout(resolve, 3_600_000).unref()) })`,
      'second.mjs': `test('after', () => undefined)`,
    })
    assert.equal(status, 1, report)
    assert.match(report, /^ {4}ok \d - before$/m)
    assert.match(report, /^not ok 1 - \S*first\.mjs$[\s\S]*a fault/m)
    assert.match(report, /^ {4}ok \d - after$/m)
    assert.match(report, /^ok 2 - \S*second\.mjs$/m)
  }
})

test('no test is followed from promise to promise, which would make each promise cost ten times as much', (t) => {
  const source = `import { executionAsyncId } from 'node:async_hooks'
    test('followed', async (t) => { await null; t.diagnostic('in step ' + executionAsyncId()) })`
  const { status, report } = runFiles(t, { 'first.mjs': source, 'second.mjs': source })
  assert.equal(status, 0, report)
  assert.equal(report.match(/# in step 0$/gm)?.length, 2, report)
})
