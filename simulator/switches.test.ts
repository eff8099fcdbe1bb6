import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsIn, startTestSimulator, until } from './test-simulator.ts'

test('a replay is 201 or 200, whichever is switched on', async (t) => {
  const world = await startTestSimulator(t)
  const headers = { 'idempotency-key': 'one-key' }
  await world.create(world.order(), headers)
  await world.control('PATCH', '/switches', { replayStatus: 200 })
  assert.equal((await world.create(world.order(), headers)).answer.status, 200)
})

test('with a lag, neither a charge nor a payout is found right after its create', async (t) => {
  const world = await startTestSimulator(t)
  await world.control('PATCH', '/switches', { readLagMs: 60_000 })
  const { reference } = await world.create(world.order())
  assert.equal((await world.call('GET', `/v1/payments/${reference}`)).status, 404)
  const body = { amount: 50_000, channel: 'mobile', recipient_phone: '255754345678', recipient_name: 'Neema Mushi' }
  const payout = await world.call('POST', '/v1/payouts/send', { body })
  assert.equal((await world.call('GET', `/v1/payouts/${String(payout.body.data?.reference)}`)).status, 404)
  await world.control('PATCH', '/switches', { readLagMs: 0 })
  assert.equal((await world.call('GET', `/v1/payments/${reference}`)).status, 200)
})

test('expires_at follows the switch: one hour or four', async (t) => {
  const world = await startTestSimulator(t)
  const hours = async (): Promise<number> => {
    const before = Date.now()
    const { answer } = await world.create(world.order())
    return Math.round((Date.parse(String(answer.body.data?.expires_at).slice(0, 23) + 'Z') - before) / 3_600_000)
  }
  assert.equal(await hours(), 4)
  await world.control('PATCH', '/switches', { chargeLifetimeMs: 3_600_000 })
  assert.equal(await hours(), 1)
})

test('a charge may stay pending past its expires_at without an event', async (t) => {
  const world = await startTestSimulator(t, { chargeLifetimeMs: 20 })
  await world.control('PATCH', '/switches', { expiry: 'never' })
  const { reference } = await world.create(world.order())
  const late = await world.create(world.order({ phone_number: '255712345269' }))
  await world.chargeWhen(late.reference, 'the success after the end', (charge) => charge.status === 'completed')
  assert.equal((await world.charge(reference)).status, 'pending')
  assert.deepEqual(
    (await world.charge(late.reference)).webhooks.map(({ type }) => type),
    ['payment.completed'],
  )
})

test('a webhook names its amount as an object, or as an integer when switched so', async (t) => {
  const world = await startTestSimulator(t)
  const pay = async (): Promise<unknown> => {
    world.receiver.received.length = 0
    await world.create(world.order({ phone_number: '255712345789' }))
    return (await until('the webhook', () => eventsIn(world.receiver)[0])).data.amount
  }
  assert.deepEqual(await pay(), { value: 5_000, currency: 'TZS' })
  await world.control('PATCH', '/switches', { webhookAmount: 'integer' })
  assert.equal(await pay(), 5_000)
  await world.control('PATCH', '/switches', { webhookAmount: 'text' })
  assert.equal(await pay(), '5000.00')
  await world.control('PATCH', '/switches', { webhookAmount: 'dollars' })
  assert.deepEqual(await pay(), { value: 5_000, currency: 'USD' })
})

test('a limit of sixty accepts sixty requests and says how many are left', async (t) => {
  const world = await startTestSimulator(t, { rateLimitPerMinute: 60 })
  const answers = []
  for (let sent = 0; sent < 61; sent++) answers.push(await world.call('GET', '/v1/payments/balance'))
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
    const world = await startTestSimulator(t)
    await world.control('PATCH', '/switches', { rateLimitReset: form })
    const { answer } = await world.create(world.order({ phone_number: '255712345239' }))
    assert.equal(answer.status, 429)
    assert.equal(answer.headers['x-ratelimit-reset'], written)
  })
}

test('both dialects name every refusal that no separate route shows', async (t) => {
  const world = await startTestSimulator(t)
  const code = async (suffix: string): Promise<unknown> =>
    (await world.create(world.order({ phone_number: `255712345${suffix}` }))).answer.body.error_code
  assert.deepEqual(
    [await code('199'), await code('229'), await code('239'), await code('299')],
    ['internal_error', 'PAY_001', 'rate_limit_exceeded', 'INT_003'],
  )
  await world.control('PATCH', '/switches', { errorDialect: 'prefix', int003Status: 502 })
  const unreachable = await world.create(world.order({ phone_number: '255712345299' }))
  assert.equal(unreachable.answer.status, 502)
  assert.equal(unreachable.answer.body.error_code, 'INT_003')
  assert.deepEqual([await code('199'), await code('229')], ['INT_001', 'PAY_001'])
})

test('pushes are counted in the truth and on the phone', async (t) => {
  const world = await startTestSimulator(t)
  const { reference } = await world.create(world.order())
  await world.call('POST', `/v1/payments/${reference}/push`)
  await world.call('POST', `/v1/payments/${reference}/push`)
  assert.equal((await world.charge(reference)).pushes, 2)
  assert.match((await world.call('GET', '/phone/255712345678')).text, /limetumwa tena mara 2/)
})

test('a payer may be made to pay another amount, and an event to state one', async (t) => {
  const world = await startTestSimulator(t)
  const { reference } = await world.create(world.order())
  await world.control('POST', `/charges/${reference}/answer`, { action: 'complete', amount: 4_000 })
  const charge = await world.charge(reference)
  assert.deepEqual([charge.amount, charge.ordered_amount], [4_000, 5_000])
  const { balance, expected_balance } = (await world.truth()).accounts.test
  assert.equal(balance, expected_balance)
  await until('the webhook', () => world.receiver.received.length === 1)
  await world.control('POST', `/charges/${reference}/webhook`, { amount: 9_999 })
  assert.deepEqual(eventsIn(world.receiver)[1]?.data.amount, { value: 9_999, currency: 'TZS' })
  assert.equal((await world.charge(reference)).amount, 4_000)
})
