/** The fair queue for expensive work: which work runs first, which work is refused, and how much work of one caller runs at once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFairQueue, type FairQueueOptions } from './fair-queue.ts'
import { Refusal } from '../refusal.ts'

const overloaded = new Refusal(503, 'overloaded', 'Not now.')

/** A queue whose work ends when the test ends it. */
function startQueue(options: Partial<FairQueueOptions>) {
  const queue = createFairQueue({ maxRunning: 1, maxWaiting: 10, first: 'oldest', overloaded, ...options })
  const started: string[] = []
  const ends: (() => void)[] = []
  const enqueue = (name: string, ...keys: string[]): Promise<void> =>
    queue.run(keys, () => {
      started.push(name)
      return new Promise<void>((resolve) => ends.push(resolve))
    })
  const endNext = async (): Promise<void> => {
    ends.shift()!()
    await new Promise(setImmediate)
  }
  return { started, enqueue, endNext, forgive: queue.forgive }
}

test('the caller with fewer turns goes first, and among equals the oldest', async () => {
  const { started, enqueue, endNext } = startQueue({})
  void enqueue('a1', 'a')
  for (const name of ['a2', 'a3', 'a4']) void enqueue(name, 'a')
  void enqueue('b1', 'b')
  void enqueue('c1', 'c')
  void enqueue('b2', 'b')
  for (let n = 0; n < 6; n++) await endNext()
  assert.deepEqual(started, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
})

test('a forgiven turn does not count', async () => {
  const { started, enqueue, endNext, forgive } = startQueue({})
  void enqueue('a1', 'a')
  void enqueue('a2', 'a')
  void enqueue('b1', 'b')
  forgive(['a'])
  for (let n = 0; n < 2; n++) await endNext()
  assert.deepEqual(started, ['a1', 'a2', 'b1'])
})

test('with `newest`, the newest runs first only among equals', async () => {
  const { started, enqueue, endNext } = startQueue({ first: 'newest' })
  void enqueue('a1', 'a')
  void enqueue('a2', 'a')
  void enqueue('b1', 'b')
  void enqueue('c1', 'c')
  for (let n = 0; n < 3; n++) await endNext()
  assert.deepEqual(started, ['a1', 'c1', 'b1', 'a2'])
})

test('a full queue refuses the caller with the most turns, waiting or new', async () => {
  const { started, enqueue, endNext } = startQueue({ maxWaiting: 2 })
  void enqueue('a1', 'a')
  const [second, third] = [enqueue('a2', 'a'), enqueue('a3', 'a')]
  const refused = assert.rejects(second, overloaded)
  void enqueue('b1', 'b')
  await refused
  assert.throws(() => void enqueue('a4', 'a'), overloaded)
  await endNext()
  await endNext()
  assert.deepEqual(started, ['a1', 'b1', 'a3'])
  await endNext()
  await third
})

test('one caller takes only a limited number of places at once, and leaves the rest to others', async () => {
  const { started, enqueue, endNext } = startQueue({ maxRunning: 2, maxRunningPerKey: 1 })
  void enqueue('a1', 'a', 'address')
  void enqueue('a2', 'a', 'address')
  void enqueue('b1', 'b', 'address')
  await new Promise(setImmediate)
  assert.deepEqual(started, ['a1', 'b1'])
  await endNext()
  assert.deepEqual(started, ['a1', 'b1', 'a2'])
})

test('failing work frees its place for the next caller', async () => {
  const queue = createFairQueue({ maxRunning: 1, maxWaiting: 1, first: 'oldest', overloaded })
  const failing = queue.run(['a'], () => Promise.reject(new Error('broken')))
  const next = queue.run(['a'], async () => 'done')
  await assert.rejects(failing, /broken/)
  assert.equal(await next, 'done')
})
