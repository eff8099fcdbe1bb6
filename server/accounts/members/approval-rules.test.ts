/** Approval rules: which change is looser, who may change one, and that the rule of a wallet is its own. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp, type Answer } from '../../../test/app.ts'
import { lastMail, newMember } from '../../../test/members.ts'
import { registerBusiness } from '../../../test/onboarding.ts'
import { short } from '../../../test/fixtures/payouts.ts'
import { fromWire, newMoneyId, toWire } from '../../platform/ids.ts'
import { isLoosening, type ApprovalRule } from './approval-rule.ts'
import { outcomeOfEnd } from './end-approval.ts'

const rule = (above: number, aboveTotal: number | null, approvers: 1 | 2): ApprovalRule => ({ above, aboveTotal, approvers })

test('a change is looser if money could leave with fewer approvals than before', () => {
  const before = rule(10, 50, 1)
  const table: [before: ApprovalRule, after: ApprovalRule | undefined, isLooser: boolean, why: string][] = [
    [before, undefined, true, 'no rule'],
    [before, before, false, 'the same'],
    [before, rule(11, 50, 2), true, 'a larger amount'],
    [before, rule(9, 49, 2), false, 'less of everything'],
    [rule(10, 50, 2), rule(0, 0, 1), true, 'one person less'],
    [before, rule(9, 51, 1), true, 'a larger day'],
    [before, rule(9, null, 1), true, 'a day without a limit'],
    [rule(10, null, 1), rule(10, 50, 1), false, 'the day gets a limit'],
    [rule(10, null, 1), rule(10, null, 1), false, 'the day stays without one'],
  ]
  for (const [from, to, isLooser, why] of table) assert.equal(isLoosening(from, to), isLooser, why)
})

test('only what waits ends by itself: refused without its requester, or expired', () => {
  const outcome = (status: 'waiting' | 'approved', isRequesterActive: boolean, isOverdue: boolean) =>
    outcomeOfEnd({ status, isRequesterActive, isOverdue } as Parameters<typeof outcomeOfEnd>[0])?.code
  assert.deepEqual(
    [outcome('waiting', true, false), outcome('waiting', false, false), outcome('waiting', true, true)],
    [undefined, 'approval_refused', 'approval_expired'],
  )
  assert.deepEqual([outcome('approved', false, false), outcome('approved', true, true)], [undefined, undefined])
})

test('a rule is of one wallet: others of the merchant, and of merchants in the same home, keep theirs', async (t) => {
  const app = await startTestApp(t)
  async function startShop() {
    const owner = await app.student()
    const { id } = await registerBusiness(app, owner)
    await app.setHome(fromWire('biz', id)!, 7)
    const call = (by: { token: string }, method: string, path: string, environment: string, body?: unknown): Promise<Answer> =>
      app.call(method, `/v1/merchant/${path}?environment=${environment}&business_id=${id}`, {
        token: by.token,
        ...(body !== undefined && { body }),
      })
    return { owner, id, call, join: (role: Parameters<typeof newMember>[3]) => newMember(app, owner, id, role) }
  }
  const [shop, other] = [await startShop(), await startShop()]
  const { owner, call } = shop
  const set = (above: number, approvers: number, environment = 'test', by: { token: string } = owner) =>
    call(by, 'POST', 'approval-rule', environment, { above, approvers })
  const [approver, cashier] = [await shop.join('approver'), await shop.join('cashier')]
  const otherApprover = await other.join('approver')
  await other.join('admin')
  assert.equal(short(await set(10_000, 1, 'test', cashier)), '403 insufficient_role')
  assert.equal(short(await call(owner, 'DELETE', 'approval-rule', 'test')), '409 invalid_state', 'there is none')
  assert.equal(short(await set(10_000, 1)), '200')
  // A looser amount, with more people than there are.
  const tooFew = await set(50_000, 2)
  assert.deepEqual([short(tooFew), tooFew.body.error.details], ['409 approvers_missing', { needed: 3, available: 2 }])
  assert.match(tooFew.body.error.message_sw, /watu 3/)
  const second = await shop.join('approver')
  assert.equal(short(await set(20_000, 1, 'live')), '200')
  assert.match(await lastMail(app, owner.email, 'power_changed'), /The approval rule for money that leaves was changed/)
  const ofOther = await other.call(other.owner, 'POST', 'approval-rule', 'test', { above: 30_000, approvers: 2 })
  assert.equal(short(ofOther), '200')

  const { id } = (await call(owner, 'DELETE', 'approval-rule', 'test')).body.data.pending_change
  assert.deepEqual((await call(approver, 'GET', 'approvals', 'live')).body.data, [])
  assert.deepEqual((await other.call(otherApprover, 'GET', 'approvals', 'test')).body.data, [])
  assert.equal(short(await other.call(otherApprover, 'GET', `approvals/${id}`, 'test')), '404 not_found')
  assert.equal((await other.call(other.owner, 'GET', 'approval-rule', 'test')).body.data.pending_change, null)
  const unknown = `approvals/${toWire('arc', newMoneyId(7))}/approve`
  assert.equal(short(await call(approver, 'POST', unknown, 'test', { version: 1 })), '404 not_found')
  const approve = `approvals/${id}/approve`
  assert.equal(short(await other.call(otherApprover, 'POST', approve, 'test', { version: 1 })), '404 not_found')
  assert.equal(short(await call(approver, 'POST', approve, 'live', { version: 1 })), '404 not_found')
  assert.equal((await call(approver, 'POST', approve, 'test', { version: 1 })).body.data.outcome, 'approved')
  const above = async (answer: Promise<Answer>) => (await answer).body.data.rule?.above
  assert.deepEqual(
    [
      await above(call(owner, 'GET', 'approval-rule', 'test')),
      await above(call(owner, 'GET', 'approval-rule', 'live')),
      await above(other.call(other.owner, 'GET', 'approval-rule', 'test')),
    ],
    [undefined, 20_000, 30_000],
  )
  // What was decided, and what waits for something else, is no change of the rule.
  const invited = { email: 'asha@example.com', role: 'approver' }
  const asked = await app.call('POST', `/v1/businesses/${shop.id}/members`, { token: owner.token, body: invited })
  assert.equal(asked.body.data.pending_role.role, 'approver')
  for (const environment of ['test', 'live'])
    assert.equal((await call(owner, 'GET', 'approval-rule', environment)).body.data.pending_change, null, environment)
  // Two people are enough here; the other business needs three.
  const removed = await app.call('DELETE', `/v1/businesses/${shop.id}/members/${second.memberId}`, { token: owner.token })
  assert.equal(short(removed), '200')
})
