/**
 * A merchant's filtered and searched list of payments: the results of each filter, the content of its file, and its cost with a
 * long history.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { merchantOfUser } from '../server/accounts/identity/merchant.sql.ts'
import { listOwnerPayments, type OwnerPaymentFilter, type PaymentsPlace } from '../server/collect/payments/owner-payment.sql.ts'
import { fromWire } from '../server/platform/ids.ts'
import { seedHistory } from './fixtures/history.ts'
import { share, startTestApp, type Student, type TestApp } from './app.ts'

const sharedApp = share((ending) => startTestApp(ending))

const list = (app: TestApp, { token }: Student, query: string, headers: Record<string, string> = {}) =>
  app.call('GET', `/v1/merchant/payments?environment=test&${query}`, { token, headers })

test('payments are found by status, network, page, amount, day, reference, number and name, and the file contains the same', async () => {
  const app = await sharedApp()
  const [student, stranger] = [await app.student({ home: 7 }), await app.student({ home: 7 })]
  const [chai, event] = [await app.page(student), await app.page(student, { amount: 9000, title: '=Mkutano' })]
  const theirs = await app.page(stranger)
  const pay = async (slug: string, phone: string, name: string) => {
    const { reference } = (await app.checkout(slug, { phone_number: phone, customer_name: name })).body.data
    await app.settled(reference)
    return reference as string
  }
  const asha = await pay(chai.slug, '+255754123789', 'Asha Mushi')
  const baraka = await pay(chai.slug, '+255784123049', 'Baraka Juma')
  const neema = await pay(event.slug, '+255714123789', 'Neema Asha')
  const other = await pay(theirs.slug, '+255754123789', 'Asha Mushi')

  const references = async (query: string, who = student): Promise<string[]> => {
    const { status, body } = await list(app, who, query)
    assert.equal(status, 200, JSON.stringify(body))
    const file = await list(app, who, query, { accept: 'text/csv' })
    const lines = String(file.body).trimEnd().split('\r\n').slice(1)
    const found = body.data.map(({ reference }: { reference: string }) => reference)
    assert.deepEqual(
      lines.map((line) => line.split(',')[0]),
      found,
      `the file of ${query}`,
    )
    return found
  }
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
  const found: [string, string[]][] = [
    ['', [neema, baraka, asha]],
    ['status=failed', [baraka]],
    ['network=airtel', [baraka]],
    ['network=mixx&status=completed', [neema]],
    [`payment_page_id=${chai.id}`, [baraka, asha]],
    [`payment_page_id=${theirs.id}`, []],
    ['min_amount=1501', [neema]],
    ['max_amount=1500&status=completed', [asha]],
    [`created_from=${tomorrow}`, []],
    [`q=${asha}`, [asha]],
    [`q=${other}`, []],
    ['q=0754%20123%20789', [asha]],
    ['q=0714', [neema]],
    ['q=049', [baraka]],
    ['q=asha', [neema, asha]],
    ['q=ASHA%20M', [asha]],
    ['q=juma@example', [neema, baraka, asha]],
    ['q=%25%25', []],
    [`q=asha&payment_page_id=${event.id}`, [neema]],
  ]
  for (const [query, expected] of found) {
    assert.deepEqual(await references(query), expected, query)
  }
  assert.deepEqual(await references('q=asha', stranger), [other])
  const file = String((await list(app, student, 'q=0714', { accept: 'text/csv' })).body)
  const [header, line] = file.split('\r\n')
  assert.equal(
    header,
    'reference,status,amount,currency,payment_page_id,payment_page_title,customer_name,customer_email,customer_phone_masked,network,failure_code,late,created_at,completed_at,amount_received,credit_reversed_at,description,merchant_reference,metadata,short_code,network_receipt,refunded_amount,refund_status,payment_request_id,custom_fields',
  )
  assert.ok(
    line!.startsWith(`${neema},completed,9000,TZS,${event.id},'=Mkutano,Neema Asha,juma@example.com,0714 ••• 789,mixx,,false,`),
  )
  for (const [query, field] of [
    ['network=ttcl', 'network'],
    ['q=a', 'q'],
    ['q=a%00b', 'q'],
  ]) {
    const { status, body } = await list(app, student, query!)
    assert.deepEqual([status, body.error.param], [400, field])
  }

  const detail = async (reference: string) =>
    (await app.call('GET', `/v1/merchant/payments/${reference}?environment=test`, { token: student.token })).body.data
  const paid = await detail(asha)
  assert.deepEqual([paid.fee, paid.net], [0, 1500])
  assert.match(paid.network_receipt, /^S\d+$/)
  const failed = await detail(baraka)
  assert.deepEqual([failed.fee, failed.net, failed.network_receipt], [null, null, null])
})

test('a search without an index covers a limited number of rows, and continues with the cursor; one with an index finds its rows at once', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const [old, page] = [await app.page(student), await app.page(student)]
  await seedHistory(app, page.id, {
    count: 1000,
    amount: 500,
    firstAt: '2025-01-01T00:00:00.000Z',
    everySeconds: 60,
    customerName: `case n when 100 then 'Zawadi Kipekee' else 'Payer ' || n end`,
  })
  await app.owner.pool.query(`update payments set network = 'halotel' where phone_number = '+255754000100'`)
  await app.settled((await app.checkout(old.slug, { phone_number: '+255754999789' })).body.data.reference)
  const merchant = (await merchantOfUser(app.db, fromWire('usr', student.userId)!))!
  const owner = { merchant, environment: 'test' as const }
  const look = (filter: OwnerPaymentFilter, range: { after?: { createdAt: string; id: string }; among: number }) =>
    listOwnerPayments(app.db, owner, filter, { limit: 20, ...range })
  const first = await look({ network: 'halotel' }, { among: 600 })
  assert.deepEqual([first.payments.length, first.hasMore], [0, true])
  const after = { createdAt: first.last!.createdAt.toISOString(), id: first.last!.id }
  const second = await look({ network: 'halotel' }, { among: 600, after })
  assert.deepEqual([second.payments.map(({ customerName }) => customerName), second.hasMore], [['Zawadi Kipekee'], false])
  // A row that an index leads to is found at any position.
  assert.equal((await look({ phoneNumber: '+255754000100' }, { among: 10 })).payments.length, 1)
  assert.equal((await look({ pageId: fromWire('page', old.id)! }, { among: 10 })).payments.length, 1)
})

test('the payments of a payment request are listed by its id, and in the file', async () => {
  const app = await sharedApp()
  const [student, stranger] = [await app.student(), await app.student()]
  const page = await app.page(student)
  const open = async ({ token }: Student, title: string) =>
    (await app.call('POST', '/v1/merchant/payment-requests?environment=test', { token, body: { amount: 2500, title } })).body.data
  const [request, unpaid, theirs] = [await open(student, 'A'), await open(student, 'B'), await open(stranger, 'C')]
  const pay = async (slug: string, phone_number: string) => {
    const { reference } = (await app.checkout(slug, { phone_number })).body.data
    await app.settled(reference)
    return reference as string
  }
  const slugOf = ({ url }: { url: string }) => url.split('/pay/')[1]!
  const failed = await pay(slugOf(request), '0754123049')
  const paid = await pay(slugOf(request), '0754123789')
  await pay(slugOf(theirs), '0754124789')
  await pay(page.slug, '0754125789')
  const { key } = await app.key(student)
  const found: [string, string[]][] = [
    [`payment_request_id=${request.id}`, [paid, failed]],
    [`payment_request_id=${request.id}&status=failed`, [failed]],
    [`payment_request_id=${unpaid.id}`, []],
    [`payment_request_id=${theirs.id}`, []],
    [`payment_request_id=${page.id.replace('page_', 'preq_')}`, []],
    [`payment_request_id=${request.id}&payment_page_id=${page.id}`, []],
  ]
  for (const [query, expected] of found) {
    const { body } = await app.call('GET', `/v1/payments?${query}`, { key })
    assert.deepEqual(
      body.data.map(({ reference }: { reference: string }) => reference),
      expected,
      query,
    )
    const file = await app.call('GET', `/v1/payments?${query}`, { key, headers: { accept: 'text/csv' } })
    const [header, ...lines] = String(file.body).trimEnd().split('\r\n')
    const place = header!.split(',').indexOf('payment_request_id')
    assert.deepEqual(
      lines.map((line) => [line.split(',')[0], line.split(',')[place]]),
      expected.map((reference) => [reference, request.id]),
    )
  }
  for (const id of ['preq_1', page.id]) {
    const { status, body } = await app.call('GET', `/v1/payments?payment_request_id=${id}`, { key })
    assert.deepEqual([status, body.error.param], [400, 'payment_request_id'])
  }
})

test('a search gives the payments of a code together with those of a name or an order number that looks like one', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const page = await app.page(student)
  const { key } = await app.key(student)
  const { data: coded } = (await app.checkout(page.slug)).body
  const part = coded.short_code.replaceAll('-', '').slice(1, 7) as string
  const named = (await app.checkout(page.slug, { phone_number: '0754123788', customer_name: `Asha ${part}` })).body.data
  const order = async (merchant_reference: string, phone_number: string) =>
    (
      await app.call('POST', '/v1/payments', {
        key,
        headers: { 'idempotency-key': merchant_reference },
        body: { amount: 5000, phone_number, description: 'Order', merchant_reference },
      })
    ).body.data
  const ordered = await order(`ORD-${part}`, '0754123787')
  const exact = await order(part, '0754123786')
  const dialled = await order('0754123788', '0754123785')
  const references = async (q: string) =>
    (await list(app, student, `q=${encodeURIComponent(q)}`)).body.data.map(({ reference }: { reference: string }) => reference)
  assert.deepEqual(
    await references(part.toLowerCase()),
    [exact, ordered, named, coded].map(({ reference }) => reference),
  )
  assert.deepEqual(await references(coded.short_code), [coded.reference])
  assert.deepEqual(
    await references('0754123788'),
    [dialled, named].map(({ reference }) => reference),
  )
})

test('named payments of any age are found once, however far each answer searches', async () => {
  const app = await sharedApp()
  const student = await app.student({ home: 7 })
  const page = await app.page(student)
  await seedHistory(app, page.id, { count: 300, amount: 500, firstAt: '2025-01-01T00:00:00.000Z', everySeconds: 60 })
  const merchant = (await merchantOfUser(app.db, fromWire('usr', student.userId)!))!
  const owner = { merchant, environment: 'test' as const }
  const { rows } = await app.owner.pool.query<{ id: string; name: string }>(
    'select id, customer_name as name from payments where merchant_id = $1 order by created_at desc, id desc',
    [merchant.id],
  )
  const idOf = new Map(rows.map(({ id, name }) => [name, id]))
  // Some of them have the text too.
  const named = [2, 3, 11, 70, 150, 299, 300].map((n) => idOf.get(`Payer ${n}`)!)
  const expected = new Set([...named, ...rows.filter(({ name }) => name.includes('Payer 11')).map(({ id }) => id)])
  for (const [limit, among] of [
    [1, 50],
    [2, 60],
    [5, 100],
    [20, 40],
    [20, 1000],
  ] as const) {
    const found: string[] = []
    let [last, isMore]: [PaymentsPlace | undefined, boolean] = [undefined, true]
    for (let turn = 0; isMore; turn += 1) {
      assert.ok(turn < 100)
      const after: { createdAt: string; id: string } | undefined = last && {
        createdAt: last.createdAt.toISOString(),
        id: last.id,
      }
      const filter = { search: { text: 'payer 11', named } }
      const answer = await listOwnerPayments(app.db, owner, filter, {
        limit,
        among,
        after,
        areNamedShown: last?.areNamedShown,
      })
      assert.ok(answer.payments.length <= limit)
      found.push(...answer.payments.map(({ id }) => id))
      ;({ last, hasMore: isMore } = answer)
    }
    assert.equal(found.length, expected.size, `${limit} of ${among}`)
    assert.deepEqual(new Set(found), expected, `${limit} of ${among}`)
  }
  // An answer with space for all of them shows the oldest, too.
  const first = await listOwnerPayments(app.db, owner, { search: { text: 'nobody', named } }, { limit: 20, among: 10 })
  assert.deepEqual(
    first.payments.map(({ id }) => id),
    rows.map(({ id }) => id).filter((id) => named.includes(id)),
  )
})
