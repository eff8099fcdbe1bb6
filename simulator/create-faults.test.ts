import assert from 'node:assert/strict'
import { test } from 'node:test'
import { request } from 'undici'
import { startSimulator } from './start.ts'
import { clientOf, orderFor, startTestSimulator, testConfig, until } from './test-simulator.ts'
import type { Call, TestSimulator } from './test-simulator.ts'

const key = 'one-key'
const headers = { 'idempotency-key': key }

type Way = {
  name: 'charges' | 'payouts'
  create: (simulator: TestSimulator, suffix: string, more?: Record<string, string>) => Promise<Call>
}

const charge: Way = {
  name: 'charges',
  create: async (simulator, suffix, more = headers) =>
    (await simulator.create(simulator.order({ phone_number: `255712345${suffix}` }), more)).answer,
}
const payout: Way = {
  name: 'payouts',
  create: async (simulator, suffix, more = headers) =>
    await simulator.call('POST', '/v1/payouts/send', {
      body: {
        amount: 50_000,
        channel: 'mobile',
        recipient_phone: `255754345${suffix}`,
        recipient_name: 'Neema Mushi',
        webhook_url: simulator.receiver.url,
        metadata: { payout: 'po_1' },
      },
      headers: more,
    }),
}

/** Longer than any test: the test ends the hang. */
const longHang = { hangMs: 60_000 }
const endHangs = async (simulator: TestSimulator) => await simulator.control('PATCH', '/switches', { hangMs: 0 })

async function untilHanging(simulator: Pick<TestSimulator, 'control'>, count = 1): Promise<void> {
  await until(`${count} creates that hang`, async () => {
    const { text } = await simulator.control('GET', '/faults')
    return text.split('createHangs').length > count
  })
}

const kept = async (simulator: TestSimulator, way: Way) => (await simulator.truth())[way.name]

async function settles(simulator: TestSimulator, way: Way): Promise<void> {
  await until('the end of it', async () => (await kept(simulator, way))[0]?.status === 'completed')
  for (const { balance, expected_balance } of Object.values((await simulator.truth()).accounts)) {
    assert.equal(balance, expected_balance)
  }
}

for (const way of [charge, payout]) {
  test(`${way.name}: 199 is accepted, answered with 500, and a replay finds it`, async (t) => {
    const simulator = await startTestSimulator(t)
    const failed = await way.create(simulator, '199')
    assert.equal(failed.status, 500)
    assert.equal(failed.body.error_code, 'internal_error')
    assert.equal((await kept(simulator, way)).length, 1)
    const replay = await way.create(simulator, '199')
    assert.equal(replay.status, 201)
    assert.equal(replay.body.data?.reference, (await kept(simulator, way))[0]?.reference)
    assert.equal((await kept(simulator, way)).length, 1)
    await settles(simulator, way)
  })

  test(`${way.name}: 209 hangs, and is accepted although the client has left`, async (t) => {
    const simulator = await startTestSimulator(t)
    await simulator.control('PATCH', '/switches', longHang)
    const path = way === charge ? '/v1/payments' : '/v1/payouts/send'
    const first = way.create(simulator, '209')
    await untilHanging(simulator)
    assert.equal((await kept(simulator, way)).length, 0)
    const meanwhile = await way.create(simulator, '209')
    assert.equal(meanwhile.status, 409)
    await endHangs(simulator)
    assert.equal((await first).status, 201)
    await simulator.control('PATCH', '/switches', longHang)
    const patience = new AbortController()
    const abandoned = assert.rejects(impatient(simulator, path, way, patience.signal))
    await untilHanging(simulator, 2)
    patience.abort()
    await abandoned
    assert.equal((await kept(simulator, way)).length, 1)
    await endHangs(simulator)
    await until('both in the books', async () => (await kept(simulator, way)).length === 2)
    assert.equal((await way.create(simulator, '209', { 'idempotency-key': 'impatient' })).status, 201)
    assert.equal((await kept(simulator, way)).length, 2)
  })

  test(`${way.name}: 219 is PAY_001 once, then accepted under the same key`, async (t) => {
    const simulator = await startTestSimulator(t)
    const refused = await way.create(simulator, '219')
    assert.equal(refused.status, 500)
    assert.equal(refused.body.error_code, 'PAY_001')
    assert.equal((await kept(simulator, way)).length, 0)
    assert.equal((await way.create(simulator, '219')).status, 201)
    await settles(simulator, way)
  })

  test(`${way.name}: 219 without a key is identified by its body`, async (t) => {
    const simulator = await startTestSimulator(t)
    assert.equal((await way.create(simulator, '219', {})).body.error_code, 'PAY_001')
    assert.equal((await way.create(simulator, '219', {})).status, 201)
  })

  test(`${way.name}: a remembered PAY_001 never changes`, async (t) => {
    const simulator = await startTestSimulator(t)
    await simulator.control('PATCH', '/switches', { cacheErrors: true, pay001Status: 400 })
    for (const _ of [1, 2, 3]) {
      const refused = await way.create(simulator, '219')
      assert.equal(refused.status, 400)
      assert.equal(refused.body.error_code, 'PAY_001')
    }
    assert.equal((await kept(simulator, way)).length, 0)
  })

  test(`${way.name}: a remembered 500 hides the accepted record from every replay`, async (t) => {
    const simulator = await startTestSimulator(t)
    await simulator.control('PATCH', '/switches', { cacheErrors: true })
    for (const _ of [1, 2]) assert.equal((await way.create(simulator, '199')).status, 500)
    assert.deepEqual(
      (await kept(simulator, way)).map((one) => one.create_calls),
      [2],
    )
  })

  test(`${way.name}: 289 is accepted and answered with half a document`, async (t) => {
    const simulator = await startTestSimulator(t)
    const path = way === charge ? '/v1/payments' : '/v1/payouts/send'
    const body = way === charge ? simulator.order({ phone_number: '255712345289' }) : payoutBody('289')
    const answer = await post(simulator, path, body, headers)
    assert.equal(answer.status, 200)
    assert.throws(() => JSON.parse(answer.text))
    assert.equal((await kept(simulator, way)).length, 1)
    assert.equal((await post(simulator, path, body, headers)).status, 201)
    await settles(simulator, way)
  })

  for (const [suffix, status, code] of [
    ['229', 500, 'PAY_001'],
    ['239', 429, 'rate_limit_exceeded'],
    ['299', 503, 'INT_003'],
  ] as const) {
    test(`${way.name}: ${suffix} is refused with ${code} each time and leaves nothing`, async (t) => {
      const simulator = await startTestSimulator(t)
      for (const _ of [1, 2, 3]) {
        const refused = await way.create(simulator, suffix)
        assert.equal(refused.status, status)
        assert.equal(refused.body.error_code, code)
        if (status === 429) assert.equal(refused.headers['x-ratelimit-remaining'], '0')
      }
      assert.equal((await kept(simulator, way)).length, 0)
    })
  }
}

const payoutBody = (suffix: string): Record<string, unknown> => ({
  amount: 50_000,
  channel: 'mobile',
  recipient_phone: `255754345${suffix}`,
  recipient_name: 'Neema Mushi',
})

async function post(simulator: TestSimulator, path: string, body: unknown, more: Record<string, string>, signal?: AbortSignal) {
  const answer = await request(simulator.url + path, {
    method: 'POST',
    signal,
    headers: { authorization: `Bearer ${simulator.config.accounts.test.apiKey}`, 'content-type': 'application/json', ...more },
    body: JSON.stringify(body),
  })
  return { status: answer.statusCode, text: await answer.body.text() }
}

/** A client that disconnects while the create hangs. */
async function impatient(simulator: TestSimulator, path: string, way: Way, signal: AbortSignal): Promise<unknown> {
  const body =
    way === charge
      ? simulator.order({ phone_number: '255712345209' })
      : { ...payoutBody('209'), webhook_url: simulator.receiver.url, metadata: { payout: 'po_1' } }
  return await post(simulator, path, body, { 'idempotency-key': 'impatient' }, signal)
}

test('while a create hangs, another body under its key is refused and the same one may wait', async (t) => {
  const simulator = await startTestSimulator(t)
  await simulator.control('PATCH', '/switches', { ...longHang, inFlight: 'wait' })
  const first = charge.create(simulator, '209')
  await untilHanging(simulator)
  const second = charge.create(simulator, '209')
  const other = await charge.create(simulator, '789')
  assert.equal(other.status, 422)
  await endHangs(simulator)
  assert.equal((await first).text, (await second).text)
  assert.equal((await simulator.truth()).charges.length, 1)
})

test('a duplicate in flight may be answered at once with the same reference', async (t) => {
  const simulator = await startTestSimulator(t)
  await simulator.control('PATCH', '/switches', { inFlight: 'answer' })
  await simulator.control('POST', '/hold', { create: true })
  const first = charge.create(simulator, '345')
  await until('the first create at the gate', async () => (await simulator.control('GET', '/holds')).text.includes('"waiting":1'))
  const second = await charge.create(simulator, '345')
  assert.equal(second.status, 201)
  await simulator.control('POST', '/release')
  assert.equal((await first).text, second.text)
})

test('the program ends at once although a create hangs, and the create is not accepted', async () => {
  const config = testConfig()
  const bugs: unknown[] = []
  const oneSimulator = await startSimulator(config, { report: (error) => bugs.push(error) })
  const client = clientOf(oneSimulator.url, config)
  const cut = assert.rejects(client.create(orderFor('https://example.com/hook', { phone_number: '255712345209' })))
  await untilHanging(client)
  await oneSimulator.close()
  await cut
  assert.deepEqual(bugs, [])
})
