/** Live keys whose granter has left or was demoted: owners are asked, nothing stops, and payouts pause after three days. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { share, startTestApp, type Answer } from '../../../test/app.ts'
import { lastMail, newMember, removeMember, verifiedBusiness } from '../../../test/members.ts'
import { eraseAccount } from '../../operations/data-lifecycle/erase-account.ts'
import { short } from '../../../test/fixtures/payouts.ts'
import { fromWire } from '../../platform/ids.ts'

type Caller = { token: string }

const shared = share(async (ending) => {
  const app = await startTestApp(ending)
  return { app, admin: await app.admin() }
})

async function startShop() {
  const { app, admin } = await shared()
  const owner = await app.student()
  const businessId = await verifiedBusiness(app, owner, admin)
  const made = await app.call('POST', '/developers/apps', {
    token: owner.token,
    body: { name: 'Duka', environment: 'live', business_id: businessId },
  })
  const appId = made.body.data.id
  const idOf = (id: string) => fromWire('key', id)
  return {
    app,
    owner,
    businessId,
    join: (role: Parameters<typeof newMember>[3]) => newMember(app, owner, businessId, role),
    change: async (memberId: string, role: string) => {
      const path = `/v1/businesses/${businessId}/members/${memberId}`
      assert.equal(short(await app.call('PATCH', path, { token: owner.token, body: { role } })), '200')
    },
    create: async (by: Caller, scopes = ['payouts:write', 'balance:read']): Promise<{ id: string; key: string }> =>
      (await app.call('POST', '/developers/keys', { token: by.token, body: { app_id: appId, key_name: 'k', scopes } })).body.data,
    grant: (id: string, by: Caller) => app.call('POST', `/developers/keys/${id}/grant`, { token: by.token, body: {} }),
    isAsked: async (id: string): Promise<boolean> => {
      const { body } = await app.call('GET', `/developers/keys?app_id=${appId}`, { token: owner.token })
      return body.data.find((one: { id: string }) => one.id === id).unkept_since !== null
    },
    /** As if the owners had been asked so long ago. */
    age: (id: string, hours: number) =>
      app.owner.pool.query('update api_keys set unkept_since = unkept_since - make_interval(hours => $2) where id = $1', [
        idOf(id),
        hours,
      ]),
    pay: (key: string): Promise<Answer> =>
      app.call('POST', '/v1/payouts', {
        key,
        body: { amount: 5000, phone_number: '+255754000123', recipient_name: 'Asha Mushi' },
        headers: { 'idempotency-key': crypto.randomUUID() },
      }),
    read: (key: string) => app.call('GET', '/v1/balance', { key }),
  }
}

const paid = '402 insufficient_balance'

test('a key of a demoted granter works on, pays nothing after three days without an answer, and at once when it is kept', async () => {
  const shop = await startShop()
  const [admin, developer] = [await shop.join('admin'), await shop.join('developer')]
  const { id, key } = await shop.create(admin)
  const untouched = await shop.create(shop.owner)
  await shop.change(admin.memberId, 'developer')
  assert.deepEqual([await shop.isAsked(id), await shop.isAsked(untouched.id)], [true, false])
  assert.match(await lastMail(shop.app, shop.owner.email, 'power_changed'), /Keep or revoke the key under Developers/)
  await shop.age(id, 71)
  assert.equal(short(await shop.pay(key)), paid, 'nothing stops silently')
  assert.equal(short(await shop.grant(id, developer)), '403 insufficient_role')
  await shop.age(id, 1)
  const paused = await shop.pay(key)
  assert.equal(short(paused), '403 insufficient_scope')
  assert.deepEqual(paused.body.error.details, {
    required_scope: 'payouts:write',
    granted_by_roles: ['owner', 'admin', 'approver', 'accountant'],
  })
  assert.equal(short(await shop.read(key)), '200', 'only payouts pause')
  assert.equal(short(await shop.pay(untouched.key)), paid)
  assert.equal(short(await shop.grant(id, shop.owner)), '200')
  assert.equal(short(await shop.pay(key)), paid)
  // The owner has granted all of it: its maker does not matter any more.
  await removeMember(shop.app, shop.owner, shop.businessId, admin.memberId)
  assert.equal(await shop.isAsked(id), false)
})

test('owners are asked about a key when the person who granted its scopes leaves, and not when its maker does', async () => {
  const shop = await startShop()
  const [admin, developer] = [await shop.join('owner'), await shop.join('developer')]
  const { id, key } = await shop.create(developer, ['balance:read'])
  assert.equal(short(await shop.grant(id, admin)), '200')
  await removeMember(shop.app, shop.owner, shop.businessId, developer.memberId)
  assert.equal(await shop.isAsked(id), false)
  await shop.change(admin.memberId, 'admin')
  assert.equal(await shop.isAsked(id), false, 'an admin has these rights, too')
  await removeMember(shop.app, shop.owner, shop.businessId, admin.memberId)
  assert.equal(await shop.isAsked(id), true)
  await shop.age(id, 100)
  assert.equal(short(await shop.read(key)), '200')
  assert.equal(short(await shop.app.call('DELETE', `/developers/keys/${id}`, { token: shop.owner.token })), '200')
  assert.equal(short(await shop.read(key)), '401 api_key_revoked')
})

test('owners are asked about the keys of a person whose account is erased', async () => {
  const shop = await startShop()
  const admin = await shop.join('admin')
  const { id } = await shop.create(admin)
  await eraseAccount(shop.app.deps, { email: admin.email, heldYears: 10, keepsHeldRecords: true })
  assert.equal(await shop.isAsked(id), true)
})
