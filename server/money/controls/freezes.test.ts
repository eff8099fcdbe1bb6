/** What operators stop for one merchant, and let go on once: payouts that the service has frozen, and a live account. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { share, startTestApp } from '../../../test/app.ts'
import { bySystem } from '../../base/audit/audit.ts'
import { findMerchantByWire } from '../../accounts/identity/merchant.sql.ts'
import { freezeMerchantPayouts, liftPayoutFreeze } from './freeze-merchant.ts'

const sharedApp = share((ending) => startTestApp(ending))

test('a freeze is lifted once, in its environment, and what is not frozen is not lifted', async () => {
  const app = await sharedApp()
  const [admin, asha, juma] = [await app.admin(), await app.student({ home: 7 }), await app.student({ home: 7 })]
  const lift = async (userId: string, environment: string) => {
    const path = `/v1/admin/merchants/${userId}/lift-payout-freeze`
    const { status, body } = await app.call('POST', path, {
      token: admin.token,
      body: { environment, reason: 'The books hold.' },
    })
    return `${status} ${body.error?.code ?? ''}`.trim()
  }
  const merchant = (await findMerchantByWire(app.db, asha.userId))!
  // As a check of the books names a merchant that does not exist, or that is in another home.
  for (const wrong of [
    { ...merchant, id: randomUUID() },
    { ...merchant, home: merchant.home + 1 },
  ])
    assert.equal(await freezeMerchantPayouts(app.db, wrong, null, 'The books do not hold.'), false)
  assert.equal(await lift(asha.userId, 'live'), '409 invalid_state')
  assert.equal(await lift('usr_unknown', 'live'), '404 not_found')
  assert.equal(await freezeMerchantPayouts(app.db, merchant, 'test', 'The books do not hold.'), true)
  assert.equal(await lift(juma.userId, 'test'), '409 invalid_state')
  const elsewhere = { ...merchant, home: merchant.home + 1 }
  await assert.rejects(liftPayoutFreeze(app.db, elsewhere, 'test', 'The books hold.', { origin: bySystem }), {
    code: 'invalid_state',
  })
  assert.equal(await lift(asha.userId, 'live'), '409 invalid_state')
  assert.equal(await lift(asha.userId, 'test'), '200')
  assert.equal(await lift(asha.userId, 'test'), '409 invalid_state')
  const { body } = await app.call('GET', '/v1/admin/payout-freezes', { token: admin.token })
  assert.deepEqual(body.data, [])
})

test('a suspension is lifted once, and what is not suspended is not lifted', async () => {
  const app = await sharedApp()
  const [admin, asha] = [await app.admin(), await app.student()]
  const act = async (what: string, body: Record<string, string>) => {
    const answer = await app.call('POST', `/v1/admin/merchants/${asha.userId}/${what}`, { token: admin.token, body })
    return `${answer.status} ${answer.body.error?.code ?? ''}`.trim()
  }
  const lift = () => act('unsuspend', { note: 'Cleared up by phone.' })
  assert.equal(await lift(), '409 invalid_state')
  assert.equal(await act('suspend', { reason: 'Sells what it may not.' }), '200')
  assert.equal(await lift(), '200')
  assert.equal(await lift(), '409 invalid_state')
  const { body } = await app.call('GET', `/v1/admin/audit?object=${asha.userId}`, { token: admin.token })
  const actions = body.data.map(({ action }: { action: string }) => action)
  assert.deepEqual(
    actions.filter((action: string) => action.endsWith('suspended')),
    ['merchant.unsuspended', 'merchant.suspended'],
  )
})
