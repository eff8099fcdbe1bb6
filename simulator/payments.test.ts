import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectionFee } from './fees.ts'
import { startTestSimulator, until } from './test-simulator.ts'

test('a call without a key, with a wrong key or with another scheme is unauthorized', async (t) => {
  const simulator = await startTestSimulator(t)
  for (const authorization of [
    '',
    'Bearer wrong-key',
    `Basic ${simulator.config.accounts.test.apiKey}`,
    simulator.config.accounts.test.apiKey,
  ]) {
    const answer = await simulator.call('GET', '/v1/payments', { headers: { authorization } })
    assert.equal(answer.status, 401)
    assert.deepEqual(JSON.parse(answer.text), {
      status: 'error',
      code: 401,
      error_code: 'unauthorized',
      message: 'invalid or missing API key',
    })
  }
})

test('the prefixed dialect has the same errors with the other codes', async (t) => {
  const simulator = await startTestSimulator(t)
  await simulator.control('PATCH', '/switches', { errorDialect: 'prefix' })
  assert.equal(
    (await simulator.call('GET', '/v1/payments', { headers: { authorization: 'Bearer wrong-key' } })).body.error_code,
    'AUTH_007',
  )
  const refused = await simulator.create(simulator.order({ customer: { firstname: 'Asha', lastname: 'Juma' } }))
  assert.equal(refused.answer.body.error_code, 'VAL_001')
  assert.equal(refused.answer.body.message, 'validation failed: customer.email is required')
})

test('a missing scope is named', async (t) => {
  const simulator = await startTestSimulator(t)
  await simulator.control('PATCH', '/switches', { scopes: ['collection:read'] })
  const { answer } = await simulator.create(simulator.order())
  assert.equal(answer.status, 403)
  assert.equal(answer.body.error_code, 'insufficient_scope')
  assert.equal(answer.body.message, 'API key does not have required scope: collection:create')
})

test('a create is pending, prompts the phone once and answers as published', async (t) => {
  const simulator = await startTestSimulator(t)
  const { answer, reference } = await simulator.create(simulator.order())
  assert.equal(answer.status, 201)
  const data = answer.body.data ?? {}
  assert.deepEqual(Object.keys(data).toSorted(), [
    'amount',
    'api_version',
    'expires_at',
    'object',
    'payment_type',
    'reference',
    'status',
  ])
  assert.deepEqual(data.amount, { value: 5_000, currency: 'TZS' })
  assert.equal(data.status, 'pending')
  assert.match(String(data.expires_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/)
  assert.match(reference, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  const charge = await simulator.charge(reference)
  assert.equal(charge.prompts, 1)
  assert.equal(charge.prompt_open, true)
  assert.equal(charge.money_moved, false)
})

const broken: [string, Record<string, unknown>, string][] = [
  ['no payment type', { payment_type: undefined }, 'payment_type is required'],
  ['a card', { payment_type: 'card' }, 'payment_type must be mobile: this account has no other payment type'],
  ['no amount', { details: { currency: 'TZS' } }, 'amount is required'],
  ['too little', { details: { amount: 100, currency: 'TZS' } }, 'amount 100 is below minimum of 500'],
  ['a fraction', { details: { amount: 500.5, currency: 'TZS' } }, 'amount must be an integer'],
  ['an amount as text', { details: { amount: '5000', currency: 'TZS' } }, 'amount must be an integer'],
  ['too much', { details: { amount: 10_000_001, currency: 'TZS' } }, 'amount 10000001 is above maximum of 10000000'],
  ['another currency', { details: { amount: 5_000, currency: 'USD' } }, 'currency must be TZS'],
  ['a local phone', { phone_number: '0712345678' }, 'phone_number must be a valid phone number'],
  ['a short phone', { phone_number: '25571234567' }, 'phone_number must be a valid phone number'],
  ['a foreign phone', { phone_number: '254712345678' }, 'phone_number must be a valid phone number'],
  ['TTCL', { phone_number: '255732345678' }, 'phone_number belongs to an unsupported network'],
  ['no first name', { customer: { lastname: 'Juma', email: 'a@example.com' } }, 'customer.firstname is required'],
  [
    'a blank last name',
    { customer: { firstname: 'Asha', lastname: ' ', email: 'a@example.com' } },
    'customer.lastname is required',
  ],
  ['no e-mail', { customer: { firstname: 'Asha', lastname: 'Juma' } }, 'customer.email is required'],
  ['a plain http webhook elsewhere', { webhook_url: 'http://example.com/hook' }, 'webhook_url must be a valid HTTPS URL'],
  ['a long webhook', { webhook_url: `https://example.com/${'x'.repeat(481)}` }, 'webhook_url must be at most 500 characters'],
  ['metadata that is a list', { metadata: ['x'] }, 'metadata must be an object'],
]
for (const [what, fields, message] of broken) {
  test(`a create with ${what} is refused and leaves nothing in the books`, async (t) => {
    const simulator = await startTestSimulator(t)
    const { answer } = await simulator.create(simulator.order(fields))
    assert.equal(answer.status, 400)
    assert.equal(answer.body.error_code, 'validation_error')
    assert.equal(answer.body.message, message)
    assert.equal((await simulator.truth()).totals.charges, 0)
  })
}

test('a plain http webhook on loopback is refused unless the flag allows it', async (t) => {
  const simulator = await startTestSimulator(t, { allowHttpWebhooks: false })
  const { answer } = await simulator.create(simulator.order())
  assert.equal(answer.body.message, 'webhook_url must be a valid HTTPS URL')
})

test('a body that is not a JSON object is refused', async (t) => {
  const simulator = await startTestSimulator(t)
  for (const raw of ['{', '[]', '"x"', '']) {
    const answer = await simulator.call('POST', '/v1/payments', { raw })
    assert.equal(answer.status, 400, raw)
    assert.equal(answer.body.error_code, 'validation_error')
  }
})

test('the same key and body give the same answer and one prompt', async (t) => {
  const simulator = await startTestSimulator(t)
  const headers = { 'idempotency-key': 'c-01JABCDEFGHJKMNPQRSTVWXYZ0' }
  const first = await simulator.create(simulator.order(), headers)
  const again = await simulator.create(simulator.order(), headers)
  assert.equal(again.answer.status, 201)
  assert.equal(again.answer.text, first.answer.text)
  const charge = await simulator.charge(first.reference)
  assert.equal(charge.create_calls, 2)
  assert.equal(charge.prompts, 1)
  assert.equal((await simulator.truth()).totals.charges, 1)
})

test('the same key with another body is refused and shows nothing of the first', async (t) => {
  const simulator = await startTestSimulator(t)
  const headers = { 'idempotency-key': 'one-key' }
  const first = await simulator.create(simulator.order(), headers)
  const other = await simulator.create(simulator.order({ details: { amount: 6_000, currency: 'TZS' } }), headers)
  assert.equal(other.answer.status, 422)
  assert.equal(other.answer.body.error_code, 'validation_error')
  assert.equal(other.answer.body.message, 'idempotency key already used with different request body')
  assert.ok(!other.answer.text.includes(first.reference))
})

test('a key belongs to one account', async (t) => {
  const simulator = await startTestSimulator(t)
  const headers = { 'idempotency-key': 'one-key' }
  const first = await simulator.create(simulator.order(), headers)
  const live = await simulator.create(simulator.order(), {
    ...headers,
    authorization: `Bearer ${simulator.config.accounts.live.apiKey}`,
  })
  assert.notEqual(live.reference, first.reference)
})

test('a key of 30 bytes passes, one of 31 is answered with PAY_001', async (t) => {
  const simulator = await startTestSimulator(t)
  assert.equal((await simulator.create(simulator.order(), { 'idempotency-key': 'k'.repeat(30) })).answer.status, 201)
  const { answer } = await simulator.create(simulator.order(), { 'idempotency-key': 'k'.repeat(31) })
  assert.equal(answer.body.error_code, 'PAY_001')
  assert.equal(answer.body.message, 'failed to initiate payment')
  assert.equal((await simulator.truth()).totals.charges, 1)
})

test('a key is free again after 24 hours', async (t) => {
  const { startSimulator } = await import('./start.ts')
  const { clientOf, orderFor, testConfig } = await import('./test-simulator.ts')
  const config = testConfig()
  let now = Date.now()
  const oneSimulator = await startSimulator(config, { now: () => now })
  t.after(() => oneSimulator.close())
  const client = clientOf(oneSimulator.url, config)
  const order = orderFor('https://example.com/hook')
  const headers = { 'idempotency-key': 'one-key' }
  const first = await client.create(order, headers)
  now += 24 * 60 * 60 * 1000 - 1
  assert.equal((await client.create(order, headers)).reference, first.reference)
  now += 2
  assert.notEqual((await client.create(order, headers)).reference, first.reference)
})

test('a second create while the first waits for its answer is a conflict, or waits when switched so', async (t) => {
  const simulator = await startTestSimulator(t)
  const headers = { 'idempotency-key': 'one-key' }
  await simulator.control('POST', '/hold', { create: true })
  const first = simulator.create(simulator.order(), headers)
  await until('the first create at the gate', async () => (await simulator.control('GET', '/holds')).text.includes('"waiting":1'))
  const conflict = await simulator.create(simulator.order(), headers)
  assert.equal(conflict.answer.status, 409)
  assert.equal(conflict.answer.body.error_code, 'conflict')
  await simulator.control('PATCH', '/switches', { inFlight: 'wait' })
  const second = simulator.create(simulator.order(), headers)
  await until('the second create in the books', async () => (await simulator.truth()).charges[0]?.create_calls === 3)
  await simulator.control('POST', '/release')
  assert.equal((await first).answer.text, (await second).answer.text)
  assert.equal((await simulator.truth()).totals.charges, 1)
})

test('a refused create is remembered under its key only when switched so', async (t) => {
  const simulator = await startTestSimulator(t)
  const headers = { 'idempotency-key': 'one-key' }
  const bad = simulator.order({ phone_number: '0712345678' })
  assert.equal((await simulator.create(bad, headers)).answer.status, 400)
  assert.equal((await simulator.create(simulator.order(), headers)).answer.status, 201)
  await simulator.control('PATCH', '/switches', { cacheErrors: true })
  const other = { 'idempotency-key': 'other-key' }
  assert.equal((await simulator.create(bad, other)).answer.status, 400)
  assert.equal((await simulator.create(simulator.order(), other)).answer.status, 422)
})

test('a stranger’s payment is not found, and pushing it is forbidden', async (t) => {
  const simulator = await startTestSimulator(t)
  const { reference } = await simulator.create(simulator.order())
  const headers = { authorization: `Bearer ${simulator.config.accounts.live.apiKey}` }
  const shown = await simulator.call('GET', `/v1/payments/${reference}`, { headers })
  assert.equal(shown.status, 404)
  assert.equal(shown.body.message, 'payment not found')
  const pushed = await simulator.call('POST', `/v1/payments/${reference}/push`, { headers })
  assert.equal(pushed.status, 403)
  assert.equal(pushed.body.error_code, 'forbidden')
  assert.equal((await simulator.call('POST', '/v1/payments/9015c155-9e29-4f11-8000-000000000000/push')).status, 404)
})

test('a payment is shown as in the published example, and with more when switched so', async (t) => {
  const simulator = await startTestSimulator(t)
  const { reference } = await simulator.create(simulator.order({ phone_number: '+255712345049' }))
  await simulator.chargeWhen(reference, 'the failure', (charge) => charge.status === 'failed')
  const plain = (await simulator.call('GET', `/v1/payments/${reference}`)).body.data ?? {}
  assert.equal(plain.status, 'failed')
  assert.deepEqual(plain.channel, { provider: 'mixx', type: 'mobile_money' })
  for (const absent of ['failure_reason', 'metadata', 'settlement', 'external_reference']) assert.ok(!(absent in plain), absent)
  await simulator.control('PATCH', '/switches', { getDetail: 'full' })
  const full = (await simulator.call('GET', `/v1/payments/${reference}`)).body.data ?? {}
  assert.equal(full.failure_reason, 'Insufficient balance in wallet')
  assert.deepEqual(full.metadata, { attempt: 'att_1' })
})

test('the list is newest first, pages by limit and offset and carries metadata', async (t) => {
  const simulator = await startTestSimulator(t)
  const references: string[] = []
  for (const attempt of ['a', 'b', 'c'])
    references.unshift((await simulator.create(simulator.order({ metadata: { attempt } }))).reference)
  const data = (await simulator.call('GET', '/v1/payments?limit=2&offset=1')).body.data ?? {}
  const items = data.items as { reference: string; metadata: unknown; customer: unknown; settlement: unknown }[]
  assert.deepEqual(
    items.map((item) => item.reference),
    references.slice(1),
  )
  assert.deepEqual([data.total, data.limit, data.offset], [3, 2, 1])
  assert.deepEqual(items[0]?.metadata, { attempt: 'b' })
  assert.deepEqual(items[0]?.customer, {
    email: 'asha@example.com',
    first_name: 'Asha',
    last_name: 'Juma',
    phone: '+255712345678',
  })
  assert.deepEqual(items[0]?.settlement, {
    gross: { value: 5_000, currency: 'TZS' },
    fees: { value: 99, currency: 'TZS' },
    net: { value: 4_901, currency: 'TZS' },
  })
  assert.equal((await simulator.call('GET', '/v1/payments?limit=101')).status, 400)
})

test('a push prompts the phone again, until the payment has ended', async (t) => {
  const simulator = await startTestSimulator(t)
  const { reference } = await simulator.create(simulator.order())
  const pushed = await simulator.call('POST', `/v1/payments/${reference}/push`)
  assert.equal(pushed.status, 200)
  assert.equal(JSON.parse(pushed.text).status, 200)
  assert.equal(pushed.body.message, 'USSD push sent successfully')
  assert.equal(pushed.body.data?.phone, '+255712345678')
  assert.equal((await simulator.charge(reference)).prompts, 2)
  await simulator.control('POST', `/charges/${reference}/answer`, { action: 'pin' })
  const late = await simulator.call('POST', `/v1/payments/${reference}/push`)
  assert.equal(late.status, 400)
  assert.equal(late.body.error_code, 'invalid_request')
})

test('the rate limit is shown always and enforced only when configured', async (t) => {
  const simulator = await startTestSimulator(t)
  const free = await simulator.call('GET', '/v1/payments')
  assert.equal(free.headers['x-ratelimit-limit'], '1000000')
  await simulator.control('PATCH', '/switches', { rateLimitPerMinute: 2 })
  assert.equal((await simulator.call('GET', '/v1/payments')).headers['x-ratelimit-remaining'], '0')
  const over = await simulator.call('GET', '/v1/payments')
  assert.equal(over.status, 429)
  assert.equal(over.body.error_code, 'rate_limit_exceeded')
  assert.match(String(over.headers['x-ratelimit-reset']), /^\d+$/)
})

test('the fee passes through the two published points and never decreases', () => {
  assert.equal(collectionFee(500), 9)
  assert.equal(collectionFee(50_000), 1_000)
  let last = 0
  for (let amount = 500; amount <= 200_000; amount += 500) {
    const fee = collectionFee(amount)
    assert.ok(Number.isInteger(fee) && fee >= last && fee < amount)
    last = fee
  }
})
