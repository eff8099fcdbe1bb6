/** Payment requests: one link, one order, paid once. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { test } from 'node:test'
import { eventually, share, startTestApp, type Answer, type Student, type TestApp } from '../../../test/app.ts'
import { checkCharges } from '../payments/check-charges.ts'
import { fromWire } from '../../platform/ids.ts'

const sharedApp = share((ending) => startTestApp(ending, { worker: true }))

const order = {
  amount: 25_000,
  title: 'Order 1043',
  merchant_reference: 'A-1043',
  metadata: { cart: 'c_77' },
  customer: { name: 'Neema Joseph', email: 'neema@example.com', phone_number: '0754 123 789' },
}

const create = (app: TestApp, key: string, body: unknown = order): Promise<Answer> =>
  app.call('POST', '/v1/payment-requests', { key, body })

async function made(app: TestApp, key: string, fields: Record<string, unknown> = {}): Promise<any> {
  const { status, body } = await create(app, key, { ...order, ...fields })
  assert.equal(status, 201, JSON.stringify(body))
  return body.data
}

const read = async (app: TestApp, key: string, id: string): Promise<any> =>
  (await app.call('GET', `/v1/payment-requests/${id}`, { key })).body.data

const cancel = (app: TestApp, key: string, id: string): Promise<Answer> =>
  app.call('POST', `/v1/payment-requests/${id}/cancel`, { key, body: {} })

const slugOf = ({ url }: { url: string }): string => url.split('/pay/')[1]!

const refusal = ({ status, body }: Answer): string => `${status} ${body.error?.code ?? ''}`.trim()

async function shop(app: TestApp): Promise<{ student: Student; key: string }> {
  const student = await app.student()
  return { student, key: (await app.key(student)).key }
}

const balance = async (app: TestApp, key: string): Promise<number> =>
  (await app.call('GET', '/v1/balance', { key })).body.data.total

const form = (
  app: TestApp,
  request: { url: string },
  lang = 'en',
): Promise<{ statusCode: number; payload: string; headers: any }> =>
  app.api.checkout.inject({ method: 'GET', url: `/pay/${slugOf(request)}?lang=${lang}` })

/** Answers the one prompt that waits for its payer. */
async function answerPrompt(app: TestApp): Promise<void> {
  const { reference } = (await app.truth()).charges.find(({ status }: { status: string }) => status === 'pending')
  const response = await fetch(`${app.simulatorUrl}/__control/charges/${reference}/answer`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"action":"pin"}',
  })
  assert.equal(response.status, 200, await response.text())
}

test('a request is paid once: its form is filled, its payment carries the order, and then it is closed', async () => {
  const app = await sharedApp()
  const { student, key } = await shop(app)
  const request = await made(app, key, { description: 'Two shirts', success_message: 'Asante', language: 'en' })
  const { id, url, created_at, ...facts } = request
  assert.match(id, /^preq_[0-9a-z]{26}$/)
  assert.match(slugOf(request), /^[0-9a-z]{20}$/)
  assert.ok(url.startsWith(app.config.urls.checkout) && created_at)
  assert.deepEqual(facts, {
    status: 'open',
    payment: null,
    paid_count: 0,
    paid_at: null,
    amount: 25_000,
    currency: 'TZS',
    title: 'Order 1043',
    description: 'Two shirts',
    merchant_reference: 'A-1043',
    metadata: { cart: 'c_77' },
    customer: { name: 'Neema Joseph', email: 'neema@example.com', phone_number: '+255754123789', phone_masked: '0754 ••• 789' },
    expires_at: null,
    redirect_url: null,
    success_message: 'Asante',
    language: 'en',
    environment: 'test',
    cancelled_at: null,
    warnings: [],
  })

  const filled = await form(app, request)
  assert.equal(filled.statusCode, 200)
  assert.equal(filled.headers['cache-control'], 'no-store')
  for (const value of ['Neema Joseph', 'neema@example.com', '0754 123 789'])
    assert.ok(filled.payload.includes(`value="${value}"`), value)
  assert.ok(filled.payload.includes('Pay TSh 25,000'))
  // The public answer for other checkouts names no customer and no order number.
  const open = await app.call('GET', `/v1/pay/${slugOf(request)}`)
  assert.equal(open.body.data.state, 'open')
  assert.doesNotMatch(JSON.stringify(open.body), /Neema|neema|754|A-1043|c_77/)

  const { reference } = (await app.checkout(slugOf(request))).body.data
  assert.equal((await app.settled(reference)).status, 'completed')
  const paid = await read(app, key, id)
  assert.deepEqual([paid.status, paid.payment, paid.paid_count], ['paid', reference, 1])
  assert.ok(paid.paid_at)
  const payment = await app.call('GET', `/v1/merchant/payments/${reference}?environment=test`, { token: student.token })
  const { payment_page, payment_request_id, merchant_reference, metadata, description } = payment.body.data
  assert.deepEqual(
    { payment_page, payment_request_id, merchant_reference, metadata, description },
    {
      payment_page: null,
      payment_request_id: id,
      merchant_reference: 'A-1043',
      metadata: { cart: 'c_77' },
      description: 'Order 1043',
    },
  )
  assert.equal(refusal(await app.checkout(slugOf(request))), '409 request_paid')
  assert.equal(refusal(await cancel(app, key, id)), '409 invalid_state')
  for (const [language, words] of [
    ['en', 'This is already paid'],
    ['sw', 'Malipo haya yameshalipwa'],
  ] as const) {
    const closed = await form(app, request, language)
    assert.ok(closed.payload.includes(words) && closed.payload.includes(`/r/${reference}`), closed.payload)
    assert.doesNotMatch(closed.payload, /Neema|neema@/)
  }
  assert.equal(await balance(app, key), 25_000)
  // Only a request: it is in no list of pages.
  const pages = await app.call('GET', '/v1/payment-pages', { key })
  assert.ok(pages.body.data.every(({ title }: { title: string }) => title !== 'Order 1043'))
})

test('a customer can try again until a payment completes', async () => {
  const app = await sharedApp()
  const { key } = await shop(app)
  const request = await made(app, key, { customer: null })
  const failed = (await app.checkout(slugOf(request), { phone_number: '0754123049' })).body.data.reference
  assert.equal((await app.settled(failed)).status, 'failed')
  assert.equal((await read(app, key, request.id)).status, 'open')
  const again = (await app.checkout(slugOf(request), { phone_number: '0754123789' })).body.data.reference
  await app.settled(again)
  assert.deepEqual([(await read(app, key, request.id)).payment, await balance(app, key)], [again, 25_000])
})

test('of many payers at once one gets a prompt, and the others read that a payment is in progress', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const { key } = await shop(app)
  const request = await made(app, key)
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      app.checkout(slugOf(request), { phone_number: `07540001${String(index + 11)}`, idempotency_key: `tab-${index}` }),
    ),
  )
  assert.deepEqual(answers.map(refusal).toSorted(), ['201', ...Array.from({ length: 19 }, () => '409 request_busy')])
  const { charges } = await eventually('the prompt is sent', async () => {
    const truth = await app.truth()
    return truth.charges.length > 0 && truth
  })
  assert.equal(charges.length, 1)
  for (const [language, words] of [
    ['en', 'A payment is in progress'],
    ['sw', 'Malipo yanaendelea'],
  ] as const) {
    assert.ok((await form(app, request, language)).payload.includes(words))
  }
  const { reference } = answers.find(({ status }) => status === 201)!.body.data
  await answerPrompt(app)
  await app.settled(reference)
  assert.deepEqual([(await read(app, key, request.id)).paid_count, await balance(app, key)], [1, 25_000])
})

test('a cancelled request starts no payment, and a payment that was in progress still pays it', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const { key } = await shop(app)
  const request = await made(app, key)
  const { reference } = (await app.checkout(slugOf(request), { phone_number: '0754000111' })).body.data
  const cancelled = await cancel(app, key, request.id)
  assert.deepEqual([cancelled.status, cancelled.body.data.status], [200, 'cancelled'])
  assert.ok(cancelled.body.data.cancelled_at)
  // A repeat changes nothing.
  assert.equal((await cancel(app, key, request.id)).body.data.cancelled_at, cancelled.body.data.cancelled_at)
  assert.equal(refusal(await app.checkout(slugOf(request))), '409 request_cancelled')
  for (const [language, words] of [
    ['en', 'This payment was cancelled'],
    ['sw', 'Malipo haya yameghairiwa'],
  ] as const) {
    const closed = await form(app, request, language)
    assert.ok(closed.payload.includes(words))
    assert.doesNotMatch(closed.payload, /Neema|neema@/)
  }
  await answerPrompt(app)
  await app.settled(reference)
  const paid = await read(app, key, request.id)
  assert.deepEqual([paid.status, paid.payment, await balance(app, key)], ['paid', reference, 25_000])
})

test('a checkout that read the request before its cancellation starts no payment after it', async (t) => {
  const app = await startTestApp(t)
  const { key } = await shop(app)
  const request = await made(app, key)
  const { pool } = app.owner
  const locker = await pool.connect()
  await locker.query('begin')
  await locker.query('select from payment_pages where slug = $1 for no key update', [slugOf(request)])
  const paying = app.checkout(slugOf(request))
  await eventually('the checkout waits for the page', async () => {
    const { rows } = await pool.query(
      `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    )
    return rows.length > 0
  })
  await locker.query('update payment_pages set active = false where slug = $1', [slugOf(request)])
  await locker.query('commit')
  locker.release()
  assert.equal(refusal(await paying), '409 request_busy')
  assert.equal(refusal(await app.checkout(slugOf(request))), '409 request_cancelled')
  assert.deepEqual((await pool.query('select from payments')).rows, [])
})

test('an expired request starts no payment, and says so', async () => {
  const app = await sharedApp()
  const { key } = await shop(app)
  const past = await create(app, key, { ...order, expires_at: '2020-01-01T00:00:00Z' })
  assert.equal(refusal(past), '400 validation_error')
  assert.equal(past.body.error.errors[0].field, 'expires_at')
  const request = await made(app, key, { expires_at: new Date(Date.now() + 3_600_000).toISOString() })
  await app.owner.pool.query(`update payment_pages set expires_at = clock_now() - interval '1 second' where slug = $1`, [
    slugOf(request),
  ])
  assert.equal((await read(app, key, request.id)).status, 'expired')
  assert.equal(refusal(await app.checkout(slugOf(request))), '409 page_expired')
  assert.equal(refusal(await cancel(app, key, request.id)), '409 invalid_state')
  assert.ok((await form(app, request)).payload.includes('This payment link has expired'))
  assert.ok((await form(app, request, 'sw')).payload.includes('Muda wa kiungo hiki cha malipo umekwisha'))
})

test('a late success after a second payment is credited too, and the request shows both', async (t) => {
  const app = await startTestApp(t)
  await app.control('PATCH', '/switches', { chargeLifetimeMs: 4 * 3_600_000 })
  const { key } = await shop(app)
  const request = await made(app, key)
  const first = (await app.checkout(slugOf(request), { phone_number: '0754000111' })).body.data.reference
  await app.owner.pool.query(`update payments set expires_at = clock_now() - interval '1 second'`)
  await app.owner.pool.query(
    `update provider_charges set next_attempt_at = clock_now() - interval '1 second' where next_attempt_at is not null`,
  )
  await checkCharges(app.deps, 50)
  assert.equal((await app.settled(first)).status, 'expired')
  const second = (await app.checkout(slugOf(request), { phone_number: '0754123789' })).body.data.reference
  await app.settled(second)
  assert.equal((await read(app, key, request.id)).payment, second)
  await answerPrompt(app)
  await eventually('both are credited', async () => (await balance(app, key)) === 50_000)
  const paid = await read(app, key, request.id)
  assert.deepEqual([paid.status, paid.payment, paid.paid_count], ['paid', second, 2])
})

test('the page of a paid request says what arrived and what went back, and "no need to pay" only of whole payments', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const { student, key } = await shop(app)
  const request = await made(app, key)
  const { reference } = (await app.checkout(slugOf(request))).body.data
  await app.settled(reference, ['completed'])
  const noNeed = /You do not need to pay again/
  assert.match((await form(app, request)).payload, noNeed)
  const set = (change: string) =>
    app.owner.pool.query(`update payments set ${change} where id = $1`, [fromWire('pay', reference)])
  const says = async (words: RegExp): Promise<void> => {
    const { payload } = await form(app, request)
    assert.match(payload, words)
    assert.doesNotMatch(payload, noNeed)
  }
  await set('amount_received = 20000')
  await says(/TSh 20,000 of TSh 25,000 for “Order 1043” has been paid to [^.]*\. Ask/)
  await set('amount_received = null, credit_reversed_at = clock_now()')
  await says(/This payment is under review/)
  await set('credit_reversed_at = null')
  const refund = await app.call('POST', `/v1/merchant/payments/${reference}/refunds?environment=test`, {
    token: student.token,
    headers: { 'idempotency-key': 'back' },
    body: { method: 'outside', reason: 'Returned in the shop', amount: 25_000 },
  })
  assert.equal(refund.status, 201, JSON.stringify(refund.body))
  await says(/TSh 25,000 for “Order 1043” was paid to [^,]*, and TSh 25,000 was sent back to the payer\. Ask/)
  const page = await app.api.checkout.inject({ method: 'GET', url: `/pay/${slugOf(request)}/${reference}?lang=en` })
  assert.match(page.payload, /Refunded<\/dt>\s*<dd>TSh 25,000/)
  assert.match(page.payload, /not through Malipo/)
})

test('in test an account without verification can request; in live it is refused', async () => {
  const app = await sharedApp()
  const student = await app.student({ verified: false })
  const ask = (environment: string): Promise<Answer> =>
    app.call('POST', `/v1/merchant/payment-requests?environment=${environment}`, { token: student.token, body: order })
  const request = (await ask('test')).body.data
  assert.equal(request.status, 'open')
  const { reference } = (await app.checkout(slugOf(request))).body.data
  assert.equal((await app.settled(reference)).status, 'completed')
  assert.equal(refusal(await ask('live')), '403 kyc_required')
  const verified = await app.student()
  const live = await app.call('POST', '/v1/merchant/payment-requests?environment=live', { token: verified.token, body: order })
  assert.deepEqual([live.status, live.body.data.environment], [201, 'live'])
})

/** Sends all but the last byte of a request's body, does something, and then sends the rest; returns the answer. */
async function meanwhile(
  app: TestApp,
  path: string,
  credentials: Record<string, string>,
  isRead: () => Promise<boolean>,
  act: () => Promise<Answer>,
): Promise<{ status: number; body: any }> {
  const body = JSON.stringify(order)
  const headers = { ...credentials, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  const slow = httpRequest(`${app.config.urls.api}${path}`, { method: 'POST', agent: false, headers })
  const answer = new Promise<{ status: number; body: any }>((resolve, reject) => {
    slow.on('error', reject).on('response', (response) => {
      let text = ''
      response.on('data', (chunk) => (text += String(chunk)))
      response.on('end', () => resolve({ status: response.statusCode!, body: JSON.parse(text) }))
    })
  })
  slow.write(body.slice(0, -1))
  // Each use of the key or the session is noted once it was read.
  await eventually('the request is authenticated', isRead)
  const done = await act()
  assert.equal(done.status, 200, JSON.stringify(done.body))
  slow.end(body.slice(-1))
  return answer
}

test('a key that is revoked, or a session that ends, while the body of a request arrives makes none', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const { key, keyId } = await app.key(student)
  const count = async () =>
    (await app.call('GET', `/v1/merchant/payment-requests?environment=test`, { token: student.token })).body.data.length
  const isUsed = (table: 'api_keys' | 'sessions', id: string) => async () => {
    const sql = `select 1 from ${table} where id = $1 and last_used_at > clock_now() - interval '1 minute'`
    return (await app.owner.pool.query(sql, [id])).rows.length > 0
  }
  const byKey = await meanwhile(
    app,
    '/v1/payment-requests',
    { 'x-api-key': key },
    isUsed('api_keys', fromWire('key', keyId)!),
    () => app.call('DELETE', `/developers/keys/${keyId}`, { token: student.token }),
  )
  assert.deepEqual([byKey.status, byKey.body.error?.code], [401, 'api_key_revoked'])
  const again = await app.call('POST', '/v1/auth/login', { body: { identifier: student.email, password: student.password } })
  const token: string = again.body.data.access_token
  const { body } = await app.call('GET', '/v1/auth/sessions', { token })
  const id = fromWire('ses', body.data.find(({ current }: { current: boolean }) => current).id)!
  await app.owner.pool.query(`update sessions set last_used_at = last_used_at - interval '1 hour' where id = $1`, [id])
  const path = '/v1/merchant/payment-requests?environment=test'
  const bySession = await meanwhile(app, path, { authorization: `Bearer ${token}` }, isUsed('sessions', id), () =>
    app.call('POST', '/v1/auth/logout', { token, body: {} }),
  )
  assert.deepEqual([bySession.status, bySession.body.error?.code], [401, 'session_inactive'])
  assert.equal(await count(), 0)
})

test('a live key makes no request for a merchant that is suspended', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const { key } = await app.key(student, 'live')
  assert.equal((await create(app, key)).status, 201)
  await app.owner.pool.query(
    `update merchants set suspended_at = clock_now(), suspension_reason = 'x' where user_id = (select id from users where email = $1)`,
    [student.email],
  )
  assert.equal(refusal(await create(app, key)), '403 merchant_suspended')
})

test('a list has the filters of the contract, and shows only what the caller owns', async () => {
  const app = await sharedApp()
  const { student, key } = await shop(app)
  const stranger = await shop(app)
  const ids: string[] = []
  for (const merchant_reference of ['A-1', 'A-2', 'A-2']) ids.unshift((await made(app, key, { merchant_reference })).id)
  await cancel(app, key, ids[0]!)
  const list = async (query: string, by: string = key): Promise<string[]> =>
    (await app.call('GET', `/v1/payment-requests?${query}`, { key: by })).body.data.map(({ id }: { id: string }) => id)
  assert.deepEqual(await list(''), ids)
  assert.deepEqual(await list('status=cancelled'), [ids[0]])
  assert.deepEqual(await list('status=open'), ids.slice(1))
  assert.deepEqual(await list('status=open&merchant_reference=A-2'), [ids[1]])
  assert.deepEqual(await list('created_from=2100-01-01T00:00:00Z'), [])
  assert.deepEqual(await list('', stranger.key), [])
  const first = await app.call('GET', '/v1/payment-requests?limit=2', { key })
  assert.deepEqual(await list(`limit=2&cursor=${first.body.next_cursor}`), [ids[2]])
  for (const path of [`/v1/payment-requests/${ids[1]}`, `/v1/payment-requests/${ids[1]}/cancel`]) {
    const method = path.endsWith('cancel') ? 'POST' : 'GET'
    const body = method === 'POST' ? {} : undefined
    assert.equal((await app.call(method, path, { key: stranger.key, body })).status, 404)
    const asLive = `${path.replace('/v1/', '/v1/merchant/')}?environment=live`
    assert.equal((await app.call(method, asLive, { token: student.token, body })).status, 404)
    assert.equal((await app.call(method, path, { body })).status, 401)
  }
  assert.equal((await read(app, key, ids[1]!)).status, 'open')
  const reader = await app.key(student, 'test', ['pages:read'])
  assert.equal(refusal(await create(app, reader.key)), '403 insufficient_scope')
})

test('one idempotency key makes one request, however often it is sent at once', async () => {
  const app = await sharedApp()
  const { key } = await shop(app)
  const headers = { 'idempotency-key': randomBytes(8).toString('hex') }
  const send = (fields = {}): Promise<Answer> =>
    app.call('POST', '/v1/payment-requests', { key, headers, body: { ...order, ...fields } })
  const answers = await Promise.all(Array.from({ length: 10 }, () => send()))
  const first = answers.filter(({ status }) => status === 201)
  assert.ok(first.length > 0)
  for (const answer of answers) assert.ok(['201', '409 idempotency_in_progress'].includes(refusal(answer)), refusal(answer))
  const repeated = await send()
  assert.equal(repeated.headers.get('idempotency-replayed'), 'true')
  assert.equal(new Set([...first, repeated].map(({ body }) => body.data.id)).size, 1)
  assert.equal(refusal(await send({ amount: 26_000 })), '422 idempotency_key_reused')
  assert.equal((await app.call('GET', '/v1/payment-requests', { key })).body.data.length, 1)
})

test('garbage makes no request, and each refusal names its field', async () => {
  const app = await sharedApp()
  const { key } = await shop(app)
  for (const [fields, field] of [
    [{ amount: 499 }, 'amount'],
    [{ amount: 10_000_001 }, 'amount'],
    [{ amount: '25000' }, 'amount'],
    [{ amount: undefined }, 'amount'],
    [{ title: '' }, 'title'],
    [{ title: 'x'.repeat(121) }, 'title'],
    [{ merchant_reference: 'x'.repeat(65) }, 'merchant_reference'],
    [{ merchant_reference: 'a\u0007b' }, 'merchant_reference'],
    [{ metadata: { 'no spaces': '1' } }, 'metadata.no spaces'],
    [{ metadata: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`k${n}`, ''])) }, 'metadata'],
    [{ metadata: { k: 'x'.repeat(501) } }, 'metadata.k'],
    [{ metadata: { k: 1 } }, 'metadata.k'],
    [{ customer: { phone_number: '12345' } }, 'customer.phone_number'],
    [{ customer: { email: 'neema@' } }, 'customer.email'],
    [{ customer: { age: 4 } }, 'customer.age'],
    [{ expires_at: 'tomorrow' }, 'expires_at'],
    [{ redirect_url: 'javascript:alert(1)' }, 'redirect_url'],
    [{ language: 'fr' }, 'language'],
    [{ max_payments: 2 }, 'max_payments'],
  ] as const) {
    const { status, body } = await create(app, key, { ...order, ...fields })
    assert.equal(status, 400, JSON.stringify([fields, body]))
    const named = (body.error.errors ?? []).map((error: { field: string }) => error.field)
    assert.ok(named.includes(field), JSON.stringify([field, body.error]))
  }
  for (const id of ['preq_1', `preq_${'0'.repeat(26)}`, `page_${'0'.repeat(26)}`, randomBytes(8).toString('hex')]) {
    assert.equal((await app.call('GET', `/v1/payment-requests/${id}`, { key })).status, 404)
  }
  assert.deepEqual((await app.call('GET', '/v1/payment-requests', { key })).body.data, [])
})
