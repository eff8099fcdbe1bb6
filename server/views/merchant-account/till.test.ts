/** The till of a business: what was taken at the counter today. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp, type Answer } from '../../../test/app.ts'
import { newMember, verifiedBusiness } from '../../../test/members.ts'
import { dayOf } from './period.ts'
import { seedHistory } from '../../../test/fixtures/history.ts'

test('the till counts what was requested at it today, and its page, and nothing of yesterday or of other pages', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const owner = await app.student()
  const businessId = await verifiedBusiness(app, owner, await app.admin())
  const query = `environment=test&business_id=${businessId}`
  const tillOf = ({ token }: { token: string }, page = ''): Promise<Answer> =>
    app.call('GET', `/v1/merchant/till?${query}${page && `&payment_page_id=${page}`}`, { token })
  const cashier = await newMember(app, owner, businessId, 'cashier')
  const newPage = async (title: string): Promise<any> => {
    const body = { type: 'payment', title, amount: 1_500 }
    return (await app.call('POST', `/v1/merchant/payment-pages?${query}`, { token: owner.token, body })).body.data
  }
  const [page, online] = [await newPage('Chai'), await newPage('Duka la mtandaoni')]
  assert.deepEqual((await tillOf(cashier)).body.data.today, { volume: 0, count: 0, counted_after: null })

  const midnight = Date.parse(`${dayOf(new Date((await tillOf(owner)).body.data.as_of))}T00:00:00+03:00`)
  // Of yesterday, the last of them a minute before midnight.
  const firstAt = new Date(midnight - 15 * 60_000).toISOString()
  await seedHistory(app, page.id, { count: 15, amount: 700, firstAt, everySeconds: 60 })
  const pay = async ({ slug }: { slug: string }): Promise<string> => {
    const { reference } = (await app.checkout(slug)).body.data
    await app.settled(reference, ['completed'])
    return reference
  }
  const onPage = await pay(page)
  await pay(online)
  const request = async (metadata: object): Promise<string> => {
    const body = { title: 'Kaunta', amount: 4_000, metadata }
    const made = await app.call('POST', `/v1/merchant/payment-requests?${query}`, { token: cashier.token, body })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    return pay({ slug: made.body.data.url.split('/pay/')[1] })
  }
  const atTill = await request({ channel: 'till' })
  await request({})

  const { today, payments, payment_page } = (await tillOf(cashier)).body.data
  assert.deepEqual([today, payment_page], [{ volume: 4_000, count: 1, counted_after: null }, null])
  assert.deepEqual(
    payments.map(({ reference, amount }: any) => [reference, amount]),
    [[atTill, 4_000]],
  )
  assert.match(payments[0].customer.phone_masked, /•/)
  assert.match(payments[0].short_code, /^\w{4}/)
  for (const member of [cashier, owner]) {
    const seen = (await tillOf(member, page.id)).body.data
    assert.deepEqual(
      [seen.today, seen.payment_page],
      [
        { volume: 5_500, count: 2, counted_after: null },
        { id: page.id, title: 'Chai' },
      ],
    )
    assert.deepEqual(
      seen.payments.map(({ reference }: any) => reference),
      [atTill, onPage],
    )
  }
  const stranger = await app.student()
  const foreign = (await app.page(stranger)).id
  const { data } = (await tillOf(owner, foreign)).body
  assert.deepEqual([data.payment_page, data.today.count], [null, 1])
  assert.equal((await tillOf(stranger)).status, 404, 'a stranger')
})

test('on a day with more payments than the till counts, it counts the newest and says since when', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const owner = await app.student()
  const page = await app.page(owner)
  const read = async () =>
    (await app.call('GET', `/v1/merchant/till?environment=test&payment_page_id=${page.id}`, { token: owner.token })).body.data
  const { as_of, today } = await read()
  assert.deepEqual(today, { volume: 0, count: 0, counted_after: null })
  const midnight = Date.parse(`${dayOf(new Date(as_of))}T00:00:00+03:00`)
  await seedHistory(app, page.id, {
    count: 5_199,
    amount: 700,
    firstAt: new Date(midnight + 1_000).toISOString(),
    everySeconds: 0.01,
  })
  const { reference } = (await app.checkout(page.slug)).body.data
  await app.settled(reference, ['completed'])
  const seen = await read()
  assert.deepEqual([seen.today.count, seen.today.volume], [5_000, 4_999 * 700 + 1_500])
  assert.equal(seen.today.counted_after, new Date(midnight + 1_000 + 199 * 10).toISOString())
  assert.equal(seen.payments[0].reference, reference)
})
