/** The payer's phone in the dashboard: it ends a test payment as a payer would, and reaches nothing of anyone else and nothing live. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { share, startTestApp, type Student, type TestApp } from '../../../test/app.ts'

const sharedApp = share((ending) => startTestApp(ending))

const phone = '0754 000 111'

const answer = (app: TestApp, who: Student, reference: string, body: unknown, query = '?environment=test') =>
  app.call('POST', `/v1/merchant/payments/${reference}/answer${query}`, { token: who.token, body })

const codeOf = ({ status, body }: { status: number; body: any }): string => `${status} ${body.error?.code ?? ''}`.trim()

async function startedPayment(app: TestApp, student: Student, environment: 'test' | 'live' = 'test'): Promise<string> {
  const page = await app.page(student, { amount: 1500 }, environment)
  return (await app.checkout(page.slug, { phone_number: phone })).body.data.reference
}

for (const [provider, settings] of [
  ['snippe', {}],
  ['clickpesa', { CHARGE_PROVIDER_TEST: 'clickpesa' }],
] as const) {
  test(`a payer at the simulated ${provider} mistypes the PIN, then approves; another cancels`, async (t) => {
    const app = await startTestApp(t, { worker: true, settings })
    const student = await app.student()
    const paid = await startedPayment(app, student)
    const wrong = await answer(app, student, paid, { action: 'wrong_pin' })
    assert.deepEqual([wrong.status, wrong.body.data], [200, { reference: paid, tries_left: 2 }])
    assert.equal((await answer(app, student, paid, { action: 'approve' })).status, 200)
    assert.equal((await app.settled(paid)).status, 'completed')
    assert.equal(codeOf(await answer(app, student, paid, { action: 'approve' })), '409 invalid_state')

    const cancelled = await startedPayment(app, student)
    assert.equal((await answer(app, student, cancelled, { action: 'cancel' })).status, 200)
    assert.equal((await app.settled(cancelled)).status, 'failed')
  })
}

test('a live payment is never answered, not even where a simulator plays the live provider', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const live = await startedPayment(app, student, 'live')
  for (const query of ['?environment=live', '']) {
    assert.equal(codeOf(await answer(app, student, live, { action: 'approve' }, query)), '403 test_environment_only')
  }
  assert.equal(codeOf(await answer(app, student, live, { action: 'approve' })), '404 not_found')
  assert.equal((await app.settled(live, ['pending'])).status, 'pending')
})

test('a test environment of a real provider has no phone', async (t) => {
  const app = await startTestApp(t, { settings: { SIMULATED_PROVIDERS: 'none' } })
  const student = await app.student()
  const reference = await startedPayment(app, student)
  assert.equal(codeOf(await answer(app, student, reference, { action: 'approve' })), '403 test_environment_only')
})

test('strangers and unknown actions are refused', async () => {
  const app = await sharedApp()
  const [student, stranger] = [await app.student(), await app.student()]
  const reference = await startedPayment(app, student)
  assert.equal(codeOf(await answer(app, stranger, reference, { action: 'approve' })), '404 not_found')
  assert.equal(codeOf(await answer(app, student, reference, { action: 'pay' })), '400 validation_error')
  const anonymous = await app.call('POST', `/v1/merchant/payments/${reference}/answer?environment=test`, {
    body: { action: 'approve' },
  })
  assert.equal(codeOf(anonymous), '401 authentication_required')
  // The simulator itself answers only with the provider's key.
  const direct = await fetch(`${app.simulatorUrl}/phone/answers`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer wrong' },
    body: JSON.stringify({ reference, action: 'approve' }),
  })
  assert.equal(direct.status, 401)
})
