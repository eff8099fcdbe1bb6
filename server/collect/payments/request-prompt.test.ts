/** A payment request that a member sends to the phone of a customer at the counter. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { share, startTestApp, type Answer, type TestApp } from '../../../test/app.ts'
import { newMember, verifiedBusiness } from '../../../test/members.ts'

const sharedApp = share((ending) => startTestApp(ending, { worker: true }))

type Counter = {
  request(): Promise<{ id: string }>
  send(id: string, key: string, phone?: string, token?: string): Promise<Answer>
  read(id: string): Promise<any>
}

async function counterOf(app: TestApp): Promise<Counter> {
  const owner = await app.student()
  const businessId = await verifiedBusiness(app, owner, await app.admin())
  const { token: cashier } = await newMember(app, owner, businessId, 'cashier')
  const query = `environment=test&business_id=${businessId}`
  const path = '/v1/merchant/payment-requests'
  return {
    async request() {
      const body = { title: 'Kaunta', amount: 4_000, metadata: { channel: 'till' } }
      return (await app.call('POST', `${path}?${query}`, { token: cashier, body })).body.data
    },
    send: (id, key, phone = '0754 000 789', token = cashier) =>
      app.call('POST', `${path}/${id}/prompt?${query}`, {
        token,
        headers: { 'idempotency-key': key },
        body: { phone_number: phone },
      }),
    read: async (id) => (await app.call('GET', `${path}/${id}?${query}`, { token: cashier })).body.data,
  }
}

const short = ({ status, body }: Answer): string => `${status} ${body.error?.code ?? ''}`.trim()

test('a cashier sends a request to a phone: its payment carries the request, and pays it', async () => {
  const app = await sharedApp()
  const counter = await counterOf(app)
  const { id } = await counter.request()
  const sent = await counter.send(id, 'one')
  assert.equal(sent.status, 201, JSON.stringify(sent.body))
  const { reference, phone_masked, amount, checkout_token } = sent.body.data
  assert.deepEqual([phone_masked, amount], ['0754 ••• 789', 4_000])
  assert.ok(checkout_token)
  await app.settled(reference, ['completed'])
  const request = await counter.read(id)
  assert.deepEqual([request.status, request.payment, request.paid_count], ['paid', reference, 1])
  assert.equal(short(await counter.send(id, 'two')), '409 request_paid')
  const again = await counter.send(id, 'one')
  assert.deepEqual([again.status, again.body.data.reference], [200, reference])
})

test('ten equal sends at once prompt one phone once; while it is open, no other phone is prompted', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const counter = await counterOf(app)
  const { id } = await counter.request()
  // A number that waits for its PIN.
  const waiting = '0754 000 123'
  const answers = await Promise.all(Array.from({ length: 10 }, () => counter.send(id, 'one', waiting)))
  assert.equal(new Set(answers.map(({ body }) => body.data?.reference)).size, 1, answers.map(short).join())
  assert.equal(short(await counter.send(id, 'one', '0754 000 789')), '422 idempotency_key_reused')
  assert.equal(short(await counter.send(id, 'two', '0754 000 789')), '409 request_busy')
  assert.equal((await app.truth()).charges.length, 1)
  const { reference, checkout_token } = answers[0]!.body.data
  const cancelled = await app.call('POST', `/v1/payments/${reference}/cancel`, { body: { checkout_token } })
  assert.ok(cancelled.body.data.cancel_requested)
})

test('after a refused PIN the same request goes to another phone under another key', async () => {
  const app = await sharedApp()
  const counter = await counterOf(app)
  const { id } = await counter.request()
  const declined = await counter.send(id, 'one', '0754 000 049')
  const { status, failure } = await app.settled(declined.body.data.reference, ['failed'])
  assert.equal(status, 'failed')
  assert.ok(failure.message && failure.message_sw)
  const { reference } = (await counter.send(id, 'two')).body.data
  await app.settled(reference, ['completed'])
  assert.equal((await counter.read(id)).payment, reference)
})

test('a wrong number, a missing key and a stranger are refused, and nothing is sent', async () => {
  const app = await sharedApp()
  const counter = await counterOf(app)
  const { id } = await counter.request()
  assert.equal(short(await counter.send(id, 'one', '12')), '400 phone_invalid')
  assert.equal(short(await counter.send(id, 'one', '0731 123 456')), '400 network_unsupported')
  assert.equal(short(await counter.send(id, '')), '400 idempotency_key_required')
  assert.equal((await counter.send(id, 'one', undefined, (await app.student()).token)).status, 404)
  assert.equal((await counter.send('preq_06g2v1d1p5fz9b7q4w5w1y2k3m', 'one')).status, 404)
  const other = await counterOf(app)
  assert.equal((await other.send(id, 'one')).status, 404, 'another business')
  assert.equal((await counter.read(id)).status, 'open')
})
