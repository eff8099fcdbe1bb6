/**
 * The operators' search by the details that people give them: a number, an id, a reference, the beginning of a name; no search
 * reads a whole table.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  findCasesByNumber,
  findMerchants,
  findPaymentsByPayerName,
  findPaymentsByPhone,
  findPaymentsByProviderReference,
} from '../server/operations/operators/search.sql.ts'
import { openShop, sentPayments } from './fixtures/payments.ts'
import { settlementOf } from '../server/collect/payments/settlement.ts'
import { sql, type Runner } from '../server/platform/db/db.ts'
import { fromWire, toWire } from '../server/platform/ids.ts'
import { report } from './fixtures/support.ts'
import { seedHistory } from './fixtures/history.ts'
import { registerBusiness } from './onboarding.ts'
import { startTestApp } from './app.ts'
import { createTestDatabase } from './databases.ts'

test('an operator finds people, businesses, payments, payouts and pages by any of their identifiers', async (t) => {
  const app = await startTestApp(t)
  const [admin, student, other] = [await app.admin(), await app.student(), await app.student()]
  const { key, keyId, appId } = await app.key(student)
  const business = await registerBusiness(app, other, { legal_name: 'Kilimo_Bora Ltd', email: 'Info@kilimo.example.com' })
  const slug = `harusi-${Date.now()}`
  const page = await app.page(student, { title: 'Harusi', slug, amount: 20_000 })
  const { reference } = (await app.checkout(page.slug, { phone_number: '+255754777789', customer_name: 'Neema' })).body.data
  await app.settled(reference)
  const payout = (
    await app.call('POST', '/v1/payouts', {
      key,
      headers: { 'idempotency-key': 'one' },
      body: { amount: 5000, phone_number: '+255784555123', recipient_name: 'Baraka' },
    })
  ).body.data.id
  const refund = (
    await app.call('POST', `/v1/payments/${reference}/refunds`, {
      key,
      headers: { 'idempotency-key': 'two' },
      body: { amount: 5000 },
    })
  ).body.data.id
  const [line] = (await app.call('GET', '/v1/transactions?type=payment', { key })).body.data
  const [event] = (await app.call('GET', '/v1/events?type=payment.completed', { key })).body.data
  const { rows } = await app.owner.pool.query('select provider_reference from provider_charges where payment_id = $1', [
    fromWire('pay', reference),
  ])
  const find = async (q: string): Promise<string[]> => {
    const { status, body } = await app.call('POST', '/v1/admin/search', { token: admin.token, body: { q } })
    assert.equal(status, 200, JSON.stringify(body))
    return body.data.map(({ type, id }: { type: string; id: string }) => `${type} ${id}`)
  }
  const person = `person ${student.userId}`
  const payment = `payment ${reference}`
  const company = `business ${business.id}`
  const found: [string, string[]][] = [
    [student.userId, [person]],
    [business.id, [company]],
    [student.email, [person]],
    [student.email.slice(0, 6).toUpperCase(), [person]],
    [student.phoneNumber, [person]],
    ['Neema', [payment]],
    ['nee', [payment]],
    ['eema', []],
    ['info@kilimo', [company]],
    ['kilimo_b', [company]],
    ['kilimo b', []],
    ['123-456-789', [company]],
    ['BRELA-123456', [company]],
    [reference, [payment]],
    ['0754 777 789', [payment, `payout po_${refund.slice(3)}`]],
    [rows[0].provider_reference, [payment]],
    [line.id, [payment]],
    [event.id, [payment]],
    [payout, [`payout ${payout}`]],
    ['255784555123', [`payout ${payout}`]],
    [refund, [`payout po_${refund.slice(3)}`]],
    ['rf_01jz8e6c9kf0x9v4m2n7q5t3ab', []],
    [page.id, [`payment_page ${page.id}`]],
    [slug, [`payment_page ${page.id}`]],
    [keyId, [person]],
    [appId, [person]],
    ['pay_01jz8e6c9kf0x9v4m2n7q5t3ab', []],
    ['%%', []],
    ["' or 1=1 --", []],
  ]
  for (const [q, results] of found) assert.deepEqual(await find(q), results, q)
  // The search says what it understood; if nothing was found, what the text may be.
  const ways: [string, string[]][] = [
    [reference, ['id']],
    ['0754 777 789', ['phone_number']],
    [(await app.call('GET', `/v1/payments/${reference}`, { key })).body.data.short_code, ['short_code']],
    [rows[0].provider_reference, ['provider_reference']],
    ['kilimo_b', ['merchant']],
    [slug, ['page_address']],
    ['0754 000 000', ['phone_number']],
    ['QX99ZZ88AA', ['network_receipt', 'reported_number', 'short_code', 'provider_reference', 'merchant_reference']],
    ['Nobody Such', ['merchant', 'payer_name']],
    ['neema', ['payer_name']],
  ]
  for (const [q, way] of ways) {
    const { body } = await app.call('POST', '/v1/admin/search', { token: admin.token, body: { q } })
    assert.deepEqual(body.understood_as, way, q)
  }
  const { body } = await app.call('POST', '/v1/admin/search', { token: admin.token, body: { q: reference } })
  assert.deepEqual(
    { ...body.data[0], created_at: '' },
    {
      type: 'payment',
      id: reference,
      found_by: 'id',
      title: 'Neema',
      detail: '0754 ••• 789',
      status: 'completed',
      environment: 'test',
      amount: 20_000,
      merchant: { id: student.userId, name: (await app.call('GET', '/v1/me', { token: student.token })).body.data.full_name },
      created_at: '',
    },
  )
  assert.equal((await app.call('POST', '/v1/admin/search', { token: admin.token, body: { q: 'a' } })).status, 400)
})

test('an operator finds a payment and its support case by what a payer reads out on the phone', async (t) => {
  const app = await startTestApp(t)
  const admin = await app.admin()
  const shop = await openShop(app)
  const [payment, other] = await sentPayments(app, shop, 2)
  const settle = async ({ home, id, providerKey }: NonNullable<typeof payment>, networkReceipt: string) => {
    const from = { home, paymentId: id, environment: 'test', provider: 'snippe', actor: 'test', requestId: 'req_test' } as const
    const paid = {
      reference: `ref-${providerKey}`,
      ourReference: null,
      status: 'completed',
      amount: 1500,
      currency: 'TZS',
    } as const
    const news = { ...paid, fee: 27, network: 'mpesa', failure: null, expiresAt: null, networkReceipt } as const
    assert.equal((await app.deps.settle(settlementOf(from, news, 20))).verdict, 'applied')
  }
  await settle(payment!, 'CK12-AB34.XY')
  await settle(other!, 'S99999999999')
  const [reference, second] = [toWire('pay', payment!.id), toWire('pay', other!.id)]
  const { rows } = await app.owner.pool.query('select short_code as code from payments where id = $1', [payment!.id])
  const { code } = rows[0]
  const path = await report(app, reference, 'ZZ98YY76AA', { phone: '0754 000 333' })
  const caseId = /case_[0-9a-z]{26}/.exec(path)![0]
  const find = async (q: string) => {
    const { status, body } = await app.call('POST', '/v1/admin/search', { token: admin.token, body: { q } })
    assert.equal(status, 200, JSON.stringify(body))
    return body.data.map(({ type, id, found_by }: Record<string, string>) => `${type} ${id} ${found_by}`)
  }
  const dearer = await app.page(await app.student(), { amount: 2_500 })
  const more = await app.checkout(dearer.slug, { phone_number: '0754000111', customer_name: 'Ng’ombe Juma' })
  const third = more.body.data.reference
  for (const [q, results] of [
    ['Nimelipa TSh 2,500 kutoka 0754 000 111 leo', [`payment ${third} phone_number`]],
    ['ngombe j', [`payment ${third} payer_name`]],
    ['CK12AB34XY', [`payment ${reference} network_receipt`]],
    ['ck12 ab34 xy', [`payment ${reference} network_receipt`]],
    ['12AB34', [`payment ${reference} network_receipt`]],
    [code, [`payment ${reference} short_code`]],
    [code.toLowerCase().replaceAll('-', ' '), [`payment ${reference} short_code`]],
    ['0754000111', [`payment ${third} phone_number`, `payment ${second} phone_number`, `payment ${reference} phone_number`]],
    [
      '+255 754 000 111',
      [`payment ${third} phone_number`, `payment ${second} phone_number`, `payment ${reference} phone_number`],
    ],
    ['ZZ98YY76AA', [`support_case ${caseId} reported_number`]],
    [' zz98 yy76-aa', [`support_case ${caseId} reported_number`]],
    ['ZZ98YY76AB', []],
    [caseId, [`support_case ${caseId} id`, `payment ${reference} id`]],
    ['case_01jz8e6c9kf0x9v4m2n7q5t3ab', []],
    ['0754000333', [`support_case ${caseId} phone_number`]],
    // Whole messages: by the number in them, else by the phone with the amount.
    [
      'ZZ98YY76AA Imethibitishwa. Tsh1,500.00 imetumwa kwa MWENGE tarehe 27/11/26 saa 9:32 PM.\nSalio Tsh900.00.',
      [`support_case ${caseId} reported_number`],
    ],
    ['Umelipa TSh 1,500 kwa MWENGE DUKA. Kumbukumbu: S99999999999. Salio TSh 20.', [`payment ${second} network_receipt`]],
    [`Habari, nimelipa leo asubuhi, kumbukumbu yangu ni ${reference} asante`, [`payment ${reference} id`]],
    ['Nimelipa TSh 1,500 kutoka 0754 000 111 leo', [`payment ${second} phone_number`, `payment ${reference} phone_number`]],
  ] as const) {
    assert.deepEqual((await find(q)).toSorted(), [...results].toSorted(), q)
  }
})

test('no search reads through a whole table', async (t) => {
  const app = await startTestApp(t, { database: await createTestDatabase({ plansAsInProduction: true }) })
  const page = await app.page(await app.student())
  const customerName = `'Payer ' || lpad(n::text, 5, '0')`
  await seedHistory(app, page.id, {
    count: 5000,
    amount: 500,
    firstAt: '2026-01-01T00:00:00.000Z',
    everySeconds: 60,
    customerName,
  })
  await app.owner.pool.query(`
    insert into users (id, full_name, email, phone_number, password_hash, student_id, institution)
    select gen_random_uuid(), 'Person ' || n, 'person' || n || '@example.com', '+2557140' || lpad(n::text, 5, '0'), 'x', 's' || n, 'UDSM'
    from generate_series(1, 5000) n`)
  await app.owner.pool.query(`
    insert into merchants (id, home, kind, user_id, display_name) select id, 1, 'personal', id, full_name from users on conflict do nothing`)
  await app.owner.pool.query(`
    insert into support_cases (home, id, payment_id, merchant_id, environment, sms_number, payer_language, request_id)
    select home, gen_random_uuid(), id, merchant_id, environment, 'S' || lpad(row_number() over ()::text, 5, '0'), 'sw', 'req_test' from payments`)
  await app.owner.pool.query('analyze users, merchants, payments, provider_references, support_cases')
  const rowsRead = (work: (db: Runner) => Promise<unknown>): Promise<number> =>
    app.db.snapshot(async (db) => {
      const count = async () => {
        const [counted] = await db.rows<{ count: number }>(sql`
          select sum(seq_tup_read + idx_tup_fetch)::integer as count from pg_stat_xact_all_tables
          where relname in ('users', 'merchants', 'businesses', 'payments', 'provider_references', 'support_cases')`)
        return counted!.count
      }
      const before = await count()
      await work(db)
      return (await count()) - before
    })
  const searches: [string, (db: Runner) => Promise<unknown>][] = [
    ['an e-mail', (db) => findMerchants(db, { text: 'person4999@', phoneNumber: null, limit: 10 })],
    ['a name', (db) => findMerchants(db, { text: 'person 4999', phoneNumber: null, limit: 10 })],
    ['a payer’s name', (db) => findPaymentsByPayerName(db, 'payer 04999', 10)],
    ['a phone', (db) => findPaymentsByPhone(db, '+255754000777', 10)],
    ['a number in a case', (db) => findCasesByNumber(db, 'S04999', 10)],
    ['a reference', (db) => findPaymentsByProviderReference(db, ['snippe', 'clickpesa'], 'SN_1')],
  ]
  for (const [name, search] of searches) {
    // PostgreSQL replans a statement for its first few values only; later it may use one plan for all values.
    for (let turn = 0; turn < 8; turn += 1) await search(app.db)
    const rows = await rowsRead(search)
    assert.ok(rows < 100, `${name}: ${rows} rows were read`)
  }
})
