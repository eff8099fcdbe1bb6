/** The waiting status route: it holds the answer back until something changes, at most for the requested time. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, startTestApp, type TestApp } from '../../../test/app.ts'

async function waitingPayment(app: TestApp): Promise<{ reference: string; complete(): Promise<void> }> {
  const page = await app.page(await app.student())
  const { body } = await app.checkout(page.slug, { phone_number: '0754000111' })
  return {
    reference: body.data.reference,
    async complete() {
      const charge = (await app.truth(`?our_reference=${body.data.reference}`)).charges[0]
      await app.control('POST', `/charges/${charge.reference}/answer`, { action: 'complete' })
    },
  }
}

test('a hundred requests that wait for one payment are all answered as soon as it is settled', async (t) => {
  const app = await startTestApp(t, { settings: { RATE_LIMITS: 'off' } })
  const { reference, complete } = await waitingPayment(app)
  const answers = Array.from({ length: 100 }, () => app.call('GET', `/v1/payments/${reference}/status?wait=25`))
  // A request is waiting once the database was queried for the status.
  await app.call('GET', `/v1/payments/${reference}/status`)
  const startedAt = performance.now()
  await complete()
  for (const { status, body } of await Promise.all(answers)) assert.deepEqual([status, body.data.status], [200, 'completed'])
  assert.ok(performance.now() - startedAt < 4_000, 'woken by the notification, not by a reread')
})

test('without a change the answer comes after the requested time with the current status', async (t) => {
  const app = await startTestApp(t)
  const { reference } = await waitingPayment(app)
  const startedAt = performance.now()
  const { body } = await app.call('GET', `/v1/payments/${reference}/status?wait=1`)
  const waitedMs = performance.now() - startedAt
  assert.equal(body.data.status, 'pending')
  assert.ok(waitedMs >= 950 && waitedMs < 5_000, `${waitedMs} ms`)
})

test('an end state is answered at once, and so is an unknown reference', async (t) => {
  const app = await startTestApp(t)
  const { reference, complete } = await waitingPayment(app)
  await complete()
  await app.settled(reference)
  const startedAt = performance.now()
  assert.equal((await app.call('GET', `/v1/payments/${reference}/status?wait=25`)).body.data.status, 'completed')
  assert.equal((await app.call('GET', '/v1/payments/pay_01h455vb4pex5vsknk084sn02q/status?wait=25')).status, 404)
  assert.ok(performance.now() - startedAt < 5_000)
})

test('a lost notification is replaced by a later read', async (t) => {
  const app = await startTestApp(t)
  const { reference, complete } = await waitingPayment(app)
  await app.deps.notifications.close()
  const answer = app.call('GET', `/v1/payments/${reference}/status?wait=25`)
  await complete()
  assert.equal((await answer).body.data.status, 'completed')
})

test('a draining process answers all waiting requests with the current status', async (t) => {
  const app = await startTestApp(t)
  const { reference } = await waitingPayment(app)
  const answer = app.call('GET', `/v1/payments/${reference}/status?wait=25`)
  await eventually('the request has arrived', async () => (await app.call('GET', '/livez')).status === 200)
  const startedAt = performance.now()
  await app.api.drain()
  const { status, body } = await answer
  assert.deepEqual([status, body.data.status], [200, 'pending'])
  assert.ok(performance.now() - startedAt < 5_000)
})
