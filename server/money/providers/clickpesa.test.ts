/** The ClickPesa adapter against the published wire protocol, the simulator that implements it, and servers that violate it. */
import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { test, type TestContext } from 'node:test'
import { simulatorConfig } from '../../../test/app.ts'
import { defaults } from '../../../simulator/config.ts'
import { startSimulator } from '../../../simulator/start.ts'
import { createClickPesa, type ClickPesaOptions } from './clickpesa.ts'
import { checksumOf } from './clickpesa-checksum.ts'
import { orderReferenceOf, ourReferenceOf } from './clickpesa-data.ts'
import type { ChargeDetails, Provider } from './provider.ts'

const { clientId, apiKey, checksumKey } = defaults.clickPesa['clickpesa-test']
const options: ClickPesaOptions = {
  baseUrl: 'http://127.0.0.1:1',
  clientId,
  apiKey,
  checksumKeys: [checksumKey],
  timeoutMs: 3_000,
  maxResponseBytes: 64 * 1024,
  connections: 4,
}

function adapter(t: TestContext, changes: Partial<ClickPesaOptions> = {}): Provider {
  const provider = createClickPesa({ ...options, ...changes })
  t.after(() => provider.close())
  return provider
}

const reference = 'pay_01h455vb4pex5vsknk084sn02q'
const orderReference = 'pay01h455vb4pex5vsknk084sn02q'
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

type Served = { url: string; exchanges: () => number; tokens: string[] }

/** A provider that issues numbered tokens and otherwise gives the answers of the test. */
async function serving(
  t: TestContext,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
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

const paid = { id: 'PAY1', orderReference, status: 'SUCCESS', collectedAmount: '5000.00', collectedCurrency: 'TZS' }

async function played(t: TestContext): Promise<{ url: string; control(path: string, body: unknown): Promise<unknown> }> {
  const secret = 's'.repeat(40)
  const accounts = { SNIPPE_TEST_API_KEY: 'snp_test_0123456789', SNIPPE_TEST_WEBHOOK_SECRETS: secret }
  const live = { SNIPPE_LIVE_API_KEY: 'snp_live_0123456789', SNIPPE_LIVE_WEBHOOK_SECRETS: secret }
  const simulator = await startSimulator(simulatorConfig({ ...accounts, ...live }))
  t.after(() => simulator.close())
  return {
    url: `${simulator.url}/clickpesa/third-parties`,
    control: (path, body) =>
      fetch(`${simulator.url}/__control${path}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
  }
}

test('a charge is composed as documented, under our own id in letters and digits, from which our id can be restored', (t) => {
  const { idempotencyKey, body } = adapter(t).composeCharge(details())
  const sent = JSON.parse(body)
  assert.deepEqual(sent, {
    amount: '5000',
    currency: 'TZS',
    orderReference,
    phoneNumber: '255754000111',
    checksum: checksumOf(sent, checksumKey),
  })
  assert.equal(idempotencyKey, orderReference)
  assert.match(idempotencyKey, /^[a-z0-9]{1,30}$/)
  for (const id of [reference, 'po_01jz8e6c9kf0x9v4m2n7q5t3ab']) assert.equal(ourReferenceOf(orderReferenceOf(id)), id)
  for (const stranger of ['', 'INV123', 'pay_01h455vb4pex5vsknk084sn02q', `${orderReference}x`]) {
    assert.equal(ourReferenceOf(stranger), null)
  }
})

test('a checksum covers compact JSON with keys sorted at every level, without itself', () => {
  // Computed by hand with: printf '{"a":{"b":[{"c":1,"d":2}],"e":"x"},"z":"1"}' | openssl dgst -sha256 -hmac key
  const expected = 'b1f4bdaa3b21e1dbacba5911c6e14e7264ae05f1b6220f419ebe3c1e1a84df4c'
  const payload = { z: '1', checksumMethod: 'canonical', a: { e: 'x', b: [{ d: 2, c: 1 }] }, checksum: 'whatever' }
  assert.equal(checksumOf(payload, 'key'), expected)
})

test('against the simulator: a charge is unknown before, is accepted, is found by our own id, and is not created twice [P06]', async (t) => {
  const { url, control } = await played(t)
  await control('/switches', { clickPesaChecksum: 'required' })
  const provider = adapter(t, { baseUrl: url })
  assert.deepEqual(await provider.fetchCharge(key), { kind: 'not_found' })
  const request = provider.composeCharge(details())
  const first = await provider.charge(request)
  assert.ok(first.kind === 'accepted', JSON.stringify(first))
  assert.deepEqual(
    [first.snapshot.status, first.snapshot.reference, first.snapshot.ourReference],
    ['pending', orderReference, reference],
  )
  // A repeat learns nothing from the refusal: the charge exists.
  assert.equal((await provider.charge(request)).kind, 'unknown')
  const found = await provider.fetchCharge(key)
  assert.ok(found.kind === 'found' && found.snapshot.status === 'pending' && found.snapshot.network === 'mpesa')
  const badPhone = provider.composeCharge(details({ reference: 'pay_01h455vb4pex5vsknk084sn02r', phoneNumber: '+255' }))
  const refused = await provider.charge(badPhone)
  assert.ok(refused.kind === 'rejected' && refused.failure === 'payer_not_found', JSON.stringify(refused))
})

test('a payout is quoted for its recipient, sent once, and found by our own id [P33]', async (t) => {
  const { url } = await played(t)
  const provider = adapter(t, { baseUrl: url })
  const ourReference = 'po_01jz8e6c9kf0x9v4m2n7q5t3ab'
  assert.equal((await provider.quotePayout(20_000)).kind, 'indeterminate')
  const quote = await provider.quotePayout(20_000, '+255754123456')
  assert.ok(quote.kind === 'quoted' && quote.fee > 0, JSON.stringify(quote))
  const payout = { amount: 20_000, recipientName: 'Asha', narration: null, callbackUrl: 'http://127.0.0.1:1/' }
  const request = provider.composePayout({ ...payout, reference: ourReference, phoneNumber: '+255754123456' })
  const sent = await provider.sendPayout(request)
  assert.ok(sent.kind === 'accepted', JSON.stringify(sent))
  assert.deepEqual(
    [sent.snapshot.status, sent.snapshot.amount, sent.snapshot.currency, sent.snapshot.fee],
    ['processing', 20_000, 'TZS', quote.fee],
  )
  assert.equal((await provider.sendPayout(request)).kind, 'unknown')
  const found = await provider.fetchPayout({ reference: null, ourReference })
  assert.ok(found.kind === 'found' && found.snapshot.ourReference === ourReference && found.snapshot.amount === 20_000)
  const none = { reference: null, ourReference: 'po_01jz8e6c9kf0x9v4m2n7q5t3ac' }
  assert.deepEqual(await provider.fetchPayout(none), { kind: 'not_found' })
})

test('an empty account of ours refuses a payout, and is distinguished from a fault of its recipient [P34]', async (t) => {
  const { url } = await serving(t, json(400, { message: 'Insufficient balance' }))
  const outcome = await adapter(t, { baseUrl: url }).sendPayout({ idempotencyKey: 'po1', body: '{}' })
  assert.ok(outcome.kind === 'rejected' && outcome.isOurFloat)
})

test('charges and payouts are listed newest first, in pages, by our own ids', async (t) => {
  const { url } = await played(t)
  const provider = adapter(t, { baseUrl: url })
  const none = await provider.listCharges(0)
  assert.deepEqual(none, { kind: 'page', items: [], unreadable: 0, isLast: true })
  const idOf = (number: number) => `pay_01h455vb4pex5vsknk084s${String(number).padStart(4, '0')}`
  for (let number = 0; number < 101; number += 1)
    assert.equal((await provider.charge(provider.composeCharge(details({ reference: idOf(number) })))).kind, 'accepted')
  const [first, second] = [await provider.listCharges(0), await provider.listCharges(1)]
  assert.ok(first.kind === 'page' && second.kind === 'page')
  assert.deepEqual([first.isLast, first.unreadable, second.isLast, second.items.length], [false, 0, true, 1])
  assert.deepEqual(
    [...first.items, ...second.items].map(({ ourReference }) => ourReference),
    Array.from({ length: 101 }, (_, index) => idOf(100 - index)),
  )
  const [newest] = first.items
  assert.ok(Math.abs(Date.now() - newest!.createdAt!.getTime()) < 600_000)
  assert.deepEqual([newest!.status, newest!.payerPhone], ['pending', '255754000111'])

  const ourReference = 'po_01jz8e6c9kf0x9v4m2n7q5t3ab'
  const payout = { amount: 20_000, recipientName: 'Asha', narration: null, callbackUrl: 'http://127.0.0.1:1/' }
  await provider.sendPayout(provider.composePayout({ ...payout, reference: ourReference, phoneNumber: '+255754123456' }))
  const payouts = await provider.listPayouts(0)
  assert.ok(payouts.kind === 'page' && payouts.isLast)
  const [listed] = payouts.items
  // The list has the amount that leaves our account, not the amount that the recipient gets.
  assert.deepEqual([listed!.ourReference, listed!.status, listed!.amount], [ourReference, 'processing', null])
})

test('a list is read strictly: an order is one record, and a page that was cut short is no answer [P09]', async (t) => {
  const list = async (body: unknown, status = 200) => {
    const { url } = await serving(t, json(status, body))
    return adapter(t, { baseUrl: url }).listCharges(0)
  }
  const createdAt = '2026-01-05T10:00:00.000Z'
  const other = { ...paid, orderReference: 'INV123', createdAt: 'yesterday', paymentPhoneNumber: '255754000111' }
  const again = { ...paid, id: 'PAY2', createdAt }
  const read = await list({ data: [again, other, { ...paid, id: 'PAY0', status: 'FAILED' }, { id: 'PAY3' }, 7], totalCount: 5 })
  assert.ok(read.kind === 'page' && read.isLast)
  assert.equal(read.unreadable, 2)
  assert.deepEqual(
    read.items.map((item) => [item.reference, item.ourReference, item.status, item.amount, item.createdAt?.toISOString()]),
    [
      [orderReference, reference, 'completed', 5000, createdAt],
      ['INV123', null, 'completed', 5000, undefined],
    ],
  )
  const long = Array.from({ length: 100 }, (_, index) => ({
    ...other,
    orderReference: `INV${index}`,
    message: 'x'.repeat(1_000),
  }))
  const first = await list({ data: long, totalCount: 300 })
  assert.ok(first.kind === 'page' && !first.isLast && first.items.length === 100)
  assert.deepEqual(await list({ data: long.slice(0, 50), totalCount: 300 }), { kind: 'indeterminate', reason: 'short_page' })
  const none: [number, unknown][] = [
    [200, []],
    [200, { data: [] }],
    [200, { data: {}, totalCount: 1 }],
    [500, { message: 'Oops' }],
    [404, { message: 'Not found' }],
  ]
  for (const [status, body] of none) assert.equal((await list(body, status)).kind, 'indeterminate', JSON.stringify(body))
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

test('only an error about the request itself is a refusal; everything else is unknown [P08, P12, P13, P40]', async (t) => {
  const cases: [number, unknown, string, string?][] = [
    [400, { message: 'Invalid / unsupported phone number' }, 'rejected'],
    [400, { message: ['amount must be a string'] }, 'rejected'],
    [400, { message: 'Order reference pay1 already used' }, 'unknown'],
    [409, { message: 'Order reference pay1 already used' }, 'unknown'],
    [400, { message: 'failed to initiate payment' }, 'unknown'],
    [400, { message: 'Invalid checksum' }, 'unknown', 'credentials'],
    [400, '<html>Bad request</html>', 'unknown', 'outage'],
    [403, { message: 'IP not whitelisted' }, 'unknown', 'credentials'],
    [404, { message: 'Cannot POST /' }, 'unknown'],
    [429, { message: 'Too many requests' }, 'retry_later'],
    [500, { message: 'Invalid something' }, 'unknown', 'outage'],
    [502, '<html>Bad gateway</html>', 'unknown', 'outage'],
    [200, '', 'unknown', 'outage'],
    [200, '{"id":"x","sta', 'unknown', 'outage'],
    [200, {}, 'unknown', 'outage'],
    [200, { ...paid, orderReference: 'pay01h455vb4pex5vsknk084sn02x' }, 'unknown', 'outage'],
    // It refuses, and names an order that it has created nevertheless.
    [400, { message: 'phoneNumber is invalid', id: 'PAY1', orderReference }, 'unknown', undefined],
    [200, { ...paid, collectedAmount: '5000.50' }, 'unknown', 'outage'],
    [302, { location: '/' }, 'unknown', 'outage'],
    [200, { ...paid, x: 'x'.repeat(70_000) }, 'unknown', 'outage'],
  ]
  for (const [status, body, kind, trouble] of cases) {
    const { url } = await serving(t, json(status, body))
    const outcome = await adapter(t, { baseUrl: url }).charge({ idempotencyKey: orderReference, body: '{}' })
    const given = 'trouble' in outcome ? outcome.trouble : undefined
    assert.deepEqual([outcome.kind, given], [kind, trouble], `${status} ${JSON.stringify(body).slice(0, 100)}`)
  }
})

test('a call and its token exchange end by one deadline; a refused connection counts as not sent [P06, P07]', async (t) => {
  const unreachable = await adapter(t).charge({ idempotencyKey: orderReference, body: '{}' })
  assert.ok(unreachable.kind === 'retry_later' && unreachable.trouble === 'outage')
  const silent = await serving(t, () => undefined)
  const startedAt = performance.now()
  const outcome = await adapter(t, { baseUrl: silent.url, timeoutMs: 300 }).charge({ idempotencyKey: orderReference, body: '{}' })
  assert.equal(outcome.kind, 'unknown')
  assert.ok(performance.now() - startedAt < 2_000)
})

test('its record of an order is read strictly: whole money, our order, one payment [P16, P18, P19, P20, P26]', async (t) => {
  const ask = async (status: number, body: unknown) => {
    const { url } = await serving(t, json(status, body))
    return adapter(t, { baseUrl: url }).fetchCharge(key)
  }
  for (const [collectedAmount, amount] of [
    [20_000, 20_000],
    ['20000', 20_000],
    ['20000.00', 20_000],
    ['20000.0', 20_000],
    [null, null],
  ] as const) {
    const answer = await ask(200, [{ ...paid, collectedAmount }])
    assert.ok(answer.kind === 'found' && answer.snapshot.amount === amount, String(collectedAmount))
  }
  for (const collectedAmount of ['20000.50', '20,000', '2e4', '-5', ' 5000', '', 5000.5, true, { value: 5000 }]) {
    assert.equal((await ask(200, [{ ...paid, collectedAmount }])).kind, 'indeterminate', JSON.stringify(collectedAmount))
  }
  for (const status of ['SUCCESS', 'SETTLED']) {
    const answer = await ask(200, [{ ...paid, status }])
    assert.ok(answer.kind === 'found' && answer.snapshot.status === 'completed')
  }
  const strange = await ask(200, [{ ...paid, status: 'ON-FIRE', extra: [1] }])
  assert.ok(strange.kind === 'found' && strange.snapshot.status === 'unrecognised')
  const retried = await ask(200, [{ ...paid, id: 'PAY0', status: 'FAILED' }, paid])
  assert.ok(retried.kind === 'found' && retried.snapshot.status === 'completed' && retried.snapshot.amount === 5000)
  const twice = await ask(200, [paid, { ...paid, id: 'PAY2' }])
  assert.ok(twice.kind === 'found' && twice.snapshot.amount === 10_000, 'paid twice is not the amount of the charge')
  const repeated = await ask(200, [paid, paid])
  assert.ok(repeated.kind === 'found' && repeated.snapshot.amount === 5000, 'a payment that is listed twice counts once')
  assert.equal((await ask(200, [{ ...paid, orderReference: 'pay01h455vb4pex5vsknk084sn02x' }])).kind, 'indeterminate')
  assert.equal((await ask(200, [{ ...paid, status: 'FAILED' }, { status: 'SUCCESS' }])).kind, 'indeterminate')
  assert.equal((await ask(200, [])).kind, 'not_found')
  assert.equal((await ask(404, { message: 'No record' })).kind, 'not_found')
  // The error page of a proxy is not the provider's answer.
  assert.equal((await ask(404, '<html>Not found</html>')).kind, 'indeterminate')
})

const received = (changes: Record<string, unknown> = {}, event = 'PAYMENT RECEIVED') => ({ event, data: { ...paid, ...changes } })

function signed(document: Record<string, unknown>, secret = checksumKey): Buffer {
  return Buffer.from(JSON.stringify({ ...document, checksum: checksumOf(document, secret), checksumMethod: 'canonical' }))
}

test('a message is believed for its checksum alone, and the same message always has one id [P01, P21, P24, P45]', (t) => {
  const provider = adapter(t, { checksumKeys: ['n'.repeat(20), checksumKey] })
  const read = (body: Buffer | string) => provider.readWebhook({}, Buffer.from(body), 0)
  const good = read(signed(received()))
  assert.ok(good.kind === 'charge')
  assert.deepEqual(
    [good.snapshot.status, good.snapshot.amount, good.snapshot.currency, good.snapshot.ourReference],
    ['completed', 5000, 'TZS', reference],
  )
  assert.deepEqual(read(signed(received())), good)
  const reordered = { data: Object.fromEntries(Object.entries(received().data).toReversed()), event: 'PAYMENT RECEIVED' }
  assert.deepEqual(read(signed(reordered)), good)
  const other = read(signed(received({ status: 'SETTLED' })))
  assert.ok(other.kind === 'charge' && other.eventId !== good.eventId)
  assert.deepEqual(provider.readStoredWebhook(signed(received()).toString()), good)

  const changed = JSON.parse(signed(received()).toString())
  changed.data.collectedAmount = '9000000.00'
  const wrong: (Buffer | string)[] = [
    '',
    '[]',
    'null',
    '{}',
    JSON.stringify(received()),
    JSON.stringify(changed),
    signed(received(), apiKey),
    JSON.stringify({ ...received(), checksum: 'zz' }),
    JSON.stringify({ ...received(), checksum: checksumOf(received(), checksumKey).toUpperCase() }),
    JSON.stringify({ ...received(), checksum: [checksumOf(received(), checksumKey)] }),
    '['.repeat(100_000),
    `{"a":${'['.repeat(5_000)}${']'.repeat(5_000)},"checksum":"${'0'.repeat(64)}"}`,
  ]
  for (const body of wrong) assert.deepEqual(read(body), { kind: 'invalid', reason: 'signature' }, String(body).slice(0, 80))
})

test('for an odd message its charge is queried, and an unknown event moves nothing [P26]', (t) => {
  const provider = adapter(t)
  const read = (document: Record<string, unknown>) => provider.readWebhook({}, signed(document), 0)
  for (const event of ['DEPOSIT RECEIVED', 'PAYMENT REFUNDED', '']) assert.equal(read(received({}, event)).kind, 'other', event)
  const odd: [Record<string, unknown>, string][] = [
    [received({}, 'PAYMENT FAILED'), 'contradictory'],
    [received({ status: 'PROCESSING' }), 'contradictory'],
    [received({ collectedAmount: '5000.10' }), 'unreadable'],
    [received({ status: null }), 'unreadable'],
  ]
  for (const [document, reason] of odd) {
    const message = read(document)
    assert.ok(message.kind === 'doubtful', JSON.stringify(document))
    assert.deepEqual([message.reason, message.subject, message.ourReference], [reason, 'charge', reference])
  }
  assert.ok(read({ event: 'PAYMENT RECEIVED', data: {} }).kind === 'doubtful')
})

test('a payout message has the amount that the recipient gets, for any fee, and returned money is a reversal [P36]', (t) => {
  const provider = adapter(t)
  const orders = 'po01jz8e6c9kf0x9v4m2n7q5t3ab'
  const data = { id: 'P1', orderReference: orders, amount: '20000.00', currency: 'TZS', fee: '2360.00' }
  const read = (event: string, changes: Record<string, unknown>) =>
    provider.readWebhook({}, signed({ event, data: { ...data, ...changes } }), 0)
  const cases: [string, Record<string, unknown>, string, number | null][] = [
    ['PAYOUT INITIATED', { status: 'AUTHORIZED' }, 'processing', 20_000],
    ['PAYOUT INITIATED', { status: 'SUCCESS', amount: '1047.10', order: { amount: '1000.00' } }, 'completed', 1_000],
    ['PAYOUT INITIATED', { status: 'SUCCESS', beneficiary: { amount: '900.00' } }, 'completed', 900],
    ['PAYOUT REFUNDED', { status: 'REFUNDED' }, 'reversed', 20_000],
    ['PAYOUT REVERSED', { status: 'REVERSED' }, 'reversed', 20_000],
  ]
  for (const [event, changes, status, amount] of cases) {
    const message = read(event, changes)
    assert.ok(message.kind === 'payout', `${event} ${JSON.stringify(message)}`)
    assert.deepEqual([message.snapshot.status, message.snapshot.amount], [status, amount], event)
  }
  const cents = read('PAYOUT INITIATED', { status: 'SUCCESS', amount: '1047.10' })
  assert.ok(cents.kind === 'doubtful' && cents.reason === 'unreadable' && cents.subject === 'payout')
})

test('the balance is the one account in TZS, and anything else is unknown', async (t) => {
  const { url } = await played(t)
  const real = await adapter(t, { baseUrl: url }).readBalance()
  assert.ok(real.kind === 'balance' && real.amount > 0, JSON.stringify(real))
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
