/** Checkouts while the provider is unhealthy: nothing new is stored, stored payments wait, and no payment fails because of it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, startTestApp, type TestApp } from '../../../test/app.ts'

const count = async (app: TestApp): Promise<number> =>
  Number((await app.owner.pool.query('select count(*) from payments')).rows[0].count)

test('a key that the provider refuses stops new checkouts, raises an alert and fails no payment [P39]', async (t) => {
  const lines: string[] = []
  const app = await startTestApp(t, {
    worker: true,
    // The provider has another key registered for us.
    simulator: {
      accounts: {
        test: { apiKey: 'snp_rotated_away', webhookSecret: 'x'.repeat(32) },
        live: { apiKey: 'snp_live_other', webhookSecret: 'x'.repeat(32) },
      },
    },
    settings: { PAYMENT_CHECK_DELAYS_SECONDS: '0.2', PROVIDER_CIRCUIT_OPEN_SECONDS: '1' },
    logLevel: 'info',
    logTo: (line) => lines.push(line),
  })
  const page = await app.page(await app.student())
  const first = await app.checkout(page.slug, { idempotency_key: 'first-key' })
  assert.equal(first.status, 201, JSON.stringify(first.body))
  assert.equal(await count(app), 1)

  const second = await app.checkout(page.slug, { idempotency_key: 'second-key' })
  assert.deepEqual([second.status, second.body.error.code], [503, 'provider_unavailable'])
  assert.ok(Number(second.headers.get('retry-after')) >= 1)
  assert.ok(second.body.error.message_sw.length > 0)
  assert.equal(await count(app), 1)
  // A repeat of a stored request gets its payment.
  const again = await app.checkout(page.slug, { idempotency_key: 'first-key' })
  assert.deepEqual([again.status, again.body.data.reference], [200, first.body.data.reference])

  const { reference } = first.body.data
  // The provider refused the call, so nothing was started.
  assert.equal((await app.call('GET', `/v1/payments/${reference}/status`)).body.data.status, 'pending')
  const checked = async () =>
    (await app.owner.pool.query('select attempts > 0 as again from provider_charges')).rows[0].again as boolean
  await eventually('the charge is sent again and stays deferred', checked)
  assert.equal((await app.call('GET', `/v1/payments/${reference}/status`)).body.data.status, 'pending')
  const circuit = app.deps
    .providerHealth()
    .find(({ environment, direction }) => environment === 'test' && direction === 'charges')
  assert.deepEqual([circuit!.state, circuit!.lastTrouble?.kind], ['open', 'credentials'])
  assert.equal(lines.filter((line) => line.includes('provider.credentials_refused')).length, 1)
})

test('while a provider is unhealthy, one checkout at a time is tried; the first success allows all', async (t) => {
  const app = await startTestApp(t, { settings: { PROVIDER_CIRCUIT_FAILURES: '3', PROVIDER_CIRCUIT_OPEN_SECONDS: '1' } })
  const page = await app.page(await app.student())
  const failing = '0754000229'
  const pay = (phone_number: string) => app.checkout(page.slug, { phone_number })
  const burst = async (phone: string) =>
    (await Promise.all(Array.from({ length: 6 }, () => pay(phone)))).map(({ status }) => status)
  for (let turn = 0; turn < 3; turn += 1) assert.equal((await pay(failing)).status, 201)
  assert.equal((await pay(failing)).status, 503)
  assert.equal(await count(app), 3)

  const tried = await eventually('one of many is allowed', async () => {
    const statuses = await burst(failing)
    return statuses.includes(201) && statuses
  })
  assert.deepEqual(
    tried.toSorted((one, other) => one - other),
    [201, 503, 503, 503, 503, 503],
  )
  assert.equal(await count(app), 4)

  await eventually('a checkout succeeds', async () => (await pay('0754000000')).status === 201)
  assert.deepEqual([...new Set(await burst('0754000000'))], [201])
})
