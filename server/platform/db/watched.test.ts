import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../process/log.ts'
import { openWatched, type Watched } from './watched.ts'

const log = createLog({ level: 'silent', role: 'test' })

test('what is too old is read again before it is used, and where it cannot be read nothing is answered', async () => {
  let truth = 'one'
  let isAway = false
  const watched: Watched<string> = await openWatched({
    name: 'truth',
    read: async () => {
      if (isAway) throw new Error('away')
      return truth
    },
    // No reading but those that this test asks for.
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

test('what was committed before a reread is not missing after it, even when another reading was on its way', async () => {
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
  answers.shift()!('what was true before the change')
  while (answers.length === 0) await new Promise((resolve) => setImmediate(resolve))
  answers.shift()!('what is true after it')
  await Promise.all([early, late])
  assert.equal(watched.last(), 'what is true after it')
  await watched.close()
})
