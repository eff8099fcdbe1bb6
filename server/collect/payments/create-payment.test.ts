/** Payments that a merchant's server makes with a key, and reads again. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setKycStatus } from '../../merchants/onboarding/decide-by-operator.ts'
import { sweepReceipts } from '../../views/notifications/sweep-receipts.ts'
import { erasePayer } from '../../operations/data-lifecycle/erase-payer.ts'
import { exportPhone } from '../../operations/data-lifecycle/export-person.ts'
import { eventually, share, startTestApp, type Answer, type TestApp } from '../../../test/app.ts'

const sharedApp = share((ending) => startTestApp(ending))

let keys = 0
const order = { amount: 5000, phone_number: '0754 123 789', description: 'Order 1001' }

function create(app: TestApp, key: string, fields: Record<string, unknown> = {}, idempotencyKey?: string): Promise<Answer> {
  keys += 1
  const headers = { 'idempotency-key': idempotencyKey ?? `order-${keys}` }
  return app.call('POST', '/v1/payments', { key, headers, body: { ...order, ...fields } })
}

test('the page of a payment that a server made does not lead to a page that its payer cannot open', async () => {
  const app = await sharedApp()
  const { key } = await app.key(await app.student(), 'test', ['payments:read', 'payments:write'])
  const { reference } = (await create(app, key, { phone_number: '0754 123 049' })).body.data
  const { slug } = (await app.settled(reference, ['failed'])).page
  const text = await (await fetch(`${app.config.urls.checkout}/pay/${slug}/${reference}?lang=en`)).text()
  assert.match(text, /go back to [^<]* and pay there/)
  for (const [, path] of text.matchAll(/href="(\/[^"]*)"/g)) {
    const { status } = await fetch(`${app.config.urls.checkout}${path}`)
    assert.equal(status, 200, path)
  }
})

const short = ({ status, body }: Answer): string => `${status} ${body.error?.code ?? ''}`.trim()

test('a server makes a payment without a page, a name and an address, and reads it back with its own reference and data', async () => {
  const app = await sharedApp()
  // Before any verification.
  const student = await app.student({ verified: false })
  const { key } = await app.key(student, 'test', ['payments:read', 'payments:write'])
  const own = { merchant_reference: 'ORDER-1001', metadata: { order_id: '1001', 'till-2': 'Mwenge é' } }
  const made = await create(app, key, own)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { reference, short_code, checkout_token, status_url, expires_at, poll_after_ms, ...rest } = made.body.data
  assert.deepEqual(rest, {
    status: 'pending',
    amount: 5000,
    currency: 'TZS',
    network: 'mpesa',
    phone_masked: '0754 ••• 789',
    payment_page_id: null,
    description: 'Order 1001',
    ...own,
    warnings: [],
  })
  assert.ok(short_code && checkout_token && status_url.includes(reference) && poll_after_ms > 0 && Date.parse(expires_at) > 0)
  assert.equal(made.headers.get('cache-control'), 'no-store')

  const status = await app.settled(reference)
  assert.deepEqual([status.status, status.page.title], ['completed', 'Order 1001'])
  const publicly = JSON.stringify(status)
  assert.doesNotMatch(publicly, /ORDER-1001|till-2|Mwenge/)
  const receipt = await (await fetch(`${app.config.urls.checkout}/r/${reference}`)).text()
  assert.match(receipt, /Order 1001/)
  assert.doesNotMatch(receipt, /ORDER-1001|till-2|Mwenge|Direct payments/)
  const { slug } = status.page
  const waiting = await fetch(`${app.config.urls.checkout}/pay/${slug}/${reference}`)
  assert.deepEqual([waiting.status, /Order 1001/.test(await waiting.text())], [200, true])
  assert.equal((await fetch(`${app.config.urls.checkout}/pay/${slug}`)).status, 404)

  const read = await app.call('GET', `/v1/payments/${reference}`, { key })
  assert.equal(read.status, 200, JSON.stringify(read.body))
  const { data } = read.body
  assert.deepEqual(
    [data.status, data.payment_page, data.payment_page_id, data.description, data.merchant_reference, data.metadata, data.net],
    ['completed', null, null, 'Order 1001', own.merchant_reference, own.metadata, 5000],
  )
  assert.deepEqual(data.customer, { name: null, email: null, phone_masked: '0754 ••• 789' })
  assert.ok(data.timeline.some(({ type }: { type: string }) => type === 'transaction'))
  const listed = await app.call('GET', '/v1/payments', { key })
  assert.deepEqual(
    listed.body.data.map((one: any) => [one.reference, one.merchant_reference, one.metadata]),
    [[reference, own.merchant_reference, own.metadata]],
  )
  // A payer's own checkout still needs both, and cannot set what belongs to the merchant.
  const page = await app.page(await app.student())
  assert.equal(short(await app.checkout(page.slug, { customer_email: undefined })), '400 validation_error')
  assert.equal((await app.checkout(page.slug, { merchant_reference: 'x' })).body.error.errors[0].code, 'unknown_field')

  // No address, no mail; the provider got the operator's address, which is stored nowhere else.
  await eventually('its receipt is decided', async () => {
    await sweepReceipts(app.deps, 100)
    const { rows } = await app.owner.pool.query(
      `select r.outcome from receipts r join events e on e.home = r.home and e.id = r.event_id join merchants m on m.id = e.merchant_id
       join users u on u.id = m.user_id where u.email = $1`,
      [student.email],
    )
    return rows.length === 1
  })
  const mails = await app.owner.pool.query(`select recipient from mails where kind = 'test_receipt'`)
  assert.deepEqual(mails.rows, [])
  const sent = await app.owner.pool.query(
    `select request_body::json -> 'customer' as customer from provider_charges where request_body like $1`,
    [`%${reference}%`],
  )
  const { providerContactEmail: email } = app.config
  assert.deepEqual(sent.rows, [{ customer: { firstname: 'Customer', lastname: 'Customer', email } }])
})

test('a payer whose address the server gives gets a receipt with the description', async () => {
  const app = await sharedApp()
  const { key } = await app.key(await app.student())
  const made = await create(app, key, { customer_name: 'Asha Mushi', customer_email: 'asha@example.com', language: 'en' })
  await app.settled(made.body.data.reference)
  await eventually('the receipt is enqueued', async () => {
    await sweepReceipts(app.deps, 100)
    const { rows } = await app.owner.pool.query(`select recipient from mails where kind = 'test_receipt'`)
    return rows.length === 1
  })
  const { data } = (await app.call('GET', `/v1/payments/${made.body.data.reference}`, { key })).body
  assert.deepEqual([data.customer.name, data.customer.email], ['Asha Mushi', 'asha@example.com'])
})

test('fifty equal requests at once make one payment and one charge; another body under the key is refused', async (t) => {
  const app = await startTestApp(t)
  const { key } = await app.key(await app.student())
  const fields = { merchant_reference: 'A', metadata: { a: '1', b: '2' } }
  const answers = await Promise.all(Array.from({ length: 50 }, () => create(app, key, fields, 'the-order')))
  assert.equal(new Set(answers.map(({ body }) => body.data.reference)).size, 1)
  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  assert.ok(answers.every(({ status, headers }) => status === 201 || headers.get('idempotency-replayed') === 'true'))
  const { reference } = answers[0]!.body.data
  await app.settled(reference)
  const { charges } = await app.truth()
  assert.equal(charges.length, 1)

  // The order of entries and the form of the number do not matter; everything else does.
  const same = { ...fields, metadata: { b: '2', a: '1' }, phone_number: '+255754123789', language: 'en' }
  const again = await create(app, key, same, 'the-order')
  assert.deepEqual([again.status, again.body.data.reference, again.body.data.status], [200, reference, 'completed'])
  for (const change of [
    { amount: 5001 },
    { phone_number: '0754123788' },
    { description: 'Order 1002' },
    { merchant_reference: 'B' },
    { merchant_reference: null },
    { metadata: { a: '1' } },
    { customer_name: 'Asha' },
    { network: 'airtel' },
  ]) {
    const other = await create(app, key, { ...fields, ...change }, 'the-order')
    assert.equal(short(other), '422 idempotency_key_reused', JSON.stringify(change))
    assert.doesNotMatch(JSON.stringify(other.body), new RegExp(reference))
  }
  // A key belongs to one wallet.
  const { key: strangers } = await app.key(await app.student())
  const theirs = await create(app, strangers, fields, 'the-order')
  assert.equal(theirs.status, 201)
  assert.notEqual(theirs.body.data.reference, reference)
})

test('garbage is refused with the field that is wrong, and nothing is stored', async () => {
  const app = await sharedApp()
  const { key } = await app.key(await app.student())
  const refused: [fields: Record<string, unknown>, code: string, field: string][] = [
    [{ amount: undefined }, 'amount_required', 'amount'],
    [{ amount: null }, 'amount_required', 'amount'],
    [{ amount: 499 }, 'amount_too_small', 'amount'],
    [{ amount: 10_000_001 }, 'amount_too_large', 'amount'],
    [{ amount: '5000' }, 'amount_invalid', 'amount'],
    [{ amount: 5000.5 }, 'amount_invalid', 'amount'],
    [{ currency: 'USD' }, 'currency_unsupported', 'currency'],
    [{ phone_number: '12' }, 'phone_invalid', 'phone_number'],
    [{ phone_number: '0731123456' }, 'network_unsupported', 'phone_number'],
    [{ phone_number: 7 }, 'validation_error', 'phone_number'],
    [{ description: undefined }, 'validation_error', 'description'],
    [{ description: ' ' }, 'validation_error', 'description'],
    [{ description: 'x'.repeat(121) }, 'validation_error', 'description'],
    [{ customer_email: 'asha' }, 'validation_error', 'customer_email'],
    [{ customer_name: '' }, 'validation_error', 'customer_name'],
    [{ network: 'ttcl' }, 'validation_error', 'network'],
    [{ language: 'fr' }, 'validation_error', 'language'],
    [{ merchant_reference: '' }, 'validation_error', 'merchant_reference'],
    [{ merchant_reference: 'x'.repeat(65) }, 'validation_error', 'merchant_reference'],
    [{ merchant_reference: 'a\nb' }, 'validation_error', 'merchant_reference'],
    [{ metadata: ['a'] }, 'validation_error', 'metadata'],
    [{ metadata: { a: 1 } }, 'validation_error', 'metadata.a'],
    [{ metadata: { 'a b': '1' } }, 'validation_error', 'metadata.a b'],
    [{ metadata: { a: 'x'.repeat(501) } }, 'validation_error', 'metadata.a'],
    [{ metadata: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`k${n}`, ''])) }, 'validation_error', 'metadata'],
    [{ slug: 'k7m2q9xa' }, 'validation_error', 'slug'],
    [{ idempotency_key: 'k' }, 'validation_error', 'idempotency_key'],
  ]
  for (const [fields, code, field] of refused) {
    const { status, body } = await create(app, key, fields)
    assert.deepEqual([status, body.error?.code, body.error?.errors?.[0]?.field], [400, code, field], JSON.stringify(fields))
  }
  const keyless = await app.call('POST', '/v1/payments', { key, body: order })
  assert.equal(short(keyless), '400 idempotency_key_required')
  assert.equal(short(await create(app, key, {}, 'x'.repeat(256))), '400 validation_error')
  assert.deepEqual((await app.call('GET', '/v1/payments', { key })).body.data, [])
})

test('without the scope, without a key and with one of another owner, payments are neither made nor read', async () => {
  const app = await sharedApp()
  const student = await app.student()
  // As a key that was made before the scopes existed.
  const old = ['profile:read', 'balance:read', 'pages:read', 'pages:write', 'transactions:read', 'payouts:read', 'payouts:write']
  const { key: oldKey } = await app.key(student, 'test', old)
  const { key: reader } = await app.key(student, 'test', ['payments:read'])
  const { key: writer } = await app.key(student, 'test', ['payments:write'])
  const { key: stranger } = await app.key(await app.student())
  const made = await create(app, writer)
  assert.equal(made.status, 201)
  const path = `/v1/payments/${made.body.data.reference}`
  for (const [key, answer] of [
    [oldKey, '403 insufficient_scope'],
    [writer, '403 insufficient_scope'],
  ] as const) {
    assert.equal(short(await app.call('GET', path, { key })), answer)
    assert.equal(short(await app.call('GET', '/v1/payments', { key })), answer)
  }
  for (const key of [oldKey, reader]) assert.equal(short(await create(app, key)), '403 insufficient_scope')
  assert.equal(short(await app.call('GET', path)), '401 authentication_required')
  assert.equal(short(await app.call('POST', '/v1/payments', { body: order })), '401 authentication_required')
  assert.equal(short(await app.call('GET', path, { key: stranger })), '404 not_found')
  assert.equal(short(await app.call('GET', '/v1/payments/pay_nonsense', { key: reader })), '404 not_found')
  assert.equal((await app.call('GET', path, { key: reader })).status, 200)
  // Only our dashboards' origins may call these from a browser.
  const headers = { origin: 'https://shop.example' }
  const seen = await app.call('GET', path, { key: reader, headers })
  assert.equal(seen.headers.get('access-control-allow-origin'), null)
  const status = await app.call('GET', `${path}/status`, { headers })
  assert.equal(status.headers.get('access-control-allow-origin'), '*')
})

test('in live a payment needs a merchant that is verified and not suspended', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const { key } = await app.key(student, 'live')
  const made = await create(app, key)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  await app.settled(made.body.data.reference)
  const suspend = (at: string) =>
    app.owner.pool.query(
      `update merchants set suspended_at = ${at}, suspension_reason = 'x' where user_id = (select id from users where email = $1)`,
      [student.email],
    )
  await suspend('clock_now()')
  assert.equal(short(await create(app, key)), '403 merchant_suspended')
  await app.owner.pool.query(
    `update merchants set suspended_at = null, suspension_reason = null where user_id = (select id from users where email = $1)`,
    [student.email],
  )
  await setKycStatus(app.deps, student.email, 'rejected')
  assert.equal(short(await create(app, key)), '403 kyc_required')
  assert.equal((await app.call('GET', `/v1/payments/${made.body.data.reference}`, { key })).status, 403)
})

test('payments are found by reference, phone, network, metadata and status, by key and signed in alike', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const { key } = await app.key(student)
  const pay = async (fields: Record<string, unknown>) => {
    const { reference } = (await create(app, key, fields)).body.data
    await app.settled(reference)
    return reference as string
  }
  const first = await pay({ merchant_reference: 'A-1', metadata: { order: '1', shop: 'Kariakoo' } })
  const second = await pay({ merchant_reference: 'A-1', phone_number: '0784123049', metadata: { order: '2', shop: 'Kariakoo' } })
  const third = await pay({ merchant_reference: 'A-10', phone_number: '0754000789' })
  const list = async (query: string) => {
    const byKey = await app.call('GET', `/v1/payments?${query}`, { key })
    assert.equal(byKey.status, 200, `${query} ${JSON.stringify(byKey.body)}`)
    const signedIn = await app.call('GET', `/v1/merchant/payments?environment=test&${query}`, { token: student.token })
    assert.deepEqual(signedIn.body.data, byKey.body.data)
    return byKey.body.data.map(({ reference }: { reference: string }) => reference)
  }
  const encoded = encodeURIComponent('metadata[order]')
  const found: [string, string[]][] = [
    ['', [third, second, first]],
    ['merchant_reference=A-1', [second, first]],
    ['merchant_reference=A-1&status=completed', [first]],
    ['merchant_reference=a-1', []],
    ['metadata[order]=2', [second]],
    [`${encoded}=2`, [second]],
    ['metadata[shop]=Kariakoo', [second, first]],
    ['metadata[shop]=Kariakoo&metadata[order]=1', [first]],
    ['metadata[shop]=Mwenge', []],
    ['phone_number=0784123049', [second]],
    ['phone_number=%2B255754000789', [third]],
    ['network=airtel', [second]],
    ['q=A-1', [third, second, first]],
    ['q=0784123049&phone_number=0754000789', []],
  ]
  for (const [query, references] of found) assert.deepEqual(await list(query), references, query)
  for (const [query, field] of [
    ['metadata=1', 'metadata'],
    ['metadata[a b]=1', 'metadata.a b'],
    ['metadata[a]=1&metadata[a]=2', 'metadata.a'],
    ['metadata[a]=1&metadata=2', 'metadata'],
    ['colour[red]=1', 'colour'],
    ['metadata[__proto__]=x', 'metadata[__proto__]'],
    ['phone_number=12', 'phone_number'],
    ['merchant_reference=', 'merchant_reference'],
  ]) {
    const { status, body } = await app.call('GET', `/v1/payments?${query}`, { key })
    assert.deepEqual([status, body.error?.errors?.[0]?.field], [400, field], query)
  }
  const csv = await app.call('GET', '/v1/payments?merchant_reference=A-10', { key, headers: { accept: 'text/csv' } })
  const [header, line] = String(csv.body).trim().split('\r\n')
  assert.match(header!, /,description,merchant_reference,metadata,/)
  assert.match(line!, /,Order 1001,A-10,\{\},/)

  // Search by the whole reference, also for operators.
  const search = await app.call('GET', '/v1/merchant/search?environment=test&q=A-1', { token: student.token })
  assert.deepEqual(new Set(search.body.data.map(({ id }: { id: string }) => id)), new Set([first, second, third]))
  const admin = await app.admin()
  const console = await app.call('POST', '/v1/admin/search', { token: admin.token, body: { q: 'A-10' } })
  assert.deepEqual(
    console.body.data.map(({ id }: { id: string }) => id),
    [third],
  )
})

test('the webhook carries the merchant’s reference and data, and neither is left once the payer is erased', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const student = await app.student()
  const { key, appId } = await app.key(student)
  const bodies: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      bodies.push(body)
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  await app.call('POST', `/developers/apps/${appId}/webhook`, { token: student.token, body: { url } })
  const own = { merchant_reference: 'Zuberi "1"', metadata: { customer: 'Zuberi Kiboko', note: 'é' } }
  const made = await create(app, key, { ...own, description: 'Zuberi’s order', customer_name: 'Zuberi Kiboko' })
  const { reference } = made.body.data
  await app.settled(reference)
  await eventually('the webhook has arrived', () => bodies.length > 0)
  assert.ok(
    bodies[0]!.endsWith(',"merchant_reference":"Zuberi \\"1\\"","metadata":{"note":"é","customer":"Zuberi Kiboko"}}}'),
    bodies[0],
  )
  const { data } = JSON.parse(bodies[0]!) as { data: Record<string, unknown> }
  assert.deepEqual([data['reference'], data['metadata']], [reference, own.metadata])
  // A payment without any has only the fields of every payment.
  await app.settled((await create(app, key, { phone_number: '0754 124 789' })).body.data.reference)
  await eventually('the second webhook has arrived', () => bodies.length > 1)
  assert.deepEqual(Object.keys(JSON.parse(bodies[1]!).data), [
    'reference',
    'payment_page_id',
    'amount',
    'currency',
    'completed_at',
    'short_code',
    'status',
    'updated_at',
    'environment',
    'network_receipt',
  ])

  const listed = await app.call('GET', '/v1/events', { key })
  assert.deepEqual(
    listed.body.data.map(({ data }: any) => [data.merchant_reference, data.metadata]),
    [
      [undefined, undefined],
      [own.merchant_reference, own.metadata],
    ],
  )
  const exported = await exportPhone({ db: app.db, nowMs: 0 }, '+255754123789')
  assert.match(JSON.stringify(exported), /Zuberi’s order/)
  assert.match(JSON.stringify(exported), /"customer":\s*"Zuberi Kiboko"/)
  await erasePayer(app.deps, '+255754123789')
  const { rows } = await app.owner.pool.query(
    `select to_jsonb(p)::text || coalesce((select string_agg(e.data::text, '') from events e where e.payment_id = p.id), '') as all from payments p`,
  )
  assert.doesNotMatch(JSON.stringify(rows), /Zuberi/)
  const events = await app.call('GET', '/v1/events', { key })
  assert.equal(events.status, 200)
  assert.doesNotMatch(JSON.stringify(events.body), /Zuberi/)
})
