/** Approval rules: what waits, who decides, and that money leaves or returns once. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { eventually, share, startTestApp } from '../../../test/app.ts'
import { newMember, removeMember } from '../../../test/members.ts'
import { makeKey } from '../../../test/attacks/objects.ts'
import { short } from '../../../test/fixtures/payouts.ts'
import { fromWire, homeOfId, toWire } from '../../platform/ids.ts'
import { findWaitingPayouts } from './queue.sql.ts'
import { openShop, startShop, type Shop } from '../../../test/fixtures/approvals.ts'

const sharedApp = share((ending) => startTestApp(ending, { worker: true }))

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads into answers freely
type Json = any

const waiting = async (shop: Shop, person: { token: string } = shop.owner): Promise<Json[]> =>
  (await shop.as(person, 'GET', '/approvals')).body.data

const decidable = async (shop: Shop, person: { token: string }): Promise<string[]> =>
  (await shop.as(person, 'GET', '/approvals?may_decide=true')).body.data.map(({ id }: Json) => id)

const payoutOf = async (shop: Shop, id: string): Promise<Json> => (await shop.as(shop.owner, 'GET', `/payouts/${id}`)).body.data

const ended = (shop: Shop, id: string, status: string): Promise<Json> =>
  eventually(`the payout is ${status}`, async () => {
    const payout = await payoutOf(shop, id)
    return payout.status === status && payout
  })

test('above the rule a payout waits with its money reserved until another member approves it, below it leaves at once', async () => {
  const shop = await openShop(await sharedApp())
  const [approver, accountant] = [
    await newMember(shop.app, shop.owner, shop.businessId, 'approver'),
    await newMember(shop.app, shop.owner, shop.businessId, 'accountant'),
  ]
  assert.equal(short(await shop.setRule({ above: 10_000, approvers: 1 })), '200')
  const small = (await shop.request(accountant, 10_000)).body.data
  assert.deepEqual([small.approval, small.approval_by], ['none', null])
  await ended(shop, small.id, 'completed')
  const large = (await shop.request(accountant, 20_000)).body.data
  assert.deepEqual([large.status, large.approval, large.approval_by], ['pending', 'required', 'members'])
  assert.equal((await shop.balance())[1], 20_000 + large.fee)
  const [entry] = await waiting(shop, approver)
  assert.deepEqual(
    [
      entry.id,
      entry.kind,
      entry.amount,
      entry.recipient.name,
      entry.requested_by.user_id,
      entry.approvers_needed,
      entry.may_decide,
    ],
    [large.id, 'payout', 20_000, 'Asha Mushi', accountant.userId, 1, true],
  )
  const own = (await shop.request(approver, 30_000)).body.data
  assert.deepEqual(await decidable(shop, approver), [large.id])
  assert.deepEqual(await decidable(shop, shop.owner), [own.id, large.id])
  assert.deepEqual(await decidable(shop, accountant), [])
  await shop.as(approver, 'POST', `/payouts/${own.id}/cancel`, {})
  // The person who requested it, and a role that may not approve.
  assert.equal((await waiting(shop, accountant))[0].why_not, 'role')
  assert.equal(
    short(await shop.as(accountant, 'POST', `/approvals/${large.id}/approve`, { version: 1 })),
    '403 insufficient_role',
  )
  // Members do not decide on what waits for operators.
  const waitFor = (who: string) =>
    shop.app.owner.pool.query('update payouts set approval_by = $1 where id = $2', [who, fromWire('po', large.id)])
  await waitFor('operators')
  assert.equal(short(await shop.as(approver, 'POST', `/approvals/${large.id}/approve`, { version: 1 })), '409 invalid_state')
  await waitFor('members')
  // It is no refund, and nothing of another business.
  const asRefund = toWire('rf', fromWire('po', large.id)!)
  const stranger = await openShop(shop.app)
  for (const [id, by] of [
    [asRefund, shop],
    [large.id, stranger],
  ] as const) {
    const who = by === shop ? approver : stranger.owner
    assert.equal(short(await by.as(who, 'GET', `/approvals/${id}`)), '404 not_found')
    assert.equal(short(await by.as(who, 'POST', `/approvals/${id}/approve`, { version: 1 })), '404 not_found')
  }
  const approved = await shop.as(approver, 'POST', `/approvals/${large.id}/approve`, { version: 1 })
  assert.deepEqual([short(approved), approved.body.data.outcome], ['200', 'approved'])
  await ended(shop, large.id, 'completed')
  assert.deepEqual(await waiting(shop), [])
  assert.equal(short(await shop.as(approver, 'POST', `/approvals/${large.id}/approve`, { version: 1 })), '409 invalid_state')
  const payouts = await shop.sent()
  assert.equal(payouts.filter(({ amount }: Json) => amount === 20_000).length, 1)
})

test('the queue reads the payouts that wait, and no others of the business', async () => {
  const shop = await openShop(await sharedApp())
  for (let made = 0; made < 3; made += 1) assert.equal((await shop.request(shop.owner, 20_000)).status, 201)
  await shop.setRule({ above: 0, approvers: 1 })
  const id = fromWire('po', (await shop.request(shop.owner, 20_000)).body.data.id)!
  assert.deepEqual([...(await findWaitingPayouts(shop.app.db, homeOfId(id), [id])).keys()], [id])
})

test('the requester never approves: not in another session, and not with a key that they made [A96]', async () => {
  const shop = await openShop(await sharedApp())
  await newMember(shop.app, shop.owner, shop.businessId, 'approver')
  const admin = await newMember(shop.app, shop.owner, shop.businessId, 'admin')
  assert.equal(short(await shop.setRule({ above: 0, approvers: 1 })), '200')
  const second = await shop.app.call('POST', '/v1/auth/login', { body: { identifier: admin.email, password: admin.password } })
  const otherSession = { token: second.body.data.access_token as string }
  const bySession = (await shop.request(admin, 20_000)).body.data
  assert.equal(
    short(await shop.as(otherSession, 'POST', `/approvals/${bySession.id}/approve`, { version: 1 })),
    '403 self_approval_forbidden',
  )
  const { key } = await makeKey(shop.app, admin, { business_id: shop.businessId })
  const byKey = await shop.app.call('POST', '/v1/payouts', {
    key,
    headers: { 'idempotency-key': 'k' },
    body: { amount: 20_000, phone_number: '+255754000123', recipient_name: 'Asha Mushi' },
  })
  assert.deepEqual([byKey.status, byKey.body.data.approval], [201, 'required'])
  const entry = (await waiting(shop, admin)).find(({ id }) => id === byKey.body.data.id)
  assert.match(entry.requested_by.key_id, /^key_/)
  assert.equal(entry.why_not, 'own_request')
  for (const who of [admin, otherSession]) {
    assert.equal(
      short(await shop.as(who, 'POST', `/approvals/${entry.id}/approve`, { version: 1 })),
      '403 self_approval_forbidden',
    )
  }
  // The database refuses it, too.
  await assert.rejects(
    shop.app.owner.pool.query(
      `insert into approval_votes (home, request_id, requested_by_user, user_id) select home, id, requested_by_user, requested_by_user from approval_requests where status = 'waiting'`,
    ),
    /approval_votes_by_others/,
  )
  assert.equal(
    (await shop.as(shop.owner, 'POST', `/approvals/${entry.id}/approve`, { version: 1 })).body.data.outcome,
    'approved',
  )
  await ended(shop, entry.id, 'completed')
})

test('a key of a removed member pays below the rule until it is rolled, and above it is refused at once', async () => {
  const shop = await openShop(await sharedApp())
  const admin = await newMember(shop.app, shop.owner, shop.businessId, 'admin')
  await newMember(shop.app, shop.owner, shop.businessId, 'approver')
  assert.equal(short(await shop.setRule({ above: 10_000, approvers: 1 })), '200')
  const { key, keyId } = await makeKey(shop.app, admin, { business_id: shop.businessId })
  await removeMember(shop.app, shop.owner, shop.businessId, admin.memberId)
  const pay = (by: string, amount: number) =>
    shop.app.call('POST', '/v1/payouts', {
      key: by,
      headers: { 'idempotency-key': randomUUID() },
      body: { amount, phone_number: '+255754000123', recipient_name: 'Asha Mushi' },
    })
  const below = await pay(key, 10_000)
  await ended(shop, below.body.data.id, 'completed')
  const before = await shop.balance()
  assert.equal(short(await pay(key, 20_000)), '403 insufficient_role')
  assert.deepEqual(await shop.balance(), before)
  // The person who rolls it is behind it from then on.
  const rolled = await shop.app.call('POST', `/developers/keys/${keyId}/roll`, { token: shop.owner.token, body: {} })
  assert.equal((await pay(rolled.body.data.key, 20_000)).body.data.approval, 'required')
})

test('a key of a member who may request no payouts any more is refused above the rule until another member rolls it', async () => {
  const shop = await openShop(await sharedApp())
  const admin = await newMember(shop.app, shop.owner, shop.businessId, 'admin')
  await newMember(shop.app, shop.owner, shop.businessId, 'approver')
  assert.equal(short(await shop.setRule({ above: 10_000, approvers: 1 })), '200')
  const { key } = await makeKey(shop.app, admin, { business_id: shop.businessId })
  const demoted = await shop.app.call('PATCH', `/v1/businesses/${shop.businessId}/members/${admin.memberId}`, {
    token: shop.owner.token,
    body: { role: 'cashier' },
  })
  assert.equal(short(demoted), '200')
  const before = await shop.balance()
  const refused = await shop.app.call('POST', '/v1/payouts', {
    key,
    headers: { 'idempotency-key': randomUUID() },
    body: { amount: 20_000, phone_number: '+255754000123', recipient_name: 'Asha Mushi' },
  })
  assert.deepEqual([short(refused), refused.body.error.details.role], ['403 insufficient_role', 'cashier'])
  assert.deepEqual([await waiting(shop), await shop.balance()], [[], before])
})

test('two approvers must be two people, and a refusal of one returns the money once', async () => {
  const shop = await openShop(await sharedApp())
  const people = [
    await newMember(shop.app, shop.owner, shop.businessId, 'approver'),
    await newMember(shop.app, shop.owner, shop.businessId, 'admin'),
  ] as const
  const accountant = await newMember(shop.app, shop.owner, shop.businessId, 'accountant')
  assert.equal(short(await shop.setRule({ above: 0, approvers: 2 })), '200')
  const first = (await shop.request(accountant, 20_000)).body.data
  const approve = (id: string, who: { token: string }) => shop.as(who, 'POST', `/approvals/${id}/approve`, { version: 1 })
  assert.equal((await approve(first.id, people[0])).body.data.outcome, 'more')
  assert.equal(short(await approve(first.id, people[0])), '409 invalid_state')
  assert.equal((await payoutOf(shop, first.id)).approval, 'required')
  assert.deepEqual([await decidable(shop, people[0]), await decidable(shop, people[1])], [[], [first.id]])
  assert.equal((await approve(first.id, people[1])).body.data.outcome, 'approved')
  await ended(shop, first.id, 'completed')
  const second = (await shop.request(accountant, 30_000)).body.data
  const before = await shop.balance()
  assert.equal((await approve(second.id, people[0])).body.data.outcome, 'more')
  const refusals = await Promise.all(
    [people[1], shop.owner].map((who) =>
      shop.as(who, 'POST', `/approvals/${second.id}/refuse`, { version: 1, reason: 'Wrong sum' }),
    ),
  )
  assert.deepEqual(refusals.map(short).sort(), ['200', '409 invalid_state'])
  const refused = await ended(shop, second.id, 'cancelled')
  assert.deepEqual([refused.approval, refused.failure.code], ['refused', 'approval_refused'])
  const [available, reserved] = await shop.balance()
  assert.deepEqual([available, reserved], [before[0] + 30_000 + second.fee, 0])
  const entry = (await shop.as(shop.owner, 'GET', `/approvals/${second.id}`)).body.data
  assert.deepEqual([entry.status, entry.reason, entry.may_decide], ['refused', 'Wrong sum', false])
})

test('what is not approved within 72 hours is cancelled, and its money returns once', async (t) => {
  const shop = await startShop(t)
  await newMember(shop.app, shop.owner, shop.businessId, 'approver')
  assert.equal(short(await shop.setRule({ above: 0, approvers: 1 })), '200')
  const [before] = await shop.balance()
  const payout = (await shop.request(shop.owner, 20_000)).body.data
  const { rows } = await shop.app.owner.pool.query(
    `select extract(epoch from expires_at - created_at)::int as seconds from approval_requests where status = 'waiting'`,
  )
  assert.deepEqual(rows, [{ seconds: 72 * 3600 }])
  await shop.app.owner.pool.query(
    `update approval_requests set expires_at = clock_now() - interval '1 second' where status = 'waiting'`,
  )
  const expired = await ended(shop, payout.id, 'cancelled')
  assert.equal(expired.failure.code, 'approval_expired')
  assert.deepEqual(await shop.balance(), [before, 0])
  assert.deepEqual(await waiting(shop), [])
})

test('a member removed between request and approval: the approval is refused and the payout is refused [A95]', async () => {
  const shop = await openShop(await sharedApp())
  const approver = await newMember(shop.app, shop.owner, shop.businessId, 'approver')
  const accountant = await newMember(shop.app, shop.owner, shop.businessId, 'accountant')
  await newMember(shop.app, shop.owner, shop.businessId, 'admin')
  assert.equal(short(await shop.setRule({ above: 0, approvers: 1 })), '200')
  const [before] = await shop.balance()
  // The approver is removed: their approval is refused, and the payout waits for others.
  const first = (await shop.request(accountant, 20_000)).body.data
  await removeMember(shop.app, shop.owner, shop.businessId, approver.memberId)
  assert.equal(short(await shop.as(approver, 'POST', `/approvals/${first.id}/approve`, { version: 1 })), '404 not_found')
  assert.equal((await payoutOf(shop, first.id)).status, 'pending')
  // The requester is removed: no one can approve it any more, and it is refused.
  await removeMember(shop.app, shop.owner, shop.businessId, accountant.memberId)
  assert.match(short(await shop.as(shop.owner, 'POST', `/approvals/${first.id}/approve`, { version: 1 })), /^409 invalid_state$/)
  const refused = await ended(shop, first.id, 'cancelled')
  assert.equal(refused.failure.code, 'approval_refused')
  assert.deepEqual(await shop.balance(), [before, 0])
  assert.deepEqual(await shop.sent(), [])
})

test('an approval of a member who was removed since does not count', async () => {
  const shop = await openShop(await sharedApp())
  const approver = await newMember(shop.app, shop.owner, shop.businessId, 'approver')
  const admin = await newMember(shop.app, shop.owner, shop.businessId, 'admin')
  const accountant = await newMember(shop.app, shop.owner, shop.businessId, 'accountant')
  assert.equal(short(await shop.setRule({ above: 0, approvers: 2 })), '200')
  const payout = (await shop.request(accountant, 20_000)).body.data
  const approve = (who: { token: string }) => shop.as(who, 'POST', `/approvals/${payout.id}/approve`, { version: 1 })
  assert.equal((await approve(approver)).body.data.outcome, 'more')
  await newMember(shop.app, shop.owner, shop.businessId, 'approver')
  await removeMember(shop.app, shop.owner, shop.businessId, approver.memberId)
  assert.equal((await approve(admin)).body.data.outcome, 'more')
  assert.equal((await payoutOf(shop, payout.id)).approval, 'required')
  assert.equal((await approve(shop.owner)).body.data.outcome, 'approved')
  await ended(shop, payout.id, 'completed')
})

test('a refund waits too, and fails with the reason when it is refused', async () => {
  const shop = await openShop(await sharedApp())
  const approver = await newMember(shop.app, shop.owner, shop.businessId, 'approver')
  assert.equal(short(await shop.setRule({ above: 0, approvers: 1 })), '200')
  const [payment] = (await shop.as(shop.owner, 'GET', '/payments')).body.data
  const refund = await shop.as(shop.owner, 'POST', `/payments/${payment.reference}/refunds`, { amount: 20_000 })
  assert.deepEqual([refund.status, refund.body.data.approval_by], [201, 'members'])
  const { id, created_at: since, hold } = refund.body.data
  const until = new Date(Date.parse(since) + 72 * 3_600_000).toISOString()
  assert.deepEqual(hold, { reason: 'approval', since, until, who_can_act: 'members' })
  const [entry] = await waiting(shop, approver)
  assert.deepEqual([entry.id, entry.kind, entry.payment], [id, 'refund', payment.reference])
  assert.equal(short(await shop.as(approver, 'POST', `/approvals/${id}/refuse`, { version: 1, reason: 'No' })), '200')
  const failed = (await shop.as(shop.owner, 'GET', `/refunds/${id}`)).body.data
  assert.deepEqual([failed.status, failed.failure.code], ['failed', 'approval_refused'])
  // What was not refunded can be refunded again.
  assert.equal((await shop.as(shop.owner, 'POST', `/payments/${payment.reference}/refunds`, {})).status, 402)
})

test('a stricter rule holds at once; a looser one waits for others under the old rule; too few approvers are refused', async () => {
  const shop = await openShop(await sharedApp())
  assert.equal(short(await shop.setRule({ above: 0, approvers: 1 })), '409 approvers_missing')
  const approver = await newMember(shop.app, shop.owner, shop.businessId, 'approver')
  assert.equal(short(await shop.setRule({ above: 0, approvers: 2 })), '409 approvers_missing')
  assert.equal(short(await shop.setRule({ above: 50_000, approvers: 1 })), '200')
  const stricter = (await shop.setRule({ above: 10_000, approvers: 1 })).body.data
  assert.deepEqual([stricter.rule.above, stricter.pending_change], [10_000, null])
  const looser = (await shop.setRule({ above: 60_000, approvers: 1 })).body.data
  assert.deepEqual([looser.rule.above, looser.pending_change.rule.above], [10_000, 60_000])
  assert.equal(short(await shop.as(shop.owner, 'DELETE', '/approval-rule')), '409 invalid_state')
  const { id } = looser.pending_change
  assert.equal(
    short(await shop.as(shop.owner, 'POST', `/approvals/${id}/approve`, { version: 1 })),
    '403 self_approval_forbidden',
  )
  // Meanwhile the old rule holds.
  assert.equal((await shop.request(shop.owner, 20_000)).body.data.approval, 'required')
  assert.equal((await shop.as(approver, 'POST', `/approvals/${id}/approve`, { version: 1 })).body.data.outcome, 'approved')
  assert.equal((await shop.as(shop.owner, 'GET', '/approval-rule')).body.data.rule.above, 60_000)
  const removal = (await shop.as(shop.owner, 'DELETE', '/approval-rule')).body.data
  assert.equal(removal.pending_change.rule, null)
  assert.equal(
    short(await shop.as(approver, 'POST', `/approvals/${removal.pending_change.id}/refuse`, { version: 1, reason: 'No' })),
    '200',
  )
  assert.equal((await shop.as(shop.owner, 'GET', '/approval-rule')).body.data.rule.above, 60_000)
  assert.equal(short(await shop.as(approver, 'POST', '/approval-rule', { above: 0, approvers: 1 })), '403 insufficient_role')
})

test('a stricter rule ends a looser change that waits, and holds for a payout that waits', async () => {
  const shop = await openShop(await sharedApp())
  const approver = await newMember(shop.app, shop.owner, shop.businessId, 'approver')
  const admin = await newMember(shop.app, shop.owner, shop.businessId, 'admin')
  assert.equal(short(await shop.setRule({ above: 0, approvers: 1 })), '200')
  const payout = (await shop.request(shop.owner, 20_000)).body.data
  const removal = (await shop.as(admin, 'DELETE', '/approval-rule')).body.data.pending_change
  const stricter = (await shop.setRule({ above: 0, approvers: 2 })).body.data
  assert.deepEqual([stricter.rule.approvers, stricter.pending_change], [2, null])
  assert.match(short(await shop.as(approver, 'POST', `/approvals/${removal.id}/approve`, { version: 1 })), /^409 invalid_state$/)
  const approve = (who: { token: string }) => shop.as(who, 'POST', `/approvals/${payout.id}/approve`, { version: 1 })
  assert.equal((await approve(approver)).body.data.outcome, 'more')
  assert.equal((await approve(admin)).body.data.outcome, 'approved')
  await ended(shop, payout.id, 'completed')
})

test('operators approve after the members: the money leaves only after both', async (t) => {
  const shop = await startShop(t, { PAYOUT_APPROVAL_ABOVE: '50000' })
  const approver = await newMember(shop.app, shop.owner, shop.businessId, 'approver')
  assert.equal(short(await shop.setRule({ above: 0, approvers: 1 })), '200')
  const { id } = (await shop.request(shop.owner, 60_000)).body.data
  const operator = await shop.app.admin()
  const byOperator = () => shop.app.call('POST', `/v1/admin/payouts/${id}/approve`, { token: operator.token, body: {} })
  assert.equal(short(await byOperator()), '409 invalid_state')
  assert.equal((await shop.as(approver, 'POST', `/approvals/${id}/approve`, { version: 1 })).body.data.outcome, 'approved')
  const now = await payoutOf(shop, id)
  assert.deepEqual([now.status, now.approval, now.approval_by], ['pending', 'required', 'operators'])
  assert.deepEqual(await shop.sent(), [])
  assert.equal(short(await byOperator()), '200')
  await ended(shop, id, 'completed')
  // What members have approved stays approved when its requester cancels it before operators decide.
  const second = (await shop.request(shop.owner, 55_000)).body.data.id
  assert.equal(short(await shop.as(approver, 'POST', `/approvals/${second}/approve`, { version: 1 })), '200')
  assert.equal(short(await shop.as(shop.owner, 'POST', `/payouts/${second}/cancel`, {})), '200')
  assert.equal((await shop.as(shop.owner, 'GET', `/approvals/${second}`)).body.data.status, 'approved')
})

test('a payout that its requester cancels while it waits leaves the queue, and one approval for two is not a vote for another wallet', async () => {
  const shop = await openShop(await sharedApp())
  const approver = await newMember(shop.app, shop.owner, shop.businessId, 'approver')
  assert.equal(short(await shop.setRule({ above: 0, approvers: 1 })), '200')
  const { id } = (await shop.request(shop.owner, 20_000)).body.data
  const inLive = await shop.app.call('POST', `/v1/merchant/approvals/${id}/approve?business_id=${shop.businessId}`, {
    token: approver.token,
    body: { version: 1 },
  })
  assert.equal(short(inLive), '404 not_found')
  assert.equal(short(await shop.as(shop.owner, 'POST', `/payouts/${id}/cancel`, {})), '200')
  assert.deepEqual(await waiting(shop), [])
  assert.equal((await shop.as(shop.owner, 'GET', `/approvals/${id}`)).body.data.status, 'withdrawn')
  assert.equal(short(await shop.as(approver, 'POST', `/approvals/${id}/approve`, { version: 1 })), '409 invalid_state')
})

test('a stale session decides nothing: no payout, no refund and no change of the rule', async (t) => {
  const shop = await startShop(t)
  const { app, owner, businessId } = shop
  const approver = await newMember(app, owner, businessId, 'approver')
  const admin = await newMember(app, owner, businessId, 'admin')
  assert.equal(short(await shop.setRule({ above: 10_000, approvers: 1 })), '200')
  const payout = (await shop.request(owner, 20_000)).body.data
  const payments = (await shop.as(owner, 'GET', '/payments')).body.data
  const refund = (await shop.as(owner, 'POST', `/payments/${payments[0].reference}/refunds`, { amount: 15_000 })).body.data
  const change = (await shop.as(owner, 'DELETE', '/approval-rule')).body.data.pending_change
  await app.owner.pool.query(`update sessions set authenticated_at = clock_now() - interval '10 minutes'`)
  for (const id of [payout.id, refund.id, change.id]) {
    for (const [verdict, body] of [
      ['approve', { version: 1 }],
      ['refuse', { reason: 'no', version: 1 }],
    ] as const) {
      const decided = await shop.as(admin, 'POST', `/approvals/${id}/${verdict}`, body)
      assert.equal(short(decided), '401 step_up_required', `${verdict} ${id}`)
    }
  }
  await app.owner.pool.query(`update sessions set authenticated_at = clock_now()`)
  assert.equal(short(await shop.as(approver, 'POST', `/approvals/${payout.id}/refuse`, { reason: 'no', version: 1 })), '200')
})
