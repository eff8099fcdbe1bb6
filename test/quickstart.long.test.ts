/** Runs the page "Run it yourself", word for word, in a clean clone: a newcomer has a verified webhook within five minutes. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePorts } from './app.ts'

test('the page for running it yourself leads from a clean clone to the first verified webhook within five minutes', async (t) => {
  const ports = await freePorts(5)
  const child = spawn('node', ['scripts/quickstart.ts', '--ports', ports.join(',')], { cwd: join(import.meta.dirname, '..') })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (output += piece.toString()))
  assert.equal(await new Promise((resolve) => child.once('close', resolve)), 0, output)
  t.diagnostic(output)
  const seconds = Number(/([\d.]+) s {2}the first verified webhook/.exec(output)?.[1])
  assert.ok(seconds < 300, output)
})
