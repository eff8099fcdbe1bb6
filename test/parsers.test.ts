/**
 * The parsers of external input: phones, amounts, cursors, signatures, addresses, networks, providers' messages. For every input, a
 * parser returns one of its declared results, reads one input in one way, and accepts nothing that was changed in transit.
 */
import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import fc from 'fast-check'
import { verifyWebhook, WebhookVerificationError } from '../sdk/src/webhooks.ts'
import { allowedIps, isAllowed } from '../server/accounts/developers/allowed-ips.ts'
import { isSignedBy, signAddress } from '../server/merchants/documents/address.ts'
import { searchPdf } from '../server/merchants/documents/pdf-objects.ts'
import { randomSlug, slugShape } from '../server/collect/pages/page.ts'
import { readAmount } from '../server/collect/payments/checkout-rules.ts'
import { readPhone } from '../server/domain/phone.ts'
import { wholeNumber } from '../server/platform/http/http.ts'
import { parseStrictJson } from '../server/platform/http/json.ts'
import { createCursors } from '../server/platform/http/page.ts'
import { Refusal } from '../server/platform/refusal.ts'
import { characterCount, lineOfText, moment, paragraphOfText, plainHttpsUrl } from '../server/platform/http/text.ts'
import { checksumOf } from '../server/money/providers/clickpesa-checksum.ts'
import { createClickPesa } from '../server/money/providers/clickpesa.ts'
import type { Provider, WebhookMessage } from '../server/money/providers/provider.ts'
import { createSnippe } from '../server/money/providers/snippe.ts'
import { signatureHeaders, secretPrefix, signingKeyOf } from '../server/merchants/webhooks/signature.ts'

const anyText = fc.string({ unit: 'binary' })

test('a phone is one number however it is written, and the result of every parse is a Tanzanian number', () => {
  const national = fc.tuple(fc.constantFrom('65', '68', '71', '75', '62', '60'), fc.integer({ min: 0, max: 9_999_999 }))
  const separators = fc.array(fc.constantFrom('', ' ', '-', '.', '(', ')', '  '), { minLength: 14, maxLength: 14 })
  fc.assert(
    fc.property(national, fc.constantFrom('+255', '255', '00255', '0', ''), separators, ([prefix, rest], start, between) => {
      const digits = prefix + String(rest).padStart(7, '0')
      const typed = (start + digits)
        .split('')
        .map((digit, place) => digit + (between[place] ?? ''))
        .join('')
      const reading = readPhone(typed)
      assert.ok(reading.kind === 'mobile' && reading.e164 === `+255${digits}`, `${typed}: ${JSON.stringify(reading)}`)
      assert.deepEqual(readPhone(reading.e164), reading)
    }),
  )
  fc.assert(
    fc.property(fc.oneof(anyText, fc.stringMatching(/^[+0-9 ().-]{0,20}$/)), (text) => {
      const reading = readPhone(text)
      if (reading.kind !== 'invalid') assert.match(reading.e164, /^\+255[67]\d{8}$/)
    }),
    { numRuns: 2000 },
  )
})

test('an amount is accepted only as a whole number within its limits', () => {
  const page = { amount: null, allowCustomAmount: true, minAmount: 500, maxAmount: 10_000_000 }
  const literal = fc.oneof(
    fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }).map(String),
    fc.integer({ min: 0, max: 20_000_000 }).map(String),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc
      .tuple(fc.integer({ min: 0, max: 99_999 }), fc.constantFrom('.0', '.5', 'e1', 'E2', 'e-1', '.00', 'e0'))
      .map((parts) => parts.join('')),
    fc.integer({ min: 500, max: 9999 }).map((value) => `"${value}"`),
  )
  fc.assert(
    fc.property(literal, (text) => {
      const { amount } = parseStrictJson(Buffer.from(`{"amount": ${text}}`)) as { amount: unknown }
      const reading = readAmount(page, amount)
      const isWhole = /^(0|[1-9]\d{0,15})$/.test(text) && Number(text) >= 500 && Number(text) <= 10_000_000
      assert.equal(reading.kind === 'amount', isWhole, `${text}: ${JSON.stringify(reading)}`)
      if (reading.kind === 'amount') assert.equal(String(reading.amount), text)
    }),
    { numRuns: 2000 },
  )
  const inQuery = wholeNumber(0, 1000)
  fc.assert(
    fc.property(
      fc.oneof(anyText, fc.integer().map(String), fc.constantFrom('0x10', '1e3', ' 5', '5 ', '+5', '００', '')),
      (text) => {
        const { success } = inQuery.safeParse(text)
        assert.equal(success, /^\d{1,15}$/.test(text) && Number(text) <= 1000, text)
      },
    ),
  )
})

test('a cursor leads only to its own place in its own list, and a changed one to no other place', () => {
  const cursors = createCursors([randomBytes(32)])
  const position = fc.array(fc.oneof(fc.integer(), anyText), { maxLength: 3 })
  const read = (scope: string, cursor: string): unknown => {
    try {
      return cursors.decode(scope, cursor)
    } catch (error) {
      assert.ok(error instanceof Refusal && error.code === 'cursor_invalid', String(error))
      return 'refused'
    }
  }
  fc.assert(
    fc.property(
      anyText,
      anyText,
      position,
      fc.nat(),
      fc.constantFrom('A', '_', '.', '=', '', ' '),
      (scope, other, place, at, character) => {
        const cursor = cursors.encode(scope, place)
        assert.deepEqual(read(scope, cursor), place)
        if (other !== scope) assert.equal(read(other, cursor), 'refused')
        const where = at % cursor.length
        const changed = read(scope, cursor.slice(0, where) + character + cursor.slice(where + 1))
        // Another spelling of the same bytes leads to the same place.
        if (changed !== 'refused') assert.deepEqual(changed, place)
        assert.equal(read(scope, other), 'refused')
      },
    ),
    { numRuns: 1000 },
  )
})

test('a webhook verifies as it was signed, and not with one byte, one second or the secret changed', async () => {
  const event = fc.record({
    id: fc.string(),
    type: fc.constant('payment.completed'),
    data: fc.dictionary(fc.string(), fc.jsonValue()),
  })
  await fc.assert(
    fc.asyncProperty(
      event,
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      fc.integer({ min: 1, max: 200 }),
      async (message, at, flip, seconds) => {
        const [secret, other] = [0, 1].map(() => secretPrefix + randomBytes(32).toString('base64'))
        const now = new Date('2026-01-25T09:30:00Z')
        const timestampSeconds = now.getTime() / 1000
        const body = JSON.stringify(message)
        const headers = signatureHeaders({
          eventId: 'evt_1',
          eventType: message.type,
          timestampSeconds,
          body,
          key: signingKeyOf(secret!),
        })
        const given = { ...headers, 'x-service-timestamp': String(timestampSeconds) }
        const verify = (bytes: Uint8Array | string, changes: Record<string, string> = {}, key = secret!) =>
          verifyWebhook(bytes, { ...given, ...changes }, key, { now })
        assert.deepEqual(await verify(body), JSON.parse(body))
        const bytes = Buffer.from(body)
        bytes[at % bytes.length]! ^= flip
        const isForged = (error: unknown) => error instanceof WebhookVerificationError && error.reason === 'signature_mismatch'
        await assert.rejects(verify(bytes), isForged)
        await assert.rejects(verify(body, { 'x-service-timestamp': String(timestampSeconds + seconds) }), isForged)
        await assert.rejects(verify(body, {}, other!), isForged)
      },
    ),
    { numRuns: 100 },
  )
})

const secret = 's'.repeat(44)
const checksumKey = 'k'.repeat(32)

function snippe(t: TestContext): Provider {
  const limits = { timeoutMs: 1000, maxResponseBytes: 65_536, connections: 1 }
  const provider = createSnippe({
    contactEmail: 'payments@malipo.example',
    baseUrl: 'http://127.0.0.1:1',
    apiKey: 'snp_test_0123456789',
    webhookSecrets: [secret],
    webhookSignature: 'timestamp.body',
    webhookToleranceSeconds: 300,
    ...limits,
  })
  t.after(() => provider.close())
  return provider
}

function clickPesa(t: TestContext): Provider {
  const limits = { timeoutMs: 1000, maxResponseBytes: 65_536, connections: 1 }
  const provider = createClickPesa({
    baseUrl: 'http://127.0.0.1:1',
    clientId: 'c',
    apiKey: 'a',
    checksumKeys: [checksumKey],
    ...limits,
  })
  t.after(() => provider.close())
  return provider
}

/** The rules for every parsed provider message: whole money, and nothing that the database cannot store. */
function isSound(message: WebhookMessage): void {
  if (message.kind === 'charge' || message.kind === 'payout') {
    const { amount, fee } = message.snapshot
    for (const money of [amount, fee]) assert.ok(money === null || (Number.isSafeInteger(money) && money >= 0), String(money))
  }
  if (message.kind === 'invalid') return
  const named = { reference: null, ourReference: null, currency: null, ...('snapshot' in message ? message.snapshot : message) }
  const { reference, ourReference, currency } = named
  assert.ok(
    [message.eventId, reference ?? '', ourReference ?? '', currency ?? ''].every((word) => word.isWellFormed()),
    JSON.stringify(message),
  )
  // JSON.stringify writes NUL in this way, so this finds one at any depth.
  assert.ok(!JSON.stringify(message).includes(String.raw`\u0000`), JSON.stringify(message))
}

const money = fc.oneof(
  fc.integer({ min: 0, max: 10_000_000 }),
  fc.double(),
  fc.constantFrom('5000', '5000.00', '5000.50', '-1', '', '1e3', 'NaN', '5,000', '٥٠٠٠', '9'.repeat(30), null, true, -1, 2 ** 53),
  fc.record({
    value: fc.oneof(fc.nat(), fc.double(), anyText),
    currency: fc.oneof(fc.constant('TZS'), anyText, fc.constant('TZS\0')),
  }),
)

const snippeEvent = fc.record(
  {
    id: fc.oneof(fc.uuid(), anyText),
    type: fc.oneof(fc.constantFrom('payment.completed', 'payment.failed', 'payout.completed', 'payout.failed'), anyText),
    data: fc.record(
      {
        reference: fc.oneof(fc.uuid(), anyText, fc.constantFrom('a\0b', '\ud800')),
        status: fc.oneof(fc.constantFrom('completed', 'failed', 'pending'), anyText),
        amount: money,
        fees: money,
        settlement: fc.oneof(fc.record({ fees: money }), fc.jsonValue()),
        metadata: fc.oneof(
          fc.record({ malipo_payment: fc.oneof(anyText, fc.nat(), fc.constantFrom('a\0b', '\ud800')) }),
          fc.jsonValue(),
        ),
        failure_reason: fc.oneof(anyText, fc.constant('a\0b'), fc.nat()),
        channel: fc.jsonValue(),
        expires_at: anyText,
        external_reference: fc.oneof(anyText, fc.constant('\0')),
      },
      { requiredKeys: ['reference', 'status'] },
    ),
  },
  { requiredKeys: ['id', 'type'] },
)

/** Its names are correct, except for ours. */
const strangeNames = Buffer.from(
  JSON.stringify({
    id: 'e1',
    type: 'payment.completed',
    data: { reference: 'r1', status: 'completed', metadata: { malipo_payment: 'a\0b\ud800' } },
  }),
)

test('every signed message of the first provider is parsed to whole money that can be stored; unsigned ones are refused', (t) => {
  const provider = snippe(t)
  const now = Date.UTC(2026, 0, 25)
  const sign = (body: string | Uint8Array, timestamp: string) =>
    createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')
  const timestamp = String(now / 1000)
  fc.assert(
    fc.property(
      fc.oneof(
        snippeEvent.map((event) => Buffer.from(JSON.stringify(event))),
        fc.uint8Array({ maxLength: 200 }),
      ),
      fc.nat(),
      (body, at) => {
        const signature = sign(body, timestamp)
        isSound(provider.readWebhook({ 'x-webhook-timestamp': timestamp, 'x-webhook-signature': signature }, body, now))
        const changed = signature.replace(/./g, (digit, place) => (place === at % 64 ? (digit === '0' ? '1' : '0') : digit))
        for (const [given, time] of [
          [changed, timestamp],
          [signature, String(now / 1000 + 1)],
          ['', timestamp],
          [signature, ''],
        ]) {
          const message = provider.readWebhook({ 'x-webhook-timestamp': time, 'x-webhook-signature': given }, body, now)
          assert.deepEqual(message, { kind: 'invalid', reason: 'signature' })
        }
      },
    ),
    { numRuns: 2000, examples: [[strangeNames, 0]] },
  )
  fc.assert(
    fc.property(snippeEvent, fc.integer({ min: -100_000, max: 100_000 }), (event, age) => {
      const body = Buffer.from(JSON.stringify(event))
      const time = String(now / 1000 - age)
      const message = provider.readWebhook({ 'x-webhook-timestamp': time, 'x-webhook-signature': sign(body, time) }, body, now)
      if (message.kind === 'charge' || message.kind === 'payout') assert.ok(Math.abs(age) <= 300, `${age} s old`)
    }),
  )
})

const clickPesaEvent = fc.record({
  event: fc.oneof(fc.constantFrom('PAYMENT RECEIVED', 'PAYMENT FAILED', 'PAYOUT INITIATED', 'PAYOUT REFUNDED'), anyText),
  data: fc.record(
    {
      id: fc.oneof(fc.uuid(), anyText),
      orderReference: fc.oneof(
        fc.constant('072jRIcgdDd7kz54w8HU'),
        fc.constant('po01jz8e6c9kf0x9v4m2n7q5t3ab'),
        anyText,
        fc.constant('a\0b'),
      ),
      status: fc.oneof(fc.constantFrom('SUCCESS', 'SETTLED', 'FAILED', 'PROCESSING'), anyText),
      collectedAmount: money,
      collectedCurrency: fc.oneof(fc.constant('TZS'), anyText, fc.constant('TZS\0')),
      amount: money,
      fee: money,
      beneficiary: fc.oneof(fc.record({ amount: money, currency: anyText }), fc.jsonValue()),
      message: fc.oneof(anyText, fc.constant('a\0b')),
      channel: fc.jsonValue(),
    },
    { requiredKeys: ['orderReference', 'status'] },
  ),
})

test('every message of the second provider with a checksum is parsed to whole money that can be stored; others are refused', (t) => {
  const provider = clickPesa(t)
  fc.assert(
    fc.property(clickPesaEvent, fc.nat(), (event, at) => {
      // As read from the wire: values that JSON cannot express are absent.
      const payload = JSON.parse(JSON.stringify(event)) as Record<string, unknown>
      const checksum = checksumOf(payload, checksumKey)
      const read = (given: unknown) => provider.readWebhook({}, Buffer.from(JSON.stringify({ ...payload, checksum: given })), 0)
      const message = read(checksum)
      assert.notDeepEqual(message, { kind: 'invalid', reason: 'signature' })
      isSound(message)
      const changed = checksum.replace(/./g, (digit, place) => (place === at % 64 ? (digit === '0' ? '1' : '0') : digit))
      for (const given of [changed, '', null, checksum.toUpperCase().replaceAll(/\d/g, 'A'), [checksum]]) {
        assert.deepEqual(read(given), { kind: 'invalid', reason: 'signature' })
      }
    }),
    { numRuns: 2000 },
  )
  fc.assert(fc.property(fc.uint8Array(), (bytes) => provider.readWebhook({}, bytes, 0).kind === 'invalid'))
})

test('a network is stored in one spelling, and admits exactly the addresses in it', () => {
  const octets = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.')
  const address = fc.integer({ min: 0, max: 0xffffffff })
  fc.assert(
    fc.property(address, fc.integer({ min: 1, max: 32 }), address, (base, bits, caller) => {
      const mask = bits === 32 ? 0xffffffff : ~(0xffffffff >>> bits) >>> 0
      const first = (base & mask) >>> 0
      const [kept] = allowedIps.parse([`${octets(first)}/${bits}`])
      assert.deepEqual(allowedIps.parse([kept]), [kept])
      assert.equal(isAllowed([kept!], octets(caller)), (caller & mask) >>> 0 === first, `${kept} ${octets(caller)}`)
      assert.equal(isAllowed([kept!], `::ffff:${octets(caller)}`), (caller & mask) >>> 0 === first)
      assert.ok(isAllowed([kept!], octets(first)))
      if (first !== base) assert.equal(allowedIps.safeParse([`${octets(base)}/${bits}`]).success, false)
    }),
    { numRuns: 1000 },
  )
  fc.assert(
    fc.property(
      fc.oneof(
        anyText,
        fc.ipV6(),
        fc.ipV4Extended(),
        fc.tuple(fc.ipV6(), fc.integer({ min: -1, max: 200 })).map((parts) => parts.join('/')),
      ),
      (text) => {
        const { success, data } = allowedIps.safeParse([text])
        if (success) assert.deepEqual(allowedIps.parse(data), data)
        assert.equal(typeof isAllowed(success ? data : ['10.0.0.0/8'], text), 'boolean')
      },
    ),
    { numRuns: 1000 },
  )
})

test('a slug is letters, digits and hyphens inside, and a random slug is valid', () => {
  fc.assert(
    fc.property(fc.constantFrom('', 'k1'), fc.constantFrom(8, 20), (cell, length) => slugShape.test(randomSlug(cell, length))),
  )
  fc.assert(
    fc.property(fc.oneof(anyText, fc.stringMatching(/^[a-z0-9-]{0,70}$/)), (text) => {
      const isSlug =
        text.length >= 3 && text.length <= 60 && !/[^a-z0-9-]/.test(text) && !text.startsWith('-') && !text.endsWith('-')
      assert.equal(slugShape.test(text), isSlug, JSON.stringify(text))
    }),
    { numRuns: 2000 },
  )
})

test('an address of a document opens only as it was signed: for its use and until its time', () => {
  const key = randomBytes(32)
  const signed = fc.oneof(
    fc.record({
      use: fc.constant('upload' as const),
      path: anyText,
      expires: fc.nat(),
      contentType: anyText,
      maxBytes: fc.nat(),
    }),
    fc.record({ use: fc.constant('view' as const), path: anyText, expires: fc.nat(), viewId: fc.uuid() }),
  )
  const signatureIn = (query: string) => new URLSearchParams(query).get('signature')!
  fc.assert(
    fc.property(signed, signed, anyText, (one, other, text) => {
      const signature = signatureIn(signAddress([key], one))
      assert.ok(isSignedBy([key], one, signature))
      const isSame = JSON.stringify(one) === JSON.stringify(other)
      assert.equal(isSignedBy([key], other, signature), isSame)
      for (const changed of [
        { ...one, expires: one.expires + 1 },
        { ...one, path: `${one.path}/` },
      ]) {
        assert.ok(!isSignedBy([key], changed, signature))
      }
      assert.ok(!isSignedBy([key], one, text))
      assert.ok(!isSignedBy([randomBytes(32)], one, signature))
    }),
    { numRuns: 500 },
  )
})

test('a PDF is judged whatever its bytes are, and active content is found behind anything, in any spelling', () => {
  const words = fc.constantFrom(
    '1 0 obj',
    'endobj',
    '<<',
    '>>',
    '[',
    ']',
    '/F1',
    '/JS',
    '(a',
    ')',
    '\\',
    'stream\n',
    '\nendstream',
    '%x',
    '\n',
    '2 0 R',
    '<4a>',
    '7',
    '/Type/ObjStm/N 2/First 8',
    '/Filter/FlateDecode/Length 9',
    'trailer',
    'xref',
    '\0',
    '%%EOF',
    '/Length 99999999999',
  )
  const soup = fc.oneof(
    fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
    fc.array(words, { maxLength: 80 }).map((all) => Buffer.from(`%PDF-1.7\n${all.join(' ')}`, 'latin1')),
  )
  const spelling = (name: string, escaped: boolean[]): string =>
    name.replace(/./g, (letter, place: number) =>
      escaped[place % escaped.length] ? `#${letter.charCodeAt(0).toString(16)}` : letter,
    )
  const names = fc.constantFrom('JavaScript', 'Launch', 'EmbeddedFile', 'SubmitForm', 'GoToR', 'RichMedia', 'ImportData')
  fc.assert(
    fc.property(soup, names, fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }), (before, name, escaped) => {
      const { kind } = searchPdf(before)
      assert.ok(['harmless', 'active', 'encrypted', 'too_complex', 'broken'].includes(kind))
      const acting = Buffer.from(`\n9 0 obj\n<< /S /${spelling(name, escaped)} >>\nendobj\n`)
      assert.notEqual(searchPdf(Buffer.concat([before, acting])).kind, 'harmless')
    }),
    { numRuns: 1000 },
  )
})

test('a text is stored as it is read, without invisible characters, and a moment is one that the database can store', () => {
  const line = lineOfText(120)
  fc.assert(
    fc.property(
      fc.oneof(anyText, fc.string({ unit: 'grapheme' }), fc.constantFrom('\u202eabc', 'a\u0000', '\u2066', ' a ', '\u2028')),
      (text) => {
        for (const schema of [line, paragraphOfText(500)]) {
          const { success, data } = schema.safeParse(text)
          if (!success) continue
          assert.equal(schema.parse(data), data)
          assert.doesNotMatch(data, /[\0\u202a-\u202e\u2066-\u2069]/)
          assert.ok(characterCount(data) <= 500)
        }
        const url = plainHttpsUrl.safeParse(text)
        if (url.success) assert.equal(new URL(url.data).protocol, 'https:')
      },
    ),
    { numRuns: 2000 },
  )
  fc.assert(
    fc.property(
      fc.oneof(
        fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
        fc
          .tuple(fc.nat(9999), fc.nat(13), fc.nat(32), fc.nat(25), fc.constantFrom('Z', '+03:00', '-14:00', '+23:59', '', '+3'))
          .map(
            ([year, month, day, hour, zone]) =>
              `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}T${String(hour).padStart(2, '0')}:00:00${zone}`,
          ),
        anyText,
      ),
      (text) => {
        const { success, data } = moment.safeParse(text)
        if (!success) return
        assert.match(data, /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
        assert.equal(moment.parse(data), data)
      },
    ),
    { numRuns: 2000 },
  )
})
