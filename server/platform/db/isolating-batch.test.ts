import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createIsolatingBatch } from './isolating-batch.ts'
import { createTurns } from './lock-retry.ts'

const lockTimeout = (): Error => Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' })

/** Items are `<group><number>`. A batch with an item of a locked group fails with PostgreSQL's lock error. */
function tableWithLocks(patienceMs: number) {
  const locked = new Set<string>()
  const batches: string[][] = []
  const ask = createIsolatingBatch<string, string>({
    groupOf: (item) => item[0]!,
    patienceMs,
    async run(items) {
      batches.push(items)
      await sleep(2)
      if (items.some((item) => locked.has(item[0]!))) throw lockTimeout()
      return items.map((item) => `did ${item}`)
    },
  })
  return { ask, locked, batches }
}

test('a locked group leaves the shared batch, its items are done once it is free, and then it shares again', async () => {
  const { ask, locked, batches } = tableWithLocks(5_000)
  locked.add('a')
  const ends: string[] = []
  const all = ['a1', 'b1', 'a2', 'c1'].map(async (item) => ends.push(await ask(item)))
  await Promise.all([all[1], all[3]])
  // While the group waits, none of its items is in the shared batches.
  const shared = batches.length
  await Promise.all([ask('b2'), ask('c2')])
  assert.ok(batches.slice(shared).every((items) => new Set(items.map((item) => item[0] === 'a')).size === 1))
  assert.deepEqual(ends.toSorted(), ['did b1', 'did c1'])
  locked.delete('a')
  await Promise.all(all)
  assert.deepEqual(ends.toSorted(), ['did a1', 'did a2', 'did b1', 'did c1'])
  await Promise.all(['a3', 'b3'].map(ask))
  assert.deepEqual(batches.at(-1), ['a3', 'b3'])
})

test('an item gets the lock error when its waiting time is over, and other failures are not waited for', async () => {
  const { ask, locked } = tableWithLocks(100)
  locked.add('a')
  await assert.rejects(() => ask('a1'), { code: '55P03' })
  let runs = 0
  const failing = createIsolatingBatch<number, number>({
    groupOf: (item) => item,
    patienceMs: 5_000,
    run() {
      runs += 1
      return Promise.reject(new Error('broken'))
    },
  })
  await assert.rejects(() => failing(1), { message: 'broken' })
  assert.equal(runs, 1)
})

test('many locked groups together use at most two connections beside the shared one', async () => {
  let running = 0
  let most = 0
  const ask = createIsolatingBatch<number, number>({
    groupOf: (item) => item,
    patienceMs: 200,
    async run() {
      running += 1
      most = Math.max(most, running)
      await sleep(5)
      running -= 1
      throw lockTimeout()
    },
  })
  const answers = await Promise.allSettled(Array.from({ length: 30 }, (_, item) => ask(item)))
  assert.ok(answers.every(({ status }) => status === 'rejected'))
  assert.ok(most <= 3, `${most} at once`)
})

test('work with one key runs in order and one at a time, work with another key in parallel', async () => {
  const inTurn = createTurns<string>()
  const steps: string[] = []
  const work = (name: string, ms: number) => async () => {
    steps.push(`${name} begins`)
    await sleep(ms)
    steps.push(`${name} ends`)
    if (name === 'a1') throw new Error('a1 failed')
    return name
  }
  const answers = await Promise.allSettled([inTurn('a', work('a1', 30)), inTurn('a', work('a2', 1)), inTurn('b', work('b1', 1))])
  assert.deepEqual(
    answers.map(({ status }) => status),
    ['rejected', 'fulfilled', 'fulfilled'],
  )
  assert.deepEqual(steps, ['a1 begins', 'b1 begins', 'b1 ends', 'a1 ends', 'a2 begins', 'a2 ends'])
})
