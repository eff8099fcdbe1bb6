import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsIn, startTestSimulator, until } from './test-simulator.ts'

test('a replay is 201 or 200, whichever is switched on', async (t) => {
  const simulator = await startTestSimulator(t)
  const headers = { 'idempotency-key': 'one-key' }
  await simulator.create(simulator.order(), headers)
  await simulator.control('PATCH', '/switches', { replayStatus: 200 })
  assert.equal((await simulator.create(simulator.order(), headers)).answer.status, 200)
})

test('with a lag, neither a charge nor a payout is found right after its create', async (t) => {
  const simulator = await startTestSimulator(t)
  await simulator.control('PATCH', '/switches', { readLagMs: 60_000 })
  const { reference } = await simulator.create(simulator.order())
  assert.equal((await simulator.call('GET', `/v1/payments/${reference}`)).status, 404)
  const body = { amount: 50_000, channel: 'mobile', recipient_phone: '255754345678', recipient_name: 'Neema Mushi' }
  const payout = await simulator.call('POST', '/v1/payouts/send', { body })
  assert.equal((await simulator.call('GET', `/v1/payouts/${String(payout.body.data?.reference)}`)).status, 404)
  await simulator.control('PATCH', '/switches', { readLagMs: 0 })
  assert.equal((await simulator.call('GET', `/v1/payments/${reference}`)).status, 200)
})

test('expires_at follows the switch: one hour or four', async (t) => {
  const simulator = await startTestSimulator(t)
  const hours = async (): Promise<number> => {
    const before = Date.now()
    const { answer } = await simulator.create(simulator.order())
    return Math.round((Date.parse(String(answer.body.data?.expires_at).slice(0, 23) + 'Z') - before) / 3_600_000)
  }
  assert.equal(await hours(), 4)
  await simulator.control('PATCH', '/switches', { chargeLifetimeMs: 3_600_000 })
  assert.equal(await hours(), 1)
})

test('a charge may stay pending past its expires_at without an event', async (t) => {
  const simulator = await startTestSimulator(t, { chargeLifetimeMs: 20 })
  await simulator.control('PATCH', '/switches', { expiry: 'never' })
  const { reference } = await simulator.create(simulator.order())
  const late = await simulator.create(simulator.order({ phone_number: '255712345269' }))
  await simulator.chargeWhen(late.reference, 'the success after the end', (charge) => charge.status === 'completed')
  assert.equal((await simulator.charge(reference)).status, 'pending')
  assert.deepEqual(
    (await simulator.charge(late.reference)).webhooks.map(({ type }) => type),
    ['payment.completed'],
  )
})

test('a webhook names its amount as an object, or as an integer when switched so', async (t) => {
  const simulator = await startTestSimulator(t)
  const pay = async (): Promise<unknown> => {
    simulator.receiver.received.length = 0
    await simulator.create(simulator.order({ phone_number: '255712345789' }))
    return (await until('the webhook', () => eventsIn(simulator.receiver)[0])).data.amount
  }
  assert.deepEqual(await pay(), { value: 5_000, currency: 'TZS' })
  await simulator.control('PATCH', '/switches', { webhookAmount: 'integer' })
  assert.equal(await pay(), 5_000)
  await simulator.control('PATCH', '/switches', { webhookAmount: 'text' })
  assert.equal(await pay(), '5000.00')
  await simulator.control('PATCH', '/switches', { webhookAmount: 'dollars' })
  assert.deepEqual(await pay(), { value: 5_000, currency: 'USD' })
})

test('a limit of sixty accepts sixty requests and says how many are left', async (t) => {
  const simulator = await startTestSimulator(t, { rateLimitPerMinute: 60 })
  const answers = []
  for (let sent = 0; sent < 61; sent++) answers.push(await simulator.call('GET', '/v1/payments/balance'))
  assert.deepEqual(answers.map(({ headers }) => headers['x-ratelimit-remaining']).slice(0, 3), ['59', '58', '57'])
  assert.equal(answers[59]?.status, 200)
  assert.equal(answers[60]?.status, 429)
  assert.equal(answers[60].headers['x-ratelimit-limit'], '60')
})

for (const [form, written] of [
  ['missing', undefined],
  ['zero', '0'],
  ['huge', '99999999999'],
  ['garbage', 'soon'],
] as const) {
  test(`the reset of a limit may be ${form}`, async (t) => {
    const simulator = await startTestSimulator(t)
    await simulator.control('PATCH', '/switches', { rateLimitReset: form })
    const { answer } = await simulator.create(simulator.order({ phone_number: '255712345239' }))
    assert.equal(answer.status, 429)
    assert.equal(answer.headers['x-ratelimit-reset'], written)
  })
}

test('both dialects name every refusal that no separate route shows', async (t) => {
  const simulator = await startTestSimulator(t)
  const code = async (suffix: string): Promise<unknown> =>
    (await simulator.create(simulator.order({ phone_number: `255712345${suffix}` }))).answer.body.error_code
  assert.deepEqual(
    [await code('199'), await code('229'), await code('239'), await code('299')],
    ['internal_error', 'PAY_001', 'rate_limit_exceeded', 'INT_003'],
  )
  await simulator.control('PATCH', '/switches', { errorDialect: 'prefix', int003Status: 502 })
  const unreachable = await simulator.create(simulator.order({ phone_number: '255712345299' }))
  assert.equal(unreachable.answer.status, 502)
  assert.equal(unreachable.answer.body.error_code, 'INT_003')
  assert.deepEqual([await code('199'), await code('229')], ['INT_001', 'PAY_001'])
})

test('pushes are counted in the truth and on the phone', async (t) => {
  const simulator = await startTestSimulator(t)
  const { reference } = await simulator.create(simulator.order())
  await simulator.call('POST', `/v1/payments/${reference}/push`)
  await simulator.call('POST', `/v1/payments/${reference}/push`)
  assert.equal((await simulator.charge(reference)).pushes, 2)
  assert.match((await simulator.call('GET', '/phone/255712345678')).text, /limetumwa tena mara 2/)
})

test('a payer may be made to pay another amount, and an event to state one', async (t) => {
  const simulator = await startTestSimulator(t)
  const { reference } = await simulator.create(simulator.order())
  await simulator.control('POST', `/charges/${reference}/answer`, { action: 'complete', amount: 4_000 })
  const charge = await simulator.charge(reference)
  assert.deepEqual([charge.amount, charge.ordered_amount], [4_000, 5_000])
  const { balance, expected_balance } = (await simulator.truth()).accounts.test
  assert.equal(balance, expected_balance)
  await until('the webhook', () => simulator.receiver.received.length === 1)
  await simulator.control('POST', `/charges/${reference}/webhook`, { amount: 9_999 })
  assert.deepEqual(eventsIn(simulator.receiver)[1]?.data.amount, { value: 9_999, currency: 'TZS' })
  assert.equal((await simulator.charge(reference)).amount, 4_000)
})
