/** Pairs about a payout that waits for the approval of members. */
import assert from 'node:assert/strict'
import { endUnapprovedPayout } from '../../server/pay-out/payouts/approve-payout.ts'
import { checkPayouts } from '../../server/pay-out/payouts/send-payout.ts'
import { fromWire, homeOfId, toWire } from '../../server/platform/ids.ts'
import { pair, type Met, type Pair, type UseCase } from './pair.ts'
import type { Business, World } from './world.ts'

type Waiting = Met & Business & { id: string; wireId: string }

const order = { amount: 20_000, phone_number: '+255754000123', recipient_name: 'Asha Mushi' }

async function requested(business: Business): Promise<Waiting> {
  const { status, body } = await business.shop.request(business.owner, order.amount)
  assert.equal(status, 201, JSON.stringify(body))
  const id = fromWire('po', body.data.id)!
  return { ...business, id, wireId: body.data.id }
}

/** A payout that one approval lets go. */
const waiting = async (world: World): Promise<Waiting> => requested(await world.fundedBusiness({ above: 0, approvers: 1 }))

/** One that two members must approve. */
const waitingForTwo = async (world: World): Promise<Waiting> => requested(await world.fundedBusiness({ above: 0, approvers: 2 }))

/** One whose business is of this order alone. */
const waitingOfNew = async (world: World): Promise<Waiting> => requested(await world.business({ above: 0, approvers: 1 }))

/** One whose time to be approved is over. */
const overdue = async (world: World): Promise<Waiting> => expired(world, await waiting(world))

async function expired(world: World, one: Waiting): Promise<Waiting> {
  await world.app.owner.pool.query(`update approval_requests set expires_at = clock_now() - interval '1 second' where id = $1`, [
    one.id,
  ])
  return one
}

/** A refund outside the wallet that one approval completes, of a business of this order alone: the facts name what its payment has refunded. */
async function waitingOutside(world: World): Promise<Waiting> {
  const business = await world.business({ above: 0, approvers: 1 })
  const { rows } = await world.app.owner.pool.query('select id from payments where merchant_id = $1', [business.merchantId])
  const body = { amount: 20, method: 'outside', reason: 'Cash' }
  const made = await business.shop.as(business.owner, 'POST', `/payments/${toWire('pay', rows[0].id)}/refunds`, body)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return { ...business, id: fromWire('rf', made.body.data.id)!, wireId: made.body.data.id }
}

/** One whose time to be approved is over. */
const overdueOutside = async (world: World): Promise<Waiting> => expired(world, await waitingOutside(world))

type Who = 'owner' | 'approver' | 'second'

const approve =
  (who: Who): UseCase<Waiting> =>
  (side, one) =>
    side.as(one, one[who], 'POST', `/approvals/${one.wireId}/approve`, { version: 1 })

const refuse =
  (who: Who): UseCase<Waiting> =>
  (side, one) =>
    side.as(one, one[who], 'POST', `/approvals/${one.wireId}/refuse`, { version: 1, reason: 'Not this one.' })

const cancel: UseCase<Waiting> = (side, one) =>
  side.as(one, one.owner, 'POST', `/${one.wireId.startsWith('rf') ? 'refunds' : 'payouts'}/${one.wireId}/cancel`, {})

const expire: UseCase<Waiting> = async ({ deps }, { id }) => {
  await endUnapprovedPayout(deps, { home: homeOfId(id), id })
  return 'done'
}

const send: UseCase<Waiting> = async ({ deps }, { id }) => String(await checkPayouts(deps, 1, { home: homeOfId(id), id }))

const memberCall =
  (method: 'PATCH' | 'DELETE', body?: unknown): UseCase<Business & Met> =>
  (side, { businessId, owner, approver }) =>
    side.call(method, `/v1/businesses/${businessId}/members/${approver.memberId}`, {
      token: owner.token,
      ...(body !== undefined && { body }),
    })

const demote = memberCall('PATCH', { role: 'viewer' })
const remove = memberCall('DELETE')

const setRule =
  (rule: { above: number; approvers: number }): UseCase<Business & Met> =>
  (side, one) =>
    side.as(one, one.owner, 'POST', '/approval-rule', rule)

const request: UseCase<Business & Met> = (side, one) =>
  side.as(one, one.owner, 'POST', '/payouts', order, `${one.businessId} ${side.name}`)
const requestByAccountant: UseCase<Business & Met> = (side, one) =>
  side.as(one, one.second, 'POST', '/payouts', order, `${one.businessId} ${side.name}`)

const removeSecond: UseCase<Business & Met> = (side, { businessId, owner, second }) =>
  side.call('DELETE', `/v1/businesses/${businessId}/members/${second.memberId}`, { token: owner.token })

export const approvalPairs: readonly Pair[] = [
  pair({ name: 'approve-approve', prepare: waiting, first: approve('approver'), second: approve('second') }),
  pair({ name: 'approve-same-person', prepare: waitingForTwo, first: approve('approver'), second: approve('approver') }),
  pair({ name: 'approve-two', prepare: waitingForTwo, first: approve('approver'), second: approve('second') }),
  pair({ name: 'approve-refuse', prepare: waiting, first: approve('approver'), second: refuse('second') }),
  pair({ name: 'approve-cancel', prepare: waiting, first: approve('approver'), second: cancel, inParts: ['1'] }),
  pair({ name: 'approve-expire', prepare: overdue, first: approve('approver'), second: expire }),
  pair({ name: 'refuse-expire', prepare: overdue, first: refuse('approver'), second: expire }),
  pair({ name: 'cancel-expire', prepare: overdue, first: cancel, second: expire }),
  pair({ name: 'approve-approve-outside', prepare: waitingOutside, first: approve('approver'), second: approve('second') }),
  pair({ name: 'approve-cancel-outside', prepare: waitingOutside, first: approve('approver'), second: cancel }),
  pair({ name: 'approve-expire-outside', prepare: overdueOutside, first: approve('approver'), second: expire }),
  pair({ name: 'send-approve', prepare: waiting, first: send, second: approve('approver') }),
  pair({ name: 'send-refuse', prepare: waiting, first: send, second: refuse('approver') }),
  pair({ name: 'send-expire', prepare: overdue, first: send, second: expire }),
  pair({ name: 'approve-demote', prepare: waitingOfNew, first: approve('approver'), second: demote }),
  pair({ name: 'approve-remove', prepare: waitingOfNew, first: approve('approver'), second: remove }),
  pair({ name: 'approve-rule', prepare: waitingOfNew, first: approve('approver'), second: setRule({ above: 0, approvers: 2 }) }),
  pair({
    name: 'payout-rule',
    prepare: (world: World) => world.business(),
    first: request,
    second: setRule({ above: 0, approvers: 1 }),
  }),
  pair({
    name: 'payout-member-removed',
    prepare: (world: World) => world.business(),
    first: requestByAccountant,
    second: removeSecond,
  }),
]
