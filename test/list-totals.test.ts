/** The totals of filtered lists: of everything that fits, by day, and never of a part that they do not name. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { merchantOfUser } from '../server/accounts/identity/merchant.sql.ts'
import { seedHistory } from './fixtures/history.ts'
import { countOwnerPayments, type OwnerPaymentFilter } from '../server/collect/payments/owner-payment.sql.ts'
import { countPayouts } from '../server/pay-out/payouts/payout.sql.ts'
import { ask, ended, paidStudent, type Fields } from './fixtures/payouts.ts'
import { totalsToJson } from '../server/platform/http/list-totals.ts'
import { fromWire } from '../server/platform/ids.ts'
import { share, startTestApp, type Student, type TestApp } from './app.ts'

const sharedApp = share((ending) => startTestApp(ending))

const totals = async (app: TestApp, { token }: Student, list: 'payments' | 'payouts', query = '') => {
  const { status, body } = await app.call('GET', `/v1/merchant/${list}/totals?environment=test&${query}`, { token })
  assert.equal(status, 200, JSON.stringify(body))
  return body.data
}

const today = () => new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 10)

test('the totals of payments are those of every payment that fits, on all pages, by the day in Tanzania', async () => {
  const app = await sharedApp()
  const [student, stranger] = [await app.student({ home: 7 }), await app.student({ home: 7 })]
  const [page, theirs] = [await app.page(student), await app.page(stranger)]
  // The first is still on 31 December in London.
  await seedHistory(app, page.id, { count: 60, amount: 500, firstAt: '2025-12-31T21:00:00.000Z', everySeconds: 43_200 })
  const pay = async (slug: string, phone_number: string) => {
    const { data } = (await app.checkout(slug, { phone_number, customer_name: 'Asha Mushi' })).body
    await app.settled(data.reference)
    return data
  }
  const paid = await pay(page.slug, '0754123789')
  await pay(page.slug, '0754123049')
  await pay(theirs.slug, '0754123789')

  const all = await totals(app, student, 'payments')
  assert.deepEqual([all.count, all.completed_count, all.completed_amount, all.counted_after], [62, 61, 60 * 500 + 1500, null])
  assert.deepEqual(all.days[0], { day: today(), count: 2, completed_count: 1, completed_amount: 1500 })
  assert.deepEqual([all.days[1].day, all.days.at(-1).day, all.days.length], ['2026-01-30', '2026-01-01', 31])
  const ofFirst = { day: '2026-01-01', count: 2, completed_count: 2, completed_amount: 1000 }
  assert.deepEqual((await totals(app, student, 'payments', 'days_to=2026-01-01')).days, [ofFirst])
  const figures = async (query: string) => {
    const { count, completed_count, completed_amount } = await totals(app, student, 'payments', query)
    return [count, completed_count, completed_amount]
  }
  const day = 'created_from=2026-01-01T00:00:00%2B03:00&created_to=2026-01-02T00:00:00%2B03:00'
  const expected: [string, number[]][] = [
    [day, [2, 2, 1000]],
    ['status=failed', [1, 0, 0]],
    ['status=voided', [0, 0, 0]],
    ['q=asha', [2, 1, 1500]],
    [`q=${paid.short_code}`, [1, 1, 1500]],
    [`q=${paid.reference}`, [1, 1, 1500]],
    ['min_amount=501', [2, 1, 1500]],
    [`payment_page_id=${page.id}&network=halotel`, [0, 0, 0]],
    [`payment_page_id=${theirs.id}`, [0, 0, 0]],
  ]
  for (const [query, wanted] of expected) assert.deepEqual(await figures(query), wanted, query)
  // Money that the provider has shown to be unpaid is not money that was received.
  await app.owner.pool.query('update payments set credit_reversed_at = clock_now() where id = $1', [
    fromWire('pay', paid.reference),
  ])
  assert.deepEqual(await figures('q=asha'), [2, 0, 0])
  await app.owner.pool.query('update payments set credit_reversed_at = null where id = $1', [fromWire('pay', paid.reference)])
  for (const [query, field] of [
    ['limit=5', 'limit'],
    ['cursor=x', 'cursor'],
    ['days_to=yesterday', 'days_to'],
    ['q=a', 'q'],
  ]) {
    const { status, body } = await app.call('GET', `/v1/merchant/payments/totals?${query}`, { token: student.token })
    assert.deepEqual([status, body.error.param], [400, field])
  }
  assert.equal((await app.call('GET', '/v1/merchant/payments/totals')).status, 401)
})

test('totals that reach the limit say from when they count, and leave out the day that is cut', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const page = await app.page(student)
  await seedHistory(app, page.id, { count: 10, amount: 500, firstAt: '2025-12-31T21:00:00.000Z', everySeconds: 43_200 })
  const merchant = (await merchantOfUser(app.db, fromWire('usr', student.userId)!))!
  const owner = { merchant, environment: 'test' as const }
  const count = async (filter: OwnerPaymentFilter, among: number) => {
    const { days, after } = await countOwnerPayments(app.db, owner, filter, { among })
    return totalsToJson(days, after, undefined)
  }
  // Two a day: the fifth is the first of its day that is counted.
  const cut = await count({}, 5)
  assert.deepEqual([cut.count, cut.completed_amount, cut.counted_after], [5, 2500, '2026-01-02T21:00:00.000Z'])
  assert.deepEqual(
    cut.days.map(({ day, count: payments }) => [day, payments]),
    [
      ['2026-01-05', 2],
      ['2026-01-04', 2],
    ],
  )
  assert.deepEqual([(await count({}, 10)).counted_after, (await count({}, 10)).days.length], [null, 5])
  const none = await count({ search: { text: 'nobody' } }, 5)
  assert.deepEqual([none.count, none.days, none.counted_after], [0, [], '2026-01-02T21:00:00.000Z'])
})

test('the totals of payouts are those of every payout that fits', async () => {
  const app = await sharedApp()
  const [student, stranger] = [await paidStudent(app, 1_000_000), await paidStudent(app)]
  const pay = async (fields: Fields, status = 'completed', { key } = student) => {
    const { body } = await ask(app, key, fields)
    await ended(app, key, body.data.id, status)
  }
  await pay({ recipient_name: 'Asha Mushi', amount: 20_000 })
  await pay({ recipient_name: 'Juma Ally', amount: 30_000, reference: 'Mshahara' })
  await pay({ recipient_name: 'Juma Ally', amount: 40_000, phone_number: '+255754000089' }, 'failed')
  await pay({}, 'completed', stranger)
  const figures = async (query: string) => {
    const { count, completed_count, completed_amount, counted_after } = await totals(app, student, 'payouts', query)
    return [count, completed_count, completed_amount, counted_after]
  }
  assert.deepEqual(await figures(''), [3, 2, 50_000, null])
  assert.deepEqual(await figures('q=juma'), [2, 1, 30_000, null])
  assert.deepEqual(await figures('status=failed'), [1, 0, 0, null])
  assert.deepEqual(await figures('reference=Mshahara'), [1, 1, 30_000, null])
  assert.deepEqual((await totals(app, student, 'payouts')).days, [
    { day: today(), count: 3, completed_count: 2, completed_amount: 50_000 },
  ])
  const merchant = (await merchantOfUser(app.db, fromWire('usr', student.userId)!))!
  const cut = await countPayouts(app.db, { merchant, environment: 'test' }, {}, { among: 2 })
  assert.ok(cut.after !== null && cut.days[0]!.count === 2)
  assert.equal((await app.call('GET', '/v1/merchant/payouts/totals')).status, 401)
})
