/** The Snippe adapter against the published wire protocol, the simulator that implements it, and servers that violate it. */
import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { test, type TestContext } from 'node:test'
import { simulatorConfig } from '../../../test/app.ts'
import { startSimulator } from '../../../simulator/start.ts'
import type { ChargeDetails, PayoutDetails, Provider } from './provider.ts'
import { failureCodeOf } from './failure-words.ts'
import { createSnippe, maxKeyBytes, type SnippeOptions } from './snippe.ts'

const secret = 's'.repeat(40)
const options: SnippeOptions = {
  baseUrl: 'http://127.0.0.1:1',
  apiKey: 'snp_test_0123456789',
  webhookSecrets: [secret],
  timeoutMs: 500,
  maxResponseBytes: 64 * 1024,
  connections: 4,
  webhookToleranceSeconds: 300,
  contactEmail: 'payments@malipo.example',
}

function adapter(t: TestContext, changes: Partial<SnippeOptions> = {}): Provider {
  const provider = createSnippe({ ...options, ...changes })
  t.after(() => provider.close())
  return provider
}

const details = (changes: Partial<ChargeDetails> = {}): ChargeDetails => ({
  reference: 'pay_01h455vb4pex5vsknk084sn02q',
  amount: 5000,
  phoneNumber: '+255754000111',
  customerName: 'Juma Hamisi Mrisho',
  customerEmail: 'juma@example.com',
  callbackUrl: 'https://api.example.com/hook',
  ...changes,
})

/** A provider that gives the answers of the test. */
async function answering(t: TestContext, answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  (_: IncomingMessage, response: ServerResponse) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body))

test('a charge is composed as documented, under a key that fits thirty bytes [P11]', (t) => {
  const { idempotencyKey, body } = adapter(t).composeCharge(details())
  assert.ok(Buffer.byteLength(idempotencyKey) <= maxKeyBytes)
  assert.deepEqual(JSON.parse(body), {
    payment_type: 'mobile',
    details: { amount: 5000, currency: 'TZS' },
    phone_number: '255754000111',
    customer: { firstname: 'Juma', lastname: 'Hamisi Mrisho', email: 'juma@example.com' },
    webhook_url: 'https://api.example.com/hook',
    metadata: { malipo_payment: 'pay_01h455vb4pex5vsknk084sn02q' },
  })
  assert.deepEqual(JSON.parse(adapter(t).composeCharge(details({ customerName: 'Juma' })).body).customer, {
    firstname: 'Juma',
    lastname: 'Juma',
    email: 'juma@example.com',
  })
  // A payer without a name and an address: the operator's address goes to the provider.
  assert.deepEqual(JSON.parse(adapter(t).composeCharge(details({ customerName: null, customerEmail: null })).body).customer, {
    firstname: 'Customer',
    lastname: 'Customer',
    email: 'payments@malipo.example',
  })
})

test('against the simulator: accepted, repeated under the same key, found, not found, refused', async (t) => {
  const settings = {
    SNIPPE_TEST_API_KEY: options.apiKey,
    SNIPPE_TEST_WEBHOOK_SECRETS: secret,
    SNIPPE_LIVE_API_KEY: 'snp_live_0123456789',
    SNIPPE_LIVE_WEBHOOK_SECRETS: secret,
  }
  const simulator = await startSimulator(simulatorConfig(settings))
  t.after(() => simulator.close())
  const provider = adapter(t, { baseUrl: simulator.url, timeoutMs: 5_000 })
  const request = provider.composeCharge(details({ callbackUrl: 'http://127.0.0.1:1/hook' }))
  const first = await provider.charge(request)
  assert.ok(
    first.kind === 'accepted' && first.snapshot.status === 'pending' && first.snapshot.expiresAt !== null,
    JSON.stringify(first),
  )
  assert.deepEqual(await provider.charge(request), first)
  const found = await provider.fetchCharge({ reference: first.snapshot.reference, ourReference: 'pay_1' })
  assert.ok(found.kind === 'found' && found.snapshot.amount === 5000 && found.snapshot.currency === 'TZS')
  assert.deepEqual(await provider.fetchCharge({ reference: randomUUID(), ourReference: 'pay_1' }), { kind: 'not_found' })
  // A key that was used with another body proves nothing about that other body's charge.
  assert.equal(
    (await provider.charge({ ...request, body: provider.composeCharge(details({ amount: 6000 })).body })).kind,
    'unknown',
  )
  const badPhone = provider.composeCharge(details({ reference: 'pay_01h455vb4pex5vsknk084sn02r', phoneNumber: '+255' }))
  assert.equal((await provider.charge(badPhone)).kind, 'rejected')
  assert.equal((await adapter(t, { baseUrl: simulator.url, apiKey: 'snp_wrong_key_00' }).charge(request)).kind, 'unknown')
})

const created = {
  reference: 'r-1',
  status: 'pending',
  amount: { value: 5000, currency: 'TZS' },
  expires_at: '2026-01-25T05:04:54.063993853Z',
}

test('all three envelopes of a success are read', async (t) => {
  for (const envelope of [
    { status: 'success', code: 201, data: created },
    { code: 201, data: created },
    { status: 201, message: 'ok', data: created },
  ]) {
    const outcome = await adapter(t, { baseUrl: await answering(t, json(201, envelope)) }).charge({
      idempotencyKey: 'c-1',
      body: '{}',
    })
    assert.ok(
      outcome.kind === 'accepted' && outcome.snapshot.reference === 'r-1' && outcome.snapshot.amount === 5000,
      JSON.stringify(outcome),
    )
    assert.equal(outcome.snapshot.expiresAt?.toISOString(), '2026-01-25T05:04:54.063Z')
  }
})

test('only an answer that proves that nothing was started is a refusal; everything else is unknown [P08, P12, P13, P40]', async (t) => {
  const cases: [number, unknown, string][] = [
    [400, { status: 'error', code: 400, error_code: 'validation_error', message: 'amount is required' }, 'rejected'],
    [400, { status: 'error', error_code: 'VAL_001', message: 'validation failed' }, 'rejected'],
    [401, { status: 'error', error_code: 'unauthorized' }, 'unknown'],
    [401, { status: 'error', error_code: 'AUTH_007' }, 'unknown'],
    [403, { status: 'error', error_code: 'insufficient_scope' }, 'unknown'],
    [409, { status: 'error', error_code: 'conflict' }, 'unknown'],
    [
      422,
      { status: 'error', error_code: 'validation_error', message: 'idempotency key already used with different request body' },
      'unknown',
    ],
    [429, { status: 'error', error_code: 'rate_limit_exceeded' }, 'retry_later'],
    [500, { status: 'error', error_code: 'payment_failed' }, 'unknown'],
    [400, { status: 'error', error_code: 'PAY_001', message: 'failed to initiate payment' }, 'unknown'],
    [503, { error_code: 'INT_003' }, 'unknown'],
    [
      400,
      { status: 'error', error_code: 'VAL_001', message: 'idempotency key already used with different request body' },
      'unknown',
    ],
    [502, '<html>Bad gateway</html>', 'unknown'],
    [200, '{"status":"success","data":{"ref', 'unknown'],
    [200, '', 'unknown'],
    [200, { status: 'error', data: created }, 'unknown'],
    [200, { status: 'success', data: [] }, 'unknown'],
    [200, { status: 'success', data: { status: 'pending' } }, 'unknown'],
    [200, { status: 'success', data: { ...created, amount: { value: '5000.00', currency: 'TZS' } } }, 'unknown'],
    [200, { status: 'success', data: { ...created, amount: 5000.5 } }, 'unknown'],
    [302, { location: 'http://127.0.0.1:1/' }, 'unknown'],
    [200, `{"status":"success","data":${JSON.stringify({ ...created, x: 'x'.repeat(70_000) })}}`, 'unknown'],
  ]
  for (const [status, body, kind] of cases) {
    const outcome = await adapter(t, { baseUrl: await answering(t, json(status, body)) }).charge({
      idempotencyKey: 'c-1',
      body: '{}',
    })
    assert.equal(outcome.kind, kind, `${status} ${JSON.stringify(body).slice(0, 120)} → ${JSON.stringify(outcome)}`)
  }
})

test('an error that names a reference is no refusal: the provider has something under it', async (t) => {
  const refusals: [number, Record<string, unknown>][] = [
    [400, { status: 'error', error_code: 'validation_error', message: 'phone_number must be a valid phone number' }],
    [500, { status: 'error', error_code: 'payment_failed', message: 'insufficient balance: available 0, required 6500' }],
    [429, { status: 'error', error_code: 'rate_limit_exceeded' }],
  ]
  for (const [status, refusal] of refusals) {
    const baseUrl = await answering(t, json(status, { ...refusal, data: { reference: 'r-1' } }))
    const provider = adapter(t, { baseUrl })
    for (const outcome of [
      await provider.charge({ idempotencyKey: 'c-1', body: '{}' }),
      await provider.sendPayout({ idempotencyKey: 'p-1', body: '{}' }),
    ]) {
      assert.ok(outcome.kind === 'unknown' && outcome.reference === 'r-1', `${status} → ${JSON.stringify(outcome)}`)
    }
  }
})

test('a redirect is never followed with our bearer token [P40]', async (t) => {
  let visited = false
  const elsewhere = await answering(t, (_, response) => {
    visited = true
    response.end('{}')
  })
  const baseUrl = await answering(t, json(307, '', { location: elsewhere }))
  assert.equal((await adapter(t, { baseUrl }).charge({ idempotencyKey: 'c-1', body: '{}' })).kind, 'unknown')
  assert.equal(visited, false)
})

test('a refused connection counts as not sent; a connection that breaks or hangs is unknown [P06, P07]', async (t) => {
  assert.equal((await adapter(t).charge({ idempotencyKey: 'c-1', body: '{}' })).kind, 'not_sent')
  const reset = await answering(t, (request) => request.socket.destroy())
  assert.equal((await adapter(t, { baseUrl: reset }).charge({ idempotencyKey: 'c-1', body: '{}' })).kind, 'unknown')
  const silent = await answering(t, () => undefined)
  assert.equal(
    (await adapter(t, { baseUrl: silent, timeoutMs: 100 }).charge({ idempotencyKey: 'c-1', body: '{}' })).kind,
    'unknown',
  )
  const dripping = await answering(t, (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const drip = setInterval(() => response.write(' '), 20)
    response.on('close', () => clearInterval(drip))
  })
  assert.equal(
    (await adapter(t, { baseUrl: dripping, timeoutMs: 200 }).charge({ idempotencyKey: 'c-1', body: '{}' })).kind,
    'unknown',
  )
  assert.equal(
    (await adapter(t, { baseUrl: silent, timeoutMs: 100 }).fetchCharge({ reference: 'r', ourReference: 'pay_1' })).kind,
    'indeterminate',
  )
})

test('a 429 waits as long as the provider asks, within limits [P14]', async (t) => {
  for (const [reset, afterMs] of [
    ['7', 7_000],
    ['0', 5_000],
    ['99999999', 120_000],
    ['soon', 5_000],
    [undefined, 5_000],
  ] as const) {
    const baseUrl = await answering(t, json(429, {}, reset === undefined ? {} : { 'x-ratelimit-reset': reset }))
    assert.deepEqual(await adapter(t, { baseUrl }).charge({ idempotencyKey: 'c-1', body: '{}' }), {
      kind: 'retry_later',
      afterMs,
    })
  }
})

const event = JSON.stringify({
  id: 'evt_1',
  type: 'payment.completed',
  data: {
    reference: 'r-1',
    status: 'completed',
    amount: { value: 5000, currency: 'TZS' },
    settlement: { fees: { value: 90, currency: 'TZS' } },
    channel: { provider: 'TZ-TIGO-B2C' },
    metadata: { malipo_payment: 'pay_x' },
    customer: { name: 'Asha Ñandú' },
  },
})
const now = 1_780_000_000_000

function signed(body: string, seconds = now / 1000, key = secret): Record<string, string> {
  return {
    'x-webhook-timestamp': String(seconds),
    'x-webhook-signature': createHmac('sha256', key).update(`${seconds}.${body}`).digest('hex'),
    'x-webhook-event': 'payment.failed',
  }
}

test('a signed message is read from its body alone; its headers are ignored [P27]', (t) => {
  const read = adapter(t).readWebhook(signed(event), Buffer.from(event), now)
  assert.ok(read.kind === 'charge')
  assert.deepEqual(
    [
      read.eventId,
      read.snapshot.status,
      read.snapshot.amount,
      read.snapshot.currency,
      read.snapshot.fee,
      read.snapshot.network,
      read.snapshot.ourReference,
    ],
    ['evt_1', 'completed', 5000, 'TZS', 90, 'mixx', 'pay_x'],
  )
})

test('a message whose signature does not cover exactly these bytes is refused without a crash [P21, P22, P45]', (t) => {
  const provider = adapter(t)
  const good = signed(event)
  const wrong: [Record<string, string>, string][] = [
    [{}, event],
    [{ ...good, 'x-webhook-signature': '' }, event],
    [{ ...good, 'x-webhook-signature': 'zz' }, event],
    [{ ...good, 'x-webhook-signature': good['x-webhook-signature']!.slice(2) }, event],
    [{ ...good, 'x-webhook-signature': good['x-webhook-signature']!.toUpperCase() }, event],
    [{ ...good, 'x-webhook-timestamp': 'now' }, event],
    [{ ...good, 'x-webhook-timestamp': String(now / 1000 + 1) }, event],
    [signed(event, now / 1000, options.apiKey), event],
    [good, JSON.stringify(JSON.parse(event), null, 1)],
    [good, `${event}\n`],
  ]
  for (const [headers, body] of wrong)
    assert.deepEqual(provider.readWebhook(headers, Buffer.from(body), now), { kind: 'invalid', reason: 'signature' })
})

test('an old secret is valid during its rotation; an old or future time makes a message stale [P24]', (t) => {
  const provider = adapter(t, { webhookSecrets: ['n'.repeat(40), secret] })
  assert.equal(provider.readWebhook(signed(event), Buffer.from(event), now).kind, 'charge')
  for (const skewSeconds of [-301, 301]) {
    const read = provider.readWebhook(signed(event), Buffer.from(event), now + skewSeconds * 1000)
    assert.deepEqual([read.kind, read.kind === 'doubtful' && read.reason], ['doubtful', 'stale'])
  }
})

test('unknown types move nothing; for a known type with an odd body, its charge is queried [P19, P26]', (t) => {
  const provider = adapter(t)
  const read = (changes: Record<string, unknown>) => {
    const body = JSON.stringify({ ...JSON.parse(event), ...changes })
    return provider.readWebhook(signed(body), Buffer.from(body), now)
  }
  for (const type of ['payout.created', 'payment.created', 'payment.reversed', 'payment.successful'])
    assert.equal(read({ type }).kind, 'other', type)
  const odd: [Record<string, unknown>, string][] = [
    [{ type: 'payment.failed' }, 'contradictory'],
    [{ data: { reference: 'r-1', status: 'settled-ish' } }, 'contradictory'],
    [{ data: { reference: 'r-1' } }, 'unreadable'],
    [{ data: { reference: 'r-1', status: 'completed', amount: { value: '5000', currency: 'TZS' } } }, 'unreadable'],
    [{ data: { reference: 'r-1', status: 'completed', amount: 5000.5 } }, 'unreadable'],
  ]
  for (const [changes, reason] of odd) {
    const message = read(changes)
    assert.ok(message.kind === 'doubtful', JSON.stringify(changes))
    assert.deepEqual([message.reason, message.reference], [reason, 'r-1'], JSON.stringify(changes))
  }
  for (const body of ['', '[]', '{}', '{"id":"x"}', 'null'])
    assert.equal(provider.readWebhook(signed(body), Buffer.from(body), now).kind, 'invalid', body)
  const sparse = JSON.stringify({
    id: 'e',
    type: 'payment.failed',
    data: {
      reference: 'r',
      status: 'failed',
      amount: { value: 500, currency: 'TZS' },
      channel: { provider: null },
      settlement: null,
      metadata: null,
    },
  })
  const failed = provider.readWebhook(signed(sparse), Buffer.from(sparse), now)
  assert.ok(failed.kind === 'charge' && failed.snapshot.failure?.code === 'provider_error')
})

test('free text becomes one of our reasons, or the most general one', () => {
  const cases: Record<string, string> = {
    'Insufficient balance in wallet': 'insufficient_funds',
    'Wrong PIN entered': 'wrong_pin',
    'Invalid PIN': 'wrong_pin',
    'Transaction cancelled by user': 'declined_by_payer',
    'Request timed out': 'prompt_timeout',
    'Recipient phone number is invalid': 'payer_not_found',
    'Daily limit exceeded': 'payer_limit',
    'Something went wrong': 'provider_error',
  }
  for (const [text, code] of Object.entries(cases)) assert.equal(failureCodeOf(text), code, text)
  assert.equal(failureCodeOf(null), 'provider_error')
})

async function playedProvider(t: TestContext): Promise<{ url: string }> {
  const accounts = { SNIPPE_TEST_API_KEY: options.apiKey, SNIPPE_TEST_WEBHOOK_SECRETS: secret }
  const live = { SNIPPE_LIVE_API_KEY: 'snp_live_0123456789', SNIPPE_LIVE_WEBHOOK_SECRETS: 'l'.repeat(40) }
  const simulator = await startSimulator(simulatorConfig({ ...accounts, ...live }))
  t.after(() => simulator.close())
  return simulator
}

const payout = (changes: Partial<PayoutDetails> = {}): PayoutDetails => ({
  reference: 'po_01jz8e6c9kf0x9v4m2n7q5t3ab',
  amount: 20_000,
  phoneNumber: '+255754123456',
  recipientName: 'Asha Mushi',
  narration: null,
  callbackUrl: 'http://127.0.0.1:1/v1/providers/snippe/test/webhook',
  ...changes,
})

test('a payout is quoted, sent once under one key, and found again with its current status', async (t) => {
  const { url } = await playedProvider(t)
  const provider = adapter(t, { baseUrl: url })
  const quote = await provider.quotePayout(20_000)
  assert.ok(quote.kind === 'quoted' && quote.fee > 0)
  const request = provider.composePayout(payout())
  assert.ok(Buffer.byteLength(request.idempotencyKey) <= maxKeyBytes)
  const first = await provider.sendPayout(request)
  assert.ok(first.kind === 'accepted', JSON.stringify(first))
  assert.deepEqual(
    { ...first.snapshot, reference: '' },
    {
      reference: '',
      ourReference: 'po_01jz8e6c9kf0x9v4m2n7q5t3ab',
      status: 'pending',
      amount: 20_000,
      currency: 'TZS',
      fee: quote.fee,
      network: 'mpesa',
      failure: null,
    },
  )
  const again = await provider.sendPayout(request)
  assert.ok(again.kind === 'accepted' && again.snapshot.reference === first.snapshot.reference)
  const key = { reference: first.snapshot.reference, ourReference: 'po_01jz8e6c9kf0x9v4m2n7q5t3ab' }
  const found = await provider.fetchPayout(key)
  assert.ok(found.kind === 'found' && found.snapshot.reference === key.reference)
  assert.deepEqual(await provider.fetchPayout({ ...key, reference: randomUUID() }), { kind: 'not_found' })
  const page = await provider.listPayouts(0)
  assert.ok(page.kind === 'page' && page.isLast && page.items[0]!.reference === key.reference)
})

test('a payout that our empty account cannot pay was not sent, and is distinguished from a fault of the recipient', async (t) => {
  const { url } = await playedProvider(t)
  const provider = adapter(t, { baseUrl: url })
  const empty = await provider.sendPayout(provider.composePayout(payout({ phoneNumber: '+255754123319' })))
  assert.ok(empty.kind === 'rejected' && empty.isOurFloat, JSON.stringify(empty))
  const tooLittle = await provider.sendPayout(provider.composePayout(payout({ amount: 10 })))
  assert.ok(tooLittle.kind === 'rejected' && !tooLittle.isOurFloat, JSON.stringify(tooLittle))
})

test('a prompt is shown again only while its charge is open, and charges are listed', async (t) => {
  const { url } = await playedProvider(t)
  const provider = adapter(t, { baseUrl: url })
  const open = await provider.charge(provider.composeCharge(details({ phoneNumber: '+255754000000' })))
  assert.ok(open.kind === 'accepted')
  const key = { reference: open.snapshot.reference, ourReference: open.snapshot.ourReference ?? 'pay_1' }
  assert.deepEqual(await provider.pushCharge(key), { kind: 'pushed' })
  const listed = await provider.listCharges(0)
  assert.ok(listed.kind === 'page' && listed.isLast && listed.unreadable === 0)
  const item = listed.items.find(({ reference }) => reference === key.reference)
  assert.ok(Math.abs(Date.now() - item!.createdAt!.getTime()) < 60_000)
  await fetch(`${url}/__control/charges/${key.reference}/answer`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ action: 'fail' }),
  })
  assert.deepEqual(await provider.pushCharge(key), { kind: 'not_pending' })
  assert.equal((await provider.pushCharge({ ...key, reference: randomUUID() })).kind, 'indeterminate')
})

test('a page of a list may be longer than the limit of an answer about one charge [P09]', async (t) => {
  const items = Array.from({ length: 100 }, (_, index) => ({ ...created, reference: `r-${index}`, padding: 'x'.repeat(1_000) }))
  const baseUrl = await answering(t, json(200, { data: { items, total: 100, limit: 100, offset: 0 } }))
  const listed = await adapter(t, { baseUrl }).listCharges(0)
  assert.ok(listed.kind === 'page' && listed.items.length === 100, JSON.stringify(listed).slice(0, 200))
})

test('trouble of the provider is distinguished from a refusal for one payer, in both dialects of its errors [P39]', async (t) => {
  const cases: [number, unknown, string | undefined][] = [
    [401, { status: 'error', error_code: 'unauthorized' }, 'credentials'],
    [401, '<html>Unauthorized</html>', 'credentials'],
    [403, { status: 'error', error_code: 'AUTHZ_002' }, 'credentials'],
    [500, { status: 'error', error_code: 'INT_003' }, 'outage'],
    [400, { status: 'error', error_code: 'PAY_001' }, 'outage'],
    [502, '<html>Bad gateway</html>', 'outage'],
    [404, '<html>Not here</html>', 'outage'],
    [409, { status: 'error', error_code: 'conflict' }, undefined],
    [422, { status: 'error', error_code: 'validation_error' }, undefined],
    [400, { status: 'error', error_code: 'VAL_004' }, undefined],
  ]
  for (const [status, body, trouble] of cases) {
    const provider = adapter(t, { baseUrl: await answering(t, json(status, body)) })
    const outcome = await provider.charge({ idempotencyKey: 'c-1', body: '{}' })
    const given = 'trouble' in outcome ? outcome.trouble : undefined
    assert.equal(given, trouble, `${status} ${JSON.stringify(body)} → ${JSON.stringify(outcome)}`)
  }
  // Another account's charge, not refused credentials of ours.
  const forbidden = await answering(t, json(403, { status: 'error', error_code: 'forbidden' }))
  const pushed = await adapter(t, { baseUrl: forbidden }).pushCharge({ reference: 'r-1', ourReference: 'pay_1' })
  assert.deepEqual(pushed, { kind: 'indeterminate', reason: 'forbidden' })
})

test('the balance is what we have there, also before what is reserved, and anything else is unknown', async (t) => {
  const { url } = await playedProvider(t)
  const real = await adapter(t, { baseUrl: url }).readBalance()
  assert.ok(real.kind === 'balance' && real.amount > 0, JSON.stringify(real))
  const read = async (data: unknown, status = 200) => {
    const baseUrl = await answering(t, json(status, { status: 'success', data }))
    const answer = await adapter(t, { baseUrl }).readBalance()
    return answer.kind === 'balance' ? answer.amount : answer.kind
  }
  const tzs = (value: number) => ({ value, currency: 'TZS' })
  assert.equal(await read({ balance: tzs(70_000), available: tzs(50_000) }), 70_000)
  assert.equal(await read({ available: tzs(50_000) }), 50_000)
  assert.equal(await read({ balance: tzs(0) }), 0)
  for (const odd of [{}, { balance: { value: 70_000, currency: 'USD' } }, { balance: tzs(0.5) }, { balance: 'much' }])
    assert.equal(await read(odd), 'indeterminate', JSON.stringify(odd))
  assert.equal(await read({ balance: tzs(70_000) }, 500), 'indeterminate')
})
