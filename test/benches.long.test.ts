/** Runs small versions of the benches: the checks matter here, not the measurements. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'

async function run(bench: string, ...words: string[]): Promise<any> {
  const { code, output } = await tryRun(bench, ...words)
  assert.equal(code, 0, output)
  return JSON.parse(output)
}

async function tryRun(bench: string, ...words: string[]): Promise<{ code: unknown; output: string }> {
  const program = join(import.meta.dirname, '../bench', `${bench}.ts`)
  const child = spawn(process.execPath, [program, ...words, '--json'], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => void (output += chunk.toString()))
  const code = await new Promise((resolve) => child.once('close', resolve))
  return { code, output }
}

test('each path reaches at least half of the wanted ratio to the same work done one at a time, and the money is right', async (t) => {
  const first = await tryRun('run', '--quick')
  const measured = JSON.parse(first.output)
  assert.deepEqual(measured.violations, [])
  // One busy minute of the machine is no regression; a real one is too slow twice.
  const { results, ratios } = first.code === 0 ? measured : await run('run', '--quick')
  for (const name of Object.keys(ratios)) {
    const { ratio } = results.find((result: { name: string }) => result.name === name)
    t.diagnostic(`${name}: ${ratio.toFixed(2)}`)
    assert.ok(ratio >= ratios[name].floor / 2, name)
  }
})

test('growth: both sides do all measured work, and the seeded past satisfies every invariant', async () => {
  const { results, violations } = await run('growth', '--payments', '4k', '--rounds', '1', '--window', '200')
  assert.deepEqual(violations, [])
  assert.equal(results.length, 7)
  for (const { name, emptyPerSecond, pastPerSecond } of results) assert.ok(emptyPerSecond > 0 && pastPerSecond > 0, name)
})

test('processes: no wake-up between two apis and two workers is missed', async () => {
  const { missed, violations } = await run('processes', '--rounds', '1', '--window', '500')
  assert.deepEqual(missed, { payers: 0, merchants: 0 })
  assert.deepEqual(violations, [])
})

test('peers: settlements and whole payments are measured without a peer too, and the money is right', async () => {
  const { results, violations } = await run('peers', '--rounds', '1', '--window', '500')
  assert.deepEqual(violations, [])
  assert.deepEqual(
    results.map(({ perSecond, ratio }: { perSecond: number; ratio: null }) => [perSecond > 0, ratio]),
    [
      [true, null],
      [true, null],
      [true, null],
    ],
  )
})

test('waiting: every waiting payer gets an answer', async () => {
  const { steady, burst, violations } = await run('waiting', '--payers', '400')
  assert.equal(steady.count + burst.count, 400)
  assert.deepEqual(violations, [])
})
