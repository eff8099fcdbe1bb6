import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { chargeScenarios } from './scenarios.ts'
import { eventsIn, faultyCreates, startTestSimulator, until } from './test-simulator.ts'
import type { TruthCharge, TestSimulator } from './test-simulator.ts'

const settled = (charge: TruthCharge): boolean => charge.webhooks.every((event) => event.state !== 'pending')

async function play(t: TestContext, suffix: string): Promise<{ simulator: TestSimulator; reference: string }> {
  const simulator = await startTestSimulator(t)
  const { answer, reference } = await simulator.create(simulator.order({ phone_number: `255712345${suffix}` }))
  assert.equal(answer.status, 201)
  assert.equal(answer.body.data?.status, 'pending')
  return { simulator, reference }
}

async function shownStatus(simulator: TestSimulator, reference: string): Promise<unknown> {
  return (await simulator.call('GET', `/v1/payments/${reference}`)).body.data?.status
}

async function booksBalance(simulator: TestSimulator): Promise<void> {
  for (const { balance, expected_balance } of Object.values((await simulator.truth()).accounts))
    assert.equal(balance, expected_balance)
}

const failures: [string, string][] = [
  ['019', 'Customer transaction limit exceeded'],
  ['029', 'Customer phone number is not registered for mobile money'],
  ['039', 'Transaction cancelled by user'],
  ['049', 'Insufficient balance in wallet'],
  ['059', 'Wrong PIN entered'],
  ['069', 'Something went wrong'],
  ['079', 'Request timed out waiting for customer PIN'],
]

for (const [suffix, words] of failures) {
  test(`${suffix} fails with "${words}", reports it once and moves no money`, async (t) => {
    const { simulator, reference } = await play(t, suffix)
    const charge = await simulator.chargeWhen(
      reference,
      'the failure and its webhook',
      (now) => now.status === 'failed' && settled(now),
    )
    assert.equal(charge.failure_reason, words)
    assert.equal(charge.money_moved, false)
    assert.equal(await shownStatus(simulator, reference), 'failed')
    const events = eventsIn(simulator.receiver)
    assert.equal(events.length, 1)
    assert.equal(events[0]?.type, 'payment.failed')
    assert.equal(events[0]?.data.failure_reason, words)
    assert.equal(events[0]?.data.status, 'failed')
    await booksBalance(simulator)
  })
}

test('789 completes, reports it once and adds the net amount to the account', async (t) => {
  const { simulator, reference } = await play(t, '789')
  const before = simulator.config.openingBalanceTzs
  const charge = await simulator.chargeWhen(
    reference,
    'the success and its webhook',
    (now) => now.status === 'completed' && settled(now),
  )
  assert.equal(charge.money_moved, true)
  assert.equal(charge.fees, 99)
  const truth = await simulator.truth()
  assert.equal(truth.accounts.test.balance, before + 5_000 - 99)
  assert.equal(truth.accounts.live.balance, before)
  const balance = (await simulator.call('GET', '/v1/payments/balance')).body.data
  assert.deepEqual(balance?.available, { value: before + 4_901, currency: 'TZS' })
  const [event, ...more] = eventsIn(simulator.receiver)
  assert.equal(more.length, 0)
  assert.match(event?.id ?? '', /^evt_[0-9a-f]{24}$/)
  assert.equal(event?.type, 'payment.completed')
  assert.equal(event.data.reference, reference)
  assert.deepEqual(event.data.amount, { value: 5_000, currency: 'TZS' })
  assert.deepEqual(event.data.metadata, { attempt: 'att_1' })
  assert.deepEqual(event.data.customer, { phone: '+255712345789', name: 'Asha Juma', email: 'asha@example.com' })
  await booksBalance(simulator)
})

/** Numbers that pay; what is sent back to them has an end of its own. */
const payers = ['419', '429', '439', '449', '459', '469']

for (const suffix of payers) {
  test(`${suffix} completes as 789 does`, async (t) => {
    const { simulator, reference } = await play(t, suffix)
    const charge = await simulator.chargeWhen(
      reference,
      'the success and its webhook',
      (now) => now.status === 'completed' && settled(now),
    )
    assert.equal(charge.money_moved, true)
    assert.deepEqual(
      charge.webhooks.map(({ type }) => type),
      ['payment.completed'],
    )
    await booksBalance(simulator)
  })
}

test('129 stays pending in silence until it expires, and is silent then too', async (t) => {
  const simulator = await startTestSimulator(t, { chargeLifetimeMs: 500 })
  const { reference } = await simulator.create(simulator.order({ phone_number: '255712345129' }))
  assert.equal(await shownStatus(simulator, reference), 'pending')
  await simulator.chargeWhen(reference, 'the expiry', (charge) => charge.status === 'expired')
  assert.equal(await shownStatus(simulator, reference), 'expired')
  assert.equal(simulator.receiver.received.length, 0)
})

test('139 completes and never sends a webhook', async (t) => {
  const { simulator, reference } = await play(t, '139')
  const charge = await simulator.chargeWhen(reference, 'the success', (now) => now.status === 'completed')
  assert.deepEqual(
    charge.webhooks.map((event) => event.state),
    ['not_sent'],
  )
  assert.equal(simulator.receiver.received.length, 0)
  assert.equal(await shownStatus(simulator, reference), 'completed')
  await booksBalance(simulator)
})

test('149 sends its webhook and waits for the answer before the create is answered', async (t) => {
  const simulator = await startTestSimulator(t)
  const order: string[] = []
  simulator.receiver.answerWith(() => {
    order.push('webhook')
    return 200
  })
  const { answer, reference } = await simulator.create(simulator.order({ phone_number: '255712345149' }))
  order.push('create')
  assert.deepEqual(order, ['webhook', 'create'])
  assert.equal(answer.body.data?.status, 'pending')
  assert.equal(eventsIn(simulator.receiver)[0]?.data.reference, reference)
  const charge = await simulator.charge(reference)
  assert.equal(charge.status, 'completed')
  assert.equal(charge.webhooks[0]?.state, 'delivered')
  assert.equal(charge.webhooks[0].attempts.length, 1)
})

test('149 continues its retries when the first attempt was refused', async (t) => {
  const simulator = await startTestSimulator(t)
  simulator.receiver.answerWith(() => (simulator.receiver.received.length < 3 ? 500 : 200))
  const { reference } = await simulator.create(simulator.order({ phone_number: '255712345149' }))
  const charge = await simulator.chargeWhen(reference, 'the delivery', (now) => now.webhooks[0]?.state === 'delivered')
  assert.deepEqual(
    charge.webhooks[0]?.attempts.map(({ status }) => status),
    [500, 500, 200],
  )
})

test('159 sends one event three times', async (t) => {
  const { simulator, reference } = await play(t, '159')
  const charge = await simulator.chargeWhen(reference, 'three attempts', (now) => now.webhooks[0]?.attempts.length === 3)
  assert.equal(charge.webhooks.length, 1)
  assert.equal(new Set(simulator.receiver.received.map(({ body }) => body)).size, 1)
  assert.equal(simulator.receiver.received.length, 3)
  await booksBalance(simulator)
})

test('169 fails, then completes', async (t) => {
  const { simulator, reference } = await play(t, '169')
  await simulator.chargeWhen(reference, 'the late success', (now) => now.status === 'completed' && settled(now))
  await until('both events', () => simulator.receiver.received.length === 2)
  assert.deepEqual(
    eventsIn(simulator.receiver)
      .map(({ type }) => type)
      .toSorted(),
    ['payment.completed', 'payment.failed'],
  )
  await booksBalance(simulator)
})

test('179 completes, then sends a failure that is not true', async (t) => {
  const { simulator, reference } = await play(t, '179')
  const charge = await simulator.chargeWhen(
    reference,
    'both events delivered',
    (now) => now.webhooks.length === 2 && settled(now),
  )
  assert.deepEqual(
    charge.webhooks.map(({ type }) => type),
    ['payment.completed', 'payment.failed'],
  )
  assert.equal(charge.status, 'completed')
  assert.equal(charge.money_moved, true)
  assert.equal(await shownStatus(simulator, reference), 'completed')
  await booksBalance(simulator)
})

test('189 is paid with another amount than was ordered, and everything but the create shows it', async (t) => {
  const { simulator, reference } = await play(t, '189')
  const charge = await simulator.chargeWhen(reference, 'the success', (now) => now.status === 'completed' && settled(now))
  assert.equal(charge.ordered_amount, 5_000)
  assert.equal(charge.amount, 4_900)
  assert.deepEqual(eventsIn(simulator.receiver)[0]?.data.amount, { value: 4_900, currency: 'TZS' })
  const shown = (await simulator.call('GET', `/v1/payments/${reference}`)).body.data
  assert.deepEqual(shown?.amount, { value: 4_900, currency: 'TZS' })
  await booksBalance(simulator)
})

test('249 signs every attempt with another secret', async (t) => {
  const simulator = await startTestSimulator(t)
  simulator.receiver.answerWith(() => 401)
  const { reference } = await simulator.create(simulator.order({ phone_number: '255712345249' }))
  const charge = await simulator.chargeWhen(reference, 'the end of the chain', (now) => now.webhooks[0]?.state === 'abandoned')
  assert.equal(charge.status, 'completed')
  assert.equal(simulator.receiver.received.length, 5)
  for (const { headers, body } of simulator.receiver.received) {
    const proof = createHmac('sha256', simulator.config.accounts.test.webhookSecret)
      .update(`${String(headers['x-webhook-timestamp'])}.${body}`)
      .digest('hex')
    assert.match(String(headers['x-webhook-signature']), /^[0-9a-f]{64}$/)
    assert.notEqual(headers['x-webhook-signature'], proof)
  }
  assert.deepEqual(
    charge.faults.map(({ kind, cause }) => [kind, cause]),
    [['webhookBadSignature', 'number']],
  )
})

test('259 carries one timestamp outside the replay window in every attempt, rightly signed', async (t) => {
  const simulator = await startTestSimulator(t)
  simulator.receiver.answerWith(() => (simulator.receiver.received.length < 3 ? 500 : 200))
  const { reference } = await simulator.create(simulator.order({ phone_number: '255712345259' }))
  await simulator.chargeWhen(reference, 'the delivery', (now) => now.webhooks[0]?.state === 'delivered')
  assert.equal(simulator.receiver.received.length, 3)
  const stamps = new Set(simulator.receiver.received.map(({ headers }) => headers['x-webhook-timestamp']))
  assert.equal(stamps.size, 1)
  for (const { at, headers, body } of simulator.receiver.received) {
    const timestamp = String(headers['x-webhook-timestamp'])
    assert.ok(at / 1000 - Number(timestamp) > 300)
    const proof = createHmac('sha256', simulator.config.accounts.test.webhookSecret).update(`${timestamp}.${body}`).digest('hex')
    assert.equal(headers['x-webhook-signature'], proof)
  }
})

test('269 expires at expires_at, then still completes', async (t) => {
  const simulator = await startTestSimulator(t, { chargeLifetimeMs: 30 })
  const { reference } = await simulator.create(simulator.order({ phone_number: '255712345269' }))
  const charge = await simulator.chargeWhen(reference, 'the late success', (now) => now.status === 'completed' && settled(now))
  assert.ok(Date.parse(String(charge.completed_at)) > Date.parse(String(charge.expires_at)))
  assert.deepEqual(
    charge.webhooks.map(({ type }) => type),
    ['payment.expired', 'payment.completed'],
  )
  await booksBalance(simulator)
})

test('099 expires within a minute, without money', async (t) => {
  const { simulator, reference } = await play(t, '099')
  await simulator.chargeWhen(reference, 'the expiry', (now) => now.status === 'expired' && settled(now))
  assert.equal(eventsIn(simulator.receiver)[0]?.type, 'payment.expired')
  await booksBalance(simulator)
})

test('279 is voided without money', async (t) => {
  const { simulator, reference } = await play(t, '279')
  const charge = await simulator.chargeWhen(reference, 'the void', (now) => now.status === 'voided' && settled(now))
  assert.equal(charge.money_moved, false)
  assert.equal(eventsIn(simulator.receiver)[0]?.type, 'payment.voided')
  assert.equal(await shownStatus(simulator, reference), 'voided')
})

test('every number of the table has a test above or is among the faulty creates', () => {
  const above = ['789', '129', '139', '149', '159', '169', '179', '189', '249', '259', '269', '279']
  const played = [...failures.map(([suffix]) => suffix), ...payers, ...above, ...faultyCreates]
  assert.deepEqual(Object.keys(chargeScenarios).toSorted(), played.toSorted())
})

test('a number without a scenario waits, and expires with an event', async (t) => {
  const simulator = await startTestSimulator(t, { chargeLifetimeMs: 40 })
  const { reference } = await simulator.create(simulator.order())
  const charge = await simulator.chargeWhen(
    reference,
    'the expiry and its webhook',
    (now) => now.status === 'expired' && settled(now),
  )
  assert.equal(charge.money_moved, false)
  assert.equal(eventsIn(simulator.receiver)[0]?.type, 'payment.expired')
})
