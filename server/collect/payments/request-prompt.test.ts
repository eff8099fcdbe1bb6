/** A payment request that a member sends to the phone of a customer at the counter. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { eventually, share, startTestApp, type Answer, type Student, type TestApp } from '../../../test/app.ts'
import { moveClock } from '../../../test/fixtures/reconciliation.ts'
import { newMember, removeMember, verifiedBusiness } from '../../../test/members.ts'

const sharedApp = share((ending) => startTestApp(ending, { worker: true }))

type Counter = {
  owner: Student
  /** Removes the cashier from the business. */
  removeCashier(): Promise<void>
  request(): Promise<{ id: string }>
  send(id: string, key: string, phone?: string, token?: string): Promise<Answer>
  read(id: string): Promise<any>
}

async function counterOf(app: TestApp): Promise<Counter> {
  const owner = await app.student()
  const businessId = await verifiedBusiness(app, owner, await app.admin())
  const { token: cashier, memberId } = await newMember(app, owner, businessId, 'cashier')
  const query = `environment=test&business_id=${businessId}`
  const path = '/v1/merchant/payment-requests'
  return {
    owner,
    removeCashier: () => removeMember(app, owner, businessId, memberId),
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

/** The provider of the test environment is treated as one with real phones; the simulator runs it anyway. */
const realPhones = { SIMULATED_PROVIDERS: 'live' }

const countOf = async (app: TestApp, table: 'payments' | 'prompts'): Promise<number> =>
  Number((await app.owner.pool.query(`select count(*) from ${table}`)).rows[0].count)

test('a business prompts so many phones, and no more; a repeat is not counted, and a refused prompt does not block its phone', async (t) => {
  const app = await startTestApp(t, { worker: true, settings: { ...realPhones, RATE_LIMIT_QUOTAS: 'request-prompt=2/600' } })
  const counter = await counterOf(app)
  const requests = [await counter.request(), await counter.request(), await counter.request()]
  const send = (at: number): Promise<Answer> => counter.send(requests[at]!.id, `key-${at}`, `0754 000 00${at}`)
  assert.equal(short(await send(0)), '201')
  assert.equal(short(await send(0)), '200')
  assert.equal(short(await send(1)), '201')
  const refused = await send(2)
  assert.equal(short(refused), '429 rate_limited')
  assert.ok(Number(refused.headers.get('retry-after')) > 570)
  assert.equal(short(await send(1)), '200')
  assert.deepEqual([await countOf(app, 'payments'), await countOf(app, 'prompts'), (await app.truth()).charges.length], [2, 2, 2])
  const other = await counterOf(app)
  assert.equal(short(await other.send((await other.request()).id, 'one', '0754 000 002')), '201', 'another business')
})

test('a cashier sends no request of yesterday; an owner does', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const counter = await counterOf(app)
  const { id } = await counter.request()
  await moveClock(app, '1 day')
  assert.equal(short(await counter.send(id, 'one')), '404 not_found')
  assert.equal(short(await counter.send(id, 'one', undefined, counter.owner.token)), '201')
})

/** A service in which a payment can be stopped after its caller was authenticated and before it is stored. */
async function startGatedApp(t: TestContext): Promise<{ app: TestApp; gate: { waiting: number; shut(): void; open(): void } }> {
  let opened = Promise.withResolvers<void>()
  const gate = { waiting: 0, shut: () => void (opened = Promise.withResolvers<void>()), open: () => opened.resolve() }
  gate.open()
  const app = await startTestApp(t, {
    worker: true,
    settings: realPhones,
    wrap: (deps) => ({
      ...deps,
      switches: {
        ...deps.switches,
        async checkoutRefusal(...of) {
          gate.waiting += 1
          await opened.promise
          gate.waiting -= 1
          return deps.switches.checkoutRefusal(...of)
        },
      },
    }),
  })
  app.beforeClose(async () => gate.open())
  return { app, gate }
}

test('a member who is removed, and a key that is revoked, while their request runs prompt no phone', async (t) => {
  const { app, gate } = await startGatedApp(t)
  const counter = await counterOf(app)
  const { id } = await counter.request()
  const { key, keyId } = await app.key(counter.owner)
  gate.shut()
  const byCashier = counter.send(id, 'one')
  const byKey = app.call('POST', '/v1/payments', {
    key,
    headers: { 'idempotency-key': 'one' },
    body: { amount: 5_000, phone_number: '+255754000788', description: 'Chai' },
  })
  await eventually('both are stopped', () => gate.waiting === 2)
  await counter.removeCashier()
  assert.equal((await app.call('DELETE', `/developers/keys/${keyId}`, { token: counter.owner.token })).status, 200)
  gate.open()
  assert.equal(short(await byCashier), '404 not_found')
  assert.equal(short(await byKey), '401 api_key_revoked')
  assert.deepEqual([await countOf(app, 'payments'), (await app.truth()).charges.length], [0, 0])
  assert.equal(short(await counter.send(id, 'two', undefined, counter.owner.token)), '201', 'the phone is free')
})
