import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { startTestSimulator, until } from './test-simulator.ts'
import type { Received, TestSimulator } from './test-simulator.ts'

/** Written from the published rule, without the simulator's own code. */
function proofOf(received: Received, secret: string): string {
  const timestamp = String(received.headers['x-webhook-timestamp'])
  return createHmac('sha256', secret)
    .update(timestamp + '.' + received.body)
    .digest('hex')
}

async function pay(simulator: TestSimulator, headers: Record<string, string> = {}): Promise<string> {
  return (await simulator.create(simulator.order({ phone_number: '255712345789' }), headers)).reference
}

test('a webhook carries the published headers and a signature over timestamp and raw body', async (t) => {
  const simulator = await startTestSimulator(t)
  await pay(simulator)
  const received = await until('the webhook', () => simulator.receiver.received[0])
  assert.equal(received.headers['content-type'], 'application/json')
  assert.equal(received.headers['user-agent'], 'Snippe-Webhook/1.0')
  assert.equal(received.headers['x-webhook-event'], 'payment.completed')
  assert.match(String(received.headers['x-webhook-timestamp']), /^\d{10}$/)
  assert.ok(Math.abs(Number(received.headers['x-webhook-timestamp']) * 1000 - Date.now()) < 5_000)
  assert.equal(received.headers['x-webhook-signature'], proofOf(received, simulator.config.accounts.test.webhookSecret))
  const envelope = JSON.parse(received.body) as Record<string, unknown>
  assert.deepEqual(Object.keys(envelope), ['id', 'type', 'api_version', 'created_at', 'data'])
})

test('the live account signs with its own secret', async (t) => {
  const simulator = await startTestSimulator(t)
  await pay(simulator, { authorization: `Bearer ${simulator.config.accounts.live.apiKey}` })
  const received = await until('the webhook', () => simulator.receiver.received[0])
  assert.equal(received.headers['x-webhook-signature'], proofOf(received, simulator.config.accounts.live.webhookSecret))
})

test('a delivery answered with 500 is tried again with the same body until it succeeds', async (t) => {
  const simulator = await startTestSimulator(t)
  simulator.receiver.answerWith(() => (simulator.receiver.received.length < 3 ? 500 : 204))
  const reference = await pay(simulator)
  const charge = await simulator.chargeWhen(reference, 'the delivery', (now) => now.webhooks[0]?.state === 'delivered')
  assert.deepEqual(
    charge.webhooks[0]?.attempts.map(({ status }) => status),
    [500, 500, 204],
  )
  assert.equal(new Set(simulator.receiver.received.map(({ body }) => body)).size, 1)
})

test('a redirect is not followed and counts as a failed attempt', async (t) => {
  const simulator = await startTestSimulator(t, { webhookDelaysMs: [0] })
  simulator.receiver.answerWith(() => 302)
  const charge = await simulator.chargeWhen(
    await pay(simulator),
    'the end of the chain',
    (now) => now.webhooks[0]?.state === 'abandoned',
  )
  assert.equal(charge.webhooks[0]?.attempts[0]?.status, 302)
})

test('after five failed attempts a delivery is abandoned', async (t) => {
  const simulator = await startTestSimulator(t)
  simulator.receiver.answerWith(() => 503)
  const charge = await simulator.chargeWhen(
    await pay(simulator),
    'the end of the chain',
    (now) => now.webhooks[0]?.state === 'abandoned',
  )
  assert.equal(charge.webhooks[0]?.attempts.length, 5)
  assert.equal(charge.status, 'completed')
})

test('an attempt without an answer in time is a timeout', async (t) => {
  const simulator = await startTestSimulator(t, { webhookTimeoutMs: 30, webhookDelaysMs: [0] })
  simulator.receiver.answerWith(() => new Promise<number>(() => {}))
  const charge = await simulator.chargeWhen(
    await pay(simulator),
    'the end of the chain',
    (now) => now.webhooks[0]?.state === 'abandoned',
  )
  assert.deepEqual(charge.webhooks[0]?.attempts[0]?.error, 'timeout')
})

test('each attempt gets a new timestamp, or the time of the event when switched so', async (t) => {
  const simulator = await startTestSimulator(t, { webhookDelaysMs: [0, 1_100] })
  const stamps = (): number[] => simulator.receiver.received.map(({ headers }) => Number(headers['x-webhook-timestamp']))
  simulator.receiver.answerWith(() => 500)
  await pay(simulator)
  await until('two attempts', () => stamps().length === 2)
  assert.notEqual(stamps()[0], stamps()[1])
  await simulator.control('PATCH', '/switches', { restampWebhooks: false })
  await pay(simulator)
  await until('two more attempts', () => stamps().length === 4)
  assert.equal(stamps()[2], stamps()[3])
  for (const received of simulator.receiver.received) {
    assert.equal(received.headers['x-webhook-signature'], proofOf(received, simulator.config.accounts.test.webhookSecret))
  }
})

test('twenty copies of one event can be sent at once', async (t) => {
  const simulator = await startTestSimulator(t)
  const reference = await pay(simulator)
  await until('the first webhook', () => simulator.receiver.received.length === 1)
  const sent = await simulator.control('POST', `/charges/${reference}/webhook`, { times: 20, concurrently: true })
  assert.equal(sent.status, 200)
  assert.equal(simulator.receiver.received.length, 21)
  assert.equal(new Set(simulator.receiver.received.map(({ body }) => body)).size, 1)
  assert.equal((await simulator.charge(reference)).webhooks[0]?.attempts.length, 21)
})

test('an event of any type can be made and sent, the same event also under a new id', async (t) => {
  const simulator = await startTestSimulator(t)
  const { reference } = await simulator.create(simulator.order())
  await simulator.control('POST', `/charges/${reference}/webhook`, { type: 'payment.failed' })
  assert.equal(simulator.receiver.received[0]?.headers['x-webhook-event'], 'payment.failed')
  await simulator.control('POST', `/charges/${reference}/answer`, { action: 'pin' })
  await until('the true event', () => simulator.receiver.received.length === 2)
  await simulator.control('POST', `/charges/${reference}/webhook`, { type: 'completed', new_id: true })
  const ids = simulator.receiver.received.map(({ body }) => String((JSON.parse(body) as { id: unknown }).id))
  assert.equal(new Set(ids).size, 3)
  assert.equal((await simulator.charge(reference)).status, 'completed')
})

test('held webhooks wait at the gate and leave when it opens', async (t) => {
  const simulator = await startTestSimulator(t)
  await simulator.control('POST', '/hold', { webhooks: true })
  const reference = await pay(simulator)
  await until('the webhook at the gate', async () => (await simulator.control('GET', '/holds')).text.includes('"waiting":1'))
  const charge = await simulator.charge(reference)
  assert.equal(charge.status, 'completed')
  assert.equal(charge.money_moved, true)
  assert.equal(simulator.receiver.received.length, 0)
  await simulator.control('POST', '/release', { webhooks: true })
  await until('the webhook', () => simulator.receiver.received.length === 1)
})

test('a held create is in the books and its scenario runs while its answer waits', async (t) => {
  const simulator = await startTestSimulator(t)
  await simulator.control('POST', '/hold', { create: true })
  const create = simulator.create(simulator.order({ phone_number: '255712345789' }))
  await until('the webhook', () => simulator.receiver.received.length === 1)
  assert.equal((await simulator.truth()).charges[0]?.status, 'completed')
  await simulator.control('POST', '/release')
  assert.equal((await create).answer.body.data?.status, 'pending')
})

test('a control with an unknown switch, reference or move is refused', async (t) => {
  const simulator = await startTestSimulator(t)
  const { reference } = await simulator.create(simulator.order())
  assert.equal((await simulator.control('PATCH', '/switches', { unheardOf: 1 })).status, 400)
  assert.equal((await simulator.control('POST', '/charges/none/answer', { action: 'pin' })).status, 404)
  assert.equal((await simulator.control('POST', `/charges/${reference}/answer`, { action: 'complete' })).status, 200)
  assert.equal((await simulator.control('POST', `/charges/${reference}/answer`, { action: 'fail' })).status, 409)
})

test('the controls refuse a request that a page of another site sends', async (t) => {
  const simulator = await startTestSimulator(t)
  const { reference } = await simulator.create(simulator.order())
  const headers = { 'sec-fetch-site': 'cross-site' }
  const answer = await simulator.call('POST', `/__control/charges/${reference}/answer`, { body: { action: 'complete' }, headers })
  assert.equal(answer.status, 403)
  assert.equal((await simulator.charge(reference)).status, 'pending')
})

test('an event can be made to state a false fee, under a separate id', async (t) => {
  const simulator = await startTestSimulator(t)
  const reference = await pay(simulator)
  const first = await until('the webhook', () => simulator.receiver.received[0])
  await simulator.control('POST', `/charges/${reference}/webhook`, { fee: 999_999_999 })
  const [before, lie] = [first, simulator.receiver.received[1]!].map(({ body }) => JSON.parse(body))
  assert.notEqual(lie.id, before.id)
  assert.equal(lie.data.settlement.fees.value, 999_999_999)
  assert.deepEqual(lie.data.amount, before.data.amount)
})
