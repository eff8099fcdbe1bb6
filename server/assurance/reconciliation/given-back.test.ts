/** Charges that ClickPesa gave back to their payers: REFUNDED before the money was settled to us, REVERSED after it. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { startTestApp } from '../../../test/app.ts'
import { decide, reconcileToday } from '../../../test/fixtures/reconciliation.ts'
import { verify } from '../invariants/verify.ts'

async function startClickPesa(t: TestContext) {
  const app = await startTestApp(t, {
    worker: true,
    settings: { CHARGE_PROVIDER_TEST: 'clickpesa', CLICKPESA_TEST_CHARGE_FEE_PERCENT: '2', PAYMENT_CHECK_DELAYS_SECONDS: '0.2' },
  })
  const student = await app.student()
  const { key } = await app.key(student)
  const page = await app.page(student, { amount: 5_000 })
  return {
    app,
    pay: async (phone_number: string): Promise<string> => (await app.checkout(page.slug, { phone_number })).body.data.reference,
    wallet: async (): Promise<number> => (await app.call('GET', '/v1/balance', { key })).body.data.available,
  }
}

for (const word of ['REFUNDED', 'REVERSED'] as const) {
  test(`a credited charge that is ${word} opens one break, and its credit can be taken back`, async (t) => {
    const { app, pay, wallet } = await startClickPesa(t)
    const reference = await pay('0754000789')
    assert.equal((await app.settled(reference)).status, 'completed')
    await app.control('PATCH', '/switches', { clickPesaPaidStatus: word })
    for (const _ of [1, 2]) {
      const { unreadable } = await reconcileToday(app, 'charges', 0, 'clickpesa')
      assert.equal(unreadable, 0)
    }
    const operators = [await app.admin(), await app.admin()] as const
    const { data } = (await app.call('GET', '/v1/admin/breaks?status=open', { token: operators[0].token })).body
    assert.deepEqual(
      data.map((one: { kind: string; payment_reference: string }) => [one.kind, one.payment_reference]),
      [['settled_differs', reference]],
    )
    assert.equal(await wallet(), 5_000)
    assert.equal((await decide(app, operators, data[0].id, { resolution: 'follow_provider' })).body.data.status, 'resolved')
    assert.equal(await wallet(), 0)
    assert.deepEqual(await verify(app.owner), [])
  })

  test(`an open payment whose charge is ${word} has failed, and is not credited`, async (t) => {
    const { app, pay, wallet } = await startClickPesa(t)
    await app.control('PATCH', '/switches', { clickPesaPaidStatus: word })
    const [asked, told] = [await pay('0754000139'), await pay('0754000789')]
    const ends = [await app.settled(asked), await app.settled(told)]
    assert.deepEqual([ends.map(({ status }) => status), await wallet()], [['failed', 'failed'], 0])
    assert.deepEqual(await verify(app.owner), [])
  })
}
