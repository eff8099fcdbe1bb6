/** A batch of ten thousand rows: the time of its approval and of its stop, and the memory of its upload. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { eventually, startTestApp } from '../../../test/app.ts'
import { startFleet } from '../../../test/fleet.ts'
import { addMoney, ask, balance, read } from '../../../test/fixtures/payouts.ts'
import { approve, fileOf, itemsOf, readBatch, richStudent, uploadCsv, withFees } from '../../../test/fixtures/batches.ts'

const rows = 10_000

/** Of ten thousand different recipients, so that no row is like another one. */
const largeFile = (): string =>
  fileOf(rows).replaceAll(/\+255754(\d+)789/g, (_, place: string) => `+255754${place.padStart(6, '0')}`)

test('ten thousand rows are approved and stopped in seconds, and the money comes back once', async (t) => {
  const app = await startTestApp(t)
  const funds = 10_000_000
  const student = await richStudent(app, funds)
  const { key, token } = student
  for (let count = 1; count < 13; count += 1) await addMoney(app, student, funds)
  const timed = async <Result>(what: string, work: () => Promise<Result>): Promise<Result> => {
    const from = performance.now()
    const result = await work()
    t.diagnostic(`${what}: ${Math.round(performance.now() - from)} ms`)
    return result
  }
  const made = await timed('upload', () => uploadCsv(app, key, largeFile()))
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { id } = await timed('fees', () => withFees(app, key, made.body.data.id))
  const from = performance.now()
  const approved = await timed('approval', () => approve(app, token, id))
  assert.equal(approved.status, 200, JSON.stringify(approved.body))
  assert.ok(performance.now() - from < 20_000)
  assert.equal(approved.body.data.progress.waiting, rows)
  const { total_debited } = approved.body.data
  assert.deepEqual(await balance(app, key), [13 * funds - total_debited, total_debited])
  await timed('read', () => readBatch(app, key, id))
  await timed('a page of rows', () => itemsOf(app, key, id, '&status=pending'))
  const file = await timed('result file', () =>
    app.call('GET', `/v1/payout-batches/${id}/items`, { key, headers: { accept: 'text/csv' } }),
  )
  assert.equal(file.body.trim().split('\r\n').length, rows + 1)
  const stopped = await timed('stop', () => app.call('POST', `/v1/payout-batches/${id}/stop`, { key }))
  assert.equal(stopped.status, 200, JSON.stringify(stopped.body))
  assert.equal(stopped.body.data.progress.cancelled, rows)
  assert.deepEqual(await balance(app, key), [13 * funds, 0])
  // As a running database does by itself within a minute: the check of the books needs it.
  await app.owner.pool.query('analyze')
})

test('single payouts leave within five seconds while ten thousand rows wait for the budget', async (t) => {
  const settings = { SNIPPE_TEST_REQUESTS_PER_MINUTE: '60', RATE_LIMITS: 'off' }
  const app = await startTestApp(t, { worker: true, settings })
  const student = await richStudent(app, 10_000_000)
  const { key, token } = student
  for (let count = 1; count < 13; count += 1) await addMoney(app, student, 10_000_000)
  const { id } = await withFees(app, key, (await uploadCsv(app, key, largeFile())).body.data.id)
  assert.equal((await approve(app, token, id)).status, 200)
  await app.owner.pool.query('analyze')
  let slowest = 0
  for (let count = 0; count < 8; count += 1) {
    const from = performance.now()
    const asked = await ask(app, key, { amount: 10_000 })
    assert.equal(asked.status, 201, JSON.stringify(asked.body))
    await eventually('it has left', async () => (await read(app, key, asked.body.data.id)).status !== 'pending')
    slowest = Math.max(slowest, performance.now() - from)
  }
  const { waiting } = (await readBatch(app, key, id)).progress
  t.diagnostic(`the slowest of eight single payouts left after ${Math.round(slowest)} ms, while ${waiting} rows waited`)
  assert.ok(slowest < 5_000 && waiting > 9_900)
  assert.equal((await app.call('POST', `/v1/payout-batches/${id}/stop`, { key })).status, 200)
  await app.owner.pool.query('analyze')
})

test('an upload of ten thousand rows needs at most 60 MB beside the idle process, and leaves nothing in use', async (t) => {
  const { app, api } = await startFleet(t, { RATE_LIMITS: 'off' })
  const member = await api()
  const student = await app.student()
  const { key } = await app.key(student)
  const send = async (file: string): Promise<number> => {
    const response = await fetch(`${member.url}/v1/payout-batches`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'text/csv', 'idempotency-key': randomUUID() },
      body: file,
    })
    await response.text()
    return response.status
  }
  // The idle process has served such uploads before: what it loads and compiles once is not the memory of a large one.
  for (let count = 0; count < 20; count += 1) assert.equal(await send(fileOf(3)), 201)
  const [live, idle] = [await member.liveMb(), await member.residentMb()]
  assert.equal(await send(largeFile()), 201)
  const highest = await member.highestMb()
  for (let count = 0; count < 4; count += 1) assert.equal(await send(largeFile()), 201)
  const liveAfter = await member.liveMb()
  t.diagnostic(`idle ${idle.toFixed(0)} MB, highest during an upload ${highest.toFixed(0)} MB`)
  t.diagnostic(`in use before ${live.toFixed(0)} MB, after five uploads ${liveAfter.toFixed(0)} MB`)
  assert.ok(highest - idle <= 60, `${idle} MB grew to ${highest} MB`)
  assert.ok(liveAfter - live <= 15, `${live} MB in use grew to ${liveAfter} MB`)
})
