/** The history of payouts that have no merchant or no order, and of refunds: operators find each by the id that they have. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp } from '../../../test/app.ts'
import { openShop } from '../../../test/fixtures/approvals.ts'
import { orderReturn } from '../../../test/fixtures/returns.ts'
import { describePayout } from './describe-history.ts'

test('operators find the history of a return to a payer, of a refund and of a refund outside', async (t) => {
  const app = await startTestApp(t)
  const shop = await openShop(app)
  const { as, owner } = shop
  const page = (await as(owner, 'POST', '/payment-pages', { type: 'payment', title: 'Duka', amount: 60_000 })).body.data
  const { reference } = (await app.checkout(page.slug, { phone_number: '0754000789' })).body.data
  await app.settled(reference)
  const shown = async (id: string): Promise<string> => (await describePayout(app.deps, id))?.join('\n') ?? 'not found'

  const { payoutId } = await orderReturn(app, page.slug)
  const returned = await shown(payoutId)
  assert.match(returned, /  operator  requests the payout \(by usr_/)
  assert.match(returned, /  ledger    return_reserved: TSh 59,900 from suspense to returns_reserved/)
  assert.match(returned, /^break +brk_[^]*^provider +snippe [^]*  operator  break\.resolution_proposed brk_/m)
  assert.doesNotMatch(returned, /^merchant/m)

  const refund = async (fields: object): Promise<string> => {
    const body = { amount: 5_000, reason: 'Cash in the shop', ...fields }
    return (await as(owner, 'POST', `/payments/${reference}/refunds`, body)).body.data.id
  }
  const paidBack = await shown(await refund({}))
  assert.match(paidBack, new RegExp(`^merchant +${shop.businessId}$`, 'm'))
  assert.match(paidBack, /  merchant  requests the payout \(by usr_/)
  assert.match(paidBack, /refund\.requested rf_/)
  const outside = await shown(await refund({ method: 'outside' }))
  assert.match(outside, /^refund +rf_[^]*^status +completed$/m)
  assert.doesNotMatch(outside, /^provider/m)
})
