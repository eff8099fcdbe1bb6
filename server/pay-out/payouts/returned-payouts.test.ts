/** Payouts whose money ClickPesa gives back: its record does not say whether the recipient ever had it, our books do. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, startTestApp, type TestApp } from '../../../test/app.ts'
import { ask, balance, ended, paidStudent, read } from '../../../test/fixtures/payouts.ts'
import { fromWire } from '../../platform/ids.ts'
import { verify } from '../../assurance/invariants/verify.ts'
import { sweepReceipts } from '../../views/notifications/sweep-receipts.ts'

const settings = { PAYOUT_PROVIDER_TEST: 'clickpesa' }

async function eventsOf(app: TestApp, id: string): Promise<string[]> {
  const { rows } = await app.owner.pool.query('select type from events where payout_id = $1 order by created_at, id', [id])
  return rows.map(({ type }) => type)
}

test('a refund that the provider gives back before it arrived has failed, and its payer reads of no returned money', async (t) => {
  const app = await startTestApp(t, { settings })
  const student = await app.student()
  const { key } = await app.key(student)
  const page = await app.page(student, { amount: 25_000 })
  const { reference } = (await app.checkout(page.slug, { phone_number: '0754000429' })).body.data
  assert.equal((await app.settled(reference)).status, 'completed')
  const headers = { 'idempotency-key': 'refund' }
  const made = await app.call('POST', `/v1/payments/${reference}/refunds`, { key, headers, body: { amount: 6_000 } })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { id } = made.body.data
  const refund = await eventually('it has ended', async () => {
    const { data } = (await app.call('GET', `/v1/refunds/${id}`, { key })).body
    return data.status === 'failed' && data
  })
  assert.equal(refund.failure.code, 'provider_error')
  assert.deepEqual(await eventsOf(app, fromWire('rf', id)!), ['refund.failed'])
  await sweepReceipts(app.deps, 100)
  const { rows } = await app.owner.pool.query(
    'select e.type from receipts r join events e on e.home = r.home and e.id = r.event_id',
  )
  assert.deepEqual(rows, [{ type: 'payment.completed' }])
  assert.deepEqual(await balance(app, key), [25_000, 0])
  assert.deepEqual(await verify(app.owner), [])
})

test('a payout that is given back has failed, or is reversed if it had arrived', async (t) => {
  const app = await startTestApp(t, { settings })
  const { key } = await paidStudent(app)
  const [failed, reversed] = [
    (await ask(app, key, { phone_number: '0754000089' })).body.data,
    (await ask(app, key, { phone_number: '0754000309' })).body.data,
  ]
  await ended(app, key, failed.id, 'failed')
  await ended(app, key, reversed.id, 'reversed')
  assert.deepEqual(await eventsOf(app, fromWire('po', failed.id)!), ['payout.failed'])
  assert.deepEqual(await eventsOf(app, fromWire('po', reversed.id)!), ['payout.completed', 'payout.reversed'])
  const [one, other] = [await read(app, key, failed.id), await read(app, key, reversed.id)]
  assert.deepEqual([one.failure.code, one.completed_at, other.failure], ['recipient_not_found', null, null])
  assert.deepEqual(await balance(app, key), [100_000, 0])
  assert.deepEqual(await verify(app.owner), [])
})

test('a refund that came back before its receipt was mailed has none', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const { key } = await app.key(student)
  const page = await app.page(student, { amount: 25_000 })
  const { reference } = (await app.checkout(page.slug, { phone_number: '0754000449' })).body.data
  assert.equal((await app.settled(reference)).status, 'completed')
  const headers = { 'idempotency-key': 'refund' }
  const { id } = (await app.call('POST', `/v1/payments/${reference}/refunds`, { key, headers, body: { amount: 6_000 } })).body
    .data
  await eventually('it came back', async () => (await eventsOf(app, fromWire('rf', id)!)).includes('refund.failed'))
  assert.deepEqual(await eventsOf(app, fromWire('rf', id)!), ['refund.completed', 'refund.failed'])
  assert.equal(await sweepReceipts(app.deps, 100), 1)
})
