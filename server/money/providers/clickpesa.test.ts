/** What only ClickPesa has: tokens, checksums, several payments of one order. What it shares with all adapters is in conformance.test.ts. */
import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { test, type TestContext } from 'node:test'
import {
  clickPesaOptions,
  orderReference,
  ourCharge as reference,
  signedByClickPesa,
} from '../../../test/fixtures/provider-faces.ts'
import { createClickPesa, type ClickPesaOptions } from './clickpesa.ts'
import { checksumOf } from './clickpesa-checksum.ts'
import { orderReferenceOf, ourReferenceOf } from './clickpesa-data.ts'
import type { ChargeDetails, Provider } from './provider.ts'

const [checksumKey] = clickPesaOptions.checksumKeys

function adapter(t: TestContext, changes: Partial<ClickPesaOptions> = {}): Provider {
  const provider = createClickPesa({ ...clickPesaOptions, ...changes })
  t.after(() => provider.close())
  return provider
}

const key = { reference: null, ourReference: reference }

const details = (changes: Partial<ChargeDetails> = {}): ChargeDetails => ({
  reference,
  amount: 5000,
  phoneNumber: '+255754000111',
  customerName: 'Juma Hamisi',
  customerEmail: 'juma@example.com',
  callbackUrl: 'https://api.example.com/hook',
  ...changes,
})

type Answer = (request: IncomingMessage, response: ServerResponse) => void

type Served = { url: string; exchanges: () => number; tokens: string[] }

/** A provider that issues numbered tokens and otherwise gives the answers of the test. */
async function serving(
  t: TestContext,
  answer: Answer,
  token: (count: number) => unknown = (count) => ({ success: true, token: `Bearer token-${count}` }),
): Promise<Served> {
  let exchanges = 0
  const tokens: string[] = []
  const server = createServer((request, response) => {
    if (request.url !== '/generate-token') {
      tokens.push(request.headers.authorization ?? '')
      return answer(request, response)
    }
    exchanges += 1
    const given = token(exchanges)
    return json(given === undefined ? 401 : 200, given ?? { message: 'Invalid API Key or Client ID' })(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}`, exchanges: () => exchanges, tokens }
}

const json = (status: number, body: unknown, headers: Record<string, string> = {}) => {
  return (_: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
}

/** Every create is refused with this text; `known`: what a query says of its order. */
const refusing =
  (message: string, known: Answer): Answer =>
  (request, response) =>
    (request.method === 'GET' ? known : json(400, { message }))(request, response)

const paid = { id: 'PAY1', orderReference, status: 'SUCCESS', collectedAmount: '5000.00', collectedCurrency: 'TZS' }

test('a charge is composed as documented, under our own id in at most twenty letters and digits, from which our id can be restored', (t) => {
  const { idempotencyKey, body } = adapter(t).composeCharge(details())
  const sent = JSON.parse(body)
  assert.deepEqual(sent, {
    amount: '5000',
    currency: 'TZS',
    orderReference,
    phoneNumber: '255754000111',
    checksum: checksumOf(sent, checksumKey!),
  })
  assert.equal(idempotencyKey, orderReference)
  assert.match(idempotencyKey, /^[A-Za-z0-9]{1,20}$/)
  for (const id of [reference, 'po_01jz8e6c9kf0x9v4m2n7q5t3ab']) assert.equal(ourReferenceOf(orderReferenceOf(id)), id)
  for (const stranger of ['', 'INV123', reference, reference.replace('_', ''), `${orderReference}x`]) {
    assert.equal(ourReferenceOf(stranger), null)
  }
})

test('an order that was composed before the checksum key was replaced is sent with a checksum of the current key', async (t) => {
  const sent: Record<string, unknown>[] = []
  const { url } = await serving(t, (request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      sent.push(JSON.parse(body))
      json(200, paid)(request, response)
    })
  })
  const composed = adapter(t).composeCharge(details())
  const rotated = adapter(t, { baseUrl: url, checksumKeys: ['n'.repeat(40), checksumKey!] })
  assert.equal((await rotated.charge(composed)).kind, 'accepted')
  assert.deepEqual(sent, [{ ...JSON.parse(composed.body), checksum: checksumOf(sent[0]!, 'n'.repeat(40)) }])
})

test('a checksum covers compact JSON with keys sorted at every level, without itself', () => {
  // Computed by hand with: printf '{"a":{"b":[{"c":1,"d":2}],"e":"x"},"z":"1"}' | openssl dgst -sha256 -hmac key
  const expected = 'b1f4bdaa3b21e1dbacba5911c6e14e7264ae05f1b6220f419ebe3c1e1a84df4c'
  const payload = { z: '1', checksumMethod: 'canonical', a: { e: 'x', b: [{ d: 2, c: 1 }] }, checksum: 'whatever' }
  assert.equal(checksumOf(payload, 'key'), expected)
})

test('a listed order is one record, and names our charge only in our form', async (t) => {
  const createdAt = '2026-01-05T10:00:00.000Z'
  const other = { ...paid, orderReference: 'INV123', createdAt: 'yesterday', paymentPhoneNumber: '255754000111' }
  const again = { ...paid, id: 'PAY2', createdAt }
  const { url } = await serving(t, json(200, { data: [again, other, { ...paid, id: 'PAY0', status: 'FAILED' }], totalCount: 3 }))
  const read = await adapter(t, { baseUrl: url }).listCharges(0)
  assert.ok(read.kind === 'page' && read.isLast && read.unreadable === 0)
  assert.deepEqual(
    read.items.map((item) => [item.reference, item.ourReference, item.status, item.amount, item.createdAt?.toISOString()]),
    [
      [orderReference, reference, 'completed', 5000, createdAt],
      ['INV123', null, 'completed', 5000, undefined],
    ],
  )
})

test('of a listed payout the amount that leaves our account is never read', async (t) => {
  const payout = { orderReference: 'po01jz8e6c9kf0x9v4m2n7q5t3ab', status: 'SUCCESS', currency: 'TZS', fee: '1500.00' }
  for (const amount of ['21500.50', 21_500.5, 'much', null]) {
    const { url } = await serving(t, json(200, { data: [{ ...payout, amount }], totalCount: 1 }))
    const page = await adapter(t, { baseUrl: url }).listPayouts(0)
    assert.ok(page.kind === 'page' && page.unreadable === 0, String(amount))
    assert.deepEqual([page.items[0]!.status, page.items[0]!.amount], ['completed', null])
  }
})

test('a charge that is unknown here is queried by its own order reference', async (t) => {
  const paths: (string | undefined)[] = []
  const { url } = await serving(t, (request, response) => {
    paths.push(request.url)
    json(200, [{ ...paid, orderReference: 'INV123' }])(request, response)
  })
  const answer = await adapter(t, { baseUrl: url }).fetchCharge({ reference: 'INV123', ourReference: '' })
  assert.ok(answer.kind === 'found' && answer.snapshot.ourReference === null)
  assert.deepEqual(paths, ['/payments/INV123'])
})

test('one token serves many calls, and when it is refused it is exchanged once for all of them', async (t) => {
  let valid = 'Bearer token-1'
  const { url, exchanges, tokens } = await serving(t, (request, response) =>
    request.headers.authorization === valid
      ? json(200, [paid])(request, response)
      : json(401, { message: 'Unauthorized' })(request, response),
  )
  const provider = adapter(t, { baseUrl: url })
  const ask = () => Promise.all(Array.from({ length: 8 }, () => provider.fetchCharge(key)))
  assert.ok((await ask()).every(({ kind }) => kind === 'found'))
  assert.equal(exchanges(), 1)
  valid = 'Bearer token-2'
  assert.ok((await ask()).every(({ kind }) => kind === 'found'))
  assert.equal(exchanges(), 2)
  // Its text is used as it is, including the word that it begins with.
  assert.deepEqual([...new Set(tokens)], ['Bearer token-1', 'Bearer token-2'])
})

test('a token is exchanged shortly before its end', async (t) => {
  let now = 1_780_000_000_000
  const jwt = (seconds: number): string => {
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    return `Bearer ${part({ alg: 'HS256' })}.${part({ iat: 1_700_000_000, exp: 1_700_000_000 + seconds })}.x`
  }
  const { url, exchanges } = await serving(t, json(200, [paid]), () => ({ success: true, token: jwt(3600) }))
  const provider = adapter(t, { baseUrl: url, clock: { now: () => now } })
  await provider.fetchCharge(key)
  now += 3_299_000
  await provider.fetchCharge(key)
  assert.equal(exchanges(), 1)
  now += 2_000
  await provider.fetchCharge(key)
  assert.equal(exchanges(), 2)
})

test('without a token nothing is sent: the charge waits, and refused credentials are reported [P39]', async (t) => {
  let sent = 0
  const count = (_request: IncomingMessage, response: ServerResponse): void => {
    sent += 1
    response.end('[]')
  }
  const refused = await serving(t, count, () => undefined)
  const request = { idempotencyKey: orderReference, body: '{}' }
  assert.deepEqual(await adapter(t, { baseUrl: refused.url }).charge(request), {
    kind: 'retry_later',
    afterMs: 5_000,
    trouble: 'credentials',
  })
  assert.deepEqual(await adapter(t, { baseUrl: refused.url }).fetchCharge(key), {
    kind: 'indeterminate',
    reason: 'token_http_401',
    trouble: 'credentials',
  })
  const odd = await serving(t, count, () => ({ success: true, token: 'Bearer two\nlines' }))
  const outcome = await adapter(t, { baseUrl: odd.url }).charge(request)
  assert.ok(outcome.kind === 'retry_later' && outcome.trouble === 'outage')
  assert.equal(sent, 0)
  // A token that is refused right after its exchange: the first call may have any cause, so nothing is concluded.
  const { url, exchanges } = await serving(t, json(401, { message: 'Unauthorized' }))
  assert.deepEqual(await adapter(t, { baseUrl: url }).charge(request), {
    kind: 'unknown',
    reason: 'http_401',
    trouble: 'credentials',
  })
  assert.equal(exchanges(), 2)
})

test('an error that names an order is no refusal: it has been created nevertheless', async (t) => {
  const answers: [number, unknown][] = [
    [400, { message: 'phoneNumber is invalid', id: 'PAY1', orderReference }],
    [400, { message: 'amount is required', orderReference }],
    [429, { message: 'Too many requests', orderReference }],
    [200, { ...paid, orderReference: '072jRIcgdDd7kz54w8HV' }],
  ]
  for (const [status, body] of answers) {
    const { url } = await serving(t, json(status, body))
    const outcome = await adapter(t, { baseUrl: url }).charge({ idempotencyKey: orderReference, body: '{}' })
    assert.equal(outcome.kind, 'unknown', JSON.stringify(body))
  }
})

test('a call and its token exchange end by one deadline [P07]', async (t) => {
  const silent = await serving(t, () => undefined)
  const startedAt = performance.now()
  const outcome = await adapter(t, { baseUrl: silent.url, timeoutMs: 300 }).charge({ idempotencyKey: orderReference, body: '{}' })
  assert.equal(outcome.kind, 'unknown')
  assert.ok(performance.now() - startedAt < 2_000)
})

test('the payments of one order are one charge: a paid one counts, and two are twice the money [P18, P20]', async (t) => {
  const ask = async (body: unknown) => {
    const { url } = await serving(t, json(200, body))
    return adapter(t, { baseUrl: url }).fetchCharge(key)
  }
  const amounts: [unknown[], number][] = [
    [[{ ...paid, status: 'SETTLED' }], 5000],
    [[{ ...paid, id: 'PAY0', status: 'FAILED' }, paid], 5000],
    [[paid, { ...paid, id: 'PAY2' }], 10_000],
    [[paid, paid], 5000],
  ]
  for (const [entries, amount] of amounts) {
    const answer = await ask(entries)
    assert.ok(answer.kind === 'found' && answer.snapshot.status === 'completed', JSON.stringify(entries))
    assert.equal(answer.snapshot.amount, amount, JSON.stringify(entries))
  }
  assert.equal((await ask([{ ...paid, status: 'FAILED' }, { status: 'SUCCESS' }])).kind, 'indeterminate')
  assert.equal((await ask([])).kind, 'not_found')
})

test('the entries of one payout order are one payout: a paid one counts, and two are twice the money [P18, P20]', async (t) => {
  const orders = 'po01jz8e6c9kf0x9v4m2n7q5t3ab'
  const entry = (id: string, status: string) => ({ id, orderReference: orders, status, amount: 50_000, currency: 'TZS' })
  const find = async (...entries: unknown[]) => {
    const { url } = await serving(t, json(200, entries))
    const answer = await adapter(t, { baseUrl: url }).fetchPayout({ reference: orders, ourReference: '' })
    return answer.kind === 'found' ? [answer.snapshot.status, answer.snapshot.amount] : answer.kind
  }
  assert.deepEqual(await find(entry('A', 'SUCCESS'), entry('B', 'SUCCESS')), ['completed', 100_000])
  assert.deepEqual(await find(entry('A', 'SUCCESS'), entry('A', 'SETTLED')), ['completed', 50_000])
  assert.deepEqual(await find(entry('A', 'FAILED'), entry('B', 'SUCCESS')), ['completed', 50_000])
  assert.deepEqual(await find(entry('A', 'FAILED'), entry('B', 'PROCESSING')), ['processing', 50_000])
  assert.deepEqual(await find(entry('A', 'REVERSED'), entry('B', 'PENDING')), ['processing', 50_000])
  assert.deepEqual(await find(entry('A', 'FAILED'), entry('B', 'REFUNDED')), ['returned', 50_000])
  // The same entry, before and after its money came back.
  assert.deepEqual(await find(entry('A', 'SUCCESS'), entry('A', 'REVERSED')), ['returned', 50_000])
  // Which of two others came back is not said: its own ids differ from message to message.
  assert.equal(await find(entry('A', 'SUCCESS'), entry('B', 'REVERSED')), 'indeterminate')
  assert.deepEqual(await find(entry('A', 'FAILED'), { status: 'SUCCESS' }), 'indeterminate')
  const list = async (...entries: unknown[]) => {
    const { url } = await serving(t, json(200, { data: entries, totalCount: entries.length }))
    const page = await adapter(t, { baseUrl: url }).listPayouts(0)
    return page.kind === 'page' && [page.items.map(({ status }) => status), page.unreadable]
  }
  assert.deepEqual(await list(entry('A', 'FAILED'), entry('B', 'SUCCESS')), [['completed'], 0])
  // Only a query has the amounts: the list cannot say how much left.
  assert.deepEqual(await list(entry('A', 'SUCCESS'), entry('B', 'SUCCESS')), [[], 1])
})

const received = (changes: Record<string, unknown> = {}, event = 'PAYMENT RECEIVED') => ({ event, data: { ...paid, ...changes } })

const readMessage = (provider: Provider, document: Record<string, unknown>, keyOf?: string) =>
  provider.readWebhook({}, signedByClickPesa(document, keyOf), 0)

test('the id of a message is its content, whatever the order of its keys', (t) => {
  const provider = adapter(t)
  const good = readMessage(provider, received())
  assert.ok(good.kind === 'charge')
  const reordered = { data: Object.fromEntries(Object.entries(received().data).toReversed()), event: 'PAYMENT RECEIVED' }
  assert.deepEqual(readMessage(provider, reordered), good)
  const other = readMessage(provider, received({ status: 'SETTLED' }))
  assert.ok(other.kind === 'charge' && other.eventId !== good.eventId)
})

test('the event of a message is named in either field, and two events contradict each other', (t) => {
  const provider = adapter(t)
  const { data } = received()
  const told = (names: Record<string, unknown>) => readMessage(provider, { data, ...names })
  const paidNames = [
    { event: 'PAYMENT RECEIVED' },
    { eventType: 'PAYMENT RECEIVED' },
    { event: null, eventType: 'PAYMENT RECEIVED' },
  ]
  for (const names of [...paidNames, { event: 'PAYMENT RECEIVED', eventType: 'PAYMENT RECEIVED' }]) {
    assert.equal(told(names).kind, 'charge', JSON.stringify(names))
  }
  for (const names of [
    { event: 'PAYMENT FAILED', eventType: 'PAYMENT RECEIVED' },
    { event: 'SOMETHING', eventType: 'PAYMENT RECEIVED' },
  ]) {
    const message = told(names)
    assert.ok(message.kind === 'doubtful' && message.reason === 'contradictory', JSON.stringify(names))
  }
  assert.deepEqual(told({}), { kind: 'invalid', reason: 'no_envelope' })
})

test('a payout message has the amount that the recipient gets, for any fee, and returned money has failed or come back [P36]', (t) => {
  const provider = adapter(t)
  const orders = 'po01jz8e6c9kf0x9v4m2n7q5t3ab'
  const data = { id: 'P1', orderReference: orders, amount: '20000.00', currency: 'TZS', fee: '2360.00' }
  const told = (event: string, changes: Record<string, unknown>) =>
    readMessage(provider, { event, data: { ...data, ...changes } })
  const cases: [string, Record<string, unknown>, string, number | null][] = [
    ['PAYOUT INITIATED', { status: 'AUTHORIZED' }, 'processing', 20_000],
    ['PAYOUT INITIATED', { status: 'SUCCESS', amount: '1047.10', order: { amount: '1000.00' } }, 'completed', 1_000],
    ['PAYOUT INITIATED', { status: 'SUCCESS', beneficiary: { amount: '900.00' } }, 'completed', 900],
    ['PAYOUT REFUNDED', { status: 'REFUNDED' }, 'returned', 20_000],
    ['PAYOUT REVERSED', { status: 'REVERSED' }, 'returned', 20_000],
  ]
  for (const [event, changes, status, amount] of cases) {
    const message = told(event, changes)
    assert.ok(message.kind === 'payout', `${event} ${JSON.stringify(message)}`)
    assert.deepEqual([message.snapshot.status, message.snapshot.amount], [status, amount], event)
  }
})

test('the balance is the one account in TZS, and anything else is unknown', async (t) => {
  const read = async (body: unknown, status = 200) => {
    const served = await serving(t, json(status, body))
    const answer = await adapter(t, { baseUrl: served.url }).readBalance()
    return answer.kind === 'balance' ? answer.amount : answer.kind
  }
  const [tzs, usd] = [
    { currency: 'TZS', balance: 70_000 },
    { currency: 'USD', balance: 12 },
  ]
  assert.equal(await read([usd, tzs]), 70_000)
  assert.equal(await read([{ currency: 'TZS', balance: '0.00' }]), 0)
  for (const odd of [
    [],
    [usd],
    [tzs, tzs],
    [{ currency: 'TZS', balance: '0.50' }],
    [{ currency: 'TZS', balance: -1 }],
    {},
    'none',
  ])
    assert.equal(await read(odd), 'indeterminate', JSON.stringify(odd))
  assert.equal(await read([tzs], 401), 'indeterminate')
})

test('a charge that was given back has failed, and one on hold is open', async (t) => {
  for (const [word, status] of [
    ['ON-HOLD', 'processing'],
    ['REFUNDED', 'failed'],
    ['REVERSED', 'failed'],
  ]) {
    const { url } = await serving(t, json(200, [{ ...paid, status: word }]))
    const answer = await adapter(t, { baseUrl: url }).fetchCharge(key)
    assert.ok(answer.kind === 'found' && answer.snapshot.status === status && answer.snapshot.amount === null, word)
  }
})

test('the refusal of a long reference proves that nothing was started', async (t) => {
  const message = 'Order Reference should be less than or equal to 20 characters'
  const { url } = await serving(t, refusing(message, json(404, { message: 'No record' })))
  const outcome = await adapter(t, { baseUrl: url }).charge({ idempotencyKey: orderReference, body: '{}' })
  assert.deepEqual(outcome, { kind: 'rejected', failure: 'provider_error', text: message })
})

test('a refusal counts only when the provider then says that it has no such order, for a charge and for a payout [P40]', async (t) => {
  const message = 'Invalid / unsupported phone number'
  const payout = { id: 'P1', orderReference, status: 'PROCESSING', amount: 5000, currency: 'TZS' }
  const request = { idempotencyKey: orderReference, body: '{}' }
  for (const [answer, kind] of [
    [json(404, { message: 'No record' }), 'rejected'],
    [json(200, [{ ...paid, ...payout }]), 'accepted'],
    [json(404, '<html>'), 'unknown'],
    [json(500, ''), 'unknown'],
  ] as const) {
    const { url } = await serving(t, refusing(message, answer))
    const provider = adapter(t, { baseUrl: url })
    assert.deepEqual([(await provider.charge(request)).kind, (await provider.sendPayout(request)).kind], [kind, kind])
  }
})

test('a preview that refuses a payout says so, also for our own balance; any other answer is no quote', async (t) => {
  const quote = async (status: number, body: unknown) => {
    const served = await serving(t, json(status, body))
    return adapter(t, { baseUrl: served.url }).quotePayout(20_000, '+255754000123')
  }
  const [phone, float] = ['Invalid / unsupported phone number', 'Insufficient balance']
  const refused = { kind: 'refused', isOurFloat: false, text: phone, failure: 'recipient_not_found' }
  assert.deepEqual(await quote(400, { message: phone }), refused)
  assert.deepEqual(await quote(400, { message: float }), { ...refused, isOurFloat: true, text: float, failure: 'provider_error' })
  for (const [status, body] of [
    [400, { message: 'Something went wrong' }],
    [400, { message: 'Invalid checksum' }],
    [400, '<html>'],
    [500, { message: float }],
    [200, {}],
  ] as const) {
    assert.equal((await quote(status, body)).kind, 'indeterminate', JSON.stringify(body))
  }
})
