/** What a merchant can read about its own business: what people did by sign-in, with keys, webhooks and money, and what operators decided. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { listActivity } from '../server/base/audit/audit.sql.ts'
import { ask, ended, paidStudent } from './fixtures/payouts.ts'
import { fromWire } from '../server/platform/ids.ts'
import { startTestApp, type TestApp } from './app.ts'

/** The entries of a merchant, oldest first. */
async function activity(app: TestApp, wireId: string): Promise<{ actor: string; action: string; after: object | null }[]> {
  const entries = await listActivity(app.db, fromWire('usr', wireId)!, { beforeSeq: null, limit: 100 })
  return entries.toReversed()
}

test('what a person does by sign-in is in the activity of the business, what a key does is not', async (t) => {
  const app = await startTestApp(t)
  const { token, key, userId } = await paidStudent(app)
  const earlier = (await activity(app, userId)).length
  const test = '?environment=test'
  async function post(url: string, body: object, who: { token: string } | { key: string } = { token }): Promise<any> {
    const answer = await app.call('POST', url, { ...who, headers: { 'idempotency-key': randomUUID() }, body })
    assert(answer.status < 300, JSON.stringify(answer.body))
    return answer.body.data
  }
  const page = { type: 'payment', title: 'Asha Mushi', amount: 25_000 }
  const order = { title: 'Order', amount: 1_000 }
  const payout = { amount: 20_000, phone_number: '+255754000123', recipient_name: 'Asha Mushi' }

  const made = await post(`/v1/merchant/payment-pages${test}`, page)
  await app.call('PATCH', `/v1/merchant/payment-pages/${made.id}${test}`, { token, body: { title: 'Neema' } })
  const request = await post(`/v1/merchant/payment-requests${test}`, order)
  await post(`/v1/merchant/payment-requests/${request.id}/cancel${test}`, {})
  const paid = await app.checkout(made.slug)
  await app.settled(paid.body.data.reference)
  const paidOut = await post(`/v1/merchant/payouts${test}`, payout)
  await ended(app, key, paidOut.id, 'completed')
  const refund = await post(`/v1/merchant/payments/${paid.body.data.reference}/refunds${test}`, { amount: 5_000 })

  await post('/v1/payment-pages', page, { key })
  await post('/v1/payment-requests', order, { key })
  assert.equal((await ask(app, key)).status, 201)

  const entries = (await activity(app, userId)).slice(earlier)
  assert.deepEqual(
    entries.map(({ action }) => action),
    [
      'payment_page.created',
      'payment_page.changed',
      'payment_request.created',
      'payment_request.cancelled',
      'payout.requested',
      'refund.requested',
    ],
  )
  assert(entries.every(({ actor }) => actor === userId))
  assert.deepEqual(entries[1]?.after, { environment: 'test', settings: ['title'] })
  assert.doesNotMatch(JSON.stringify(entries), /Asha|Neema|754000123/, 'the log has no names and no numbers of people')
  const [last] = await listActivity(app.db, fromWire('usr', userId)!, { beforeSeq: null, limit: 1 })
  assert.equal(last?.object, refund.id)
})

test('keys, webhooks and decisions are in the activity of their business, not in that of another', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const other = await app.student()
  const { appId, keyId } = await app.key(student)
  const { token } = student
  const hook = await app.call('POST', `/developers/apps/${appId}/webhook`, { token, body: { url: 'http://127.0.0.1:4000/hook' } })
  assert.equal(hook.status, 201, JSON.stringify(hook.body))
  await app.call('PATCH', `/developers/keys/${keyId}`, { token, body: { key_name: 'Till' } })
  await app.call('DELETE', `/developers/keys/${keyId}`, { token })
  await app.call('DELETE', `/developers/apps/${appId}`, { token })
  const admin = await app.admin()
  const body = { reason: 'Complaints of payers.' }
  const suspended = await app.call('POST', `/v1/admin/merchants/${student.userId}/suspend`, { token: admin.token, body })
  assert.equal(suspended.status, 200, JSON.stringify(suspended.body))

  const actions = (await activity(app, student.userId)).map(({ action }) => action)
  const wanted = [
    'app.created',
    'key.created',
    'webhook.saved',
    'key.changed',
    'key.revoked',
    'app.deleted',
    'merchant.suspended',
  ]
  for (const action of wanted) assert(actions.includes(action), `${action} is missing in ${actions.join(' ')}`)
  const others = (await activity(app, other.userId)).map(({ action }) => action)
  assert.deepEqual(
    others.filter((action) => !['app.created', 'key.created'].includes(action) && !action.startsWith('kyc.')),
    [],
    'only its own sandbox',
  )
})
