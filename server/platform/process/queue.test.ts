/** The queue for expensive work: which work runs, waits, or is refused. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createQueue } from './queue.ts'
import { Refusal } from '../refusal.ts'

const overloaded = new Refusal(503, 'overloaded', 'Not now.')

test('a limited number runs and a limited number waits, in order; one more is refused at once and never started', async () => {
  const queued = createQueue({ maxRunning: 2, maxWaiting: 2, overloaded })
  const started: number[] = []
  const ends: (() => void)[] = []
  const enqueue = (index: number) =>
    queued(async () => {
      started.push(index)
      await new Promise<void>((resolve) => ends.push(resolve))
      return index
    })
  const taken = [0, 1, 2, 3].map(enqueue)
  assert.throws(() => enqueue(4), overloaded)
  await Promise.resolve()
  assert.deepEqual(started, [0, 1])
  ends[0]!()
  assert.equal(await taken[0], 0)
  await new Promise(setImmediate)
  assert.deepEqual(started, [0, 1, 2])
  ends[1]!()
  ends[2]!()
  await new Promise(setImmediate)
  ends[3]!()
  assert.deepEqual(await Promise.all(taken), [0, 1, 2, 3])
})

test('failing work frees its place for the next one', async () => {
  const queued = createQueue({ maxRunning: 1, maxWaiting: 1, overloaded })
  const failing = queued(() => Promise.reject(new Error('broken')))
  const next = queued(async () => 'done')
  await assert.rejects(failing, /broken/)
  assert.equal(await next, 'done')
  assert.equal(await queued(async () => 'again'), 'again')
})
