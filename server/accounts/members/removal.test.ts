/** What happens at once: an invitation accepted many times, and what a removal stops while it is under way. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { eventually, share, startTestApp, type Admin, type Answer, type Student, type TestApp } from '../../../test/app.ts'
import { makeKey } from '../../../test/attacks/objects.ts'
import {
  addMember,
  invitationToken,
  lastMail,
  newMember,
  removeMember,
  verifiedBusiness,
  verifyEmail,
} from '../../../test/members.ts'
import { short } from '../../../test/fixtures/payouts.ts'
import { sql } from '../../platform/db/db.ts'
import { fromWire } from '../../platform/ids.ts'
import { listRolesOf } from './access.sql.ts'
import { bySystem } from '../../base/audit/audit.ts'
import { renewReview } from '../../merchants/onboarding/submit-package.ts'
import { endMemberships } from './end-memberships.ts'
import { pruneInvitations } from './member.sql.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads into answers freely
type Json = any
type Caller = { token: string }
type Shop = { app: TestApp; owner: Student; businessId: string }

const started = share(async (ending) => {
  const app = await startTestApp(ending)
  return { app, admin: await app.admin() }
})

async function startShop({ app, admin }: { app: TestApp; admin: Admin }): Promise<Shop> {
  const owner = await app.student()
  return { app, owner, businessId: await verifiedBusiness(app, owner, admin) }
}

const shopOf = async (): Promise<Shop> => startShop(await started())

const membersPath = ({ businessId }: Shop): string => `/v1/businesses/${businessId}/members`

const invite = (shop: Shop, by: Caller, email: string, role: string): Promise<Answer> =>
  shop.app.call('POST', membersPath(shop), { token: by.token, body: { email, role } })

const change = (shop: Shop, by: Caller, memberId: string, role: string): Promise<Answer> =>
  shop.app.call('PATCH', `${membersPath(shop)}/${memberId}`, { token: by.token, body: { role } })

const remove = (shop: Shop, by: Caller, memberId: string): Promise<Answer> =>
  shop.app.call('DELETE', `${membersPath(shop)}/${memberId}`, { token: by.token })

const accept = ({ app }: Shop, { token }: Caller, invitation: string): Promise<Answer> =>
  app.call('POST', '/v1/invitations/accept', { token, body: { token: invitation } })

const listed = async (shop: Shop, by: Caller = shop.owner): Promise<Json[]> =>
  (await shop.app.call('GET', membersPath(shop), { token: by.token })).body.data

const memberIdOf = async (shop: Shop, { userId }: Student): Promise<string> =>
  (await listed(shop)).find(({ user_id }) => user_id === userId).id

const unverifiedPerson = ({ app }: Shop): Promise<Student> => app.student({ verified: false })

/** A business with TZS 200,000 in its test wallet, on an app of its own. */
async function paidShop(t: Parameters<typeof startTestApp>[0]): Promise<Shop & { pay(by: Caller): Promise<Answer> }> {
  const app = await startTestApp(t, { worker: true })
  const shop = await startShop({ app, admin: await app.admin() })
  const query = `environment=test&business_id=${shop.businessId}`
  const post = ({ token }: Caller, path: string, body: unknown) =>
    app.call('POST', `/v1/merchant/${path}?${query}`, { token, body, headers: { 'idempotency-key': randomUUID() } })
  const page = await post(shop.owner, 'payment-pages', { type: 'payment', title: 'Duka', amount: 200_000 })
  const checkout = await app.checkout(page.body.data.slug)
  assert.equal((await app.settled(checkout.body.data.reference)).status, 'completed')
  const payout = { amount: 5000, phone_number: '+255754000123', recipient_name: 'Asha Mushi' }
  return { ...shop, pay: (by) => post(by, 'payouts', payout) }
}

const waitingForLocks = async ({ app }: Shop): Promise<number> => {
  const { rows } = await app.owner.pool.query(
    "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  )
  return rows.length
}

const payouts = async ({ app }: Shop): Promise<number> =>
  (await app.owner.pool.query('select count(*)::integer as count from payouts')).rows[0].count

test('one invitation, accepted ten times at once, makes one member', async () => {
  const shop = await shopOf()
  const person = await unverifiedPerson(shop)
  await invite(shop, shop.owner, person.email, 'cashier')
  await verifyEmail(shop.app, person.email)
  const token = await invitationToken(shop.app, person.email)
  const answers = await Promise.all(Array.from({ length: 10 }, () => accept(shop, person, token)))
  assert.deepEqual(answers.map(short).toSorted(), ['200', ...Array.from({ length: 9 }, () => '404 not_found')])
  assert.equal((await listed(shop)).length, 2)
})

test('two owners who remove each other at once leave one owner', async () => {
  const shop = await shopOf()
  const ownerId = await memberIdOf(shop, shop.owner)
  const partner = await newMember(shop.app, shop.owner, shop.businessId, 'owner')
  const answers = await Promise.all([remove(shop, shop.owner, partner.memberId), remove(shop, partner, ownerId)])
  assert.deepEqual(answers.map(short).toSorted(), ['200', '404 not_found'])
  const left = await shop.app.owner.pool.query(
    `select 1 from members where merchant_id = $1 and role = 'owner' and removed_at is null`,
    [fromWire('biz', shop.businessId)],
  )
  assert.equal(left.rows.length, 1)
})

test('a member leaves by themselves; to strangers a business, its members and its invitations do not exist', async () => {
  const shop = await shopOf()
  const { app, owner, businessId } = shop
  const cashier = await newMember(app, owner, businessId, 'cashier')
  assert.equal(short(await remove(shop, cashier, await memberIdOf(shop, owner))), '403 insufficient_role')
  const left = await remove(shop, cashier, cashier.memberId)
  assert.deepEqual([short(left), left.body.data.status], ['200', 'removed'])
  assert.match(await lastMail(app, owner.email, 'power_changed'), /A member was removed/)
  const stranger = await shopOf()
  const paths = [membersPath(shop), `/v1/businesses/${businessId}/activity`, `/v1/businesses/${businessId}`]
  for (const { token } of [cashier, stranger.owner]) {
    for (const path of paths) assert.equal(short(await app.call('GET', path, { token })), '404 not_found', path)
    for (const answer of [
      await invite(shop, { token }, 'asha@example.com', 'cashier'),
      await change(shop, { token }, cashier.memberId, 'owner'),
      await remove(shop, { token }, await memberIdOf(shop, owner)),
    ]) {
      assert.equal(short(answer), '404 not_found')
    }
  }
  // A member of one business under the path of another.
  assert.equal(short(await remove(stranger, stranger.owner, await memberIdOf(shop, owner))), '404 not_found')
  assert.deepEqual((await app.call('GET', '/v1/memberships', { token: cashier.token })).body.data, [])
  // What their open screens follow from then on.
  const cashierId = fromWire('usr', cashier.userId)!
  const roles = await listRolesOf(app.db, [cashierId])
  assert.deepEqual(roles, [{ userId: cashierId, merchantId: cashierId, role: 'owner' }])
  assert.equal(short(await app.call('GET', `/v1/businesses/${owner.userId}/members`, { token: owner.token })), '404 not_found')
})

test('what happens to a member is mailed to the owners that the business has at that time, and to them alone', async () => {
  const [shop] = [await shopOf(), await shopOf()]
  const { app, owner, businessId } = shop
  const partner = await newMember(app, owner, businessId, 'owner')
  await newMember(app, owner, businessId, 'admin')
  const cashier = await newMember(app, owner, businessId, 'cashier')
  assert.equal(short(await remove(shop, owner, partner.memberId)), '200')
  // What happens within a quarter of an hour is in one mail.
  await app.owner.pool.query(`delete from mails where kind = 'power_changed'`)
  assert.equal(short(await remove(shop, owner, cashier.memberId)), '200')
  const { rows } = await app.owner.pool.query(`select recipient from mails where kind = 'power_changed'`)
  assert.deepEqual(rows, [{ recipient: owner.email }])
})

test('a person who was removed, or got another role, is mailed at once, also an owner who is removed by the other owner', async () => {
  const shop = await shopOf()
  const { app, owner } = shop
  const [partner, accountant] = [
    await newMember(app, owner, shop.businessId, 'owner'),
    await newMember(app, owner, shop.businessId, 'accountant'),
  ]
  assert.equal(short(await change(shop, owner, accountant.memberId, 'cashier')), '200')
  assert.equal(short(await change(shop, owner, partner.memberId, 'admin')), '200')
  assert.match(await lastMail(app, accountant.email, 'own_role_changed'), /Your role .+ was changed from accountant to cashier/)
  assert.match(await lastMail(app, partner.email, 'own_role_changed'), /Your role .+ was changed from owner to admin/)
  assert.equal(short(await change(shop, owner, partner.memberId, 'owner')), '200')
  assert.equal(short(await remove(shop, owner, partner.memberId)), '200')
  assert.match(await lastMail(app, partner.email, 'own_role_changed'), /You are no longer a member \(owner\)/)
  const { rows } = await app.owner.pool.query(
    `select count(*)::integer as count from mails where kind = 'own_role_changed' and recipient = $1 and created_at < next_attempt_at - interval '1 minute'`,
    [partner.email],
  )
  assert.equal(rows[0].count, 0, 'none waits for further changes')
})

test('a removed member is refused from the next request on, also one that has passed its authentication [A95]', async (t) => {
  const shop = await paidShop(t)
  const { app, owner, businessId } = shop
  const accountant = await newMember(app, owner, businessId, 'accountant')
  assert.equal(short(await shop.pay(accountant)), '201')
  const before = await payouts(shop)
  // The request waits in its transaction, before its access is confirmed, while the removal commits.
  const { paying } = await app.owner.tx(async (tx) => {
    await tx.rows(sql`update members set removed_at = clock_now() where id = ${fromWire('mem', accountant.memberId)!}`)
    const paying = shop.pay(accountant)
    await eventually('the payout waits', async () => (await waitingForLocks(shop)) > 0)
    return { paying }
  })
  assert.equal(short(await paying), '404 not_found')
  assert.equal(short(await shop.pay(accountant)), '404 not_found')
  assert.equal(await payouts(shop), before)
})

test('a removal waits for a request of the member that is under way in its transaction, and is answered after it [A95]', async (t) => {
  const shop = await paidShop(t)
  const { app, owner, businessId } = shop
  const accountant = await newMember(app, owner, businessId, 'accountant')
  const ended: string[] = []
  const both = await app.owner.tx(async (tx) => {
    await tx.rows(sql`select 1 from ledger_accounts where kind = 'wallet' for update`)
    const paying = shop.pay(accountant).finally(() => ended.push('payout'))
    await eventually('the payout waits for its wallet', async () => (await waitingForLocks(shop)) === 1)
    const removal = remove(shop, owner, accountant.memberId).finally(() => ended.push('removal'))
    await eventually('the removal waits too', async () => ended.length > 0 || (await waitingForLocks(shop)) === 2)
    assert.deepEqual(ended, [])
    return { paying, removal }
  })
  assert.deepEqual([short(await both.paying), short(await both.removal)], ['201', '200'])
  assert.equal(short(await shop.pay(accountant)), '404 not_found')
})

test('a removal and a demotion that would leave too few approvers are refused, until there is another one', async () => {
  const shop = await shopOf()
  const { app, owner, businessId } = shop
  const approver = await newMember(app, owner, businessId, 'approver')
  const rule = await app.call('POST', `/v1/merchant/approval-rule?environment=test&business_id=${businessId}`, {
    token: owner.token,
    body: { above: 0, approvers: 1 },
  })
  assert.equal(short(rule), '200')
  for (const refused of [
    await change(shop, owner, approver.memberId, 'accountant'),
    await remove(shop, owner, approver.memberId),
    await remove(shop, approver, approver.memberId),
  ]) {
    assert.deepEqual([short(refused), refused.body.error.details], ['409 approvers_missing', { needed: 2, available: 1 }])
  }
  assert.equal((await listed(shop)).find(({ id }) => id === approver.memberId).role, 'approver', 'nothing has changed')
  await newMember(app, owner, businessId, 'approver')
  assert.equal(short(await change(shop, owner, approver.memberId, 'accountant')), '200')
})

test('a removed or demoted admin does not return through an invitation that they made before, and what they made is listed', async () => {
  const shop = await shopOf()
  const { app, owner, businessId } = shop
  const [admin, demoted] = [await newMember(app, owner, businessId, 'admin'), await newMember(app, owner, businessId, 'admin')]
  const [back, other, kept] = [await unverifiedPerson(shop), await unverifiedPerson(shop), await unverifiedPerson(shop)]
  // A person who has joined on the admin’s invitation, an invitation that was cancelled, and one to another business.
  const elsewhere = await shopOf()
  await addMember(app, elsewhere.owner, elsewhere.businessId, admin, 'admin')
  const stays = await newMember(app, admin, businessId, 'cashier')
  const cancelled = await invite(shop, admin, 'cancelled@example.com', 'cashier')
  assert.equal(short(await remove(shop, admin, cancelled.body.data.id)), '200')
  const guest = await unverifiedPerson(shop)
  assert.equal(short(await invite(elsewhere, admin, guest.email, 'cashier')), '201')
  const accept = async (person: typeof back) => {
    await verifyEmail(app, person.email)
    const token = await invitationToken(app, person.email)
    return short(await app.call('POST', '/v1/invitations/accept', { token: person.token, body: { token } }))
  }
  for (const [by, person] of [
    [admin, back],
    [demoted, other],
    [owner, kept],
  ] as const) {
    assert.equal(short(await invite(shop, by, person.email, 'admin')), '201')
  }
  const shopApp = await app.call('POST', '/developers/apps', {
    token: admin.token,
    body: { name: 'Shop', environment: 'live', business_id: businessId },
  })
  const body = { app_id: shopApp.body.data.id, key_name: 'k', scopes: ['payments:read'] }
  const key = (await app.call('POST', '/developers/keys', { token: admin.token, body })).body.data
  const removed = (await remove(shop, owner, admin.memberId)).body.data
  assert.equal(removed.invitations_ended, 1)
  assert.deepEqual(
    removed.left_behind.map(({ action, object }: Json) => [action, object]),
    [['key.created', key.id]],
  )
  assert.match(await lastMail(app, owner.email, 'power_changed'), /Made by this person, and still there .*: API keys 1\./)
  assert.equal(short(await change(shop, owner, demoted.memberId, 'accountant')), '200')
  assert.deepEqual([await accept(back), await accept(other), await accept(kept)], ['404 not_found', '404 not_found', '200'])
  assert.equal(await accept(guest), '200')
  assert.equal(short(await app.call('GET', `/v1/businesses/${businessId}`, { token: stays.token })), '403 insufficient_role')
  assert.equal(short(await remove(shop, owner, stays.memberId)), '200')
  const { body: activity } = await app.call('GET', `/v1/businesses/${businessId}/activity?limit=100`, { token: owner.token })
  const details = (id: string) =>
    activity.data.find(({ action, object }: Json) => action === 'member.removed' && object === id).details
  assert.deepEqual([details(admin.memberId), details(stays.memberId)], [{ invitations_ended: 1 }, { role: 'cashier' }])
})

test('an owner who becomes an admin invites owners no more, and everyone else as before', async () => {
  const shop = await shopOf()
  const partner = await newMember(shop.app, shop.owner, shop.businessId, 'owner')
  const people = [await shop.app.student(), await shop.app.student()]
  const roles = ['owner', 'cashier'] as const
  for (const [place, { email }] of people.entries()) assert.equal(short(await invite(shop, partner, email, roles[place]!)), '201')
  assert.equal(short(await change(shop, shop.owner, partner.memberId, 'admin')), '200')
  for (const { email } of people) await verifyEmail(shop.app, email)
  const tokens = await Promise.all(people.map(({ email }) => invitationToken(shop.app, email)))
  const answers = await Promise.all(people.map((person, place) => accept(shop, person, tokens[place]!)))
  assert.deepEqual(answers.map(short), ['404 not_found', '200'])
  const open = (await listed(shop)).filter(({ status }) => status === 'invited')
  assert.deepEqual(open, [], 'it is not in the list any more')
})

test('a person who joins a business while they are erased is not erased', async () => {
  const shop = await shopOf()
  const cashier = await newMember(shop.app, shop.owner, shop.businessId, 'cashier')
  const erased = shop.app.db.tx((tx) =>
    endMemberships({ ...shop.app.deps, renewReview }, tx, [], fromWire('usr', cashier.userId)!, bySystem),
  )
  await assert.rejects(erased, { code: 'invalid_state' })
})

test('an invitation works only while its inviter may invite, whatever has taken the right', async () => {
  const shop = await shopOf()
  const { app, owner, businessId } = shop
  const admin = await newMember(app, owner, businessId, 'admin')
  const person = await unverifiedPerson(shop)
  assert.equal(short(await invite(shop, admin, person.email, 'admin')), '201')
  await verifyEmail(app, person.email)
  const invitation = await invitationToken(app, person.email)
  const setRole = (role: string) =>
    app.owner.pool.query('update members set role = $2 where id = $1', [fromWire('mem', admin.memberId), role])
  await setRole('cashier')
  assert.equal(short(await accept(shop, person, invitation)), '404 not_found')
  await setRole('admin')
  assert.equal(short(await accept(shop, person, invitation)), '200')
})

test('the approval of a person who may not approve any more does not count', async (t) => {
  const shop = await paidShop(t)
  const { app, owner, businessId } = shop
  const first = await newMember(app, owner, businessId, 'approver')
  const second = await newMember(app, owner, businessId, 'approver')
  await newMember(app, owner, businessId, 'approver')
  const query = `environment=test&business_id=${businessId}`
  const rule = await app.call('POST', `/v1/merchant/approval-rule?${query}`, {
    token: owner.token,
    body: { above: 0, approvers: 2 },
  })
  assert.equal(short(rule), '200')
  const accountant = await newMember(app, owner, businessId, 'accountant')
  const { id } = (await shop.pay(accountant)).body.data
  const votes = async (): Promise<number> =>
    (await app.owner.pool.query('select 1 from approval_votes where request_id = $1', [fromWire('po', id)])).rows.length
  const approve = (by: { token: string }) =>
    app.call('POST', `/v1/merchant/approvals/${id}/approve?${query}`, { token: by.token, body: { version: 1 } })
  assert.equal(short(await approve(first)), '200')
  assert.equal(await votes(), 1)
  // It counts again with the right, whatever has taken it.
  const counted = async (): Promise<number> => {
    const answer = await app.call('GET', `/v1/merchant/approvals/${id}?${query}`, { token: owner.token })
    return answer.body.data.approved_by.length
  }
  const memberId = fromWire('mem', first.memberId)
  for (const [table, taken, given, key] of [
    ['members', `role = 'accountant'`, `role = 'approver'`, memberId],
    ['members', 'removed_at = clock_now()', 'removed_at = null', memberId],
    ['users', 'disabled_at = clock_now()', 'disabled_at = null', fromWire('usr', first.userId)],
  ] as const) {
    await app.owner.pool.query(`update ${table} set ${taken} where id = $1`, [key])
    assert.equal(await counted(), 0, taken)
    await app.owner.pool.query(`update ${table} set ${given} where id = $1`, [key])
    assert.equal(await counted(), 1, given)
  }
  assert.equal(short(await change(shop, owner, first.memberId, 'accountant')), '200')
  assert.equal(await votes(), 0)
  await approve(second)
  const { rows } = await app.owner.pool.query('select approval from payouts where id = $1', [fromWire('po', id)])
  assert.equal(rows[0].approval, 'required', 'one approval of two')

  const { rows: mails } = await app.owner.pool.query(`select 1 from mails where kind = 'approval_waits'`)
  assert.equal(mails.length, 0, 'test money is no reason for a mail')

  // Once its requester may not request it any more, or cannot sign in, no one can approve it, and it ends.
  const other = await newMember(app, owner, businessId, 'accountant')
  const ofOther = (await shop.pay(other)).body.data.id
  assert.equal(short(await change(shop, owner, accountant.memberId, 'cashier')), '200')
  await app.owner.pool.query('update users set disabled_at = clock_now() where id = $1', [fromWire('usr', other.userId)])
  for (const payout of [id, ofOther]) {
    assert.equal(
      short(
        await app.call('POST', `/v1/merchant/approvals/${payout}/approve?${query}`, {
          token: second.token,
          body: { version: 1 },
        }),
      ),
      '409 invalid_state',
    )
    await eventually('it is refused', async () => {
      const answer = await app.call('GET', `/v1/merchant/payouts/${payout}?${query}`, { token: owner.token })
      const { status, failure } = answer.body.data
      return status === 'cancelled' && failure.code === 'approval_refused'
    })
  }
})

test('both people of an approval are in the activity of the business and in the audit log', async (t) => {
  const shop = await paidShop(t)
  const { app, owner, businessId } = shop
  const [approver, accountant] = [
    await newMember(app, owner, businessId, 'approver'),
    await newMember(app, owner, businessId, 'accountant'),
  ]
  const query = `environment=test&business_id=${businessId}`
  await app.call('POST', `/v1/merchant/approval-rule?${query}`, { token: owner.token, body: { above: 0, approvers: 1 } })
  const { id } = (await shop.pay(accountant)).body.data
  const { key, keyId } = await makeKey(app, owner, { business_id: businessId })
  const byKey = await app.call('POST', '/v1/payouts', {
    key,
    headers: { 'idempotency-key': randomUUID() },
    body: { amount: 5000, phone_number: '+255754000123', recipient_name: 'Asha Mushi' },
  })
  assert.equal(byKey.body.data.approval, 'required')
  const approved = await app.call('POST', `/v1/merchant/approvals/${id}/approve?${query}`, {
    token: approver.token,
    body: { version: 1 },
  })
  assert.equal(short(approved), '200')
  await removeMember(app, owner, businessId, accountant.memberId)
  const { body } = await app.call('GET', `/v1/businesses/${businessId}/activity?limit=100`, { token: owner.token })
  const about = body.data.filter(({ object }: Json) => object === id)
  const actors = (entries: Json[]): string[] => [...new Set(entries.map(({ actor }): string => actor.id ?? actor))].toSorted()
  assert.deepEqual(actors(about), [accountant.userId, approver.userId].toSorted())
  assert.ok(about.every(({ actor }: Json) => actor.type === 'user' && actor.name !== null))
  assert.deepEqual([...new Set(about.map((entry: Json) => entry.about))], ['Asha Mushi'], 'the recipient')
  const asked = body.data.find(({ object }: Json) => object === byKey.body.data.id)
  assert.deepEqual([asked.action, asked.actor], ['approval.requested', { type: 'key', id: keyId, name: null }])
  const byOperator = body.data.filter(({ actor }: Json) => actor.type === 'operator')
  assert.ok(byOperator.length > 0, 'the business was verified')
  for (const { actor } of byOperator) assert.deepEqual(actor, { type: 'operator', id: null, name: null })
  const { at } = body.data[3]
  const within = async (query: string): Promise<number[]> => {
    const path = `/v1/businesses/${businessId}/activity?limit=100&${query}`
    return (await app.call('GET', path, { token: owner.token })).body.data.map((entry: Json) => entry.id)
  }
  const idsOf = (isWanted: (entry: Json) => boolean): number[] => body.data.filter(isWanted).map((entry: Json) => entry.id)
  assert.deepEqual(
    [await within(`created_from=${at}`), await within(`created_to=${at}`)],
    [idsOf((entry) => entry.at >= at), idsOf((entry) => entry.at < at)],
  )
  const ofMember = body.data.filter(({ object }: Json) => object === accountant.memberId)
  const { full_name: name } = (await app.call('GET', '/v1/me', { token: accountant.token })).body.data
  assert.deepEqual([...new Set(ofMember.map((entry: Json) => entry.about))], [name], 'also of a removed member')
  const invited = await app.call('POST', `/v1/businesses/${businessId}/members`, {
    token: owner.token,
    body: { email: 'new.cashier@example.com', role: 'cashier' },
  })
  assert.equal(short(invited), '201')
  const [latest] = (await app.call('GET', `/v1/businesses/${businessId}/activity?limit=1`, { token: owner.token })).body.data
  assert.deepEqual([latest.action, latest.about], ['member.invited', 'new.cashier@example.com'])
  const audit = await app.owner.pool.query('select actor from audit_log where object = $1', [id])
  assert.deepEqual(
    actors(audit.rows).filter((actor) => actor.startsWith('usr_')),
    [accountant.userId, approver.userId].toSorted(),
  )
  const done = body.data.map(({ action }: Json) => action)
  for (const action of ['member.invited', 'member.joined', 'member.removed']) assert.ok(done.includes(action), action)
  assert.equal(
    short(await app.call('GET', `/v1/businesses/${businessId}/activity`, { token: approver.token })),
    '403 insufficient_role',
  )
})

test('an old invitation that is renewed while old ones are removed stays, and so does whoever accepts it', async () => {
  const shop = await shopOf()
  const person = await unverifiedPerson(shop)
  const { id } = (await invite(shop, shop.owner, person.email, 'cashier')).body.data
  const memberId = fromWire('mem', id)!
  const { db, owner } = shop.app
  await owner.pool.query(`update members set invitation_expires_at = clock_now() - interval '40 days' where id = $1`, [memberId])
  const removed = await owner.tx(async (tx) => {
    await tx.rows(sql`
      update members set user_id = ${fromWire('usr', person.userId)!}, joined_at = clock_now(), email = null, token_hash = null, invitation_expires_at = null
      where id = ${memberId}`)
    const pruning = pruneInvitations(db, 30, 100)
    await eventually('it passes the row, or waits for it', async () => {
      const passed = await Promise.race([pruning.then(() => true), waitingForLocks(shop).then((count) => count > 0)])
      return passed
    })
    return { pruning }
  })
  assert.equal(await removed.pruning, 0)
  // A member who left long ago stays in the history, and an invitation for as long as it is kept.
  const former = await newMember(shop.app, shop.owner, shop.businessId, 'cashier')
  assert.equal(short(await remove(shop, shop.owner, former.memberId)), '200')
  const { id: recent } = (await invite(shop, shop.owner, 'recent@example.com', 'cashier')).body.data
  await owner.pool.query(
    `update members set removed_at = removed_at - interval '40 days', invitation_expires_at = invitation_expires_at - interval '36 days' where id = any($1)`,
    [[fromWire('mem', former.memberId), fromWire('mem', recent)]],
  )
  assert.equal(await pruneInvitations(db, 30, 100), 0)
  assert.equal(await pruneInvitations(db, 28, 100), 1)
  assert.equal((await listed(shop)).find((one) => one.id === id).status, 'active')
})
