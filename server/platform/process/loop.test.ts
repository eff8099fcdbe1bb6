/** Repeated work: a round that fails is counted, and the next round runs. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from './log.ts'
import { startLoop } from './loop.ts'
import { createMeters } from './meters.ts'

test('a round that fails is counted under the name of its job, and the job continues', async () => {
  const meters = createMeters()
  const log = createLog({ level: 'error', role: 'test', destination: { write: () => {} } })
  const { promise: third, resolve } = Promise.withResolvers<void>()
  let rounds = 0
  const loop = startLoop({
    name: 'documents/sweep',
    pauseMs: 0,
    log,
    meters,
    async round() {
      rounds += 1
      if (rounds === 3) resolve()
      else throw new Error('refused')
      return false
    },
  })
  await third
  await loop.stop()
  assert.match((await meters.render()).text, /^malipo_job_failures_total\{name="documents\/sweep"\} 2$/m)
})
