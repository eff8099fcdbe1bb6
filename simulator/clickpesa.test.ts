import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { request } from 'undici'
import { checksumOf } from './clickpesa-checksum.ts'
import { defaults } from './config.ts'
import { startTestSimulator, until } from './test-simulator.ts'
import type { TestSimulator } from './test-simulator.ts'

const keys = defaults.clickPesa['clickpesa-test']

type Fields = Record<string, unknown>
type Answer = { status: number; body: any; text: string }

type ClickPesa = TestSimulator & {
  ask: (method: 'GET' | 'POST', path: string, body?: unknown, authorization?: string) => Promise<Answer>
  newToken: () => Promise<string>
  push: (orderReference: string, suffix: string, more?: Fields) => Promise<Answer>
  payOut: (orderReference: string, suffix: string, more?: Fields) => Promise<Answer>
  events: () => { event: string; data: Fields; checksum: string; checksumMethod: string }[]
}

async function startClickPesa(t: TestContext): Promise<ClickPesa> {
  const simulator = await startTestSimulator(t)
  const send = async (method: 'GET' | 'POST', path: string, headers: Record<string, string>, body?: unknown): Promise<Answer> => {
    const answer = await request(`${simulator.url}/clickpesa/third-parties${path}`, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    const text = await answer.body.text()
    let parsed: unknown
    try {
      parsed = JSON.parse(text)
    } catch {
      parsed = undefined
    }
    return { status: answer.statusCode, text, body: parsed }
  }
  const newToken = async (): Promise<string> =>
    (await send('POST', '/generate-token', { 'client-id': keys.clientId, 'api-key': keys.apiKey })).body.token
  const token = await newToken()
  await simulator.control('PATCH', '/switches', {
    clickPesaWebhookUrls: { 'clickpesa-test': simulator.receiver.url, 'clickpesa-live': null },
  })
  const ask: ClickPesa['ask'] = async (method, path, body, authorization = token) =>
    await send(method, path, { authorization }, body)
  return {
    ...simulator,
    ask,
    newToken,
    push: async (orderReference, suffix, more = {}) =>
      await ask('POST', '/payments/initiate-ussd-push-request', {
        amount: '5000',
        currency: 'TZS',
        orderReference,
        phoneNumber: `255712345${suffix}`,
        ...more,
      }),
    payOut: async (orderReference, suffix, more = {}) =>
      await ask('POST', '/payouts/create-mobile-money-payout', {
        amount: 50_000,
        currency: 'TZS',
        orderReference,
        phoneNumber: `255754345${suffix}`,
        ...more,
      }),
    events: () => simulator.receiver.received.map(({ body }) => JSON.parse(body)),
  }
}

async function booksBalance(simulator: TestSimulator): Promise<void> {
  for (const { balance, expected_balance } of Object.values((await simulator.truth()).accounts)) {
    assert.equal(balance, expected_balance)
  }
}

const queried = async (simulator: ClickPesa, path: string): Promise<any> => {
  const { status, body } = await simulator.ask('GET', path)
  assert.equal(status, 200)
  assert.ok(Array.isArray(body) && body.length === 1)
  return body[0]
}

/** Written from the published rule, without the simulator's own code. */
function proofOf(document: unknown): string {
  const sorted = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(sorted)
      : value !== null && typeof value === 'object'
        ? Object.fromEntries(
            Object.keys(value)
              .toSorted()
              .map((name) => [name, sorted((value as Fields)[name])]),
          )
        : value
  return createHmac('sha256', keys.checksumKey)
    .update(JSON.stringify(sorted(document)))
    .digest('hex')
}

test('a token carries its prefix and opens the routes for an hour; other credentials do not', async (t) => {
  const simulator = await startClickPesa(t)
  const token = await simulator.newToken()
  assert.match(token, /^Bearer [\w-]+\.[\w-]+\.[\w-]+$/)
  assert.equal((await simulator.ask('GET', '/account/balance', undefined, token)).status, 200)
  for (const wrong of [`Bearer ${token}`, 'Bearer x', '', token.replace('Bearer ', '')]) {
    const answer = await simulator.ask('GET', '/account/balance', undefined, wrong)
    assert.equal(answer.status, 401)
    assert.deepEqual(answer.body, { message: 'Unauthorized' })
  }
  await simulator.control('PATCH', '/switches', { clickPesaTokenMs: 0 })
  assert.equal((await simulator.ask('GET', '/account/balance', undefined, await simulator.newToken())).status, 401)
})

test('a change of the checksum setting makes every token invalid', async (t) => {
  const simulator = await startClickPesa(t)
  await simulator.control('PATCH', '/switches', { clickPesaChecksum: 'required' })
  assert.equal((await simulator.ask('GET', '/account/balance')).status, 401)
  assert.equal((await simulator.ask('GET', '/account/balance', undefined, await simulator.newToken())).status, 200)
})

test('a push is accepted, paid, reported with amounts as text, and queried with amounts as numbers', async (t) => {
  const simulator = await startClickPesa(t)
  const created = await simulator.push('ORDER1', '789', { amount: '20000.00' })
  assert.equal(created.status, 200)
  const { id, createdAt, ...rest } = created.body
  assert.deepEqual(rest, {
    status: 'PROCESSING',
    channel: 'TIGO-PESA',
    orderReference: 'ORDER1',
    collectedAmount: '20000.00',
    collectedCurrency: 'TZS',
    clientId: keys.clientId,
  })
  assert.ok(Date.parse(createdAt) > 0)
  const event = await until('the webhook', () => simulator.events()[0])
  assert.equal(event.event, 'PAYMENT RECEIVED')
  assert.equal(event.data.orderReference, 'ORDER1')
  assert.equal(event.data.amount, '20000.00')
  assert.equal(event.data.status, 'SUCCESS')
  const payment = await queried(simulator, '/payments/ORDER1')
  assert.deepEqual([payment.id, payment.status, payment.collectedAmount], [id, 'SUCCESS', 20_000])
  await simulator.control('PATCH', '/switches', { clickPesaPaidStatus: 'SETTLED' })
  assert.equal((await queried(simulator, '/payments/ORDER1')).status, 'SETTLED')
  const [charge] = (await simulator.truth('?our_reference=ORDER1')).charges
  assert.deepEqual([charge?.reference, charge?.status, charge?.account], [id, 'completed', 'clickpesa-test'])
  const { accounts } = await simulator.truth()
  assert.equal(accounts.test.balance, simulator.config.openingBalanceTzs)
  await booksBalance(simulator)
})

test('a checksum covers the document whatever the order of its keys, and does not cover itself', () => {
  const one = { b: [{ y: 1, x: 'ñ' }], a: { d: null, c: '1' } }
  const other = { checksum: 'x', checksumMethod: 'canonical', a: { c: '1', d: null }, b: [{ x: 'ñ', y: 1 }] }
  assert.equal(checksumOf(keys.checksumKey, one), checksumOf(keys.checksumKey, other))
  assert.equal(checksumOf(keys.checksumKey, one), proofOf(one))
  assert.notEqual(checksumOf(keys.checksumKey, one), checksumOf('another key', one))
})

test('a webhook carries its checksum in its body; 249 signs with another key', async (t) => {
  const simulator = await startClickPesa(t)
  await simulator.push('GOOD', '789')
  const good = await until('the good one', () => simulator.events()[0])
  assert.equal(good.checksum, proofOf({ event: good.event, data: good.data }))
  assert.equal(good.checksumMethod, 'canonical')
  await simulator.push('BAD', '249')
  const bad = await until('the bad one', () => simulator.events()[1])
  assert.match(bad.checksum, /^[0-9a-f]{64}$/)
  assert.notEqual(bad.checksum, proofOf({ event: bad.event, data: bad.data }))
})

test('a checksum is checked where it is given or required', async (t) => {
  const simulator = await startClickPesa(t)
  const fields = { amount: '5000', currency: 'TZS', orderReference: 'ORDER1', phoneNumber: '255712345678' }
  const path = '/payments/initiate-ussd-push-request'
  const wrong = await simulator.ask('POST', path, { ...fields, checksum: '0'.repeat(64) })
  assert.deepEqual([wrong.status, wrong.body], [400, { message: 'Invalid checksum' }])
  assert.equal((await simulator.ask('POST', path, { ...fields, checksum: proofOf(fields) })).status, 200)
  await simulator.control('PATCH', '/switches', { clickPesaChecksum: 'required' })
  const token = await simulator.newToken()
  assert.equal((await simulator.ask('POST', path, { ...fields, orderReference: 'ORDER2' }, token)).status, 400)
})

test('a push and its preview refuse a reference of more than twenty characters, a payout does not', async (t) => {
  const simulator = await startClickPesa(t)
  const long = 'A'.repeat(21)
  const fields = { amount: '5000', currency: 'TZS', orderReference: long, phoneNumber: '255712345678' }
  const refused = { message: 'Order Reference should be less than or equal to 20 characters' }
  const preview = await simulator.ask('POST', '/payments/preview-ussd-push-request', fields)
  assert.deepEqual([preview.status, preview.body], [400, refused])
  const push = await simulator.push(long, '678')
  assert.deepEqual([push.status, push.body], [400, refused])
  assert.equal((await simulator.push(long.slice(1), '678')).status, 200)
  assert.equal((await simulator.payOut(long, '678')).status, 200)
})

test('an order reference makes one charge; the second time it is a conflict that a query resolves', async (t) => {
  const simulator = await startClickPesa(t)
  const first = await simulator.push('ORDER1', '345')
  const second = await simulator.push('ORDER1', '345')
  assert.equal(second.status, 409)
  assert.match(second.body.message, /already used/)
  const payment = await queried(simulator, '/payments/ORDER1')
  assert.deepEqual([payment.id, payment.status], [first.body.id, 'PROCESSING'])
  const [charge, ...more] = (await simulator.truth()).charges
  assert.deepEqual([charge?.create_calls, charge?.prompts, more.length], [2, 1, 0])
})

test('an order that was never created is not found', async (t) => {
  const simulator = await startClickPesa(t)
  assert.equal((await simulator.ask('GET', '/payments/NONE')).status, 404)
  assert.equal((await simulator.ask('GET', '/payouts/NONE')).status, 404)
})

for (const [what, fields] of [
  ['an amount as a number', { amount: 5_000 }],
  ['a fraction', { amount: '5000.50' }],
  ['another currency', { currency: 'USD' }],
  ['a phone with a plus', { phoneNumber: '+255712345678' }],
  ['a reference with a sign', { orderReference: 'pay_1' }],
] as const) {
  test(`a push with ${what} is refused and leaves nothing`, async (t) => {
    const simulator = await startClickPesa(t)
    const { status, body } = await simulator.push('ORDER1', '678', fields)
    assert.equal(status, 400)
    assert.deepEqual(Object.keys(body), ['message'])
    assert.equal((await simulator.truth()).totals.charges, 0)
  })
}

for (const [suffix, event, message] of [
  ['049', 'PAYMENT FAILED', 'Insufficient balance in wallet'],
  ['279', 'PAYMENT FAILED', 'failed'],
] as const) {
  test(`${suffix} is FAILED, reported as ${event}`, async (t) => {
    const simulator = await startClickPesa(t)
    await simulator.push('ORDER1', suffix)
    const sent = await until('the webhook', () => simulator.events()[0])
    assert.deepEqual([sent.event, sent.data.status, sent.data.message], [event, 'FAILED', message])
    assert.equal((await queried(simulator, '/payments/ORDER1')).status, 'FAILED')
    await booksBalance(simulator)
  })
}

for (const [suffix, status] of [
  ['199', 500],
  ['289', 200],
] as const) {
  test(`${suffix} is accepted although its answer does not say so`, async (t) => {
    const simulator = await startClickPesa(t)
    const answer = await simulator.push('ORDER1', suffix)
    assert.equal(answer.status, status)
    assert.equal(answer.body?.id, undefined)
    await until('the success', async () => (await queried(simulator, '/payments/ORDER1')).status === 'SUCCESS')
    assert.equal((await simulator.push('ORDER1', suffix)).status, 409)
  })
}

test('219 fails once, 229, 239 and 299 always, and none of them leaves anything', async (t) => {
  const simulator = await startClickPesa(t)
  assert.equal((await simulator.push('ORDER1', '219')).status, 500)
  assert.equal((await simulator.truth()).totals.charges, 0)
  assert.equal((await simulator.push('ORDER1', '219')).status, 200)
  for (const [suffix, status] of [
    ['229', 500],
    ['239', 429],
    ['299', 503],
  ] as const) {
    for (const _ of [1, 2]) assert.equal((await simulator.push(`ORDER${suffix}`, suffix)).status, status)
    assert.equal((await simulator.ask('GET', `/payments/ORDER${suffix}`)).status, 404)
  }
})

test('the storm applies here too, and the order reference finds a push whose answer was lost', async (t) => {
  const simulator = await startClickPesa(t)
  await simulator.control('PATCH', '/faults', { rates: { createLostAfter: 1 } })
  await assert.rejects(simulator.push('ORDER1', '345'))
  assert.equal((await queried(simulator, '/payments/ORDER1')).status, 'PROCESSING')
  const [charge] = (await simulator.truth()).charges
  assert.deepEqual(
    charge?.faults.map(({ kind }) => kind),
    ['createLostAfter'],
  )
})

test('a preview names the wallet’s channel and fee, and its owner on request', async (t) => {
  const simulator = await startClickPesa(t)
  const preview = await simulator.ask('POST', '/payments/preview-ussd-push-request', {
    amount: '50000',
    currency: 'TZS',
    orderReference: 'ORDER1',
    phoneNumber: '255754345678',
    fetchSenderDetails: true,
  })
  assert.deepEqual(preview.body, {
    activeMethods: [{ name: 'M-PESA', status: 'AVAILABLE', fee: 1_000 }],
    sender: { accountName: 'Neema Mushi', accountNumber: '255754345678', accountProvider: 'M-PESA' },
  })
  assert.equal((await simulator.truth()).totals.charges, 0)
})

test('a payout is previewed, authorized, and reported when initiated and when it arrived', async (t) => {
  const simulator = await startClickPesa(t)
  const order = { amount: 50_000, currency: 'TZS', orderReference: 'OUT1', phoneNumber: '255754345678' }
  const preview = await simulator.ask('POST', '/payouts/preview-mobile-money-payout', order)
  assert.deepEqual([preview.body.amount, preview.body.fee, preview.body.channelProvider], [51_500, 1_500, 'MPESA TANZANIA'])
  const created = await simulator.payOut('OUT1', '678')
  assert.equal(created.status, 200)
  assert.deepEqual(
    [created.body.status, created.body.amount, created.body.fee, created.body.order.amount],
    ['AUTHORIZED', '51500.00', '1500.00', '50000.00'],
  )
  assert.equal((await simulator.payOut('OUT1', '678')).status, 409)
  await until('both webhooks', () => simulator.events().length === 2)
  assert.deepEqual(
    simulator
      .events()
      .map(({ event, data }) => `${event} ${String(data.status)}`)
      .toSorted(),
    ['PAYOUT INITIATED PROCESSING', 'PAYOUT INITIATED SUCCESS'],
  )
  assert.equal((await queried(simulator, '/payouts/OUT1')).status, 'SUCCESS')
  const balance = await simulator.ask('GET', '/account/balance')
  assert.deepEqual(balance.body, [{ currency: 'TZS', balance: simulator.config.openingBalanceTzs - 51_500 }])
  await booksBalance(simulator)
})

for (const [suffix, status, event] of [
  ['119', 'REFUNDED', 'PAYOUT REFUNDED'],
  ['309', 'REVERSED', 'PAYOUT REVERSED'],
] as const) {
  test(`a payout to ${suffix} ends as ${status} and gives everything back once`, async (t) => {
    const simulator = await startClickPesa(t)
    await simulator.payOut('OUT1', suffix)
    await until(event, () => simulator.events().some((sent) => sent.event === event))
    assert.equal((await queried(simulator, '/payouts/OUT1')).status, status)
    const [payout] = (await simulator.truth()).payouts
    assert.equal(payout?.money_moved, false)
    await booksBalance(simulator)
  })
}

test('a payout beyond the balance is refused with 400 and creates nothing', async (t) => {
  const simulator = await startClickPesa(t)
  const refused = await simulator.payOut('OUT1', '319')
  assert.equal(refused.status, 400)
  assert.match(refused.body.message, /insufficient balance/)
  assert.equal((await simulator.ask('GET', '/payouts/OUT1')).status, 404)
})

test('the phone answers a push of this provider as it does any other', async (t) => {
  const simulator = await startClickPesa(t)
  const { body } = await simulator.push('ORDER1', '678')
  assert.match((await simulator.call('GET', '/phone/255712345678')).text, /CLICKPESA-TEST/)
  await simulator.control('POST', `/charges/${body.id}/answer`, { action: 'pin' })
  await until('the webhook', () => simulator.events()[0]?.event === 'PAYMENT RECEIVED')
  await simulator.control('POST', `/charges/${body.id}/webhook`, { new_id: true })
  assert.equal(simulator.events().length, 2)
})

test('neither provider sees the records or accepts the keys of the other', async (t) => {
  const simulator = await startClickPesa(t)
  const { body } = await simulator.push('ORDER1', '345')
  assert.equal((await simulator.call('GET', `/v1/payments/${body.id}`)).status, 404)
  const { reference } = await simulator.create(simulator.order())
  assert.equal((await simulator.ask('GET', `/payments/${reference}`)).status, 404)
  const snippeKey = `Bearer ${simulator.config.accounts.test.apiKey}`
  assert.equal((await simulator.ask('GET', '/account/balance', undefined, snippeKey)).status, 401)
})

test('seeded records of this provider are found by their order reference', async (t) => {
  const simulator = await startClickPesa(t)
  await simulator.control('POST', '/seed', { account: 'clickpesa-test', count: 3, metadata: { order_reference: 'SEED{n}' } })
  assert.equal((await queried(simulator, '/payments/SEED2')).status, 'PROCESSING')
})
