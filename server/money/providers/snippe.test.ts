/** What only Snippe has: its envelopes, codes, forms of signatures and prompts. What it shares with all adapters is in conformance.test.ts. */
import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { test, type TestContext } from 'node:test'
import { snippeSignatures, type SnippeSignature } from '../../domain/provider.ts'
import { startTestSimulator } from '../../../simulator/test-simulator.ts'
import { snippeOptions } from '../../../test/fixtures/provider-faces.ts'
import type { ChargeDetails, Provider } from './provider.ts'
import { failureCodeOf } from './failure-words.ts'
import { createSnippe, maxKeyBytes, type SnippeOptions } from './snippe.ts'

const [secret = ''] = snippeOptions.webhookSecrets

function adapter(t: TestContext, changes: Partial<SnippeOptions> = {}): Provider {
  const provider = createSnippe({ ...snippeOptions, ...changes })
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

test('a code proves a refusal only with a text about the request, and an empty account of ours only in its documented way [P13, P34]', async (t) => {
  const errorOf = (status: number, code: string, message?: string) => ({
    status,
    body: { status: 'error', code: status, error_code: code, message },
  })
  const empty = 'insufficient balance: available 5000, required 6500'
  const cases: [given: { status: number; body: unknown }, charge: string, payout?: string][] = [
    [errorOf(400, 'validation_error'), 'unknown'],
    ...[
      'invalid_request',
      'unauthorized',
      'insufficient_scope',
      'forbidden',
      'AUTH_007',
      'not_found',
      'conflict',
      'PAY_001',
      'INT_003',
      'VALIDATION',
    ].map((code): [{ status: number; body: unknown }, string] => [errorOf(400, code, 'amount is required'), 'unknown']),
    [errorOf(422, 'validation_error', 'idempotency key already used with different request body'), 'unknown'],
    [errorOf(500, 'rate_limit_exceeded', 'Too many requests'), 'unknown'],
    [errorOf(500, 'payment_failed', empty), 'unknown', 'rejected'],
    [errorOf(500, 'payment_failed', 'insufficient balance: transaction is being processed'), 'unknown'],
    [errorOf(200, 'payment_failed', empty), 'unknown'],
    [errorOf(500, 'payment_failed', 'failed'), 'unknown'],
    // A success of HTTP around an error.
    [{ status: 200, body: { status: 400, data: { reference: 'r-1', status: 'failed' } } }, 'unknown'],
    [{ status: 200, body: { status: 'error', data: created } }, 'unknown'],
    [{ status: 200, body: { status: 'success', data: [] } }, 'unknown'],
    [{ status: 200, body: { status: 'success', data: { status: 'pending' } } }, 'unknown'],
  ]
  for (const [{ status, body }, charge, payout = charge] of cases) {
    const provider = adapter(t, { baseUrl: await answering(t, json(status, body)) })
    const order = { idempotencyKey: 'c-1', body: '{}' }
    const found = [(await provider.charge(order)).kind, (await provider.sendPayout(order)).kind]
    assert.deepEqual(found, [charge, payout], `${status} ${JSON.stringify(body)}`)
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

test('an empty account of ours is named with a reference, too, and is no trouble of the provider', async (t) => {
  const refusal = { status: 'error', error_code: 'payment_failed', message: 'insufficient balance: available 0, required 6500' }
  const baseUrl = await answering(t, json(500, { ...refusal, data: { reference: 'r-1' } }))
  const outcome = await adapter(t, { baseUrl }).sendPayout({ idempotencyKey: 'p-1', body: '{}' })
  assert.deepEqual(outcome, { kind: 'unknown', reason: 'payment_failed', reference: 'r-1', isOurFloat: true })
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

test('only the form of a signature that is configured is accepted, and the one that would have matched is named [P21]', (t) => {
  const forms: [SnippeSignature, Record<string, string>][] = [
    ['timestamp.body', signed(event)],
    ['body', { 'x-webhook-signature': createHmac('sha256', secret).update(event).digest('hex') }],
    ['x-snippe-signature', { 'x-snippe-signature': createHmac('sha256', secret).update(event).digest('hex') }],
  ]
  for (const webhookSignature of snippeSignatures) {
    const provider = adapter(t, { webhookSignature })
    const read = (headers: Record<string, string>) => provider.readWebhook(headers, Buffer.from(event), now)
    for (const [form, headers] of forms) {
      const [name] = Object.keys(headers).filter((one) => one.endsWith('-signature'))
      // The header may name the kind of the hash, in either case.
      for (const prefix of ['', 'sha256=', 'SHA256=']) {
        const message = read({ ...headers, [name!]: `${prefix}${headers[name!]}` })
        if (form === webhookSignature) assert.equal(message.kind, 'charge')
        else assert.deepEqual(message, { kind: 'invalid', reason: 'signature', matchingForm: form })
      }
      assert.deepEqual(read({ ...headers, [name!]: 'f'.repeat(64) }), { kind: 'invalid', reason: 'signature' })
    }
  }
})

test('a list of an unknown length is over only when nothing follows it', async (t) => {
  for (const [all, expected] of [
    [0, true],
    [3, true],
    [100, false],
  ] as const) {
    const baseUrl = await answering(t, (request, response) => {
      const { searchParams } = new URL(request.url!, 'http://localhost')
      const [offset, limit] = [Number(searchParams.get('offset')), Number(searchParams.get('limit'))]
      const records = Array.from({ length: all }, (_, index) => ({ ...created, reference: `r-${index}` }))
      json(200, { data: records.slice(offset, offset + limit) })(request, response)
    })
    const page = await adapter(t, { baseUrl }).listCharges(0)
    assert.ok(page.kind === 'page' && page.items.length === all && page.isLast === expected, JSON.stringify(page))
  }
  // It gives fewer records at once than we ask for: reading on would leave some out.
  const baseUrl = await answering(t, json(200, [created, created]))
  assert.deepEqual(await adapter(t, { baseUrl }).listCharges(0), { kind: 'indeterminate', reason: 'short_page' })
})

test('a listed time without a zone is read the same on every machine', async (t) => {
  const zone = process.env['TZ']
  process.env['TZ'] = 'Africa/Dar_es_Salaam'
  t.after(() => (zone === undefined ? delete process.env['TZ'] : (process.env['TZ'] = zone)))
  for (const [created_at, expected] of [
    ['2026-01-25 05:04:54', '2026-01-25T05:04:54.000Z'],
    ['2026-01-25T05:04:54.063993853', '2026-01-25T05:04:54.063Z'],
    ['2026-01-25T05:04:54.063993853Z', '2026-01-25T05:04:54.063Z'],
    ['2026-01-25T05:04:54+03:00', '2026-01-25T02:04:54.000Z'],
    ['yesterday', undefined],
  ] as const) {
    const items = [{ reference: 'r-1', status: 'completed', created_at }]
    const baseUrl = await answering(t, json(200, { status: 'success', data: { items, total: 1 } }))
    const page = await adapter(t, { baseUrl }).listCharges(0)
    assert.ok(page.kind === 'page')
    assert.equal(page.items[0]!.createdAt?.toISOString(), expected, created_at)
  }
})

test('a prompt is shown again only while its charge is open, and charges are listed', async (t) => {
  const { url } = await startTestSimulator(t)
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

test('trouble of the provider is distinguished from a refusal for one payer, in both dialects of its errors [P39]', async (t) => {
  for (const [status, code, trouble] of [
    [500, 'INT_003', 'outage'],
    [400, 'PAY_001', 'outage'],
    [422, 'validation_error', undefined],
    [400, 'VAL_004', undefined],
  ] as const) {
    const provider = adapter(t, { baseUrl: await answering(t, json(status, { status: 'error', error_code: code })) })
    const outcome = await provider.charge({ idempotencyKey: 'c-1', body: '{}' })
    assert.equal('trouble' in outcome ? outcome.trouble : undefined, trouble, `${status} ${code}`)
  }
  // Another account's charge, not refused credentials of ours.
  const forbidden = await answering(t, json(403, { status: 'error', error_code: 'forbidden' }))
  const pushed = await adapter(t, { baseUrl: forbidden }).pushCharge({ reference: 'r-1', ourReference: 'pay_1' })
  assert.deepEqual(pushed, { kind: 'indeterminate', reason: 'forbidden' })
})

test('the balance is what we have there, also before what is reserved, and anything else is unknown', async (t) => {
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

test('a quoted fee comes with the total that the same answer names, in both documented forms', async (t) => {
  let data: object = {}
  const baseUrl = await answering(t, (request, response) => json(200, { status: 'success', data })(request, response))
  const provider = adapter(t, { baseUrl })
  data = { amount: 20_000, fee_amount: 500_000, total_amount: 21_500, currency: 'TZS' }
  assert.deepEqual(await provider.quotePayout(20_000), { kind: 'quoted', fee: 500_000, total: 21_500 })
  data = { fees: { value: 1_500, currency: 'TZS' }, total: { value: 21_500, currency: 'TZS' } }
  assert.deepEqual(await provider.quotePayout(20_000), { kind: 'quoted', fee: 1_500, total: 21_500 })
  data = { fee_amount: 1_500, total_amount: null }
  assert.deepEqual(await provider.quotePayout(20_000), { kind: 'quoted', fee: 1_500, total: undefined })
})
