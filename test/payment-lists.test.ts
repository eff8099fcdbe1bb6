/**
 * A merchant's filtered and searched list of payments: the results of each filter, the content of its file, and its cost with a
 * long history.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { merchantOfUser } from '../server/identity/merchant.sql.ts'
import { listOwnerPayments, type OwnerPaymentFilter } from '../server/payments/owner-payment.sql.ts'
import { fromWire } from '../server/platform/ids.ts'
import { seedHistory } from '../server/merchant-account/history-fixture.ts'
import { startTestApp, type Student, type TestApp } from './app.ts'

const list = (app: TestApp, { token }: Student, query: string, headers: Record<string, string> = {}) =>
  app.call('GET', `/v1/merchant/payments?environment=test&${query}`, { token, headers })

test('payments are found by status, network, page, amount, day, reference, number and name, and the file contains the same', async (t) => {
  const app = await startTestApp(t)
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
    'reference,status,amount,currency,payment_page_id,payment_page_title,customer_name,customer_email,customer_phone_masked,network,failure_code,late,created_at,completed_at,amount_received,credit_reversed_at,description,merchant_reference,metadata,short_code,network_receipt,refunded_amount,refund_status',
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

test('a search without an index covers a limited number of rows, and continues with the cursor; one with an index finds its rows at once', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const [old, page] = [await app.page(student), await app.page(student)]
  await seedHistory(app, page.id, { count: 1000, amount: 500, firstAt: '2025-01-01T00:00:00.000Z', everySeconds: 60 })
  await app.owner.pool.query(
    `update payments set customer_name = 'Zawadi Kipekee', network = 'halotel' where phone_number = '+255754000100'`,
  )
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
