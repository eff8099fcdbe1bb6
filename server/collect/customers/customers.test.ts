/** Customers over real HTTP: totals that equal the ledger whatever the order of settling and counting, and numbers that only some see. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { eventually, share, startTestApp, type Student, type TestApp } from '../../../test/app.ts'
import { addMember, verifiedBusiness } from '../../../test/members.ts'
import { erasePayer } from '../../operations/data-lifecycle/erase-payer.ts'
import { exportPhone } from '../../operations/data-lifecycle/export-person.ts'
import { findMerchantByWire } from '../../accounts/identity/merchant.sql.ts'
import { settlementOf } from '../payments/settlement.ts'
import { paidStudent } from '../../../test/fixtures/payouts.ts'
import { fromWire, homeOfId } from '../../platform/ids.ts'
import { countBehind } from './count-customers.ts'
import { countLines } from './customer.sql.ts'

const sharedApp = share((ending) => startTestApp(ending))

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads into answers freely
type Json = any

/** A completed payment from this phone. */
async function paid(app: TestApp, slug: string, phone: string, fields: Record<string, unknown> = {}): Promise<string> {
  const { body, status } = await app.checkout(slug, { phone_number: phone, idempotency_key: randomUUID(), ...fields })
  assert.equal(status, 201, JSON.stringify(body))
  assert.equal((await app.settled(body.data.reference)).status, 'completed')
  return body.data.reference
}

const customersOf = async (app: TestApp, { token }: Student, query = ''): Promise<Json> => {
  const { body, status } = await app.call('GET', `/v1/merchant/customers?environment=test${query}`, { token })
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

test('customers are the phones that paid, those who paid last first, with totals of completed payments only', async () => {
  const app = await sharedApp()
  const student = await app.student({ home: 7 })
  const page = await app.page(student, { amount: null, allow_custom_amount: true })
  await paid(app, page.slug, '0754000789', { amount: 2_000, customer_name: 'Asha Mushi' })
  await paid(app, page.slug, '0754111789', { amount: 5_000, customer_name: 'Baraka Ally' })
  await paid(app, page.slug, '0754000789', { amount: 1_500, customer_name: 'Asha M. Mushi' })
  const failed = await app.checkout(page.slug, { amount: 900, phone_number: '0754222049', idempotency_key: randomUUID() })
  assert.equal((await app.settled(failed.body.data.reference)).status, 'failed')

  const { data, counting, has_more } = await customersOf(app, student)
  assert.deepEqual([counting, has_more], [false, false])
  const short = data.map((one: Json) => [
    one.name,
    one.phone_masked,
    one.network,
    one.paid_count,
    one.paid_total,
    one.refunded_total,
  ])
  assert.deepEqual(short, [
    ['Asha M. Mushi', '0754 ••• 789', 'mpesa', 2, 3_500, 0],
    ['Baraka Ally', '0754 ••• 789', 'mpesa', 1, 5_000, 0],
  ])
  assert.ok(data[0].first_paid_at < data[0].last_paid_at)
  assert.ok(!JSON.stringify(data).includes('754000789'))

  // Read again: nothing is counted twice.
  assert.deepEqual((await customersOf(app, student)).data, data)
  const found = async (q: string): Promise<string[]> =>
    (await customersOf(app, student, `&q=${encodeURIComponent(q)}`)).data.map((one: Json) => one.name)
  assert.deepEqual(await found('baraka'), ['Baraka Ally'])
  assert.deepEqual(await found('0754 000 789'), ['Asha M. Mushi'])
  assert.deepEqual(await found('0754111'), ['Baraka Ally'])
  assert.deepEqual(await found('100%'), [])

  const first = await customersOf(app, student, '&limit=1')
  assert.equal(first.has_more, true)
  const second = await customersOf(app, student, `&limit=1&cursor=${first.next_cursor}`)
  assert.deepEqual([second.data[0].name, second.has_more], ['Baraka Ally', false])

  // A customer's payments are those of this phone, in every status.
  const [asha] = data
  const { token } = student
  const path = `/v1/merchant/customers/${asha.id}`
  assert.deepEqual((await app.call('GET', `${path}?environment=test`, { token })).body.data, asha)
  const payments = await app.call('GET', `${path}/payments?environment=test`, { token })
  assert.deepEqual(
    payments.body.data.map((one: Json) => [one.amount, one.customer.name]),
    [
      [1_500, 'Asha M. Mushi'],
      [2_000, 'Asha Mushi'],
    ],
  )

  // Another merchant, and the same one in live, do not have this customer.
  // Of the same home: only the owner filter keeps them apart.
  const stranger = await app.student({ home: 7 })
  for (const one of ['', '/payments'])
    assert.equal((await app.call('GET', `${path}${one}?environment=test`, { token: stranger.token })).status, 404)
  assert.equal((await app.call('POST', `${path}/payer?environment=test`, { token: stranger.token })).status, 404)
  assert.equal((await app.call('GET', `${path}?environment=live`, { token })).status, 404)
  assert.deepEqual((await customersOf(app, stranger)).data, [])
  assert.equal((await app.call('GET', '/v1/merchant/customers?environment=test')).status, 401)
})

test('refunds show beside the total, and a refund that failed is taken back', async () => {
  const app = await sharedApp()
  const student = await paidStudent(app)
  const page = await app.page(student, { amount: 30_000 })
  const reference = await paid(app, page.slug, '0754000789')
  const failing = await paid(app, page.slug, '0754000419')
  const refund = async (payment: string, amount: number): Promise<string> => {
    const headers = { 'idempotency-key': randomUUID() }
    const answer = await app.call('POST', `/v1/payments/${payment}/refunds`, { key: student.key, headers, body: { amount } })
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    return answer.body.data.id
  }
  const refundedTotal = async (phone: string): Promise<Json> =>
    (await customersOf(app, student, `&q=${phone}`)).data[0].refunded_total
  await refund(reference, 10_000)
  assert.equal(await refundedTotal('0754000789'), 10_000)
  const { body } = await app.call('GET', `/v1/payments/${reference}`, { key: student.key })
  assert.equal(body.data.refunded_amount, 10_000)

  const id = await refund(failing, 20_000)
  await eventually('the refund has failed', async () => {
    const answer = await app.call('GET', `/v1/refunds/${id}`, { key: student.key })
    return answer.body.data.status === 'failed'
  })
  assert.equal(await refundedTotal('0754000419'), 0)
})

test('a member sees the whole number by a call that the activity records; a key and a cashier do not', async () => {
  const app = await sharedApp()
  const [owner, admin] = [await app.student(), await app.admin()]
  const businessId = await verifiedBusiness(app, owner, admin)
  const at = `environment=test&business_id=${businessId}`
  const made = await app.call('POST', `/v1/merchant/payment-pages?${at}`, {
    token: owner.token,
    body: { type: 'payment', title: 'Chai', amount: 2_000 },
  })
  const reference = await paid(app, made.body.data.slug, '0754000789', { customer_name: 'Asha Mushi' })
  const accountant = await app.student()
  await addMember(app, owner, businessId, accountant, 'accountant')
  const cashier = await app.student()
  await addMember(app, owner, businessId, cashier, 'cashier')

  const show = (token: string, path: string) => app.call('POST', `/v1/merchant/${path}/payer?${at}`, { token })
  const list = await app.call('GET', `/v1/merchant/customers?${at}`, { token: accountant.token })
  const [customer] = list.body.data
  const shown = await show(accountant.token, `payments/${reference}`)
  assert.equal(shown.status, 200, JSON.stringify(shown.body))
  assert.equal(shown.headers.get('cache-control'), 'no-store')
  assert.deepEqual([shown.body.data.phone_number, shown.body.data.name], ['+255754000789', 'Asha Mushi'])
  const shownCustomer = await show(accountant.token, `customers/${customer.id}`)
  assert.deepEqual(shownCustomer.body.data, { phone_number: '+255754000789', name: 'Asha Mushi', email: null })
  for (const path of [`payments/${reference}`, `customers/${customer.id}`]) {
    const refused = await show(cashier.token, path)
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'insufficient_role'])
  }
  assert.equal((await app.call('GET', `/v1/merchant/customers?${at}`, { token: cashier.token })).status, 403)
  const stranger = await app.student()
  assert.equal(
    (await app.call('POST', `/v1/merchant/payments/${reference}/payer?environment=test`, { token: stranger.token })).status,
    404,
  )

  const { body } = await app.call('GET', `/v1/businesses/${businessId}/activity`, { token: owner.token })
  const entries = body.data.filter((one: Json) => one.action === 'payer.revealed')
  assert.deepEqual(
    entries.map((one: Json) => [one.actor.type, one.object]),
    [
      ['user', customer.id],
      ['user', reference],
    ],
  )
  assert.ok(!JSON.stringify(entries).includes('754000'))
})

test('a person reads 30 numbers in an hour, and the next call is refused before anything is read', async (t) => {
  const app = await startTestApp(t, { settings: { RATE_LIMIT_QUOTAS: 'payer-reveal=2/3600' } })
  const student = await app.student()
  const reference = await paid(app, (await app.page(student)).slug, '0754000789')
  const show = () => app.call('POST', `/v1/merchant/payments/${reference}/payer?environment=test`, { token: student.token })
  assert.deepEqual([(await show()).status, (await show()).status], [200, 200])
  const refused = await show()
  assert.deepEqual([refused.status, refused.body.error.code], [429, 'rate_limited'])
  const { rows } = await app.owner.pool.query("select count(*)::integer as count from audit_log where action = 'payer.revealed'")
  assert.equal(rows[0].count, 2)
})

test('payments that settled before the list was first read are counted, and many readers at once count them once', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const page = await app.page(student, { amount: 1_000 })
  for (let time = 0; time < 5; time += 1) await paid(app, page.slug, `075400${time}789`)
  const lists = await Promise.all(Array.from({ length: 6 }, () => customersOf(app, student)))
  for (const { data } of lists) assert.equal(data.length, 5)
  await paid(app, page.slug, '0754000789')
  const { data } = await customersOf(app, student)
  assert.deepEqual([data[0].paid_count, data[0].paid_total], [2, 2_000])
})

test('a count waits for another one of the same wallet, so that a later line is counted once, too', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const page = await app.page(student, { amount: 1_000 })
  await paid(app, page.slug, '0754000789')
  await customersOf(app, student)
  await paid(app, page.slug, '0754000789')
  const merchant = (await findMerchantByWire(app.deps.db, `usr_${student.userId.slice(4)}`))!
  const wallet = { home: merchant.home, merchantId: merchant.id, environment: 'test' as const }
  const [counted, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const first = app.deps.db.tx(async (tx) => {
    await countLines(tx, wallet, 100)
    counted.resolve()
    await release.promise
  })
  await counted.promise
  const second = app.deps.db.tx((tx) => countLines(tx, wallet, 100))
  await eventually('the second count waits', async () => {
    const { rows } = await app.owner.pool.query('select from pg_locks where not granted')
    return rows.length > 0
  })
  release.resolve()
  await Promise.all([first, second])
  const [customer] = (await customersOf(app, student)).data
  assert.deepEqual([customer.paid_count, customer.paid_total], [2, 2_000])
})

test('the worker continues a count that a reader has left', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const page = await app.page(student, { amount: 1_000 })
  for (let time = 0; time < 3; time += 1) await paid(app, page.slug, `075400${time}789`)
  const merchant = (await findMerchantByWire(app.deps.db, `usr_${student.userId.slice(4)}`))!
  const wallet = { home: merchant.home, merchantId: merchant.id, environment: 'test' as const }
  assert.equal(await app.deps.db.tx((tx) => countLines(tx, wallet, 1)), true)
  assert.equal(await countBehind(app.deps, 10), 1)
  assert.equal(await countBehind(app.deps, 10), 0)
  const { rows } = await app.owner.pool.query('select sum(paid_count)::integer as paid from customers')
  assert.equal(rows[0].paid, 3)
})

test('an erased payer loses number and name in the customers; the totals stay', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const page = await app.page(student, { amount: 1_000 })
  await paid(app, page.slug, '0754000789', { customer_name: 'Asha Mushi' })
  const [before] = (await customersOf(app, student)).data
  const exported = await exportPhone({ db: app.deps.db, nowMs: 0 }, '+255754000789')
  assert.equal(exported.data['customers']![0]!['paid_total'], 1_000)
  // Not counted yet when the payer is erased: it is counted under the pseudonym.
  await paid(app, page.slug, '0754000789', { customer_name: 'Asha Mushi' })
  const { pseudonym } = await erasePayer(app.deps, '+255754000789')
  const [after] = (await customersOf(app, student)).data
  assert.equal(after.id, before.id)
  assert.deepEqual([after.paid_count, after.paid_total, after.name], [2, 2_000, pseudonym])
  assert.ok(!JSON.stringify(after).includes('789'))
  const shown = await app.call('POST', `/v1/merchant/customers/${after.id}/payer?environment=test`, { token: student.token })
  assert.deepEqual(shown.body.data, { phone_number: null, name: null, email: null })
})

test('a payment that succeeds after it had failed is counted once', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const page = await app.page(student, { amount: 1_500 })
  const { body } = await app.checkout(page.slug, { phone_number: '0754000111' })
  const id = fromWire('pay', body.data.reference)!
  const { rows } = await app.owner.pool.query('select provider_reference from provider_charges where payment_id = $1', [id])
  const source = {
    home: homeOfId(id),
    paymentId: id,
    environment: 'test',
    provider: 'snippe',
    actor: 'test',
    requestId: 'r',
  } as const
  const news = (status: 'failed' | 'completed') =>
    settlementOf(
      source,
      {
        reference: rows[0].provider_reference,
        ourReference: null,
        status,
        amount: 1_500,
        currency: 'TZS',
        fee: 27,
        network: 'mpesa',
        failure: status === 'failed' ? { code: 'wrong_pin', text: 'Wrong PIN' } : null,
        expiresAt: null,
      },
      20,
    )
  assert.equal((await app.deps.settle(news('failed'))).verdict, 'applied')
  assert.deepEqual((await customersOf(app, student)).data, [])
  assert.equal((await app.deps.settle(news('completed'))).isLate, true)
  await app.deps.settle(news('completed'))
  const { data } = await customersOf(app, student)
  assert.deepEqual([data.length, data[0].paid_count, data[0].paid_total], [1, 1, 1_500])
})
