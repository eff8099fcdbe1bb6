/** Slow statements take all connections to the database. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../server/platform/db/db.ts'
import { Refusal } from '../../server/platform/refusal.ts'
import { eventually, startTestApp, type Answer } from '../app.ts'
import { payAll, readBooks, waiting } from './shop.ts'

const short = ({ status, body }: Answer): string => `${status} ${body.error?.code ?? ''}`.trim()

test('a hundred slow statements take all connections: the next caller is refused at once, and money that moves is booked [F31]', async (t) => {
  const app = await startTestApp(t, { settings: { DATABASE_POOL_SIZE: '8' } })
  const student = await app.student()
  const { key } = await app.key(student)
  const { slug } = await app.page(student, { amount: 100_000 })
  const { body } = await app.checkout(slug, { phone_number: waiting })
  const slow = Array.from({ length: 100 }, () =>
    app.db.rows(sql`select pg_sleep(4)`).catch((error: unknown) => assert.ok(error instanceof Error)),
  )
  // A caller that came earlier, while a connection was still possible, waits for long; the test does not wait for those.
  let isTurnedAway = false
  await eventually('new requests are refused', () => {
    void app.call('GET', '/v1/balance', { key }).then(({ status }) => (isTurnedAway ||= status === 503))
    return isTurnedAway
  })

  const times: number[] = []
  for (let turn = 0; turn < 20; turn += 1) {
    const startedAt = performance.now()
    const answer = await (turn % 2 === 0 ? app.call('GET', '/v1/balance', { key }) : app.checkout(slug))
    times.push(performance.now() - startedAt)
    assert.equal(short(answer), '503 overloaded')
    assert.ok(Number(answer.headers.get('retry-after')) >= 1)
  }
  const median = times.toSorted((one, other) => one - other)[10]!
  assert.ok(median < 50, `${median} ms`)
  // The process is busy, not down: no balancer removes it, and the provider's message is accepted.
  assert.equal((await fetch(`${app.config.urls.api}/readyz`)).status, 200)
  assert.equal(await payAll(app), 1)
  await eventually('it is credited meanwhile', async () => (await readBooks(app)).credited === 100_000, 3_000)
  assert.equal((await app.call('GET', '/v1/balance', { key })).status, 503, 'the connections are still taken')
  await Promise.all(slow)
  await eventually('all are accepted again', async () => (await app.call('GET', '/v1/balance', { key })).status === 200)
  assert.equal((await app.settled(body.data.reference)).status, 'completed')
})

test('a caller that waits for a connection is refused after a while, without having blocked any other caller [F31]', async (t) => {
  const app = await startTestApp(t, { settings: { DATABASE_POOL_SIZE: '8' } })
  const slow = Array.from({ length: 8 }, () => app.db.rows(sql`select pg_sleep(4)`))
  const queued = app.db.rows(sql`select 1 as one`)
  // A caller that arrives while the first still waits patiently waits behind it.
  let refused: unknown
  const ask = () => void app.db.rows(sql`select 1`).catch((error: unknown) => (refused = error))
  await eventually('the next request is refused', () => {
    ask()
    return refused !== undefined
  })
  assert.ok(refused instanceof Refusal && refused.httpStatus === 503)
  assert.deepEqual(await queued, [{ one: 1 }])
  await Promise.all(slow)
})
