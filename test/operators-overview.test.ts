/** The overview of the service for operators: each figure equals what happened, and waiting work is counted with its age. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readOverview } from '../server/operations/operators/overview.ts'
import { readReservedPayouts } from '../server/operations/operators/overview.sql.ts'
import { watchBooks } from '../server/assurance/invariants/watch-books.ts'
import { createReconciler } from '../server/assurance/reconciliation/reconcile.ts'
import { fromWire } from '../server/platform/ids.ts'
import { openShop } from './fixtures/approvals.ts'
import { short } from './fixtures/payouts.ts'
import { orderReturn } from './fixtures/returns.ts'
import { newMember } from './members.ts'
import { submittedBusiness } from './onboarding.ts'
import { eventually, startTestApp } from './app.ts'

test('every figure of the overview is correct', async (t) => {
  const app = await startTestApp(t)
  const [admin, student] = [await app.admin(), await app.student()]
  const { key, appId } = await app.key(student)
  await app.call('POST', `/developers/apps/${appId}/webhook`, {
    token: student.token,
    body: { url: 'http://127.0.0.1:9999/hook' },
  })
  const page = await app.page(student, { amount: 20_000 })
  for (const phone of ['+255754123789', '+255754123789', '+255754123049', '+255784123789']) {
    await app.settled((await app.checkout(page.slug, { phone_number: phone })).body.data.reference)
  }
  await app.call('POST', '/v1/payouts', {
    key,
    headers: { 'idempotency-key': 'one' },
    body: { amount: 5000, phone_number: '+255754000129', recipient_name: 'Asha' },
  })
  // A payment without news: it is five minutes old, and its query is due.
  const { reference } = (await app.checkout(page.slug, { phone_number: '+255754123456' })).body.data
  await app.owner.pool.query(
    `update provider_charges set state = 'unknown', provider_reference = null, next_attempt_at = now() - interval '90 seconds' where payment_id = $1`,
    [fromWire('pay', reference)],
  )
  await app.owner.pool.query(`update payments set created_at = created_at - interval '5 minutes' where id = $1`, [
    fromWire('pay', reference),
  ])
  await submittedBusiness(app)
  await app.call('PUT', '/v1/admin/switches/live.checkout.mpesa', {
    token: admin.token,
    body: { state: 'off', reason: 'Outage.' },
  })

  const before = await readOverview(app.deps, 48)
  assert.deepEqual([before.books.checked_at, before.books.late], [null, true])
  assert.ok(before.reconciliation.length > 0 && before.reconciliation.every(({ late }) => late))
  await watchBooks(app.deps)
  const reconciler = createReconciler(app.deps)
  await reconciler.plan()
  for (let turn = 0; turn < 20; turn += 1) await reconciler.step('recent')

  // A sender has claimed one of the three webhooks.
  await app.owner.pool.query(
    `update webhook_deliveries set leased_by = gen_random_uuid(), lease_until = now() + interval '20 seconds'
     where id = (select min(id::text)::uuid from webhook_deliveries)`,
  )

  const { status, body } = await app.call('GET', '/v1/admin/overview', { token: admin.token })
  assert.equal(status, 200, JSON.stringify(body))
  const { data } = body
  const of = (environment: string, network: string) =>
    data.networks.find((one: any) => one.environment === environment && one.network === network)
  const [five, hour, day] = of('test', 'mpesa').windows
  assert.deepEqual([five.minutes, hour.minutes, day.minutes], [5, 60, 1440])
  assert.deepEqual([hour.begun, hour.completed, hour.failed, hour.success_rate], [4, 2, 1, 2 / 3])
  assert.ok(hour.median_seconds > 0)
  assert.deepEqual([of('test', 'airtel').windows[0].completed, of('live', 'mpesa').windows[0].begun], [1, 0])
  assert.deepEqual(
    [of('live', 'mpesa').switched_off, data.switched_off],
    [true, [{ name: 'live.checkout.mpesa', reason: 'Outage.' }]],
  )
  const queue = (name: string) => data.queues.find((one: any) => one.name === name)
  assert.equal(queue('webhook_deliveries').due, 2)
  assert.equal(queue('charge_checks').due, 1)
  assert.ok(queue('charge_checks').oldest_seconds >= 90 && queue('charge_checks').oldest_seconds < 120)
  assert.ok(queue('mails').due > 0 && queue('mails').oldest_seconds >= 0)
  assert.deepEqual([queue('provider_messages').due, queue('provider_messages').oldest_seconds], [0, null])
  const unknown = data.unknown_payments.find((one: any) => one.environment === 'test')
  assert.deepEqual([unknown.count, unknown.amount], [1, 20_000])
  assert.ok(unknown.oldest_seconds >= 300 && unknown.oldest_seconds < 330)
  const [live, reserved] = data.reserved_payouts
  assert.deepEqual([live.environment, live.count, live.oldest_seconds], ['live', 0, null])
  const balance = (await app.call('GET', '/v1/balance', { key })).body.data
  assert.deepEqual([reserved.count, reserved.amount, reserved.waiting_for_approval], [1, balance.reserved, 0])
  assert.deepEqual([data.books.late, data.books.violations], [false, []])
  assert.ok(data.reconciliation.some((one: any) => one.last_ended_at !== null && !one.late))
  assert.ok(data.providers.some((one: any) => one.calls > 0 && one.latency_ms.median >= 0))
  assert.deepEqual(
    data.waiting_reviews.find((one: any) => one.kind === 'business'),
    { kind: 'business', waiting: 1, overdue: 0 },
  )
  // For ten seconds all readers get the same result.
  assert.equal((await app.call('GET', '/v1/admin/overview', { token: admin.token })).body.data.as_of, data.as_of)
})

test('a refund outside that waits for approval, and the fee of a return, are no reserved money', async (t) => {
  const shop = await openShop(await startTestApp(t))
  const { app, owner } = shop
  const admin = await app.admin()
  await newMember(app, owner, shop.businessId, 'approver')
  assert.equal(short(await shop.setRule({ above: 10_000, approvers: 1 })), '200')
  const page = (await shop.as(owner, 'POST', '/payment-pages', { type: 'payment', title: 'Duka', amount: 60_000 })).body.data
  const { reference } = (await app.checkout(page.slug, { phone_number: '0754000789' })).body.data
  await app.settled(reference)
  assert.equal((await shop.request(owner, 20_000)).body.data.approval, 'required')
  const cash = { method: 'outside', amount: 50_000, reason: 'Cash in the shop' }
  const outside = await shop.as(owner, 'POST', `/payments/${reference}/refunds`, cash)
  assert.equal(outside.body.data.approval, 'required', JSON.stringify(outside.body))

  const inTest = async () => (await readOverview(app.deps, 48)).reserved_payouts.find((one) => one.environment === 'test')!
  const [, reserved] = await shop.balance()
  const waiting = await inTest()
  assert.deepEqual([waiting.count, waiting.amount], [1, reserved])
  const [ofMembers] = (await readReservedPayouts(app.db)).filter(({ environment }) => environment === 'test')
  assert.equal(ofMembers!.waitingForMembers, 2)

  // So that the return is not sent.
  const turn = (body: unknown) => app.call('PUT', '/v1/admin/switches/payouts', { token: admin.token, body })
  assert.equal(short(await turn({ state: 'off', reason: 'Outage.' })), '200')
  const { amount } = await orderReturn(app, page.slug)
  const returning = await inTest()
  assert.deepEqual([returning.count, returning.amount], [2, reserved + amount])
  assert.equal(short(await turn({ state: 'on', reason: 'The outage is over.' })), '200')
})

test('failing webhooks and books with a broken invariant are shown', async (t) => {
  const app = await startTestApp(t, { worker: true, settings: { WEBHOOK_RETRY_DELAYS_SECONDS: '3600,3600,3600,3600' } })
  const student = await app.student()
  const { appId } = await app.key(student)
  await app.call('POST', `/developers/apps/${appId}/webhook`, {
    token: student.token,
    body: { url: 'http://127.0.0.1:9999/hook' },
  })
  const page = await app.page(student)
  await app.settled((await app.checkout(page.slug)).body.data.reference)
  await eventually('the attempt failed', async () => (await readOverview(app.deps, 48)).webhooks.failed === 1)
  assert.equal((await readOverview(app.deps, 48)).webhooks.failure_rate, 1)
  // An account of no merchant: all payouts stop.
  await app.owner.pool.query(`update ledger_accounts set balance = balance + 1 where kind = 'provider_fees'`)
  await watchBooks(app.deps)
  const { books, switched_off } = await readOverview(app.deps, 48)
  assert.deepEqual([books.violations[0]!.invariant, switched_off.map(({ name }) => name)], ['I2', ['payouts']])
  await app.owner.pool.query(`update ledger_accounts set balance = balance - 1 where kind = 'provider_fees'`)
})
