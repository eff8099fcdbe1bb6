/** The error table of the contract, row by row, over real HTTP: status, code, one shape, and nothing changed. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { request as rawRequest } from 'node:http'
import { connect } from 'node:net'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startEmbeddedPostgres } from '../server/platform/local-postgres/embedded-postgres.ts'
import { migrateDatabase } from './databases.ts'
import { isRefusal, requestIdOf } from './refusals.ts'
import { eventually, share, startTestApp, type Answer, type TestApp } from './app.ts'

const sharedApp = share((ending) => startTestApp(ending))

const body = (slug: string, changes: Record<string, unknown> = {}) => ({
  slug,
  phone_number: '0754123789',
  customer_name: 'Juma',
  customer_email: 'juma@example.com',
  idempotency_key: randomBytes(8).toString('hex'),
  ...changes,
})

async function countPayments(app: TestApp): Promise<number> {
  const { rows } = await app.owner.pool.query('select count(*)::integer as count from payments')
  return rows[0].count
}

test('bodies that cannot be read: invalid_json, payload_too_large, unsupported_media_type', async () => {
  const app = await sharedApp()
  const send = (rawBody: string | Uint8Array, type = 'application/json') =>
    app.call('POST', '/v1/payments/checkout', { rawBody, headers: { 'content-type': type } })
  for (const text of [
    '{',
    '{"slug":"a"} x',
    '{"amount":500,"amount":1}',
    '{"slug":"\\ud800"}',
    '{"slug":"\\u0000"}',
    '\ufeff\ufeff{}',
    '{"__proto__":{}}',
    '['.repeat(5000),
  ])
    isRefusal(await send(text), 400, 'invalid_json')
  isRefusal(await send(Buffer.from('{"a":1}', 'utf16le')), 400, 'invalid_json')
  isRefusal(await send(JSON.stringify({ slug: 'x'.repeat(256 * 1024) })), 413, 'payload_too_large')
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml'])
    isRefusal(await send('{"slug":"a"}', type), 415, 'unsupported_media_type')
})

test('fields that are missing, malformed or unknown: validation_error with each of them named', async () => {
  const app = await sharedApp()
  const { slug } = await app.page(await app.student())
  isRefusal(await app.call('POST', '/v1/payments/checkout', { body: { slug: 'nosuchpage' } }), 404, 'not_found')
  const empty = await app.call('POST', '/v1/payments/checkout', { body: {} })
  isRefusal(empty, 400, 'validation_error')
  assert.deepEqual(
    empty.body.error.errors.map((error: { field: string; code: string }) => `${error.field} ${error.code}`).sort(),
    ['customer_email required', 'customer_name required', 'idempotency_key required', 'phone_number required', 'slug required'],
  )
  const unknown = await app.call('POST', '/v1/payments/checkout', { body: body(slug, { status: 'completed', owner: 1 }) })
  isRefusal(unknown, 400, 'validation_error')
  assert.deepEqual(
    unknown.body.error.errors.map((error: { field: string; code: string }) => `${error.field} ${error.code}`),
    ['status unknown_field', 'owner unknown_field'],
  )
  const wrongKinds = await app.call('POST', '/v1/payments/checkout', { body: body(slug, { customer_name: 7, colour: 'red' }) })
  isRefusal(wrongKinds, 400, 'validation_error')
  assert.deepEqual(wrongKinds.body.error.errors, [
    {
      field: 'customer_name',
      code: 'invalid',
      message: 'Must be text, in quotes.',
      message_sw: 'Lazima iwe maandishi, ndani ya alama za nukuu.',
    },
    {
      field: 'colour',
      code: 'unknown_field',
      message: 'Unknown field "colour". Remove it.',
      message_sw: 'Sehemu "colour" haijulikani. Iondoe.',
    },
  ])
  for (const key of ['', 'x'.repeat(256), 'a\nb', 'ufunguo wa ħ'])
    isRefusal(
      await app.call('POST', '/v1/payments/checkout', { body: body(slug, { idempotency_key: key }) }),
      400,
      'validation_error',
    )
  for (const changes of [
    { customer_name: '' },
    { customer_name: 'a\r\nBcc: x' },
    { customer_name: 'x'.repeat(10_000) },
    { customer_email: 'no-address' },
    { customer_email: 'a@b.c\r\nBcc: x@y.z' },
    { network: 'ttcl' },
    { slug: 5 },
  ]) {
    isRefusal(await app.call('POST', '/v1/payments/checkout', { body: body(slug, changes) }), 400, 'validation_error')
  }
  isRefusal(
    await app.call('POST', '/v1/payments/checkout', { rawBody: '', headers: { 'content-type': 'application/json' } }),
    400,
    'validation_error',
  )
  isRefusal(await app.call('GET', `/v1/payments/pay_x/status?wait=26`), 400, 'validation_error')
  assert.equal(await countPayments(app), 0)
})

test('an unknown query parameter is refused by name, on every kind of route', async () => {
  const app = await sharedApp()
  const [student, admin] = [await app.student(), await app.admin()]
  const { key } = await app.key(student)
  const payment = { amount: 1_000, phone_number: '0754123789', description: 'Chai' }
  const refused = [
    await app.call('POST', '/v1/payments?colour=red', { key, body: payment, headers: { 'idempotency-key': 'one' } }),
    await app.call('GET', '/v1/payments/pay_x/status?colour=red'),
    await app.call('POST', '/v1/auth/login?colour=red', { body: { identifier: 'a@b.example', password: 'a long password' } }),
    await app.call('GET', '/v1/me?colour=red', { token: student.token }),
    await app.call('GET', '/v1/admin/switches?colour=red', { token: admin.token }),
    await app.call('GET', '/v1/merchant/balance?colour=red', { token: student.token }),
  ]
  for (const answer of refused) {
    isRefusal(answer, 400, 'validation_error')
    assert.deepEqual(
      answer.body.error.errors.map((error: { field: string; code: string }) => `${error.field} ${error.code}`),
      ['colour unknown_field'],
    )
  }
  assert.equal((await app.call('GET', '/.well-known/jwks.json?colour=red')).status, 200)
})

test('authentication: no credentials, bad tokens, ended sessions, keys of every wrong kind', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const { key, keyId, appId } = await app.key(student)
  isRefusal(await app.call('GET', '/v1/me'), 401, 'authentication_required')
  isRefusal(await app.call('GET', '/v1/balance'), 401, 'authentication_required')
  isRefusal(await app.call('GET', '/v1/me', { token: 'x.y.z' }), 401, 'invalid_token')
  const wrongCheck = key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a')
  for (const wrong of ['x', wrongCheck, key.slice(1), `${key}x`, key.toUpperCase(), 'x'.repeat(5000)])
    isRefusal(await app.call('GET', '/v1/balance', { key: wrong }), 401, 'invalid_api_key')
  assert.equal((await app.call('GET', '/v1/balance', { key })).status, 200)
  await app.owner.pool.query(`update api_keys set expires_at = now() - interval '1 second'`)
  isRefusal(await app.call('GET', '/v1/balance', { key }), 401, 'api_key_expired')
  assert.equal((await app.call('DELETE', `/developers/keys/${keyId}`, { token: student.token })).status, 200)
  isRefusal(await app.call('GET', '/v1/balance', { key }), 401, 'api_key_revoked')
  const second = await app.key(student)
  assert.equal((await app.call('DELETE', `/developers/apps/${second.appId}`, { token: student.token })).status, 200)
  isRefusal(await app.call('GET', '/v1/balance', { key: second.key }), 401, 'api_key_revoked')
  assert.equal((await app.call('POST', '/v1/auth/logout', { token: student.token })).status, 200)
  isRefusal(await app.call('GET', '/v1/me', { token: student.token }), 401, 'session_inactive')
  isRefusal(await app.call('GET', `/developers/apps/${appId}`, { token: student.token }), 401, 'session_inactive')
})

test('each scope is needed and named', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const { key: payouts } = await app.key(student, 'test', ['payouts:read'])
  const routes: [string, string, string][] = [
    ['GET', '/v1/balance', 'balance:read'],
    ['GET', '/v1/transactions', 'transactions:read'],
    ['GET', '/v1/payment-pages', 'pages:read'],
    ['GET', '/v1/payment-pages/abc', 'pages:read'],
    ['POST', '/v1/payment-pages', 'pages:write'],
    ['PATCH', '/v1/payment-pages', 'pages:write'],
    ['PATCH', '/v1/payment-pages/abc', 'pages:write'],
  ]
  for (const [method, path, scope] of routes) {
    const answer = await app.call(method, path, { key: payouts, ...(method !== 'GET' && { body: { nonsense: true } }) })
    isRefusal(answer, 403, 'insufficient_scope')
    assert.deepEqual(answer.body.error.details, { required_scope: scope })
  }
})

test('without verified identity: no pages and no live key, checked in this order before the body', async () => {
  const app = await sharedApp()
  const student = await app.student({ verified: false })
  const { key } = await app.key(student, 'test')
  isRefusal(await app.call('POST', '/v1/payment-pages', { key, body: { nonsense: 1 } }), 403, 'kyc_required')
  isRefusal(
    await app.call('POST', '/v1/merchant/payment-pages', { token: student.token, body: { nonsense: 1 } }),
    403,
    'kyc_required',
  )
  isRefusal(await app.call('PATCH', '/v1/payment-pages/unknown', { key, body: { nonsense: 1 } }), 404, 'not_found')
  const shopApp = await app.call('POST', '/developers/apps', {
    token: student.token,
    body: { name: 'Live', environment: 'live' },
  })
  isRefusal(
    await app.call('POST', '/developers/keys', {
      token: student.token,
      body: { app_id: shopApp.body.data.id, key_name: 'k', scopes: ['pages:read'] },
    }),
    403,
    'kyc_required',
  )
})

test('an object of another owner looks exactly like a missing one', async () => {
  const app = await sharedApp()
  const [owner, stranger] = [await app.student({ home: 7 }), await app.student({ home: 7 })]
  const page = await app.page(owner)
  const { key: strangerKey } = await app.key(stranger)
  const { appId, keyId, key: liveKey } = await app.key(owner, 'live')
  const unknown = await app.call('GET', '/v1/payment-pages/page_01h455vb4pex5vsknk084sn02q', { key: strangerKey })
  const foreign = await app.call('GET', `/v1/payment-pages/${page.id}`, { key: strangerKey })
  const otherEnvironment = await app.call('GET', `/v1/payment-pages/${page.id}`, { key: liveKey })
  for (const answer of [unknown, foreign, otherEnvironment]) isRefusal(answer, 404, 'not_found')
  const withoutRequestId = ({ body: { error } }: Answer) => ({ ...error, request_id: '' })
  assert.deepEqual(withoutRequestId(foreign), withoutRequestId(unknown))
  isRefusal(
    await app.call('PATCH', `/v1/payment-pages/${page.slug}`, { key: strangerKey, body: { title: 'Mine' } }),
    404,
    'not_found',
  )
  isRefusal(
    await app.call('PATCH', '/v1/payment-pages', { key: strangerKey, body: { id: page.id, title: 'Mine' } }),
    404,
    'not_found',
  )
  for (const [method, path] of [
    ['GET', `/developers/apps/${appId}`],
    ['PATCH', `/developers/apps/${appId}`],
    ['DELETE', `/developers/apps/${appId}`],
    ['DELETE', `/developers/keys/${keyId}`],
    ['GET', `/developers/apps/${appId}/webhook`],
    ['POST', `/developers/apps/${appId}/webhook`],
    ['POST', `/developers/apps/${appId}/webhook/rotate`],
    ['DELETE', `/developers/apps/${appId}/webhook`],
    ['GET', `/developers/apps/${appId}/webhook/deliveries`],
  ] as const) {
    isRefusal(
      await app.call(method, path, { token: stranger.token, ...(method === 'PATCH' && { body: { name: 'x' } }) }),
      404,
      'not_found',
    )
  }
  assert.equal(
    (await app.call('GET', `/v1/payment-pages/${page.id}`, { key: (await app.key(owner)).key })).body.data.title,
    'Chai',
  )
})

test('amounts: missing, too small, too large, not a whole number, not the page’s; each in the payer’s languages', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const fixed = await app.page(student, { amount: 1500 })
  const custom = await app.page(student, { amount: 2000, allow_custom_amount: true, max_amount: 50_000 })
  const pay = (slug: string, literal?: string) => {
    const text = JSON.stringify(body(slug))
    return app.call('POST', '/v1/payments/checkout', {
      rawBody: literal === undefined ? text : text.replace('{', `{"amount":${literal},`),
      headers: { 'content-type': 'application/json' },
    })
  }
  const expected: [string, string | undefined, string][] = [
    [custom.slug, undefined, 'amount_required'],
    [custom.slug, 'null', 'amount_required'],
    [custom.slug, '499', 'amount_too_small'],
    [custom.slug, '0', 'amount_too_small'],
    [custom.slug, '-1', 'amount_too_small'],
    [custom.slug, '50001', 'amount_too_large'],
    [custom.slug, '9007199254740993', 'amount_too_large'],
    ...['500.5', '1e3', '"1000"', '1e309', 'true', '[]', '5000.0'].map((literal): [string, string, string] => [
      custom.slug,
      literal,
      'amount_invalid',
    ]),
    [fixed.slug, '1501', 'amount_mismatch'],
  ]
  for (const [slug, literal, code] of expected) {
    const answer = await pay(slug, literal)
    isRefusal(answer, 400, code)
    assert.equal(answer.body.error.param, 'amount')
    assert.ok(answer.body.error.message_sw.length > 5)
  }
  const several = await app.call('POST', '/v1/payments/checkout', {
    body: body(custom.slug, { amount: 1, phone_number: '12345', currency: 'USD' }),
  })
  isRefusal(several, 400, 'amount_too_small')
  assert.deepEqual(
    several.body.error.errors.map((error: { code: string }) => error.code),
    ['amount_too_small', 'currency_unsupported', 'phone_invalid'],
  )
  assert.equal(await countPayments(app), 0)
})

test('phones that are not Tanzanian mobile numbers, and networks that cannot pay', async () => {
  const app = await sharedApp()
  const { slug } = await app.page(await app.student())
  for (const phone_number of ['12345', '0222123456', '+254754123456', 'abc', '٠٧٥٤١٢٣٤٥٦'])
    isRefusal(await app.checkout(slug, { phone_number }), 400, 'phone_invalid')
  isRefusal(await app.checkout(slug, { phone_number: '0732123456' }), 400, 'network_unsupported')
  isRefusal(await app.checkout(slug, { currency: 'USD' }), 400, 'currency_unsupported')
  assert.deepEqual((await app.truth()).charges, [])
})

test('pages that do not accept payments: unknown, inactive, expired, sold out', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const student = await app.student()
  const { key } = await app.key(student)
  isRefusal(await app.checkout('nosuchpage'), 404, 'not_found')
  for (const path of ['/v1/pay/%00', '/v1/pay/a%00b']) isRefusal(await app.call('GET', path), 404, 'not_found')
  for (const slug of ['', 'NOSUCHPAGE', "' or 1=1--", 'сlug', '%00'])
    isRefusal(await app.call('GET', `/v1/pay/${encodeURIComponent(slug)}`), 404, 'not_found')
  const page = await app.page(student)
  isRefusal(await app.checkout(page.slug.toUpperCase() + 'X'), 404, 'not_found')
  const kept = await app.checkout(page.slug, { idempotency_key: 'kept' })
  assert.equal(
    (await app.call('PATCH', `/v1/payment-pages/${page.id}`, { key, body: { active: false, inactive_message: 'Kesho' } })).status,
    200,
  )
  const refused = await app.checkout(page.slug)
  isRefusal(refused, 409, 'page_inactive')
  assert.ok(refused.body.error.message_sw)
  // The key is looked up before the state of the page: a payer who retries gets the earlier answer although the page is closed.
  const replay = await app.checkout(page.slug, { idempotency_key: 'kept' })
  assert.deepEqual([replay.status, replay.body.data.reference], [200, kept.body.data.reference])
  assert.equal(
    (
      await app.call('PATCH', `/v1/payment-pages/${page.id}`, {
        key,
        body: { active: true, expires_at: '2026-01-01T00:00:00Z' },
      })
    ).status,
    200,
  )
  isRefusal(await app.checkout(page.slug), 409, 'page_expired')
  const invoice = await app.page(student, { type: 'invoice' })
  const first = await app.checkout(invoice.slug)
  assert.equal(first.status, 201)
  isRefusal(await app.checkout(invoice.slug), 409, 'page_sold_out')
  await app.settled(first.body.data.reference)
  isRefusal(await app.checkout(invoice.slug), 409, 'page_sold_out')
})

test('an idempotency key that was used for something else: 422, and nothing of the first request is shown', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const page = await app.page(student)
  const first = await app.checkout(page.slug, { idempotency_key: 'k' })
  for (const changes of [
    { phone_number: '0754000789' },
    { customer_name: 'Other' },
    { customer_email: 'other@example.com' },
    { amount: 1500 },
    { amount: 9 },
  ]) {
    const answer = await app.checkout(page.slug, { idempotency_key: 'k', ...changes })
    isRefusal(answer, 422, 'idempotency_key_reused')
    assert.ok(!JSON.stringify(answer.body).includes(first.body.data.reference))
  }
  // An amount that JSON.parse accepts but the API rejects is also a different body, and so is another currency.
  for (const literal of ['99.5', '1e99', '"1500"']) {
    const text = JSON.stringify(
      body(page.slug, { idempotency_key: 'k', phone_number: '+255754123789', customer_name: 'Juma Hamisi' }),
    )
    const answer = await app.call('POST', '/v1/payments/checkout', {
      rawBody: text.replace('{', `{"amount":${literal},`),
      headers: { 'content-type': 'application/json' },
    })
    isRefusal(answer, 422, 'idempotency_key_reused')
  }
  isRefusal(await app.checkout(page.slug, { idempotency_key: 'k', currency: 'USD' }), 422, 'idempotency_key_reused')
  const sameInOtherWords = await app.checkout(page.slug, { idempotency_key: 'k', phone_number: '0754 123-789' })
  assert.equal(sameInOtherWords.body.data.reference, first.body.data.reference)
  const otherPage = await app.page(student)
  assert.equal((await app.checkout(otherPage.slug, { idempotency_key: 'k' })).status, 201)
  assert.equal(await countPayments(app), 2)
})

test('pages are written by their rules: amounts, slugs, unknown and unchangeable fields', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const { key } = await app.key(student)
  const make = (fields: Record<string, unknown>) =>
    app.call('POST', '/v1/payment-pages', { key, body: { type: 'payment', title: 'T', amount: 1000, ...fields } })
  isRefusal(await make({ amount: undefined }), 400, 'amount_required')
  isRefusal(await make({ amount: 499 }), 400, 'amount_too_small')
  isRefusal(await make({ amount: 10_000_001 }), 400, 'amount_too_large')
  isRefusal(await make({ type: 'invoice', max_payments: 2 }), 400, 'max_payments_invalid')
  isRefusal(await make({ type: 'event' }), 400, 'max_payments_invalid')
  const over = await make({ expires_at: new Date(Date.now() - 60_000).toISOString() })
  isRefusal(over, 400, 'validation_error')
  assert.equal(over.body.error.param, 'expires_at')
  for (const amount of [1000.5, '1000', true]) isRefusal(await make({ amount }), 400, 'amount_invalid')
  isRefusal(await make({ currency: 'USD' }), 400, 'currency_unsupported')
  for (const fields of [
    { title: '' },
    { type: 'gift' },
    { slug: 'A' },
    { redirect_url: 'http://shop.example' },
    { redirect_url: 'javascript:alert(1)' },
    { redirect_url: 'https://user:pw@evil.example/x' },
    { redirect_url: 'https://shop.example/\ta\nb' },
    { redirect_url: 'JaVaScRiPt://shop.example/%0aalert(1)' },
    { redirect_url: '//evil.example/' },
    { redirect_url: 'data:text/html,x' },
    { metadata: { a: 1 } },
  ])
    isRefusal(await make(fields), 400, 'validation_error')
  assert.equal((await make({ slug: 'duka-la-asha' })).body.data.slug, 'duka-la-asha')
  isRefusal(await make({ slug: 'duka-la-asha' }), 409, 'slug_taken')
  for (const field of ['owner', 'balance', 'status', 'type', 'business_id', 'environment', 'paid_total']) {
    const answer = await app.call('PATCH', '/v1/payment-pages/duka-la-asha', { key, body: { [field]: 'x' } })
    isRefusal(answer, 400, 'validation_error')
    assert.equal(answer.body.error.errors[0].code, 'unknown_field')
  }
  isRefusal(await app.call('PATCH', '/v1/payment-pages/duka-la-asha', { key, body: { amount: null } }), 400, 'amount_required')
  isRefusal(await app.call('PATCH', '/v1/payment-pages', { key, body: { id: 'page_x', slug: 'duka-la-asha' } }), 404, 'not_found')
  const own = await app.call('GET', '/v1/payment-pages/duka-la-asha', { key })
  isRefusal(
    await app.call('PATCH', '/v1/payment-pages', { key, body: { id: own.body.data.id, slug: 'other-slug' } }),
    400,
    'validation_error',
  )
  assert.equal((await app.call('PATCH', '/v1/payment-pages/duka-la-asha', { key })).status, 200)
  const changed = await app.call('PATCH', '/v1/payment-pages', { key, body: { slug: 'duka-la-asha', title: 'Duka jipya' } })
  assert.deepEqual([changed.status, changed.body.data.title, changed.body.data.amount], [200, 'Duka jipya', 1000])
})

test('a forged cursor, and one of another list', async () => {
  const app = await sharedApp()
  const [student, other] = [await app.student(), await app.student()]
  const { key } = await app.key(student)
  const { key: otherKey } = await app.key(other)
  // With the page of the sandbox there are three.
  for (let count = 0; count < 2; count += 1) await app.page(student)
  const first = await app.call('GET', '/v1/payment-pages?limit=2', { key })
  assert.deepEqual([first.body.data.length, first.body.has_more], [2, true])
  const second = await app.call('GET', `/v1/payment-pages?limit=2&cursor=${first.body.next_cursor}`, { key })
  assert.deepEqual([second.body.data.length, second.body.has_more, second.body.next_cursor], [1, false, null])
  isRefusal(await app.call('GET', '/v1/payment-pages?cursor=abc', { key }), 400, 'cursor_invalid')
  isRefusal(await app.call('GET', `/v1/payment-pages?cursor=${first.body.next_cursor}`, { key: otherKey }), 400, 'cursor_invalid')
  isRefusal(await app.call('GET', `/v1/transactions?cursor=${first.body.next_cursor}`, { key }), 400, 'cursor_invalid')
  for (const query of ['limit=0', 'limit=101', 'limit=x', 'limit=0x10', 'limit=', 'colour=red'])
    isRefusal(await app.call('GET', `/v1/payment-pages?${query}`, { key }), 400, 'validation_error')
})

test('an unknown address is 404 and an unsupported method 405, in the same shape; a signed-in name change after verification is 409', async () => {
  const app = await sharedApp()
  const student = await app.student()
  for (const [method, path] of [
    ['GET', '/v2/anything'],
    ['GET', '/.env'],
    ['GET', '/metrics'],
    ['GET', '/v1/payments/pay_01h455vb4pex5vsknk084sn02q/status'],
    ['GET', "/v1/payments/'or'1/status"],
  ] as const) {
    isRefusal(await app.call(method, path), 404, 'not_found')
  }
  for (const [method, path, allowed] of [
    ['DELETE', '/v1/balance', 'GET, HEAD'],
    ['PUT', '/v1/payment-pages/some-page', 'GET, HEAD, PATCH'],
  ] as const) {
    const answer = await app.call(method, path)
    isRefusal(answer, 405, 'method_not_allowed')
    assert.equal(answer.headers.get('allow'), allowed)
  }
  isRefusal(
    await app.call('PATCH', '/v1/me', { token: student.token, body: { full_name: 'Another Name' } }),
    409,
    'invalid_state',
  )
  isRefusal(
    await app.call('POST', '/v1/auth/register', {
      body: {
        full_name: 'A',
        email: student.email,
        phone_number: '0754999888',
        password: 'long-enough-password',
        student_id: 'x',
        institution: 'y',
      },
    }),
    409,
    'already_registered',
  )
})

test('an internal error shows only a request id; a valid request id of the caller is kept', async (t) => {
  const app = await startTestApp(t, {
    wrap: (deps) => ({
      ...deps,
      statuses: { ...deps.statuses, read: () => Promise.reject(new Error('select secret from vault')) },
    }),
  })
  const answer = await app.call('GET', '/v1/payments/pay_01h455vb4pex5vsknk084sn02q/status', {
    headers: { 'x-request-id': 'my-own-request-1' },
  })
  isRefusal(answer, 500, 'internal_error')
  assert.equal(requestIdOf(answer), 'my-own-request-1')
  assert.ok(!JSON.stringify(answer.body).includes('vault'))
  const insane = await app.call('GET', '/livez', { headers: { 'x-request-id': 'a b{}' } })
  assert.match(requestIdOf(insane)!, /^req_/)
})

test('with Accept: application/problem+json the same facts come as RFC 9457', async () => {
  const app = await sharedApp()
  const answer = await app.call('GET', '/v1/balance', { headers: { accept: 'application/problem+json' } })
  assert.equal(answer.headers.get('content-type'), 'application/problem+json')
  assert.deepEqual(
    [answer.body.status, answer.body.code, answer.body.instance],
    [401, 'authentication_required', requestIdOf(answer)],
  )
  assert.match(answer.body.type, /^http/)
})

test('the database is down: 503 with Retry-After, alive but not ready, and back without a restart', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'malipo-away-'))
  let server = await startEmbeddedPostgres({ dataDir: folder, fsync: false })
  t.after(async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  })
  await migrateDatabase(server.connectionString)
  const app = await startTestApp(t, { database: { url: server.connectionString, drop: async () => undefined } })
  const { slug } = await app.page(await app.student())
  await server.stop()
  const answer = await app.checkout(slug)
  isRefusal(answer, 503, 'overloaded')
  assert.ok(Number(answer.headers.get('retry-after')) > 0)
  assert.equal((await app.call('GET', '/livez')).status, 200)
  isRefusal(await app.call('GET', '/readyz'), 503, 'not_ready')
  server = await startEmbeddedPostgres({ dataDir: folder, fsync: false })
  await eventually('ready again', async () => (await app.call('GET', '/readyz')).status === 200)
  assert.equal((await app.checkout(slug)).status, 201)
  await app.close()
})

test('an address that cannot be decoded, or is absurdly long, is refused in the one shape', async () => {
  const app = await sharedApp()
  for (const [path, status, code] of [
    ['/v1/pay/%ff', 400, 'validation_error'],
    [`/v1/pay/${'a'.repeat(300)}`, 404, 'not_found'],
    [`/v1/payments/${'a'.repeat(300)}/status`, 404, 'not_found'],
  ] as const) {
    const answer = await app.call('GET', path)
    isRefusal(answer, status, code)
    assert.equal(answer.headers.get('access-control-allow-origin'), '*')
    assert.ok(answer.body.error.message_sw)
  }
  const { key } = await app.key(await app.student())
  for (const query of ['reference=%00', 'limit=5&reference=a%00b']) {
    const answer = await app.call('GET', `/v1/payouts?${query}`, { key })
    isRefusal(answer, 400, 'validation_error')
    assert.equal(answer.body.error.param, 'reference')
  }
})

test('browsers: public routes are open to every origin without credentials, all others to no origin', async () => {
  const app = await sharedApp()
  const origin = {
    origin: 'https://shop.example',
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type',
  }
  const preflight = await app.call('OPTIONS', '/v1/payments/checkout', { headers: origin })
  assert.deepEqual(
    [
      preflight.status,
      preflight.headers.get('access-control-allow-origin'),
      preflight.headers.get('access-control-allow-credentials'),
    ],
    [204, '*', null],
  )
  const closed = await app.call('OPTIONS', '/v1/me', { headers: origin })
  assert.equal(closed.headers.get('access-control-allow-origin'), null)
  const status = await app.call('GET', '/v1/payments/pay_01h455vb4pex5vsknk084sn02q/status', { headers: { origin: 'null' } })
  assert.equal(status.headers.get('access-control-allow-origin'), '*')
  assert.equal(status.headers.get('x-content-type-options'), 'nosniff')
  assert.match(status.headers.get('content-security-policy')!, /default-src 'none'/)
})

test('an empty body is accepted where nothing is required, whatever its content type', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const answer = await new Promise<number>((resolve, reject) => {
    const request = rawRequest(
      `${app.config.urls.api}/v1/auth/logout`,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${student.token}`, 'content-type': 'text/plain', 'content-length': 0 },
      },
      (response) => {
        response.resume()
        resolve(response.statusCode!)
      },
    )
    request.on('error', reject)
    request.end()
  })
  assert.equal(answer, 200)
})

test('a request that is not valid HTTP gets an error of the same shape', async () => {
  const app = await sharedApp()
  const port = app.config.ports.api
  const sent: [string, number][] = [
    ['NONSENSE\r\n\r\n', 400],
    ['BREW /v1/balance HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    [`GET /livez HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n`, 431],
    ['POST /v1/payments/checkout HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n', 400],
    ['POST /v1/payments/checkout HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n', 400],
    ['GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['POST /v1/payments/checkout HTTP/1.1\r\nHost: x\r\nExpect: a-pony\r\nContent-Length: 5\r\n\r\n', 417],
  ]
  for (const [bytes, status] of sent) {
    const answer = await new Promise<string>((resolve) => {
      let received = ''
      const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
      socket.on('data', (chunk) => (received += chunk.toString()))
      socket.on('error', () => undefined)
      socket.on('close', () => resolve(received))
    })
    const [head, text] = answer.split('\r\n\r\n')
    assert.match(head!, new RegExp(`^HTTP/1.1 ${status} `), bytes.slice(0, 40))
    const { error } = JSON.parse(text!)
    assert.equal(error.code, 'malformed_request')
    assert.ok(head!.toLowerCase().includes(`x-request-id: ${error.request_id}`.toLowerCase()))
  }
  assert.equal((await app.call('GET', '/livez')).status, 200)
})
