import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createBatch } from './batch.ts'

test('items that arrive while a batch is in flight leave together, and each item gets its own answer', async () => {
  const batches: number[][] = []
  const double = createBatch<number, number>({
    async run(items) {
      batches.push(items)
      await turn()
      return items.map((item) => item * 2)
    },
  })
  const first = double(1)
  await turn()
  const rest = Promise.all([2, 3, 4].map(double))
  assert.equal(await first, 2)
  assert.deepEqual(await rest, [4, 6, 8])
  assert.deepEqual(batches, [[1], [2, 3, 4]])
})

test('with `gathers`, a caller that was answered and calls again at once joins the waiting items', async () => {
  const sizes: number[] = []
  const batch = createBatch<number, number>({
    gathers: true,
    async run(items) {
      sizes.push(items.length)
      await turn()
      return items
    },
  })
  const callRepeatedly = async (times: number) => {
    for (let time = 0; time < times; time += 1) await batch(time)
  }
  const first = [1, 2].map(() => callRepeatedly(4))
  await turn()
  const second = [3, 4].map(() => callRepeatedly(3))
  await Promise.all([...first, ...second])
  assert.deepEqual(sizes, [2, 4, 4, 4])
})

test('a batch never exceeds its maximum size', async () => {
  const sizes: number[] = []
  const batch = createBatch<number, number>({
    maxBatch: 10,
    async run(items) {
      sizes.push(items.length)
      return items
    },
  })
  await Promise.all(Array.from({ length: 35 }, (_, item) => batch(item)))
  assert.deepEqual(sizes, [10, 10, 10, 5])
})

test('a bad item does not fail the other items', async () => {
  const batch = createBatch<number, string>({
    async run(items) {
      if (items.includes(13)) throw new Error('thirteen')
      return items.map((item) => `did ${item}`)
    },
  })
  const answers = await Promise.allSettled([1, 13, 2].map(batch))
  assert.deepEqual(
    answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : (answer.reason as Error).message)),
    ['did 1', 'thirteen', 'did 2'],
  )
})

test('two items with one key never share a batch, and keep their order', async () => {
  const batches: string[][] = []
  const batch = createBatch<string, string>({
    keyOf: (item) => item[0]!,
    async run(items) {
      batches.push(items)
      return items
    },
  })
  await Promise.all(['a1', 'b1', 'a2', 'a3', 'c1'].map(batch))
  assert.deepEqual(batches, [['a1', 'b1', 'c1'], ['a2'], ['a3']])
})

test('above its limit a batch refuses at once with 503 and finishes the rest', async () => {
  const batch = createBatch<number, number>({
    maxWaiting: 2,
    async run(items) {
      await turn()
      return items
    },
  })
  const answers = await Promise.allSettled([1, 2, 3].map(batch))
  assert.deepEqual(
    answers.map((answer) => answer.status),
    ['fulfilled', 'fulfilled', 'rejected'],
  )
  assert.equal((answers[2] as PromiseRejectedResult).reason.httpStatus, 503)
})

test('while a batch hangs, new calls are refused and calls that already wait are served', { timeout: 10_000 }, async () => {
  let release = (): void => undefined
  const batch = createBatch<number, number>({
    shedAfterMs: 50,
    async run(items) {
      if (items.includes(1)) await new Promise<void>((resolve) => (release = resolve))
      return items
    },
  })
  const first = batch(1)
  await turn()
  const second = batch(2)
  await new Promise((resolve) => setTimeout(resolve, 60))
  await assert.rejects(batch(3), { httpStatus: 503, code: 'overloaded' })
  release()
  assert.deepEqual(await Promise.all([first, second]), [1, 2])
  assert.equal(await batch(4), 4)
})
