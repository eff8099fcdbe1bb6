import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../process/log.ts'
import { openWatched, type Watched } from './watched.ts'

const log = createLog({ level: 'silent', role: 'test' })

test('a value that is too old is read again before use, and if it cannot be read the call fails', async () => {
  let truth = 'one'
  let isAway = false
  const watched: Watched<string> = await openWatched({
    name: 'truth',
    read: async () => {
      if (isAway) throw new Error('away')
      return truth
    },
    // Only the reads that this test requests.
    everyMs: 3_600_000,
    maxAgeMs: 0,
    log,
  })
  truth = 'two'
  assert.equal(watched.last(), 'one')
  assert.equal(await watched.fresh(), 'two')
  isAway = true
  await assert.rejects(() => watched.fresh(), /away/)
  assert.equal(watched.last(), 'two')
  isAway = false
  truth = 'three'
  assert.equal(await watched.fresh(), 'three')
  await watched.close()
})

test('a reread returns everything that was committed before it, even when another read was in flight', async () => {
  const answers: ((value: string) => void)[] = []
  const opening = openWatched({
    name: 'truth',
    read: () => new Promise<string>((resolve) => answers.push(resolve)),
    everyMs: 3_600_000,
    maxAgeMs: 3_600_000,
    log,
  })
  answers.shift()!('first')
  const watched = await opening
  const early = watched.reread()
  const late = watched.reread()
  answers.shift()!('read before the change')
  while (answers.length === 0) await new Promise((resolve) => setImmediate(resolve))
  answers.shift()!('read after the change')
  await Promise.all([early, late])
  assert.equal(watched.last(), 'read after the change')
  await watched.close()
})
