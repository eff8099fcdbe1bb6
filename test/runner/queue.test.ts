/** The queue of a test run: what runs beside what, and how files are divided into batches. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inBatches, inOrder, runQueue, type Job, type Tag } from './queue.ts'

const job = (title: string, tag: Tag, seconds = 1): Job => ({ title, tag, seconds })

/** Runs the jobs on two cores; returns the jobs that ran together, each time that one started. */
async function together(jobs: Job[], atMost = 10): Promise<string[][]> {
  const running: string[] = []
  const seen: string[][] = []
  await runQueue(jobs, { cores: 2, atMost }, async ({ title, seconds }) => {
    running.push(title)
    seen.push([...running])
    for (let turn = 0; turn < seconds * 10; turn += 1) await Promise.resolve()
    running.splice(running.indexOf(title), 1)
  })
  return seen
}

test('three jobs that compute run at once, or four that wait', async () => {
  const computing = await together([1, 2, 3, 4].map((name) => job(`cpu ${name}`, 'cpu')))
  assert.equal(Math.max(...computing.map(({ length }) => length)), 3)
  const waiting = await together([1, 2, 3, 4, 5, 6].map((name) => job(`wait ${name}`, 'wait')))
  assert.equal(Math.max(...waiting.map(({ length }) => length)), 4)
  const mixed = await together([job('cpu', 'cpu', 9), job('wait 1', 'wait'), job('wait 2', 'wait'), job('wait 3', 'wait')])
  assert.equal(Math.max(...mixed.map(({ length }) => length)), 3)
})

test('a job that measures runs alone, after all others', async () => {
  const seen = await together([job('measures', 'alone', 9), job('a', 'cpu'), job('b', 'wait'), job('measures too', 'alone')])
  for (const running of seen)
    assert.ok(running.length === 1 || !running.some((title) => title.startsWith('measures')), running.join())
  assert.deepEqual(seen.slice(-2), [['measures'], ['measures too']])
})

test('no more jobs run at once than the memory allows', async () => {
  const seen = await together(
    [1, 2, 3].map((name) => job(`wait ${name}`, 'wait')),
    1,
  )
  assert.ok(seen.every(({ length }) => length === 1))
})

test('a job that fails does not end the others', async () => {
  const ended: string[] = []
  await runQueue([job('a', 'cpu', 2), job('b', 'cpu', 1)], { cores: 1, atMost: 1 }, async ({ title }) => void ended.push(title))
  assert.deepEqual(ended, ['a', 'b'])
})

test('the longest job starts first', () => {
  const jobs = [job('short', 'cpu', 1), job('long', 'wait', 9), job('measures', 'alone', 99)]
  assert.deepEqual(
    inOrder(jobs).map(({ title }) => title),
    ['long', 'short', 'measures'],
  )
})

test('batches take about the same time, and a long file has one of its own', () => {
  const files = [50, 3, 3, 2, 2, 1, 1, 1].map((seconds, index) => ({ name: index, seconds }))
  const batches = inBatches(files, 20)
  const times = batches.map((batch) => batch.reduce((sum, { seconds }) => sum + seconds, 0))
  assert.deepEqual(times.toSorted((a, b) => b - a)[0], 50)
  assert.equal(batches.find(([first]) => first!.seconds === 50)!.length, 1)
  assert.equal(
    times.reduce((sum, time) => sum + time, 0),
    63,
  )
  assert.deepEqual(inBatches([], 20), [])
})
