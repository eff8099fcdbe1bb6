/** The profile over HTTP: of a person and of a business, by key and signed in. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startPeopleApi, type Answer, type Person, type PeopleApi } from '../../../test/fixtures/people.ts'
import { bySystem } from '../../base/audit/audit.ts'
import type { BusinessFacts } from '../../merchants/onboarding/business.ts'
import { registerBusiness } from '../../merchants/onboarding/save-business.ts'
import { setVerificationStatus } from '../../accounts/identity/merchant.sql.ts'
import { fromWire, newId, toWire } from '../../platform/ids.ts'
import { setKycStatus } from '../../merchants/onboarding/decide-by-operator.ts'
import { allPermissions } from '../../accounts/members/permissions.ts'
import { capabilitiesOf } from './profile.ts'
import { profileRoutes } from './profile-routes.ts'

let app: Awaited<ReturnType<typeof startPeopleApi>>
before(async () => {
  app = await startPeopleApi()
  await profileRoutes(app.http, app)
})
after(() => app.stop())

const call: PeopleApi['call'] = (...args) => app.call(...args)

function assertRefused(answer: Answer, status: number, code: string): void {
  assert.deepEqual([answer.status, answer.body.error?.code], [status, code], JSON.stringify(answer.body))
}

const facts: BusinessFacts = {
  legalName: 'Mwenge Traders Limited',
  tradingName: 'Mwenge Duka',
  businessType: 'company',
  registrationNumber: 'BRELA-123456',
  taxIdentificationNumber: '123-456-789',
  country: 'TZ',
  address: 'Plot 12, Bagamoyo Road',
  city: 'Dar es Salaam',
  region: 'Kinondoni',
  website: null,
  phone: '+255222112345',
  email: 'duka@mwenge.example.com',
  representativeRole: 'director',
}

async function businessOf(person: Person): Promise<{ id: string; wireId: string }> {
  const userId = fromWire('usr', person.id)!
  const { rows } = await app.db.pool.query<{ id: string }>('select id from sessions where user_id = $1', [userId])
  const { business } = await registerBusiness(app, { userId, sessionId: rows[0]!.id }, facts, bySystem)
  const { id } = business
  return { id, wireId: toWire('biz', id) }
}

async function createKey(person: Person, shopApp: Record<string, unknown>, key: Record<string, unknown> = {}) {
  const post = async (url: string, body: unknown) => {
    const answer = await call('POST', url, { token: person.access, body })
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    return answer.body.data
  }
  const { id, name } = await post('/developers/apps', { name: 'Campus shop', environment: 'test', ...shopApp })
  const made = await post('/developers/keys', { app_id: id, key_name: 'Server', scopes: ['profile:read'], ...key })
  return { app: { id, name }, key: made }
}

/** What the profile says to a person, beside what it says to a key. */
const asOwner = { app: null, key: null, role: 'owner', permissions: allPermissions }

const nothing = { live_keys: false, page_writes: false, payouts: false }
const everything = { live_keys: true, page_writes: true, payouts: true }

test('the key of a person shows the person, and the key itself', async () => {
  const asha = await app.register()
  const expires_at = new Date(app.clock.now() + 1e9).toISOString()
  const { app: shopApp, key } = await createKey(asha, {}, { scopes: ['profile:read', 'pages:read'], expires_at })
  const answer = await call('GET', '/v1/profile', { key: key.key })
  assert.equal(answer.status, 200)
  const profile = {
    id: asha.id,
    type: 'personal',
    display_name: 'Asha Mwinyi',
    legal_name: null,
    trading_name: null,
    business_type: null,
    status: 'unsubmitted',
    kyc_status: 'unsubmitted',
    country: 'TZ',
    currency: 'TZS',
    email: asha.email,
    phone_number: asha.phone,
    environment: 'test',
    app: shopApp,
    key: { id: key.id, key_name: 'Server', scopes: ['profile:read', 'pages:read'], expires_at },
    role: null,
    permissions: ['profile.read', 'pages.read', 'requests.read'],
    capabilities: nothing,
    suspension: null,
  }
  assert.deepEqual(answer.body.data, profile)
  const own = await call('GET', '/v1/merchant/profile?environment=test', { token: asha.access })
  assert.deepEqual(own.body.data, { ...profile, ...asOwner })
  await setKycStatus(app, asha.email, 'verified')
  const live = await call('GET', '/v1/merchant/profile', { token: asha.access })
  const verified = { status: 'verified', kyc_status: 'verified', environment: 'live', capabilities: everything }
  assert.deepEqual(live.body.data, { ...profile, ...verified, ...asOwner })
})

test('the key of a business shows the business and the standing of its representative', async () => {
  const asha = await app.register()
  await setKycStatus(app, asha.email, 'verified')
  const { id, wireId } = await businessOf(asha)
  const { app: shopApp, key } = await createKey(asha, { business_id: wireId })
  const profile = {
    id: wireId,
    type: 'business',
    display_name: 'Mwenge Duka',
    legal_name: 'Mwenge Traders Limited',
    trading_name: 'Mwenge Duka',
    business_type: 'company',
    status: 'pending',
    kyc_status: 'verified',
    country: 'TZ',
    currency: 'TZS',
    email: 'duka@mwenge.example.com',
    phone_number: '+255222112345',
    environment: 'test',
    app: shopApp,
    key: { id: key.id, key_name: 'Server', scopes: ['profile:read'], expires_at: null },
    role: null,
    permissions: ['profile.read'],
    capabilities: nothing,
    suspension: null,
  }
  assert.deepEqual((await call('GET', '/v1/profile', { key: key.key })).body.data, profile)
  await setVerificationStatus(app.db, id, 'verified')
  const verified = { ...profile, status: 'verified', capabilities: everything }
  assert.deepEqual((await call('GET', '/v1/profile', { key: key.key })).body.data, verified)
  const live = await createKey(asha, { business_id: wireId, environment: 'live' })
  assert.equal((await call('GET', '/v1/profile', { key: live.key.key })).body.data.environment, 'live')
  const url = `/v1/merchant/profile?business_id=${wireId}&environment=test`
  assert.deepEqual((await call('GET', url, { token: asha.access })).body.data, { ...verified, ...asOwner })
})

test('a caller without a key, a key without the scope and another owner see no profile', async () => {
  const [asha, juma] = [await app.register(), await app.register()]
  const { wireId } = await businessOf(juma)
  const { key } = await createKey(asha, {}, { scopes: ['balance:read'] })
  assertRefused(await call('GET', '/v1/profile'), 401, 'authentication_required')
  assertRefused(await call('GET', '/v1/profile', { token: asha.access }), 401, 'authentication_required')
  const refused = await call('GET', '/v1/profile', { key: key.key })
  assertRefused(refused, 403, 'insufficient_scope')
  assert.deepEqual(refused.body.error.details, { required_scope: 'profile:read' })
  assertRefused(await call('GET', '/v1/merchant/profile'), 401, 'authentication_required')
  for (const id of [wireId, toWire('biz', newId()), juma.id, 'biz_x']) {
    assertRefused(await call('GET', `/v1/merchant/profile?business_id=${id}`, { token: asha.access }), 404, 'not_found')
  }
  for (const query of ['environment=production', 'app_id=1']) {
    assertRefused(await call('GET', `/v1/merchant/profile?${query}`, { token: asha.access }), 400, 'validation_error')
  }
})

test('where an operator relaxed the test environment, its capabilities say so, and live keys still need verification', async () => {
  const asha = await app.register()
  const userId = fromWire('usr', asha.id)!
  const merchant = {
    id: userId,
    home: 0,
    kind: 'personal',
    userId,
    displayName: 'Asha Mwinyi',
    verificationStatus: 'pending',
    suspendedAt: null,
    suspensionReason: null,
  } as const
  const rules = { testWritesBeforeVerification: true }
  const capabilities = (environment: 'test' | 'live') => capabilitiesOf({ merchant, environment }, rules)
  assert.deepEqual(capabilities('test'), { live_keys: false, page_writes: true, payouts: true })
  assert.deepEqual(capabilities('live'), nothing)
})
