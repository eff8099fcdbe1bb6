import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { watchMessages } from './watch-messages.ts'

async function alarms(app: TestApp): Promise<unknown[]> {
  const raised: unknown[] = []
  const log = { ...app.deps.log, error: (_event: string, _error: unknown, fields?: object) => void raised.push(fields) }
  await watchMessages({ db: app.db, log })
  return raised
}

async function pay(app: TestApp, slug: string, count: number, suffix: string): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    const { body } = await app.checkout(slug, { phone_number: `+255754123${suffix}` })
    await app.settled(body.data.reference)
  }
}

test('a provider whose messages have stopped raises an alert, although every payment settles by our queries [P44]', async (t) => {
  const app = await startTestApp(t, { worker: true, settings: { PAYMENT_CHECK_DELAYS_SECONDS: '0.1', RATE_LIMITS: 'off' } })
  const admin = await app.admin()
  const page = await app.page(await app.student())
  // 139 pays, and its message is never sent.
  await pay(app, page.slug, 9, '139')
  assert.deepEqual(await alarms(app), [])
  await pay(app, page.slug, 1, '139')
  assert.deepEqual(await alarms(app), [
    { alert: true, environment: 'test', provider: 'snippe', learned_by_asking: 10, window_minutes: 30 },
  ])
  const health = async () => {
    const { status, body } = await app.call('GET', '/v1/admin/providers', { token: admin.token })
    assert.equal(status, 200, JSON.stringify(body))
    return body.data
  }
  const [silent] = (await health()).networks
  assert.deepEqual(
    [silent.network, silent.begun, silent.completed, silent.success_rate, silent.credited_by_message, silent.last_message_at],
    ['mpesa', 10, 10, 1, 0, null],
  )
  await pay(app, page.slug, 1, '149')
  await pay(app, page.slug, 1, '049')
  assert.deepEqual(await alarms(app), [])
  const { networks, circuits } = await health()
  const [mpesa] = networks
  assert.deepEqual([mpesa.begun, mpesa.failed, mpesa.credited_by_message, mpesa.success_rate], [12, 1, 1, 11 / 12])
  assert.ok(mpesa.median_seconds > 0 && mpesa.last_message_at)
  const circuit = circuits.find((one: Record<string, string>) => one['environment'] === 'test' && one['direction'] === 'charges')
  assert.deepEqual([circuit.provider, circuit.state, circuit.success_rate], ['snippe', 'closed', 1])
  assert.equal((await app.call('GET', '/v1/admin/providers?minutes=0', { token: admin.token })).status, 400)
})
