import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsIn, startTestSimulator, until } from './test-simulator.ts'
import type { Call, TestSimulator } from './test-simulator.ts'

const order = (simulator: TestSimulator, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  amount: 50_000,
  channel: 'mobile',
  recipient_phone: '255754345678',
  recipient_name: 'Neema Mushi',
  narration: 'Wages',
  webhook_url: simulator.receiver.url,
  metadata: { payout: 'po_1' },
  ...more,
})

const send = async (
  simulator: TestSimulator,
  more: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Call> => await simulator.call('POST', '/v1/payouts/send', { body: order(simulator, more), headers })

async function payoutWhen(simulator: TestSimulator, reference: string, status: string) {
  return await until(`a ${status} payout`, async () => {
    const [payout] = (await simulator.truth(`?reference=${reference}`)).payouts
    return payout?.status === status && payout
  })
}

async function balances(simulator: TestSimulator): Promise<{ balance: number; expected: number }> {
  const { test: account } = (await simulator.truth()).accounts
  return { balance: account.balance, expected: account.expected_balance }
}

test('a payout debits amount and fee at once and completes', async (t) => {
  const simulator = await startTestSimulator(t)
  const opening = simulator.config.openingBalanceTzs
  const answer = await send(simulator)
  assert.equal(answer.status, 201)
  const data = answer.body.data ?? {}
  assert.equal(data.status, 'pending')
  assert.deepEqual(data.amount, { value: 50_000, currency: 'TZS' })
  assert.deepEqual(data.fees, { value: 1_500, currency: 'TZS' })
  assert.deepEqual(data.total, { value: 51_500, currency: 'TZS' })
  assert.deepEqual(data.channel, { provider: 'mpesa', type: 'mobile_money' })
  assert.deepEqual(data.recipient, { name: 'Neema Mushi', phone: '+255754345678' })
  assert.equal((await balances(simulator)).balance, opening - 51_500)
  await payoutWhen(simulator, String(data.reference), 'completed')
  const event = await until('the webhook', () => eventsIn(simulator.receiver)[0])
  assert.equal(event.type, 'payout.completed')
  assert.equal(event.data.reference, data.reference)
  assert.deepEqual(event.data.metadata, { payout: 'po_1' })
  assert.deepEqual(await balances(simulator), { balance: opening - 51_500, expected: opening - 51_500 })
})

for (const [suffix, words] of [
  ['089', 'Recipient phone number is invalid'],
  ['119', 'Something went wrong'],
  ['419', 'Recipient phone number is invalid'],
  ['429', 'Something went wrong'],
] as const) {
  test(`a payout to ${suffix} fails with "${words}" and returns everything once`, async (t) => {
    const simulator = await startTestSimulator(t)
    const reference = String((await send(simulator, { recipient_phone: `255754345${suffix}` })).body.data?.reference)
    const payout = await payoutWhen(simulator, reference, 'failed')
    assert.equal(payout.failure_reason, words)
    assert.equal(payout.money_moved, false)
    const opening = simulator.config.openingBalanceTzs
    assert.deepEqual(await balances(simulator), { balance: opening, expected: opening })
    const event = await until('the webhook', () => eventsIn(simulator.receiver)[0])
    assert.equal(event.type, 'payout.failed')
    assert.equal(event.data.failure_reason, words)
  })
}

for (const suffix of ['309', '449'])
  test(`a payout to ${suffix} completes and is then reversed`, async (t) => {
    const simulator = await startTestSimulator(t)
    const reference = String((await send(simulator, { recipient_phone: `255754345${suffix}` })).body.data?.reference)
    await payoutWhen(simulator, reference, 'reversed')
    await until('both webhooks', () => simulator.receiver.received.length === 2)
    const opening = simulator.config.openingBalanceTzs
    assert.deepEqual(await balances(simulator), { balance: opening, expected: opening })
  })

for (const suffix of ['329', '469'])
  test(`a payout to ${suffix} fails, is paid later, and its money leaves the account again`, async (t) => {
    const simulator = await startTestSimulator(t)
    const reference = String((await send(simulator, { recipient_phone: `255754345${suffix}` })).body.data?.reference)
    const left = simulator.config.openingBalanceTzs - 51_500
    const payout = await payoutWhen(simulator, reference, 'completed')
    assert.equal(payout.money_moved, true)
    await until('both webhooks', () => simulator.receiver.received.length === 2)
    assert.deepEqual(
      eventsIn(simulator.receiver)
        .map(({ type }) => type)
        .toSorted(),
      ['payout.completed', 'payout.failed'],
    )
    assert.deepEqual(await balances(simulator), { balance: left, expected: left })
  })

for (const suffix of ['129', '439'])
  test(`a payout to ${suffix} stays pending and sends nothing`, async (t) => {
    const simulator = await startTestSimulator(t)
    const reference = String((await send(simulator, { recipient_phone: `255754345${suffix}` })).body.data?.reference)
    const later = String((await send(simulator)).body.data?.reference)
    await payoutWhen(simulator, later, 'completed')
    await until('the webhook of the later payout', () => eventsIn(simulator.receiver)[0])
    await payoutWhen(simulator, reference, 'pending')
    assert.deepEqual(
      eventsIn(simulator.receiver).map(({ data }) => data.reference),
      [later],
    )
  })

test('a reversed payout can be paid later by hand, and only with the separate action', async (t) => {
  const simulator = await startTestSimulator(t)
  const reference = String((await send(simulator, { recipient_phone: '255754345309' })).body.data?.reference)
  await payoutWhen(simulator, reference, 'reversed')
  const answer = async (action: string): Promise<number> =>
    (await simulator.control('POST', `/payouts/${reference}/answer`, { action })).status
  assert.equal(await answer('complete'), 409)
  assert.equal(await answer('pay_after_all'), 200)
  assert.equal(await answer('pay_after_all'), 409)
  const left = simulator.config.openingBalanceTzs - 51_500
  assert.deepEqual(await balances(simulator), { balance: left, expected: left })
})

test('too small a balance is a 500 payment_failed that creates nothing', async (t) => {
  const simulator = await startTestSimulator(t, { openingBalanceTzs: 6_000 })
  const answer = await send(simulator, { amount: 5_000 })
  assert.equal(answer.status, 500)
  assert.equal(answer.body.error_code, 'payment_failed')
  assert.equal(answer.body.message, 'insufficient balance: available 6000, required 6500')
  const rich = await startTestSimulator(t)
  for (const suffix of ['319', '459'])
    assert.equal((await send(rich, { recipient_phone: `255754345${suffix}` })).body.error_code, 'payment_failed')
  assert.equal((await rich.truth()).totals.payouts, 0)
})

test('the same key and body pay once; another body is refused', async (t) => {
  const simulator = await startTestSimulator(t)
  const headers = { 'idempotency-key': 'p-01JABCDEFGHJKMNPQRSTVWXYZ0' }
  const first = await send(simulator, {}, headers)
  assert.equal((await send(simulator, {}, headers)).text, first.text)
  assert.equal((await send(simulator, { amount: 60_000 }, headers)).status, 422)
  const { payouts } = await simulator.truth('?our_reference=po_1')
  assert.deepEqual(
    payouts.map((payout) => payout.create_calls),
    [2],
  )
})

test('a payout needs a known channel, 5 000 shillings, a phone and a name', async (t) => {
  const simulator = await startTestSimulator(t)
  const message = async (more: Record<string, unknown>): Promise<unknown> => {
    const answer = await send(simulator, more)
    assert.equal(answer.status, 400)
    return answer.body.message
  }
  assert.equal(await message({ amount: 4_999 }), 'amount 4999 is below minimum of 5000')
  assert.equal(await message({ channel: undefined }), 'channel is required')
  assert.equal(await message({ recipient_phone: '0754345678' }), 'recipient_phone must be a valid phone number')
  assert.equal(await message({ recipient_name: '' }), 'recipient_name is required')
  await simulator.control('PATCH', '/switches', { narrationRequired: true })
  assert.equal(await message({ narration: undefined }), 'narration is required')
})

test('payouts are quoted, listed and shown to their own account only', async (t) => {
  const simulator = await startTestSimulator(t)
  const quote = await simulator.call('GET', '/v1/payouts/fee?amount=5000')
  assert.deepEqual(quote.body.data, { amount: 5_000, fee_amount: 1_500, total_amount: 6_500, currency: 'TZS' })
  const reference = String((await send(simulator)).body.data?.reference)
  const list = (await simulator.call('GET', '/v1/payouts')).body.data ?? {}
  assert.deepEqual([list.total, list.limit, list.offset], [1, 20, 0])
  assert.equal((await simulator.call('GET', `/v1/payouts/${reference}`)).status, 200)
  const headers = { authorization: `Bearer ${simulator.config.accounts.live.apiKey}` }
  assert.equal((await simulator.call('GET', `/v1/payouts/${reference}`, { headers })).status, 404)
})

test('a payout can be failed by hand before its number decides, and decided only once', async (t) => {
  const simulator = await startTestSimulator(t, { delayMs: 60_000 })
  const reference = String((await send(simulator)).body.data?.reference)
  assert.equal(
    (await simulator.control('POST', `/payouts/${reference}/answer`, { action: 'fail', reason: 'Something went wrong' })).status,
    200,
  )
  assert.equal((await simulator.control('POST', `/payouts/${reference}/answer`, { action: 'complete' })).status, 409)
  await until('the webhook', () => simulator.receiver.received.length === 1)
})
