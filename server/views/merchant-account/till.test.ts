/** The till of a business: today's total and the last payments, by role. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp, type Answer } from '../../../test/app.ts'
import { newMember, verifiedBusiness } from '../../../test/members.ts'
import { dayOf } from '../../platform/http/csv.ts'
import { seedHistory } from '../../../test/fixtures/history.ts'

test('the till has today’s total and the last ten payments; a cashier sees none of yesterday', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const owner = await app.student()
  const businessId = await verifiedBusiness(app, owner, await app.admin())
  const query = `environment=test&business_id=${businessId}`
  const tillOf = ({ token }: { token: string }): Promise<Answer> => app.call('GET', `/v1/merchant/till?${query}`, { token })
  const cashier = await newMember(app, owner, businessId, 'cashier')
  const made = await app.call('POST', `/v1/merchant/payment-pages?${query}`, {
    token: owner.token,
    body: { type: 'payment', title: 'Chai', amount: 1_500 },
  })
  const page = made.body.data
  assert.deepEqual((await tillOf(cashier)).body.data.today, { volume: 0, count: 0 })

  const midnight = Date.parse(`${dayOf(new Date((await tillOf(owner)).body.data.as_of))}T00:00:00+03:00`)
  // Of yesterday, the last of them a minute before midnight.
  const firstAt = new Date(midnight - 15 * 60_000).toISOString()
  await seedHistory(app, page.id, { count: 15, amount: 700, firstAt, everySeconds: 60 })
  const paid = (await app.checkout(page.slug)).body.data
  await app.settled(paid.reference)

  const today = { volume: 1_500, count: 1 }
  const seen = (await tillOf(cashier)).body.data
  assert.deepEqual(seen.today, today)
  assert.deepEqual(
    seen.payments.map(({ reference, amount }: any) => [reference, amount]),
    [[paid.reference, 1_500]],
  )
  assert.match(seen.payments[0].customer.phone_masked, /•/)
  const all = (await tillOf(owner)).body.data
  assert.deepEqual(all.today, today)
  assert.equal(all.payments.length, 10)
  assert.equal(all.payments[0].reference, paid.reference)
  assert.equal((await tillOf(await app.student())).status, 404, 'a stranger')
})
