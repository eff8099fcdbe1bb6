/** Refunds that a merchant gave back by its own means: they count in the payment, and move nothing in the wallet or at the provider. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { eventually, share, startTestApp, type Answer } from '../../../test/app.ts'
import { makeKey } from '../../../test/attacks/objects.ts'
import { newMember, removeMember } from '../../../test/members.ts'
import { openShop, type Shop } from '../../../test/fixtures/approvals.ts'
import { short, type Fields } from '../../../test/fixtures/payouts.ts'
import { fromWire, homeOfId, newMoneyId } from '../../platform/ids.ts'
import { openBreak } from '../../money/breaks/break.sql.ts'
import { payoutBounds } from '../../money/providers/provider.ts'
import { freezeMerchantPayouts } from '../../money/controls/freeze-merchant.ts'
import { findOurPayouts } from '../../assurance/reconciliation/payout-records.sql.ts'
import { verify } from '../../assurance/invariants/verify.ts'
import { runnerOf, undone } from '../../../test/fixtures/books.ts'

const sharedApp = share((ending) => startTestApp(ending, { worker: true }))

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads into answers freely
type Json = any
type Person = { token: string }

const phone = '0754000789'

/** A completed payment of the shop from this phone. */
async function paid(shop: Shop, amount = 30_000): Promise<string> {
  const page = (await shop.as(shop.owner, 'POST', '/payment-pages', { type: 'payment', title: 'Duka', amount })).body.data
  const { body } = await shop.app.checkout(page.slug, { phone_number: phone })
  assert.equal((await shop.app.settled(body.data.reference)).status, 'completed')
  return body.data.reference
}

const reason = 'Cash in the shop'

function outside(shop: Shop, who: Person, reference: string, fields: Fields = {}, key = randomUUID()): Promise<Answer> {
  const body = { method: 'outside', reason, ...fields }
  return shop.as(who, 'POST', `/payments/${reference}/refunds`, body, { headers: { 'idempotency-key': key } })
}

const payment = async (shop: Shop, reference: string): Promise<Json> =>
  (await shop.as(shop.owner, 'GET', `/payments/${reference}`)).body.data

const read = async (shop: Shop, id: string): Promise<Json> => (await shop.as(shop.owner, 'GET', `/refunds/${id}`)).body.data

const events = async (shop: Shop, type: string): Promise<Json[]> =>
  (await shop.as(shop.owner, 'GET', `/events?type=${type}`)).body.data

/** What the books, the orders and the provider have of this refund. */
async function movedFor(shop: Shop, id: string): Promise<Json> {
  const { rows } = await shop.app.owner.pool.query(
    `select (select count(*)::integer from provider_payouts where payout_id = $1) as orders,
      (select count(*)::integer from ledger_transfers where payout_id = $1) as transfers`,
    [fromWire('rf', id)],
  )
  return rows[0]
}

const nothing = { orders: 0, transfers: 0 }

test('a refund outside is completed at once, counts in its payment, and leaves the wallet and the provider alone', async () => {
  const shop = await openShop(await sharedApp())
  const reference = await paid(shop)
  const before = await shop.balance()
  const key = randomUUID()
  const answer = await outside(shop, shop.owner, reference, { amount: 400, merchant_reference: 'R-1' }, key)
  assert.equal(short(answer), '201', JSON.stringify(answer.body))
  const refund = answer.body.data
  const { method, status, amount, fee, total_debited, approval, warnings, hold, failure } = refund
  assert.deepEqual(
    { method, status, amount, fee, total_debited, approval, warnings, hold, failure },
    {
      method: 'outside',
      status: 'completed',
      amount: 400,
      fee: 0,
      total_debited: 0,
      approval: 'none',
      warnings: [],
      hold: null,
      failure: null,
    },
  )
  assert.ok(refund.completed_at)
  const again = await outside(shop, shop.owner, reference, { amount: 400, merchant_reference: 'R-1' }, key)
  assert.deepEqual([short(again), again.headers.get('idempotency-replayed'), again.body.data.id], ['200', 'true', refund.id])
  assert.equal(
    short(await outside(shop, shop.owner, reference, { amount: 400, merchant_reference: 'R-1', method: 'provider' }, key)),
    '422 idempotency_key_reused',
  )
  const shown = await payment(shop, reference)
  assert.deepEqual([shown.refunded_amount, shown.refund_status, shown.refundable, shown.net], [400, 'partial', 29_600, 30_000])
  const rest = (await outside(shop, shop.owner, reference)).body.data
  assert.equal(rest.amount, 29_600)
  assert.equal((await payment(shop, reference)).refund_status, 'full')
  assert.deepEqual(await shop.balance(), before)
  for (const { id } of [refund, rest]) assert.deepEqual(await movedFor(shop, id), nothing)
  assert.deepEqual(await shop.sent(), [])
  const listed = (await shop.as(shop.owner, 'GET', '/refunds')).body.data
  assert.deepEqual(
    listed.map((one: Json) => [one.id, one.method]),
    [
      [rest.id, 'outside'],
      [refund.id, 'outside'],
    ],
  )
  const sent = (await events(shop, 'refund.completed')).map(({ data }: Json) => [
    data.id,
    data.method,
    data.total_debited,
    data.amount,
  ])
  assert.deepEqual(sent, [
    [rest.id, 'outside', 0, 29_600],
    [refund.id, 'outside', 0, 400],
  ])
  const { body } = await shop.app.call('GET', `/v1/businesses/${shop.businessId}/activity`, { token: shop.owner.token })
  const entry = body.data.find(({ object }: Json) => object === refund.id)
  assert.equal(entry.action, 'refund.requested')
})

test('a refund outside wants a reason, and a person: a key is told where a person records it', async () => {
  const shop = await openShop(await sharedApp())
  const reference = await paid(shop)
  const unexplained = await outside(shop, shop.owner, reference, { reason: null })
  assert.deepEqual([short(unexplained), unexplained.body.error.param], ['400 validation_error', 'reason'])
  const { key } = await makeKey(shop.app, shop.owner, { business_id: shop.businessId })
  const byKey = await shop.app.call('POST', `/v1/payments/${reference}/refunds`, {
    key,
    headers: { 'idempotency-key': randomUUID() },
    body: { method: 'outside', reason },
  })
  assert.equal(short(byKey), '403 sign_in_required')
  assert.match(byKey.body.error.message, /signed-in member.*POST \/v1\/merchant\/payments/)
  const cashier = await newMember(shop.app, shop.owner, shop.businessId, 'cashier')
  assert.equal(short(await outside(shop, cashier, reference)), '403 insufficient_role')
  assert.equal(short(await outside(shop, await shop.app.student(), reference)), '404 not_found')
  // The same payment from the other environment.
  const elsewhere = await shop.app.call(
    'POST',
    `/v1/merchant/payments/${reference}/refunds?environment=live&business_id=${shop.businessId}`,
    { token: shop.owner.token, headers: { 'idempotency-key': randomUUID() }, body: { method: 'outside', reason } },
  )
  assert.equal(short(elsewhere), '404 not_found')
  assert.equal((await payment(shop, reference)).refunded_amount, 0)
  // Coins can be given back by hand, and only by hand: each description says what its callers may send.
  const { paths } = (await shop.app.call('GET', '/openapi.json')).body
  const least = (path: string): number =>
    paths[path].post.requestBody.content['application/json'].schema.properties.amount.minimum
  assert.deepEqual(['/v1/merchant/payments/{reference}/refunds', '/v1/payments/{reference}/refunds'].map(least), [
    1,
    payoutBounds.minimum,
  ])
})

test('above the rule a refund outside waits for another member, and is completed once', async () => {
  const shop = await openShop(await sharedApp())
  const [approver, accountant] = [
    await newMember(shop.app, shop.owner, shop.businessId, 'approver'),
    await newMember(shop.app, shop.owner, shop.businessId, 'accountant'),
  ]
  await shop.setRule({ above: 10_000, approvers: 1 })
  const reference = await paid(shop)
  const before = await shop.balance()
  const { id, ...refund } = (await outside(shop, accountant, reference, { amount: 20_000 })).body.data
  assert.deepEqual(
    [refund.status, refund.approval, refund.approval_by, refund.hold.reason],
    ['pending', 'required', 'members', 'approval'],
  )
  assert.equal((await payment(shop, reference)).refundable, 10_000)
  const [entry] = (await shop.as(approver, 'GET', '/approvals')).body.data
  assert.deepEqual([entry.id, entry.kind, entry.method, entry.amount, entry.fee], [id, 'refund', 'outside', 20_000, 0])
  const approve = (who: Person) => shop.as(who, 'POST', `/approvals/${id}/approve`, { version: 1 })
  assert.equal(short(await approve(accountant)), '403 insufficient_role')
  const answers = (await Promise.all([approve(approver), approve(shop.owner), approve(approver)])).map(short)
  assert.deepEqual(answers.toSorted(), ['200', '409 invalid_state', '409 invalid_state'])
  const done = await read(shop, id)
  assert.deepEqual([done.status, done.approval], ['completed', 'approved'])
  assert.equal((await events(shop, 'refund.completed')).length, 1)
  assert.deepEqual(await shop.balance(), before)
  assert.deepEqual(await movedFor(shop, id), nothing)
  assert.equal(short(await shop.as(accountant, 'POST', `/refunds/${id}/cancel`, {})), '409 invalid_state')
  // The person who requested it never approves it.
  const own = (await outside(shop, shop.owner, reference, { amount: 10_000 })).body.data
  assert.equal(
    short(await shop.as(shop.owner, 'POST', `/approvals/${own.id}/approve`, { version: 1 })),
    '403 self_approval_forbidden',
  )
})

test('a refund outside that is refused, cancelled, or whose requester loses the role fails, and its payment can be refunded again', async () => {
  const shop = await openShop(await sharedApp())
  const [approver, accountant] = [
    await newMember(shop.app, shop.owner, shop.businessId, 'approver'),
    await newMember(shop.app, shop.owner, shop.businessId, 'accountant'),
  ]
  await shop.setRule({ above: 0, approvers: 1 })
  const reference = await paid(shop)
  const before = await shop.balance()
  const refused = (await outside(shop, accountant, reference)).body.data
  assert.equal(short(await outside(shop, accountant, reference, { amount: 1 })), '409 refund_exceeds_payment')
  await shop.as(approver, 'POST', `/approvals/${refused.id}/refuse`, { version: 1, reason: 'No receipt' })
  assert.deepEqual(
    [(await read(shop, refused.id)).status, (await read(shop, refused.id)).failure.code],
    ['failed', 'approval_refused'],
  )
  const cancelled = (await outside(shop, accountant, reference)).body.data
  assert.equal(short(await shop.as(accountant, 'POST', `/refunds/${cancelled.id}/cancel`, {})), '200')
  assert.equal(short(await shop.as(approver, 'POST', `/approvals/${cancelled.id}/approve`, { version: 1 })), '409 invalid_state')
  const orphaned = (await outside(shop, accountant, reference)).body.data
  await removeMember(shop.app, shop.owner, shop.businessId, accountant.memberId)
  assert.notEqual((await shop.as(approver, 'POST', `/approvals/${orphaned.id}/approve`, { version: 1 })).status, 200)
  await eventually('what a removed member requested ends', async () => (await read(shop, orphaned.id)).status === 'failed')
  assert.deepEqual(
    [(await payment(shop, reference)).refundable, (await payment(shop, reference)).refund_status],
    [30_000, 'none'],
  )
  assert.equal((await events(shop, 'refund.failed')).filter(({ data }: Json) => data.method === 'outside').length, 3)
  for (const { id } of [refused, cancelled, orphaned]) assert.deepEqual(await movedFor(shop, id), nothing)
  assert.deepEqual(await shop.balance(), before)
})

test('refunds through the provider and outside never exceed the payment together, however many at once', async () => {
  const shop = await openShop(await sharedApp())
  const reference = await paid(shop)
  const send = () => shop.as(shop.owner, 'POST', `/payments/${reference}/refunds`, { amount: 10_000 })
  const record = () => outside(shop, shop.owner, reference, { amount: 10_000 })
  const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? send() : record())))
  const made = answers.filter(({ status }) => status === 201).map(({ body }) => body.data)
  assert.equal(made.length, 3)
  for (const answer of answers) if (answer.status !== 201) assert.equal(short(answer), '409 refund_exceeds_payment')
  const { refunded_amount, refundable } = await payment(shop, reference)
  assert.deepEqual([refunded_amount, refundable], [30_000, 0])
  const debited = made.reduce((sum: number, one: Json) => sum + one.total_debited, 0)
  await eventually('all have ended', async () => (await shop.balance())[1] === 0)
  assert.deepEqual(await shop.balance(), [230_000 - debited, 0])
  assert.equal((await shop.sent()).length, made.filter(({ method }: Json) => method === 'provider').length)
})

test('what no one approves in time is not recorded', async () => {
  const shop = await openShop(await sharedApp())
  await newMember(shop.app, shop.owner, shop.businessId, 'approver')
  await shop.setRule({ above: 0, approvers: 1 })
  const reference = await paid(shop)
  const { id } = (await outside(shop, shop.owner, reference)).body.data
  await shop.app.owner.pool.query(`update approval_requests set expires_at = clock_now() - interval '1 second' where id = $1`, [
    fromWire('rf', id),
  ])
  const ended = await eventually('it ends', async () => {
    const refund = await read(shop, id)
    return refund.status === 'failed' && refund
  })
  assert.equal(ended.failure.code, 'approval_expired')
  assert.equal((await payment(shop, reference)).refundable, 30_000)
})

test('a hold of the payouts stops no record of what was given back; a payment under review does', async () => {
  const shop = await openShop(await sharedApp())
  const reference = await paid(shop)
  const paymentId = fromWire('pay', reference)!
  const home = homeOfId(paymentId)
  await freezeMerchantPayouts(shop.app.db, { home, id: fromWire('biz', shop.businessId)! }, 'test', 'The books are looked at.')
  const sent = await shop.as(shop.owner, 'POST', `/payments/${reference}/refunds`, { amount: 10_000 })
  assert.equal(short(sent), '409 payouts_on_hold')
  assert.equal((await outside(shop, shop.owner, reference, { amount: 10_000 })).body.data.status, 'completed')
  const finding = { home, paymentId, environment: 'test', kind: 'missing_at_provider', provider: 'snippe' } as const
  const breakId = newMoneyId(home)
  await openBreak(shop.app.db, { ...finding, details: {} }, breakId)
  assert.equal(short(await outside(shop, shop.owner, reference, { amount: 10_000 })), '409 invalid_state')
  await shop.app.owner.pool.query('delete from breaks where id = $1', [breakId])
  await shop.app.owner.pool.query('delete from payout_freezes where merchant_id = $1', [fromWire('biz', shop.businessId)])
})

test('the database gives a refund outside no order, no cost and no other method, and the check of the books finds one', async () => {
  const shop = await openShop(await sharedApp())
  const reference = await paid(shop)
  const sent = (await shop.as(shop.owner, 'POST', `/payments/${reference}/refunds`, { amount: 10_000 })).body.data
  const { id } = (await outside(shop, shop.owner, reference, { amount: 10_000 })).body.data
  const [ofOutside, ofSent] = [id, sent.id].map((one) => `'${fromWire('rf', one)}'`)
  const order = `insert into provider_payouts (home, payout_id, provider, environment, idempotency_key, request_body)
    select home, ${ofOutside}, provider, environment, 'other', request_body from provider_payouts where payout_id = ${ofSent}`
  const refused: [statement: string, constraint: string][] = [
    [order, 'outside_has_no_order'],
    [`update payouts set method = 'outside' where id = ${ofSent}`, 'payouts_method_stays'],
    [`update payouts set method = 'provider' where id = ${ofOutside}`, 'payouts_method_stays'],
    [`update payouts set fee = 1 where id = ${ofOutside}`, 'payouts_outside_costs_nothing'],
    [
      `update payouts set status = 'reversed', reversed_at = clock_now() where id = ${ofOutside}`,
      'payouts_outside_costs_nothing',
    ],
  ]
  for (const [statement, constraint] of refused) {
    await assert.rejects(
      shop.app.owner.pool.query(statement),
      (error: { constraint?: string }) => error.constraint === constraint,
    )
  }
  // A record of the provider that names its id is not ours.
  const account = { environment: 'test', provider: 'snippe' } as const
  const named = { reference: 'elsewhere', id: fromWire('rf', id)!, home: homeOfId(fromWire('rf', id)!) }
  assert.deepEqual(await findOurPayouts(shop.app.db, account, [named]), [undefined])
  await eventually('the other one has ended', async () => (await shop.balance())[1] === 0)
  // Last: the table is locked meanwhile, and what asks for it then finds the service overloaded.
  await undone(shop.app, async (client) => {
    await client.query('alter table provider_payouts disable trigger outside_has_no_order')
    await client.query(order)
    const found = await verify({ snapshot: (look) => look(runnerOf(client)) }, { since: null })
    assert.ok(found.some(({ what }) => what.includes('was given outside, but has an order')))
  })
})
