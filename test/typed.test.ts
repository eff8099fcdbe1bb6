/** What real people type, at the doors of the API where it enters: each line is of a report about another product. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { share, startTestApp, type Answer } from './app.ts'
import { ask, paidStudent } from './fixtures/payouts.ts'

const sharedApp = share((ending) => startTestApp(ending))

/** `+255754123789`, as it is pasted from contacts, chats and spreadsheets. */
const pasted = [
  '\u202a+255 754 123 789\u202c',
  '+255\u2011754\u2011123\u2011789',
  '0754\u2013123\u2013789',
  '+255 (0) 754 123 789',
  '\u200e0754\u00a0123\u00a0789\ufeff',
]
/** Numbers of another kind. */
const noPhones = ['0.754123789', '-754123789']

test('a pasted phone number is read at every door, and a number of another kind at none', async () => {
  const app = await sharedApp()
  const { token, key } = await paidStudent(app)
  const { slug } = await app.page({ token } as never, { amount: 500 })
  const list = (path: string) => (phone: string) =>
    app.call('GET', `${path}?environment=test&q=${encodeURIComponent(phone)}`, { token })
  const doors: Record<string, (phone: string) => Promise<Answer>> = {
    checkout: (phone) => app.checkout(slug, { phone_number: phone, idempotency_key: randomUUID() }),
    payout: (phone) => ask(app, key, { amount: 5_000, phone_number: phone }),
    payment: (phone) =>
      app.call('POST', '/v1/payments', {
        headers: { 'x-api-key': key, 'idempotency-key': randomUUID() },
        body: { amount: 500, phone_number: phone, description: 'Mandazi' },
      }),
    request: (phone) =>
      app.call('POST', '/v1/payment-requests', {
        headers: { 'x-api-key': key, 'idempotency-key': randomUUID() },
        body: { amount: 500, title: 'Mandazi', customer: { phone_number: phone } },
      }),
    account: async (phone) =>
      app.call('POST', '/v1/auth/register', {
        body: {
          full_name: 'Asha Mwinyi',
          email: `${randomUUID()}@example.com`,
          phone_number: phone,
          password: 'tembo anakunywa maji mengi',
          student_id: '2023-04-01234',
          institution: 'University of Dar es Salaam',
        },
      }),
  }
  for (const [door, send] of Object.entries(doors)) {
    for (const phone of pasted) {
      const { status, body } = await send(phone)
      // A number that another account has, or that was prompted a moment ago, was read.
      const wasRead = status < 300 || ['phone_busy', 'phone_taken', 'rate_limited', 'conflict'].includes(body.error?.code)
      assert.ok(wasRead || (door === 'account' && status === 409), `${door} ${phone}: ${status} ${JSON.stringify(body)}`)
    }
    for (const phone of noPhones) assert.equal((await send(phone)).status, 400, `${door} ${phone}`)
  }
  for (const path of ['/v1/merchant/customers', '/v1/merchant/payments', '/v1/merchant/payouts']) {
    for (const phone of pasted) {
      const { status, body } = await list(path)(phone)
      assert.equal(status, 200, JSON.stringify(body))
      assert.ok(body.data.length > 0, `${path} ${phone}`)
    }
  }
})

test('a person signs in with the number and the address as they were pasted', async () => {
  const app = await sharedApp()
  const person = await app.student()
  for (const identifier of [`\u202a${person.email.toUpperCase()}\u202c`, ` ${person.email}\ufeff`]) {
    const { status, body } = await app.call('POST', '/v1/auth/login', { body: { identifier, password: person.password } })
    assert.equal(status, 200, JSON.stringify(body))
  }
})

test('a name of nothing that can be seen is refused, and one without its hidden marks is kept', async () => {
  const app = await sharedApp()
  const { key } = await paidStudent(app)
  for (const name of ['\u3164', '\u115f', '\uffa0', `a${'\u0301'.repeat(119)}`]) {
    const { status, body } = await ask(app, key, { amount: 5_000, recipient_name: name })
    assert.deepEqual([status, body.error?.code], [400, 'validation_error'], JSON.stringify(name))
  }
  const { status, body } = await ask(app, key, { amount: 5_000, recipient_name: 'Asha \u202eMwinyi' })
  assert.deepEqual([status, body.data?.recipient_name ?? body.data?.recipient?.name], [201, 'Asha Mwinyi'], JSON.stringify(body))
})

test('a name is found however its apostrophe and accents are typed, in every list', async () => {
  const app = await sharedApp()
  const payee = await paidStudent(app)
  const { slug } = await app.page(payee, { amount: 500, title: 'Ng’ombe wa Zoë' })
  const paid = await app.checkout(slug, { customer_name: 'Zoë Ng’ombe', idempotency_key: randomUUID() })
  await app.settled(paid.body.data.reference)
  const out = await ask(app, payee.key, { amount: 5_000, recipient_name: 'Zoë Ng’ombe' })
  assert.equal(out.status, 201, JSON.stringify(out.body))
  for (const typed of ["ng'ombe", 'Ngombe', 'NGʼOMBE', 'zoe', 'Zoe\u0308']) {
    for (const path of ['/v1/merchant/payments', '/v1/merchant/payouts', '/v1/merchant/customers', '/v1/merchant/search']) {
      const { status, body } = await app.call('GET', `${path}?environment=test&q=${encodeURIComponent(typed)}`, {
        token: payee.token,
      })
      assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`)
      assert.ok(body.data.length > 0, `${path} ${typed}`)
    }
  }
})

test('the console finds a person however the name is typed', async () => {
  const app = await sharedApp()
  const person = await app.student()
  await app.owner.pool.query('update users set full_name = $1 where email = $2', ['Ng’ombe Zoë', person.email])
  const { token } = await app.admin()
  for (const typed of ["ng'ombe", 'Ngombe zoe', 'NGʼOMBE Zoe\u0308']) {
    const { status, body } = await app.call('GET', `/v1/admin/search?q=${encodeURIComponent(typed)}`, { token })
    assert.equal(status, 200, JSON.stringify(body))
    assert.ok(
      body.data.some(({ detail }: { detail: string }) => detail === person.email),
      `${typed}: ${JSON.stringify(body.data)}`,
    )
  }
})

test('a name of a property with a character that no column holds is refused like a value', async () => {
  const app = await sharedApp()
  const { key } = await paidStudent(app)
  for (const body of ['{"a\\u0000b":1}', '{"items":[{"a\\u0000b":1}]}', '{"metadata":{"a\\u0000":"1"},"amount":500}']) {
    for (const path of ['/v1/payments', '/v1/payouts', '/v1/payout-batches', '/v1/payment-requests', '/v1/payment-pages']) {
      const { status } = await app.call('POST', path, {
        headers: { 'content-type': 'application/json', 'x-api-key': key, 'idempotency-key': randomUUID() },
        rawBody: body,
      })
      assert.ok(status >= 400 && status < 500, `${path} ${body}: ${status}`)
    }
  }
})
