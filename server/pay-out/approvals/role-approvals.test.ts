/** A new approver, admin or owner while an approval rule stands: who approves them, when the role begins, and what ends the request. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, share, startTestApp, type Answer, type Student } from '../../../test/app.ts'
import { invitationToken, lastMail, newMember, removeMember, verifiedBusiness, verifyEmail } from '../../../test/members.ts'
import { short } from '../../../test/fixtures/payouts.ts'
import { decideApproval } from '../../accounts/members/decide-approval.ts'
import { findMerchantByWire } from '../../accounts/identity/merchant.sql.ts'
import { byCommandLine } from '../../base/audit/audit.ts'
import { fromWire } from '../../platform/ids.ts'
import { endUnapproved } from './end-unapproved.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads into answers freely
type Json = any
type Caller = { token: string }

const shared = share(async (ending) => {
  const app = await startTestApp(ending)
  return { app, admin: await app.admin() }
})

/** A business with an owner and an approver, and a rule in live; of this home, if one is given. */
async function startShop(above: number | null = 100_000, home?: number) {
  const { app, admin } = await shared()
  const owner = await app.student()
  const businessId = await verifiedBusiness(app, owner, admin)
  if (home !== undefined) await app.setHome(fromWire('biz', businessId)!, home)
  const approver = await newMember(app, owner, businessId, 'approver')
  const members = `/v1/businesses/${businessId}/members`
  const live = `environment=live&business_id=${businessId}`
  const setRule = (amount: number, approvers = 1) =>
    app.call('POST', `/v1/merchant/approval-rule?${live}`, { token: owner.token, body: { above: amount, approvers } })
  if (above !== null) assert.equal(short(await setRule(above)), '200')
  const decide = (verdict: string, body: Json) => (id: string, by: Caller) =>
    app.call('POST', `/v1/merchant/approvals/${id}/${verdict}?${live}`, { token: by.token, body: { version: 1, ...body } })
  return {
    app,
    owner,
    approver,
    businessId,
    setRule,
    join: (role: Parameters<typeof newMember>[3]) => newMember(app, owner, businessId, role),
    invite: (email: string, role: string, by: Caller = owner): Promise<Answer> =>
      app.call('POST', members, { token: by.token, body: { email, role } }),
    accept: async (person: Student): Promise<Answer> => {
      await verifyEmail(app, person.email)
      const token = await invitationToken(app, person.email)
      return app.call('POST', '/v1/invitations/accept', { token: person.token, body: { token } })
    },
    change: async (memberId: string, role: string, by: Caller = owner): Promise<Json> => {
      const answer = await app.call('PATCH', `${members}/${memberId}`, { token: by.token, body: { role } })
      assert.equal(short(answer), '200', JSON.stringify(answer.body))
      return answer.body.data
    },
    member: async (id: string): Promise<Json> =>
      (await app.call('GET', members, { token: owner.token })).body.data.find((one: Json) => one.id === id),
    queue: async (by: Caller, mayDecide = false): Promise<Json[]> => {
      const query = mayDecide ? `${live}&may_decide=true` : live
      return (await app.call('GET', `/v1/merchant/approvals?${query}`, { token: by.token })).body.data
    },
    approve: decide('approve', {}),
    confirm: (id: string, by: Caller, token: string) => decide('approve', { token })(id, by),
    refuse: decide('refuse', { reason: 'No' }),
  }
}

test('approvers get one mail for a queue, whatever waits at another business of the same home', async () => {
  for (const shop of [await startShop(0, 7), await startShop(0, 7)]) {
    // What waits in test is in another queue.
    const inTest = `/v1/merchant/approval-rule?environment=test&business_id=${shop.businessId}`
    const { token } = shop.owner
    assert.equal(short(await shop.app.call('POST', inTest, { token, body: { above: 0, approvers: 1 } })), '200')
    assert.notEqual((await shop.app.call('DELETE', inTest, { token })).body.data.pending_change, null)
    for (const name of ['asha', 'baraka']) {
      assert.equal(short(await shop.invite(`${name}-${shop.businessId}@example.com`, 'admin')), '201')
    }
    const mailed = async ({ email }: Student) => {
      const sent = await shop.app.owner.pool.query(`select from mails where recipient = $1 and kind = 'approval_waits'`, [email])
      return sent.rowCount
    }
    assert.deepEqual([await mailed(shop.approver), await mailed(shop.owner)], [1, 0], 'and the requester gets none')
    // A queue that was empty is announced again.
    for (const { id } of await shop.queue(shop.approver)) assert.equal(short(await shop.refuse(id, shop.approver)), '200')
    assert.equal(short(await shop.invite(`chiku-${shop.businessId}@example.com`, 'admin')), '201')
    assert.equal(await mailed(shop.approver), 2)
  }
})

test('an invited admin joins only after another person has approved them', async () => {
  const shop = await startShop()
  const person = await shop.app.student()
  const invited = await shop.invite(person.email, 'admin')
  assert.equal(short(invited), '201')
  const { approval_id: id, role } = invited.body.data.pending_role
  assert.equal(role, 'admin')
  const waiting = await shop.accept(person)
  assert.equal(short(waiting), '409 invalid_state')
  assert.match(waiting.body.error.message, /Other members must approve this invitation first/)
  assert.match(
    await lastMail(shop.app, shop.approver.email, 'approval_waits'),
    /A new role in .* waits for your approval[^]*\/dashboard\/biz_\w+\/live\/approvals\n/,
  )
  const [entry] = await shop.queue(shop.owner)
  assert.deepEqual(
    [entry.kind, entry.member, entry.amount, entry.may_decide, entry.why_not, entry.confirmed_by_mail],
    ['member_role', { id: invited.body.data.id, name: person.email, role: 'admin' }, null, false, 'own_request', false],
  )
  assert.equal(short(await shop.approve(id, shop.owner)), '403 self_approval_forbidden')
  assert.equal((await shop.approve(id, shop.approver)).body.data.outcome, 'approved')
  assert.equal(short(await shop.accept(person)), '200')
})

test('a promotion to more power takes effect with its approval; other changes need none', async () => {
  const shop = await startShop()
  const cashier = await shop.join('cashier')
  assert.deepEqual([(await shop.change(cashier.memberId, 'accountant')).pending_role, await shop.queue(shop.owner)], [null, []])
  const asked = await shop.change(cashier.memberId, 'approver')
  assert.deepEqual([asked.role, asked.pending_role.role], ['accountant', 'approver'])
  assert.equal(short(await shop.approve(asked.pending_role.approval_id, shop.approver)), '200')
  const given = await shop.member(cashier.memberId)
  assert.deepEqual([given.role, given.pending_role], ['approver', null])
  // The person themselves may approve by now, but not this.
  const more = (await shop.change(cashier.memberId, 'admin')).pending_role.approval_id
  const own = (await shop.queue(cashier))[0]
  assert.deepEqual([own.may_decide, own.why_not], [false, 'own_role'])
  assert.deepEqual([await shop.queue(cashier, true), (await shop.queue(shop.approver, true)).map(({ id }) => id)], [[], [more]])
  assert.equal(short(await shop.approve(more, cashier)), '403 self_approval_forbidden')
  assert.equal(short(await shop.approve(more, shop.approver)), '200')
  const owner = (await shop.change(cashier.memberId, 'owner')).pending_role.approval_id
  assert.equal(short(await shop.refuse(owner, shop.approver)), '200')
  assert.equal((await shop.member(cashier.memberId)).role, 'admin')
  assert.equal((await shop.change(cashier.memberId, 'approver')).role, 'approver', 'a demotion needs no approval')
})

test('a decision is only about what waits at the own business, also in the same home', async () => {
  const [shop, other] = [await startShop(0, 9), await startShop(0, 9)]
  const { app } = shop
  assert.equal(short(await shop.invite(`zawadi-${shop.businessId}@example.com`, 'admin')), '201')
  const [asked] = await shop.queue(shop.approver)
  const { rows } = await app.owner.pool.query(
    `select s.id as "sessionId", s.user_id as "userId" from sessions s join users u on u.id = s.user_id where u.email = $1`,
    [other.approver.email],
  )
  const merchant = (await findMerchantByWire(app.db, other.businessId))!
  const decide = (environment: 'test' | 'live') =>
    app.deps.db.tx((tx) =>
      decideApproval(
        tx,
        { merchant, environment },
        { id: fromWire('amr', asked.id)!, wireId: asked.id, kind: 'member_role' },
        { who: { ...rows[0], usesPower: false }, verdict: 'approve', version: 1 },
        byCommandLine,
        () => Promise.resolve(),
      ),
    )
  // The routes look first whose it is: this is the last look, in the transaction.
  for (const environment of ['live', 'test'] as const) await assert.rejects(decide(environment), { code: 'not_found' })
  assert.equal(short(await shop.approve(asked.id, shop.approver)), '200')
})

test('without a rule no one approves; an invitation from before the rule is sent again under it', async () => {
  const shop = await startShop(null)
  const [early, late] = [await shop.app.student(), await shop.app.student()]
  for (const { email } of [early, late]) assert.equal((await shop.invite(email, 'admin')).body.data.pending_role, null)
  assert.equal(short(await shop.accept(early)), '200')
  assert.equal(short(await shop.setRule(100_000)), '200')
  assert.equal(short(await shop.accept(late)), '409 invalid_state')
  const again = (await shop.invite(late.email, 'admin')).body.data.pending_role.approval_id
  assert.equal(short(await shop.approve(again, shop.approver)), '200')
  // A renewed invitation is a new request.
  await shop.invite(late.email, 'admin')
  assert.equal(short(await shop.accept(late)), '409 invalid_state')
})

test('the approval of a role is none of another role, for which the invitation was sent again without a rule', async () => {
  const shop = await startShop()
  const person = await shop.app.student()
  const { approval_id: id } = (await shop.invite(person.email, 'approver')).body.data.pending_role
  assert.equal(short(await shop.approve(id, shop.approver)), '200')
  const live = `environment=live&business_id=${shop.businessId}`
  const removal = await shop.app.call('DELETE', `/v1/merchant/approval-rule?${live}`, { token: shop.owner.token })
  assert.equal(short(await shop.approve(removal.body.data.pending_change.id, shop.approver)), '200')
  assert.equal((await shop.invite(person.email, 'admin')).body.data.pending_role, null)
  assert.equal(short(await shop.setRule(100_000)), '200')
  assert.equal(short(await shop.accept(person)), '409 invalid_state')
})

test('a role that no one could approve is not asked for', async () => {
  const shop = await startShop(null)
  const admin = await shop.join('admin')
  assert.equal(short(await shop.setRule(100_000)), '200')
  await shop.app.owner.pool.query('update users set disabled_at = clock_now() where email = any($1)', [
    [shop.owner.email, shop.approver.email],
  ])
  const refused = await shop.invite('asha@example.com', 'approver', admin)
  assert.deepEqual([short(refused), refused.body.error.details], ['409 approvers_missing', { needed: 2, available: 1 }])
})

test('an invitation whose promotion others refuse stays as it was', async () => {
  const shop = await startShop()
  const person = await shop.app.student()
  const { id } = (await shop.invite(person.email, 'cashier')).body.data
  const { approval_id: asked } = (await shop.change(id, 'admin')).pending_role
  assert.equal(short(await shop.refuse(asked, shop.approver)), '200')
  const accepted = await shop.accept(person)
  assert.deepEqual([accepted.status, accepted.body.data.role], [200, 'cashier'], JSON.stringify(accepted.body))
})

test('a refused invitation ends, and so does one that no one approves in time or whose requester is removed', async () => {
  const shop = await startShop()
  const admin = await (async () => {
    const person = await shop.app.student()
    const { pending_role: pending } = (await shop.invite(person.email, 'admin')).body.data
    await shop.approve(pending.approval_id, shop.approver)
    return { ...person, memberId: (await shop.accept(person)).body.data.id as string }
  })()
  const requests = []
  for (const by of [shop.owner, shop.owner, admin]) {
    const person = await shop.app.student()
    const { id, pending_role: pending } = (await shop.invite(person.email, 'admin', by)).body.data
    requests.push({ person, memberId: id, id: pending.approval_id })
  }
  const [refused, late, orphaned] = requests as [Json, Json, Json]
  assert.equal(short(await shop.refuse(refused.id, shop.approver)), '200')
  assert.equal(short(await shop.accept(refused.person)), '404 not_found')
  const cashier = await shop.join('cashier')
  const asked = (await shop.change(cashier.memberId, 'admin', admin)).pending_role.approval_id
  await removeMember(shop.app, shop.owner, shop.businessId, admin.memberId)
  assert.equal(short(await shop.approve(orphaned.id, shop.approver)), '404 not_found')
  assert.equal(short(await shop.approve(asked, shop.approver)), '409 invalid_state')
  await shop.app.owner.pool.query(
    `update approval_requests set expires_at = clock_now() where kind = 'member_role' and member_id = (select id from members where email = $1)`,
    [late.person.email],
  )
  await endUnapproved(shop.app.deps, 100)
  assert.equal(short(await shop.accept(late.person)), '404 not_found')
  assert.deepEqual(await shop.queue(shop.owner), [])
  assert.deepEqual([(await shop.member(cashier.memberId)).role, await shop.member(late.memberId)], ['cashier', undefined])
})

test('a late request waits for a change of the members that has begun, and stays withdrawn by it', async () => {
  const shop = await startShop()
  const cashier = await shop.join('cashier')
  const id = fromWire('amr', (await shop.change(cashier.memberId, 'admin')).pending_role.approval_id)
  const { pool } = shop.app.owner
  await pool.query('update approval_requests set expires_at = clock_now() where id = $1', [id])
  const faults: unknown[] = []
  const log = { ...shop.app.deps.log, error: (...fault: unknown[]) => void faults.push(fault) }
  // A change of the members begins with this lock.
  const client = await pool.connect()
  await client.query('begin')
  await client.query('select from merchants where id = $1 for no key update', [fromWire('biz', shop.businessId)])
  const ending = endUnapproved({ db: shop.app.deps.db, log }, 100)
  await eventually('the end waits', async () => {
    const { rowCount } = await pool.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rowCount === 1
  })
  await client.query(`update approval_requests set status = 'withdrawn', decided_at = clock_now() where id = $1`, [id])
  await client.query('commit')
  client.release()
  await ending
  const { rows } = await pool.query('select status from approval_requests where id = $1', [id])
  assert.deepEqual([rows, faults], [[{ status: 'withdrawn' }], []])
})

test('another role, and the removal of the member, withdraw what waits', async () => {
  const shop = await startShop()
  const cashier = await shop.join('cashier')
  const other = await shop.join('cashier')
  const stays = (await shop.change(other.memberId, 'admin')).pending_role.approval_id
  const first = (await shop.change(cashier.memberId, 'admin')).pending_role.approval_id
  assert.equal((await shop.change(cashier.memberId, 'cashier')).pending_role, null)
  assert.equal(short(await shop.approve(stays, shop.approver)), '200', 'only their own')
  assert.equal(short(await shop.approve('amr_01jz8e6c9kf0x9v4m2n7q5t3ab', shop.approver)), '404 not_found')
  assert.equal(short(await shop.approve(first, shop.approver)), '409 invalid_state')
  const second = (await shop.change(cashier.memberId, 'admin')).pending_role.approval_id
  await removeMember(shop.app, shop.owner, shop.businessId, cashier.memberId)
  assert.equal(short(await shop.approve(second, shop.approver)), '404 not_found')
  assert.deepEqual(await shop.queue(shop.owner), [])
})

test('an owner who was demoted makes no owner any more, also not with a request that others approve later', async () => {
  const shop = await startShop()
  const partner = await (async () => {
    const member = await shop.join('cashier')
    await shop.approve((await shop.change(member.memberId, 'owner')).pending_role.approval_id, shop.approver)
    return member
  })()
  const cashier = await shop.join('cashier')
  const id = (await shop.change(cashier.memberId, 'owner', partner)).pending_role.approval_id
  assert.equal((await shop.change(partner.memberId, 'admin')).role, 'admin')
  assert.equal(short(await shop.approve(id, shop.approver)), '409 invalid_state')
  assert.equal((await shop.member(cashier.memberId)).role, 'cashier')
})

test('each refusal to leave too few approvers names a way that works, also without the last other approver', async () => {
  const shop = await startShop()
  const { app, owner, approver, businessId } = shop
  const remove = (id: string, by: Caller) => app.call('DELETE', `/v1/businesses/${businessId}/members/${id}`, { token: by.token })
  const role = { token: owner.token, body: { role: 'cashier' } }
  const [cashier, person] = [await shop.join('cashier'), await app.student()]
  const refusals: [Answer, RegExp][] = [
    [await remove(approver.memberId, owner), /Invite another approver first.+waits for this member.+contact us/],
    [
      await app.call('PATCH', `/v1/businesses/${businessId}/members/${approver.memberId}`, role),
      /Invite another approver first.+waits for this member.+contact us/,
    ],
    [await remove(approver.memberId, approver), /Before you leave.+approve it/],
  ]
  for (const [refused, sentence] of refusals) {
    assert.equal(short(refused), '409 approvers_missing')
    assert.match(refused.body.error.message, sentence)
  }
  // What operators do for the owner.
  await app.owner.pool.query('update users set disabled_at = clock_now() where email = $1', [approver.email])
  assert.equal(short(await remove(cashier.memberId, owner)), '200', 'a cashier is no approver')
  const { approval_id: id } = (await shop.invite(person.email, 'approver')).body.data.pending_role
  const [, token] = /approvals#(\S+)/.exec(await lastMail(app, owner.email, 'role_confirmation'))!
  assert.equal(short(await shop.confirm(id, owner, token!)), '200')
  assert.equal(short(await shop.accept(person)), '200')
  assert.equal(short(await remove(approver.memberId, owner)), '200')
})

test('an owner without another approver confirms with the token of their mail, which opens nothing by itself', async () => {
  const shop = await startShop()
  // A disabled person cannot sign in.
  await shop.app.owner.pool.query('update users set disabled_at = clock_now() where email = $1', [shop.approver.email])
  const cashier = await shop.join('cashier')
  const { approval_id: id } = (await shop.change(cashier.memberId, 'approver')).pending_role
  const mail = await lastMail(shop.app, shop.owner.email, 'role_confirmation')
  const [, token] = /\/dashboard\/biz_\w+\/live\/approvals#(\S+)/.exec(mail)!
  assert.equal((await shop.member(cashier.memberId)).role, 'cashier')
  const [entry] = await shop.queue(shop.owner)
  assert.deepEqual([entry.confirmed_by_mail, entry.why_not], [true, 'own_request'])
  assert.equal(short(await shop.approve(id, shop.owner)), '403 self_approval_forbidden')
  assert.equal(short(await shop.confirm(id, shop.owner, 'f'.repeat(64))), '403 self_approval_forbidden')
  assert.equal(short(await shop.confirm(id, cashier, token!)), '403 insufficient_role')
  assert.equal((await shop.confirm(id, shop.owner, token!)).body.data.outcome, 'approved')
  assert.equal((await shop.member(cashier.memberId)).role, 'approver')
  assert.equal(short(await shop.confirm(id, shop.owner, token!)), '409 invalid_state')
  // In the hands of another person who may approve it gives no more than their own approval, which is shown.
  await shop.app.owner.pool.query('update users set disabled_at = clock_now() where email = $1', [cashier.email])
  const till = await shop.join('cashier')
  const { approval_id: another } = (await shop.change(till.memberId, 'approver')).pending_role
  const [, second] = /approvals#(\S+)/.exec(await lastMail(shop.app, shop.owner.email, 'role_confirmation'))!
  await shop.app.owner.pool.query('update users set disabled_at = null where email = $1', [shop.approver.email])
  assert.equal((await shop.confirm(another, shop.approver, second!)).body.data.outcome, 'approved')
  const path = `/v1/merchant/approvals/${another}?environment=live&business_id=${shop.businessId}`
  const { approved_by: votes } = (await shop.app.call('GET', path, { token: shop.owner.token })).body.data
  assert.deepEqual(
    votes.map((vote: Json) => vote.user_id),
    [shop.approver.userId],
  )
})
