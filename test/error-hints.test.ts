/** Errors name the broken rule and what to do, in both languages, and never a value that was sent. Cases of real-world.md: R15, R16, R21. */
import assert from 'node:assert/strict'
import { request as rawRequest } from 'node:http'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { isRefusal } from './refusals.ts'
import { share, startTestApp, type Answer, type CallOptions, type TestApp } from './app.ts'

const sharedApp = share((ending) => startTestApp(ending))

let keys = 0
const withKey = () => ({ 'idempotency-key': `hint-${(keys += 1)}` })

/** An error, or one of its fields. */
type Said = { message: string; message_sw: string }

/** What the answer says about a field; without one, about the whole request. */
function saidOf({ body: { error } }: Answer, field: string | undefined): Said {
  if (field === undefined) return error
  const found = error.errors?.find((one: { field: string }) => one.field === field)
  assert.ok(found, `${field} is not in ${JSON.stringify(error)}`)
  return found
}

type Row = {
  name: string
  send: [method: string, path: string, options?: CallOptions]
  status?: number
  code?: string
  field?: string
  en: string
  sw: string
}

async function refuses(app: TestApp, { name, send: [method, path, options], status = 400, code, field, en, sw }: Row) {
  const answer = await app.call(method, path, options)
  const shown = `${name}: ${answer.status} ${JSON.stringify(answer.body)}`
  assert.equal(answer.status, status, shown)
  isRefusal(answer, status, code ?? 'validation_error')
  const said = saidOf(answer, field)
  assert.equal(said.message, en, name)
  assert.equal(said.message_sw, sw, name)
  return answer
}

const payment = { amount: 5_000, phone_number: '0754123789', description: 'Order 1001' }

test('a refused field is told its rule, or the name that was meant [R15]', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const { key } = await app.key(student)
  const post = (path: string, body: unknown, headers: Record<string, string> = withKey()): Row['send'] => [
    'POST',
    path,
    { key, body, headers },
  ]
  const get = (path: string): Row['send'] => ['GET', path, { key }]
  const range = {
    field: 'limit',
    en: 'Use a whole number from 1 to 100.',
    sw: 'Tumia namba kamili kuanzia 1 hadi 100.',
  }
  const twice = {
    en: 'This parameter came more than once. Send it once.',
    sw: 'Kigezo hiki kimekuja zaidi ya mara moja. Kitume mara moja.',
  }
  const meant = (sent: string, known: string) => ({
    en: `Unknown field "${sent}". Did you mean "${known}"?`,
    sw: `Sehemu "${sent}" haijulikani. Je, ulimaanisha "${known}"?`,
  })
  const metadataKey = { en: 'Use 1 to 40 of A–Z, a–z, 0–9, _ and -.', sw: 'Tumia herufi 1 hadi 40: A–Z, a–z, 0–9, _ na -.' }
  const keyInHeader = {
    field: 'idempotency_key',
    en: 'Send the key in the header Idempotency-Key, not here.',
    sw: 'Tuma ufunguo kwenye kichwa Idempotency-Key, si hapa.',
  }
  const rows: Row[] = [
    ...['1000', '0', '-1', '1e3', '', '99999999999999999999', '1.5', 'ten'].map((limit) => ({
      name: `limit=${limit}`,
      send: get(`/v1/payments?limit=${limit}`),
      ...range,
    })),
    { name: 'limit twice', send: get('/v1/payments?limit=1&limit=2'), field: 'limit', ...twice },
    { name: 'status twice', send: get('/v1/payments?status=failed&status=completed'), field: 'status', ...twice },
    { name: 'cursor twice', send: get('/v1/payouts?cursor=a&cursor=b'), field: 'cursor', ...twice },
    {
      name: 'NUL in a parameter',
      send: get('/v1/payments?merchant_reference=a%00b'),
      field: 'merchant_reference',
      en: 'Control characters are not allowed here.',
      sw: 'Ondoa alama zisizoonekana.',
    },
    { name: 'Limit', send: get('/v1/payments?Limit=5'), field: 'Limit', ...meant('Limit', 'limit') },
    {
      name: 'createdFrom',
      send: get('/v1/payments?createdFrom=x'),
      field: 'createdFrom',
      ...meant('createdFrom', 'created_from'),
    },
    {
      name: 'Amount',
      send: post('/v1/payments', { ...payment, amount: undefined, Amount: 2500 }),
      field: 'Amount',
      ...meant('Amount', 'amount'),
    },
    {
      name: 'phoneNumber',
      send: post('/v1/payments', { ...payment, phoneNumber: '0754123789' }),
      field: 'phoneNumber',
      ...meant('phoneNumber', 'phone_number'),
    },
    {
      name: 'phone',
      send: post('/v1/payments', { ...payment, phone: '0754123789' }),
      field: 'phone',
      ...meant('phone', 'phone_number'),
    },
    {
      name: 'email',
      send: post('/v1/payments', { ...payment, email: 'a@b.example' }),
      field: 'email',
      ...meant('email', 'customer_email'),
    },
    {
      name: 'a letter too much',
      send: post('/v1/payments', { ...payment, descriptionn: 'x' }),
      field: 'descriptionn',
      ...meant('descriptionn', 'description'),
    },
    {
      name: 'two letters swapped',
      send: post('/v1/payments', { ...payment, amuont: 1 }),
      field: 'amuont',
      ...meant('amuont', 'amount'),
    },
    {
      name: 'a nested field',
      send: post('/v1/payment-requests', { amount: 5_000, title: 'Order', customer: { phoneNumber: '0754123789' } }),
      field: 'customer.phoneNumber',
      ...meant('phoneNumber', 'phone_number'),
    },
    {
      name: 'nothing alike',
      send: post('/v1/payments', { ...payment, colour: 'red' }),
      field: 'colour',
      en: 'Unknown field "colour". Remove it.',
      sw: 'Sehemu "colour" haijulikani. Iondoe.',
    },
    {
      name: 'metadata key',
      send: post('/v1/payments', { ...payment, metadata: { 'Order-Nr.': '7' } }),
      field: 'metadata.Order-Nr.',
      ...metadataKey,
    },
    {
      name: 'metadata value',
      send: post('/v1/payments', { ...payment, metadata: { order: 7 } }),
      field: 'metadata.order',
      en: 'Must be text, in quotes.',
      sw: 'Lazima iwe maandishi, ndani ya alama za nukuu.',
    },
    { name: 'the key in the body', send: post('/v1/payments', { ...payment, idempotency_key: 'k' }), ...keyInHeader },
    {
      name: 'the key in the body, in another case',
      send: post('/v1/payment-requests', { amount: 5_000, title: 'T', idempotencyKey: 'k' }),
      ...keyInHeader,
      field: 'idempotencyKey',
    },
    {
      name: 'a whole number that is too large',
      send: [
        'POST',
        '/v1/payments',
        {
          key,
          rawBody: JSON.stringify(payment).replace('5000', '90071992547409930'),
          headers: { ...withKey(), 'content-type': 'application/json' },
        },
      ],
      code: 'amount_too_large',
      field: 'amount',
      en: 'The maximum is TSh 10,000,000.',
      sw: 'Kiasi cha juu ni TSh 10,000,000.',
    },
    {
      name: 'a payout that is too large',
      send: [
        'POST',
        '/v1/payouts',
        {
          key,
          rawBody: '{"amount":90071992547409930,"phone_number":"0754123789","recipient_name":"Juma"}',
          headers: { ...withKey(), 'content-type': 'application/json' },
        },
      ],
      code: 'amount_too_large',
      field: 'amount',
      en: 'The number is too large.',
      sw: 'Namba hii ni kubwa mno.',
    },
    {
      name: 'a number where text is expected, however large',
      send: [
        'POST',
        '/v1/payments',
        {
          key,
          rawBody: JSON.stringify(payment).replace('"Order 1001"', '90071992547409930'),
          headers: { ...withKey(), 'content-type': 'application/json' },
        },
      ],
      field: 'description',
      en: 'Must be text, in quotes.',
      sw: 'Lazima iwe maandishi, ndani ya alama za nukuu.',
    },
    {
      name: 'null for a body',
      send: ['POST', '/v1/payments', { key, rawBody: 'null', headers: { ...withKey(), 'content-type': 'application/json' } }],
      field: 'body',
      en: 'Send a JSON object.',
      sw: 'Tuma taarifa kama JSON object.',
    },
    {
      name: 'null where a body is optional',
      send: [
        'POST',
        '/v1/payouts/po_06g2v1d1p5fz9b7q4w5w1y2k3m/cancel',
        { key, rawBody: 'null', headers: { 'content-type': 'application/json' } },
      ],
      status: 404,
      code: 'not_found',
      en: 'The object does not exist, or it is not yours.',
      sw: 'Hakuna kitu hapa, au si chako.',
    },
  ]
  for (const row of rows) await refuses(app, row)
})

test('the name of an unknown field is shown short and printable, and no more than twenty of them', async () => {
  const app = await sharedApp()
  const { key } = await app.key(await app.student())
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, count) => [`unknown${count}`, 1]))
  const answer = await app.call('POST', '/v1/payments', { key, body: { ...payment, ...many }, headers: withKey() })
  isRefusal(answer, 400, 'validation_error')
  assert.equal(answer.body.error.errors.length, 20)
  for (const name of ['x'.repeat(20_000), `a\u202eb\u0007${'ü'.repeat(90)}`]) {
    for (const body of [
      { ...payment, [name]: 1 },
      { ...payment, metadata: { [name]: 'x' } },
    ]) {
      const long = await app.call('POST', '/v1/payments', { key, body, headers: withKey() })
      isRefusal(long, 400, 'validation_error')
      assert.ok(JSON.stringify(long.body).length < 1_000, JSON.stringify(long.body).slice(0, 200))
      assert.doesNotMatch(JSON.stringify(long.body), /\\u0007|\u202e/)
    }
  }
})

test('a compressed body is refused by name, and a byte order mark is skipped [R15]', async () => {
  const app = await sharedApp()
  const { key } = await app.key(await app.student())
  const text = JSON.stringify(payment)
  const send = (rawBody: string | Uint8Array, headers: Record<string, string>) =>
    ({ key, rawBody, headers: { 'content-type': 'application/json', ...withKey(), ...headers } }) satisfies CallOptions
  for (const encoding of ['gzip', 'deflate', 'br', 'identity, zstd', 'GZIP']) {
    await refuses(app, {
      name: encoding,
      send: ['POST', '/v1/payments', send(gzipSync(text), { 'content-encoding': encoding })],
      status: 415,
      code: 'unsupported_media_type',
      en: 'Compressed bodies are not read. Send the body without Content-Encoding.',
      sw: 'Mwili uliobanwa hausomwi. Tuma mwili bila Content-Encoding.',
    })
  }
  await refuses(app, {
    name: 'gzip without its header',
    send: ['POST', '/v1/payments', send(gzipSync(text), {})],
    code: 'invalid_json',
    en: 'The body is not valid JSON: it is compressed. Send it as plain text.',
    sw: 'Mwili wa ombi si JSON sahihi: umebanwa. Utume kama maandishi ya kawaida.',
  })
  // The caller comes before the body.
  isRefusal(
    await app.call('POST', '/v1/payments', { rawBody: gzipSync(text), headers: { 'content-encoding': 'gzip' } }),
    401,
    'authentication_required',
  )
  assert.equal((await app.call('POST', '/v1/payments', send(`\ufeff${text}`, {}))).status, 201)
  for (const encoding of ['identity', 'utf-8', ''])
    assert.equal((await app.call('POST', '/v1/payments', send(text, { 'content-encoding': encoding }))).status, 201, encoding)
})

test('a NUL in the name of a field is refused, in a batch too [R16]', async () => {
  const app = await sharedApp()
  const { key } = await app.key(await app.student())
  for (const rawBody of [
    '{"items":[{"a\\u0000b":1}]}',
    '{"items":[{"amount":5000,"phone_number":"0754123789","recipient_name":"Ju\\u0000ma"}]}',
  ]) {
    await refuses(app, {
      name: rawBody,
      send: ['POST', '/v1/payout-batches', { key, rawBody, headers: { 'content-type': 'application/json', ...withKey() } }],
      code: 'invalid_json',
      en: 'The body is not valid JSON: a string contains NUL or half a surrogate pair.',
      sw: 'Mwili wa ombi si JSON sahihi: kuna maandishi yenye NUL au nusu ya jozi ya herufi.',
    })
  }
})

test('what clients send for values that they do not have: null, an empty list, a placeholder [R21]', async () => {
  const app = await sharedApp()
  const { key } = await app.key(await app.student())
  const empty = { currency: null, metadata: [], network: null, language: null, customer_name: null }
  const paid = await app.call('POST', '/v1/payments', { key, body: { ...payment, ...empty }, headers: withKey() })
  assert.equal(paid.status, 201, JSON.stringify(paid.body))
  assert.deepEqual(paid.body.data.metadata, {})
  for (const [path, body] of [
    ['/v1/payment-pages', { type: 'payment', title: 'T', amount: 5_000, currency: null, metadata: [] }],
    ['/v1/payment-requests', { amount: 5_000, title: 'Order', metadata: [] }],
    ['/v1/payouts', { amount: 5_000, phone_number: '0754123789', recipient_name: 'Juma', metadata: [] }],
  ] as const) {
    const made = await app.call('POST', path, { key, body, headers: withKey() })
    // An empty wallet is a later refusal than the form of the body.
    assert.ok([201, 402].includes(made.status), `${path}: ${made.status} ${JSON.stringify(made.body)}`)
    if (made.status === 201) assert.deepEqual(made.body.data.metadata, {})
  }
  const student = await app.student()
  const { slug } = await app.page(student)
  assert.equal((await app.checkout(slug, { currency: null })).status, 201)
  // Where no field is required, no body and null are the same: a request to cancel must not fail for that.
  const none = { rawBody: 'null', headers: { 'content-type': 'application/json' } }
  assert.equal((await app.call('POST', '/v1/auth/logout', { token: student.token, ...none })).status, 200)
  await refuses(app, {
    name: 'the placeholder of an imported description',
    send: ['POST', '/v1/payments', { key, body: { ...payment, currency: 'string' }, headers: withKey() }],
    code: 'currency_unsupported',
    field: 'currency',
    en: 'Payments are in TZS only.',
    sw: 'Malipo ni kwa shilingi za Tanzania (TZS).',
  })
  // A tool that fills nothing in would send each payment as a repeat of the first one.
  const unfilled = { 'idempotency-key': '{{$guid}}' }
  const payee = { amount: 5_000, phone_number: '0754123789', recipient_name: 'Juma' }
  for (const answer of [
    await app.call('POST', '/v1/payments', { key, body: payment, headers: unfilled }),
    await app.call('POST', '/v1/payouts', { key, body: payee, headers: unfilled }),
    await app.call('POST', '/v1/payout-batches', { key, body: { items: [payee] }, headers: unfilled }),
    await app.checkout(slug, { idempotency_key: '{{$guid}}' }),
  ]) {
    isRefusal(answer, 400, 'validation_error')
    const [{ field, message, message_sw: swahili }] = answer.body.error.errors
    assert.deepEqual([field, /value of your own/.test(message), /thamani yako/.test(swahili)], ['idempotency_key', true, true])
  }
  isRefusal(
    await app.call('POST', '/v1/payments', { key, body: { ...payment, metadata: ['x'] }, headers: withKey() }),
    400,
    'validation_error',
  )
})

test('a method that a path does not have: 405, whatever the method', async () => {
  const app = await sharedApp()
  const { port } = new URL(app.config.urls.api)
  for (const method of ['PROPFIND', 'QUERY', 'PUT', 'TRACE']) {
    const seen = await new Promise<{ status: number | undefined; allow: string | undefined; body: string }>((resolve, reject) => {
      const sent = rawRequest({ port, method, path: '/v1/payments', host: '127.0.0.1' }, (response) => {
        let body = ''
        response.on('data', (piece: Buffer) => (body += piece.toString()))
        response.on('end', () => resolve({ status: response.statusCode, allow: response.headers.allow, body }))
      })
      sent.on('error', reject)
      sent.end()
    })
    assert.equal(seen.status, 405, `${method}: ${seen.body}`)
    assert.equal(JSON.parse(seen.body).error.code, 'method_not_allowed')
    assert.match(seen.allow!, /GET.*POST|POST.*GET/)
  }
})

test('a credential of the wrong kind is told which kind is read, and where', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const { key } = await app.key(student)
  const session = {
    en: 'API keys are not accepted here: sign in, and send the access token as Authorization: Bearer <token>.',
    sw: 'Funguo za API hazikubaliwi hapa: ingia, kisha tuma tokeni yako kama Authorization: Bearer <token>.',
  }
  for (const path of ['/v1/me', '/v1/merchant/payments', '/developers/apps']) {
    await refuses(app, { name: path, send: ['GET', path, { key }], status: 401, code: 'authentication_required', ...session })
    await refuses(app, { name: path, send: ['GET', path, { token: key }], status: 401, code: 'invalid_token', ...session })
  }
  const byKey = {
    en: 'Access tokens are not accepted here: send your API key in the header X-API-Key.',
    sw: 'Tokeni za kuingia hazikubaliwi hapa: tuma ufunguo wako wa API kwenye kichwa X-API-Key.',
  }
  await refuses(app, {
    name: 'a token',
    send: ['GET', '/v1/payments', { token: student.token }],
    status: 401,
    code: 'authentication_required',
    ...byKey,
  })
  await refuses(app, {
    name: 'a key in the wrong header',
    send: ['GET', '/v1/payments', { token: key }],
    status: 401,
    code: 'authentication_required',
    en: 'Send your API key in the header X-API-Key, not in Authorization.',
    sw: 'Tuma ufunguo wako wa API kwenye kichwa X-API-Key, si kwenye Authorization.',
  })
})

test('a live key that names a test object of its own merchant, and the other way round, is told so', async () => {
  const app = await sharedApp()
  const [student, stranger] = [await app.student({ home: 9 }), await app.student({ home: 9 })]
  const { key: test_ } = await app.key(student, 'test')
  const { key: live } = await app.key(student, 'live')
  const { key: foreign } = await app.key(stranger, 'live')
  const page = await app.page(student)
  const made = await app.call('POST', '/v1/payments', { key: test_, body: payment, headers: withKey() })
  const link = await app.call('POST', '/v1/payment-requests', { key: test_, body: { amount: 5_000, title: 'T' } })
  const livePage = await app.page(student, {}, 'live')
  await app.settled(made.body.data.reference)
  const events = await app.call('GET', '/v1/events', { key: test_ })
  const en = 'The object does not exist in live, but in test. Use a test key.'
  const sw = 'Hakipo kwenye mazingira halisi (live), bali kwenye majaribio (test). Tumia ufunguo wa majaribio.'
  const paths: [string, string][] = [
    ['GET', `/v1/payments/${made.body.data.reference}`],
    ['POST', `/v1/payments/${made.body.data.reference}/refunds`],
    ['GET', `/v1/payment-requests/${link.body.data.id}`],
    ['POST', `/v1/payment-requests/${link.body.data.id}/cancel`],
    ['GET', `/v1/payment-pages/${page.id}`],
    ['PATCH', `/v1/payment-pages/${page.id}`],
    ['GET', `/v1/payment-pages/${page.slug}`],
    ['PATCH', `/v1/payment-pages/${page.slug}`],
    ['POST', `/v1/events/${events.body.data[0].id}/resend`],
  ]
  for (const [method, path] of paths) {
    const options = { ...(method !== 'GET' && { body: {}, headers: withKey() }) }
    const answer = await refuses(app, {
      name: path,
      send: [method, path, { key: live, ...options }],
      status: 404,
      code: 'not_found',
      en,
      sw,
    })
    assert.deepEqual(answer.body.error.details, { hint: 'other_environment' })
    const other = await app.call(method, path, { key: foreign, ...options })
    isRefusal(other, 404, 'not_found')
    assert.equal(other.body.error.details, undefined)
  }
  for (const name of [livePage.id, livePage.slug])
    await refuses(app, {
      name: 'a test key and a live page',
      send: ['GET', `/v1/payment-pages/${name}`, { key: test_ }],
      status: 404,
      code: 'not_found',
      en: 'The object does not exist in test, but in live. Use a live key.',
      sw: 'Hakipo kwenye majaribio (test), bali kwenye mazingira halisi (live). Tumia ufunguo halisi.',
    })
})

test('in test, an amount that looks a hundred times too large has a warning', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const [{ key }, { key: live }] = [await app.key(student), await app.key(student, 'live')]
  const warningsOf = async (path: string, body: object, by = key): Promise<string[]> => {
    const answer = await app.call('POST', path, { key: by, body, headers: withKey() })
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    return answer.body.data.warnings.map(({ code }: { code: string }) => code)
  }
  const link = { amount: 1_000_000, title: 'Order' }
  assert.deepEqual(await warningsOf('/v1/payments', { ...payment, amount: 1_000_000 }), ['amount_maybe_in_cents'])
  assert.deepEqual(await warningsOf('/v1/payments', { ...payment, amount: 1_000_050 }), [])
  assert.deepEqual(await warningsOf('/v1/payments', { ...payment, amount: 999_900 }), [])
  assert.deepEqual(await warningsOf('/v1/payment-requests', link), ['amount_maybe_in_cents'])
  assert.deepEqual(await warningsOf('/v1/payment-requests', { ...link, amount: 5_000 }), [])
  assert.deepEqual(await warningsOf('/v1/payment-requests', link, live), [])
})
