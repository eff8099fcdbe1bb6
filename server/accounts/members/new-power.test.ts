/** When a new role may pay and approve in live: the wait, and the owner who ends it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { share, startTestApp, type Answer } from '../../../test/app.ts'
import { setDatabaseClock } from '../../../test/database-clock.ts'
import { addMember, lastMail, newMember, verifiedBusiness } from '../../../test/members.ts'
import { short } from '../../../test/fixtures/payouts.ts'
import { fromWire } from '../../platform/ids.ts'

type Caller = { token: string }

const hours = 24

const shared = share(async (ending) => {
  const app = await startTestApp(ending, { settings: { NEW_POWER_WAIT_HOURS: String(hours) } })
  return { app, admin: await app.admin() }
})

async function startShop() {
  const { app, admin } = await shared()
  const owner = await app.student()
  const businessId = await verifiedBusiness(app, owner, admin)
  const members = `/v1/businesses/${businessId}/members`
  return {
    app,
    owner,
    businessId,
    join: (role: Parameters<typeof newMember>[3]) => newMember(app, owner, businessId, role),
    change: (memberId: string, role: string, by: Caller = owner) =>
      app.call('PATCH', `${members}/${memberId}`, { token: by.token, body: { role } }),
    confirm: (memberId: string, by: Caller) => app.call('POST', `${members}/${memberId}/confirm`, { token: by.token, body: {} }),
    /** Whether the person may pay: without money, the answer is 402. */
    pay: (by: Caller, environment = 'live'): Promise<Answer> =>
      app.call('POST', `/v1/merchant/payouts?environment=${environment}&business_id=${businessId}`, {
        token: by.token,
        body: { amount: 5000, phone_number: '+255754000123', recipient_name: 'Asha Mushi' },
        headers: { 'idempotency-key': crypto.randomUUID() },
      }),
    read: (by: Caller) => app.call('GET', members, { token: by.token }),
    /** As if the wait of a member had begun so long ago. */
    age: (memberId: string, by: number) =>
      app.owner.pool.query('update members set power_from = power_from - make_interval(hours => $2) where id = $1', [
        fromWire('mem', memberId),
        by,
      ]),
  }
}

const paid = '402 insufficient_balance'
const waits = '409 power_not_active_yet'

test('a person who joins with a role that may pay waits in live, reads at once, and does not wait in test', async () => {
  const shop = await startShop()
  assert.equal(short(await shop.pay(shop.owner)), paid, 'the first owner never waits')
  const accountant = await shop.join('accountant')
  const refused = await shop.pay(accountant)
  assert.equal(short(refused), waits)
  const until = Date.parse(refused.body.error.details.until)
  assert.ok(Math.abs(until - Date.now() - hours * 3_600_000) < 60_000, 'until a day from now')
  assert.match(refused.body.error.message, /ask another member \(owner, admin, approver, accountant\)/)
  const listed = (await shop.read(accountant)).body.data.find(({ id }: { id: string }) => id === accountant.memberId)
  assert.equal(Date.parse(listed.power_from), until)
  const own = (await shop.app.call('GET', '/v1/memberships', { token: accountant.token })).body.data[0]
  assert.equal(own.power_from, listed.power_from)
  assert.equal(short(await shop.pay(accountant, 'test')), paid)
  await shop.age(accountant.memberId, hours)
  assert.equal(short(await shop.pay(accountant)), paid)
})

test('a promotion to more power waits, also for the new owner of it all; other changes of a role do not', async () => {
  const shop = await startShop()
  const member = await shop.join('cashier')
  assert.equal((await shop.read(shop.owner)).body.data.find(({ id }: { id: string }) => id === member.memberId).power_from, null)
  const isWaiting = async (role: string): Promise<boolean> => {
    const { body } = await shop.change(member.memberId, role)
    const { power_from: from } = body.data
    if (from !== null) await shop.age(member.memberId, hours)
    return from !== null
  }
  assert.deepEqual(
    [await isWaiting('developer'), await isWaiting('accountant'), await isWaiting('approver'), await isWaiting('admin')],
    [false, true, true, true],
  )
  assert.deepEqual([await isWaiting('owner'), await isWaiting('admin'), await isWaiting('accountant')], [true, false, false])
  await shop.change(member.memberId, 'approver')
  const demoted = await shop.change(member.memberId, 'accountant')
  assert.notEqual(demoted.body.data.power_from, null, 'a demotion does not end the wait')
  assert.equal(short(await shop.pay(member)), waits)
})

test('a second promotion waits again, also after an owner has confirmed the first', async () => {
  const shop = await startShop()
  const member = await shop.join('accountant')
  assert.equal(short(await shop.confirm(member.memberId, shop.owner)), '200')
  assert.equal(short(await shop.pay(member)), paid)
  assert.equal(short(await shop.change(member.memberId, 'admin')), '200')
  assert.equal(short(await shop.pay(member)), waits)
})

test('another owner ends the wait, who has served their own; no owner confirms themselves', async () => {
  const shop = await startShop()
  const [partner, admin] = [await shop.join('owner'), await shop.join('admin')]
  assert.equal(short(await shop.confirm(partner.memberId, partner)), waits)
  assert.equal(short(await shop.confirm(admin.memberId, admin)), '403 insufficient_role')
  assert.equal(short(await shop.confirm('mem_unknown', shop.owner)), '404 not_found')
  const stranger = await (await startShop()).join('owner')
  assert.equal(short(await shop.confirm(stranger.memberId, shop.owner)), '404 not_found', 'a member of another business')
  const mailed = lastMail(shop.app, shop.owner.email, 'power_changed')
  assert.equal(short(await shop.confirm(partner.memberId, shop.owner)), '200')
  assert.notEqual(await lastMail(shop.app, shop.owner.email, 'power_changed'), await mailed)
  assert.equal(short(await shop.pay(partner)), paid)
  assert.equal(short(await shop.pay(admin)), waits, 'they alone are confirmed')
  assert.equal(short(await shop.confirm(partner.memberId, partner)), '403 self_approval_forbidden')
  // Confirmed, but not active for longer than the wait.
  const other = await shop.join('owner')
  assert.equal(short(await shop.confirm(other.memberId, partner)), waits)
  await shop.age(partner.memberId, hours)
  // A wait in another business is of that one only.
  const elsewhere = await startShop()
  await addMember(shop.app, elsewhere.owner, elsewhere.businessId, partner, 'owner')
  const confirmed = await shop.confirm(other.memberId, partner)
  assert.deepEqual([short(confirmed), confirmed.body.data.power_from], ['200', null])
  const activity = await shop.app.call('GET', `/v1/businesses/${shop.businessId}/activity`, { token: shop.owner.token })
  assert.equal(activity.body.data.filter(({ action }: { action: string }) => action === 'member.confirmed').length, 2)
  const again = await shop.confirm(other.memberId, partner)
  assert.deepEqual([short(again), again.body.data], ['200', confirmed.body.data], 'what is confirmed stays so')
})

test('without a wait no role has one: it is shown as none, not as one that is over', async (t) => {
  const app = await startTestApp(t, { settings: { NEW_POWER_WAIT_HOURS: '0' } })
  const owner = await app.student()
  const businessId = await verifiedBusiness(app, owner, await app.admin())
  const { memberId } = await newMember(app, owner, businessId, 'accountant')
  // After a failover to a server whose clock is behind, what is over now would not be over there.
  await setDatabaseClock(app, '-1 hour')
  const { body } = await app.call('GET', `/v1/businesses/${businessId}/members`, { token: owner.token })
  const listed = body.data.find(({ id }: { id: string }) => id === memberId)
  assert.equal(listed.power_from, null)
})

test('a new admin makes no key and no member, revokes a key, and may leave', async () => {
  const shop = await startShop()
  const { app, owner, businessId } = shop
  const made = await app.call('POST', '/developers/apps', {
    token: owner.token,
    body: { name: 'Duka', environment: 'live', business_id: businessId },
  })
  const key = { app_id: made.body.data.id, key_name: 'k', scopes: ['payouts:write'] }
  const create = (by: Caller) => app.call('POST', '/developers/keys', { token: by.token, body: key })
  const id = (await create(owner)).body.data.id
  const admin = await shop.join('admin')
  assert.equal(short(await create(admin)), waits)
  assert.equal(short(await app.call('POST', `/developers/keys/${id}/roll`, { token: admin.token, body: {} })), waits)
  const invite = { email: 'asha@example.com', role: 'admin' }
  assert.equal(short(await app.call('POST', `/v1/businesses/${businessId}/members`, { token: admin.token, body: invite })), waits)
  assert.equal(short(await app.call('DELETE', `/developers/keys/${id}`, { token: admin.token })), '200')
  const leaving = await app.call('DELETE', `/v1/businesses/${businessId}/members/${admin.memberId}`, { token: admin.token })
  assert.equal(short(leaving), '200')
  // Back again, and the wait begins again.
  await addMember(app, owner, businessId, admin, 'admin')
  assert.equal(short(await create(admin)), waits)
})
