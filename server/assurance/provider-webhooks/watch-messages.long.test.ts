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
  const page = await app.page(await app.student())
  // 139 pays, and its message is never sent.
  await pay(app, page.slug, 9, '139')
  assert.deepEqual(await alarms(app), [])
  await pay(app, page.slug, 1, '139')
  assert.deepEqual(await alarms(app), [
    { alert: true, environment: 'test', provider: 'snippe', learned_by_asking: 10, window_minutes: 30 },
  ])
  await pay(app, page.slug, 1, '149')
  await pay(app, page.slug, 1, '049')
  assert.deepEqual(await alarms(app), [])
})
