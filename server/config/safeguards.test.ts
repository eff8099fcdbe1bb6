/** The safeguards of production's live environment: on there by default, off in local mode, and never in the test environment. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { z } from 'zod'
import { startTestApp, type Answer } from '../../test/app.ts'
import { safeguardSettings, safeguardVariables, type SafeguardSettings } from './safeguards.ts'

type Name = keyof SafeguardSettings['safeguards']

/** Each safeguard with its variable, its default in production and in local mode, and a value that changes the default. */
const table: readonly [name: Name, variable: keyof typeof safeguardVariables, production: unknown, local: unknown][] = [
  ['keyPayoutWaitSeconds', 'LIVE_KEY_PAYOUT_WAIT_SECONDS', 3600, 0],
  ['accountPayoutWaitSeconds', 'ACCOUNT_PAYOUT_WAIT_SECONDS', 86_400, 0],
  ['newRecipientPayoutWaitSeconds', 'NEW_RECIPIENT_PAYOUT_WAIT_SECONDS', 3600, 0],
  ['needsVerifiedEmail', 'LIVE_NEEDS_VERIFIED_EMAIL', true, false],
  ['limitsRegistrations', 'LIMIT_REGISTRATIONS', true, false],
  ['reviewNeedsOpenedDocuments', 'REVIEW_NEEDS_OPENED_DOCUMENTS', true, false],
  ['checkoutSecondStep', 'CHECKOUT_SECOND_STEP', true, false],
  ['powerNeedsStepUp', 'POWER_NEEDS_STEP_UP', true, false],
  ['newPowerWaitHours', 'NEW_POWER_WAIT_HOURS', 24, 0],
]

const read = (variables: Record<string, string>, mode: 'local' | 'production') =>
  safeguardSettings(z.object(safeguardVariables).parse(variables), mode)

test('each safeguard is on in production and off in local mode, and its variable changes both', () => {
  const production = read({}, 'production').safeguards
  const local = read({}, 'local').safeguards
  assert.deepEqual(Object.keys(production).toSorted(), table.map(([name]) => name).toSorted(), 'a new safeguard gets a line here')
  for (const [name, variable, on, off] of table) {
    assert.equal(production[name], on, name)
    assert.equal(local[name], off, name)
    assert.equal(read({ [variable]: String(off) }, 'production').safeguards[name], off, variable)
    assert.equal(read({ [variable]: String(on) }, 'local').safeguards[name], on, variable)
  }
  for (const mode of ['local', 'production'] as const) assert.equal(read({}, mode).testWritesBeforeVerification, false)
})

test('with every safeguard on, nothing waits and nothing is asked for in the test environment', async (t) => {
  const settings = Object.fromEntries(table.map(([, variable, on]) => [variable, String(on)]))
  const app = await startTestApp(t, { worker: true, settings })
  const student = await app.student()
  const { token } = student
  const page = await app.page(student, { amount: 400_000 })
  const paid = await app.checkout(page.slug)
  assert.equal(paid.body.data.next_step, undefined)
  assert.equal((await app.settled(paid.body.data.reference)).status, 'completed')

  const payout = (fields: { token?: string; key?: string }, path: string): Promise<Answer> =>
    app.call('POST', path, {
      ...fields,
      headers: { 'idempotency-key': randomUUID() },
      body: { amount: 20_000, phone_number: '+255754000123', recipient_name: 'Asha Mushi' },
    })
  const { key } = await app.key(student, 'test')
  const elsewhere = await app.call('POST', '/v1/auth/login', {
    body: { identifier: student.email, password: student.password },
    headers: { 'user-agent': 'another device' },
  })
  for (const [what, answer] of [
    ['by a new key', await payout({ key }, '/v1/payouts')],
    ['by the person, to a new recipient', await payout({ token }, '/v1/merchant/payouts?environment=test')],
    ['from a new device', await payout({ token: elsewhere.body.data.access_token }, '/v1/merchant/payouts?environment=test')],
  ] as const) {
    assert.equal(answer.status, 201, `${what}: ${JSON.stringify(answer.body)}`)
    assert.equal(answer.body.data.waits_until, null, what)
  }

  // The same requests in live are held back, so the settings are on.
  const liveKey = await app.call('POST', '/developers/apps', { token, body: { name: 'Shop', environment: 'live' } })
  const refused = await app.call('POST', '/developers/keys', {
    token,
    body: { app_id: liveKey.body.data.id, key_name: 'live', scopes: ['payouts:write'] },
  })
  assert.equal(refused.body.error.code, 'email_not_verified')
})
