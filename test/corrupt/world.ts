/**
 * A database with traffic of every kind, for corruptions: payments of each outcome, payouts and refunds, batches, approvals with votes,
 * members, recipients, webhooks, payment requests, repeated requests, and breaks of several kinds, some resolved and some open.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { eventually, startTestApp, type Ending, type TestApp } from '../app.ts'
import { ended, fileOf, header, rowOf, running, uploadCsv } from '../fixtures/batches.ts'
import { openShop } from '../fixtures/approvals.ts'
import { ask, ended as endedPayout, paidStudent, short } from '../fixtures/payouts.ts'
import { decide, reconcileToday } from '../fixtures/reconciliation.ts'
import { newMember } from '../members.ts'
import { startWorker } from '../../server/start/worker.ts'

type Admins = Parameters<typeof decide>[1]

/** Payments and payouts of one merchant with keys, and what a provider says wrongly about them. */
async function live(app: TestApp, ending: Ending, admins: Admins): Promise<void> {
  const person = await paidStudent(app, 900_000)
  const { key, token } = person
  const { appId } = await app.key(person)
  const webhook = { url: await startReceiver(ending), events: ['payment.completed', 'payment.failed', 'payout.completed'] }
  assert.equal(short(await app.call('POST', `/developers/apps/${appId}/webhook`, { token, body: webhook })), '201')
  const page = await app.page(person, { amount: 40_000, custom_fields: [] })
  for (const digits of ['789', '789', '059', '789']) await pay(app, page.slug, digits)
  for (const digits of ['189', '129', '189', '189']) await app.checkout(page.slug, { phone_number: `0754000${digits}` })
  for (const [digits, end] of [
    ['123', 'completed'],
    ['124', 'completed'],
  ] as const) {
    const asked = await ask(app, key, { phone_number: `+255754000${digits}` })
    assert.equal(short(asked), '201')
    await endedPayout(app, key, asked.body.data.id, end)
  }
  assert.equal(short(await ask(app, key, { phone_number: '+255754000129' })), '201')
  const refunded = await pay(app, page.slug, '789')
  const headers = { 'idempotency-key': randomUUID() }
  assert.equal(
    short(await app.call('POST', `/v1/payments/${refunded}/refunds`, { key, headers, body: { amount: 9_000 } })),
    '201',
  )
  const request = await app.call('POST', '/v1/payment-requests', { key, headers, body: { amount: 7_000, title: 'Order 1043' } })
  await pay(app, request.body.data.url.split('/pay/')[1]!, '789')
  assert.equal(
    short(await app.call('POST', '/v1/payment-requests', { key, body: { amount: 8_000, title: 'Order 1044' } })),
    '201',
  )
  const asha = { name: 'Asha Mushi', phone_number: '0754000123' }
  assert.equal(short(await app.call('POST', '/v1/recipients', { key, body: asha })), '201')
  const done = await running(app, { key, token }, fileOf(3))
  await ended(app, key, done.id)
  const draft = await uploadCsv(app, key, [header, rowOf(7), '5,+255754007789,Too Little'].join('\n'))
  assert.equal(short(draft), '201')
  await app.control('POST', '/seed', { account: 'test', orders: [{ amount: 7_000, status: 'completed', phone: '255754000123' }] })
  const again = { amount: 40_000, status: 'completed', phone: '255754000789', metadata: { malipo_payment: refunded } }
  await app.control('POST', '/seed', { account: 'test', orders: [again] })
  await eventually('money is put aside', async () => {
    const { rows } = await app.owner.pool.query(`select from breaks where kind = 'amount_differs'`)
    return rows.length === 3
  })
  await app.deps.backgroundDone()
  await reconcileToday(app)
  await reconcileToday(app, 'payouts')
  const { rows: breaks } = await app.owner.pool.query<{ id: string; kind: string }>(
    `select wire_id('brk', id) as id, kind from breaks where resolved_at is null order by id`,
  )
  const differing = breaks.filter(({ kind }) => kind === 'amount_differs')
  assert.equal(short(await decide(app, admins, differing[0]!.id, { resolution: 'credit_payment' })), '200')
  assert.equal(short(await decide(app, admins, differing[1]!.id, { resolution: 'return_to_payer' })), '200')
  const conflict = breaks.find(({ kind }) => kind === 'reference_conflict')
  if (conflict) assert.equal(short(await decide(app, admins, conflict.id, { resolution: 'keep_unallocated' })), '200')
}

async function pay(app: TestApp, slug: string, digits: string): Promise<string> {
  const { reference } = (await app.checkout(slug, { phone_number: `0754000${digits}` })).body.data
  await app.settled(reference)
  return reference
}

/** Takes every webhook. */
async function startReceiver(ending: Ending): Promise<string> {
  const server = createServer((request, response) => void request.resume().on('end', () => response.end('ok')))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ending.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
}

/** A business whose payouts and batches are approved by its members. */
async function liveTogether(app: TestApp): Promise<void> {
  const shop = await openShop(app)
  const [one, other, accountant] = [
    await newMember(app, shop.owner, shop.businessId, 'approver'),
    await newMember(app, shop.owner, shop.businessId, 'approver'),
    await newMember(app, shop.owner, shop.businessId, 'accountant'),
  ]
  assert.equal(short(await shop.setRule({ above: 10_000, approvers: 2 })), '200')
  const decideOn = (who: { token: string }, id: string, how = 'approve') =>
    shop.as(who, 'POST', `/approvals/${id}/${how}`, { version: 1, ...(how === 'refuse' && { reason: 'No.' }) })
  const ids: string[] = []
  for (let turn = 0; turn < 4; turn += 1) ids.push((await shop.request(accountant, 12_000)).body.data.id)
  for (const id of ids.slice(0, 2)) for (const who of [one, other]) assert.equal(short(await decideOn(who, id)), '200')
  assert.equal(short(await decideOn(one, ids[2]!)), '200')
  assert.equal(short(await decideOn(other, ids[2]!, 'refuse')), '200')
  assert.equal(short(await shop.request(accountant, 6_000)), '201')
  for (const isDone of [true, false]) {
    const made = await shop.as(accountant, 'POST', '/payout-batches', undefined, {
      rawBody: fileOf(2, '789', isDone ? 11_000 : 12_000),
      headers: { 'content-type': 'text/csv' },
    })
    assert.equal(short(made), '201')
    const { id } = made.body.data
    const read = async () => (await shop.as(shop.owner, 'GET', `/payout-batches/${id}`)).body.data
    await eventually('the fees are known', async () => (await read()).fees !== null)
    assert.equal(short(await shop.as(accountant, 'POST', `/payout-batches/${id}/submit`, {})), '200')
    if (!isDone) continue
    for (const who of [one, other]) assert.equal(short(await decideOn(who, id)), '200')
    await eventually('the batch is done', async () => (await read()).status === 'done')
  }
  await app.call('POST', `/v1/businesses/${shop.businessId}/members`, {
    token: shop.owner.token,
    body: { email: 'invited@example.com', role: 'cashier' },
  })
}

/** The service has stopped working for itself, and nothing is about to change. */
export async function startWorld(ending: Ending): Promise<TestApp> {
  const app = await startTestApp(ending)
  const worker = startWorker(app.deps)
  app.beforeClose(() => worker.stop())
  const admins: Admins = [await app.admin(), await app.admin()]
  await live(app, ending, admins)
  await liveTogether(app)
  await eventually('all webhooks are sent', async () => {
    const { rows } = await app.owner.pool.query(`select from webhook_deliveries where status = 'pending'`)
    return rows.length === 0
  })
  await worker.stop()
  // A webhook must have received what ended more than five minutes after it was switched on: here, all that ended after it was made.
  await app.owner.pool.query(
    `update webhook_endpoints set enabled_at = created_at - interval '5 minutes', events_changed_at = null`,
  )
  // The business of the approvals was verified by hand.
  await app.owner.pool.query(`update merchants set verification_status = 'unsubmitted' where kind = 'business'`)
  await app.deps.backgroundDone()
  return app
}
