/** A business with a member of each role and one of each thing, and a call of every route that a signed-in person makes for it. */
import assert from 'node:assert/strict'
import type { Environment } from '../../server/domain/environment.ts'
import { drawLogo } from '../fixtures/brands.ts'
import type { MemberRole } from '../../server/domain/member.ts'
import { startTestApp, type Answer, type CallOptions, type Ending, type TestApp } from '../app.ts'
import { newMember } from '../members.ts'
import { addressOf, makeKey, makeOwners, placesOf, type Belongings, type Owner, type Places } from './objects.ts'
import { neededQuery, type Route } from './routes.ts'

const logo = await drawLogo()

type Person = { token: string; email: string }
export type Shop = {
  app: TestApp
  owner: Owner
  people: Record<MemberRole, Person>
  places: Record<Environment, Places>
  belongings: Record<Environment, Pick<Belongings, 'appId' | 'keyId'>>
}

const quotas = [
  'key=100000/1',
  'status=100000/60',
  'webhook-secret=100000/60',
  'webhook-test=100000/60',
  'invitation=100000/60',
  'redirect-host=100000/60',
  'presign=100000/60',
  'payout=100000/60',
  'payer-reveal=100000/60',
].join()

/** Nothing listens there, and nothing is sent: no worker runs. */
const hook = 'http://127.0.0.1:8443/hook'

/** A business with a member of each role, and with one of each thing; in live only what an app has. */
export async function startShop(t: Ending, settings: Record<string, string> = {}): Promise<Shop> {
  const app = await startTestApp(t, { settings: { RATE_LIMIT_QUOTAS: quotas, ...settings } })
  const [owner] = (await makeOwners(t as Parameters<typeof makeOwners>[0], app, 1)) as [Owner]
  const { businessId, ofBusiness } = owner
  const join = (role: MemberRole) => newMember(app, owner, businessId, role)
  const people = {
    owner,
    admin: await join('admin'),
    approver: await join('approver'),
    accountant: await join('accountant'),
    cashier: await join('cashier'),
    developer: await join('developer'),
  }
  const live = await makeKey(app, owner, { environment: 'live', business_id: businessId, scopes: ['payments:read'] })
  const saved = await app.call('POST', `/developers/apps/${live.appId}/webhook`, {
    token: owner.token,
    body: { url: hook },
  })
  assert.equal(saved.status, 201, JSON.stringify(saved.body))
  // Only operators name a break.
  const breakId = ''
  const places = { test: placesOf(owner, ofBusiness, breakId), live: placesOf(owner, { ...ofBusiness, ...live }, breakId) }
  return { app, owner, people, places, belongings: { test: ofBusiness, live } }
}

let made = 0

/** Bodies with which a route does what it is for; the others get an empty one, which is refused after the role. */
export const bodies: Record<string, (shop: Shop, environment: Environment) => Record<string, unknown>> = {
  createMerchantPayout: () => ({ amount: 5000, phone_number: '+255754000123', recipient_name: 'Asha Mushi' }),
  createMerchantPayoutBatch: () => ({
    items: [{ amount: 5000, phone_number: '+255754000123', recipient_name: 'Asha Mushi' }],
  }),
  createMerchantRecipient: () => ({ name: 'Juma', phone_number: `+255754${String((made += 1)).padStart(6, '0')}` }),
  updateMerchantRecipient: () => ({ name: 'Asha Mushi' }),
  createMerchantPaymentPage: () => ({ type: 'payment', title: 'Chai', amount: 1000 }),
  updateMerchantPaymentPage: () => ({ title: 'Chai ya leo' }),
  createMerchantPaymentRequest: () => ({ title: 'Order 8', amount: 1000 }),
  registerRedirectHost: () => ({ host: 'duka.example.com' }),
  setSupportContact: () => ({ phone: '+255222123456', email: null, whatsapp: null }),
  setBrandColor: () => ({ color: '#0a6148' }),
  setBrandLogo: () => ({ image: logo.toString('base64') }),
  savePaymentFilter: () => ({ name: 'Leo', filter: { period: 'today' } }),
  savePayoutFilter: () => ({ name: 'Leo', filter: { period: 'today' } }),
  setStatementMail: () => ({ frequency: 'weekly', language: 'sw' }),
  setApprovalRule: () => ({ above: 1_000_000, approvers: 1 }),
  createApp: ({ owner }, environment) => ({ name: 'Shop', environment, business_id: owner.businessId }),
  createKey: ({ belongings }, environment) => ({
    app_id: belongings[environment].appId,
    key_name: 'k',
    scopes: ['payments:read'],
  }),
  updateApp: () => ({ name: `Shop ${(made += 1)}` }),
  updateKey: () => ({ key_name: `k${(made += 1)}` }),
  saveWebhook: () => ({ url: hook }),
  inviteMember: () => ({ email: `person-${(made += 1)}@example.com`, role: 'cashier' }),
  changeMember: () => ({ role: 'cashier' }),
}

/** A request of a route by a person, as it is sent. */
export type Sent = { method: string; path: string; options: CallOptions }

export function requestOf(shop: Shop, { method, path, operation }: Route, role: MemberRole, environment: Environment): Sent {
  const { owner, people, places, belongings } = shop
  const { operationId } = operation
  const query = neededQuery(operation)
  if (path.startsWith('/v1/merchant/')) query.set('environment', environment)
  if (path.startsWith('/v1/merchant/')) query.set('business_id', owner.businessId)
  if (operationId === 'listApps') query.set('owner', owner.businessId)
  if (operationId === 'listKeys') query.set('app_id', belongings[environment].appId)
  const options: CallOptions = { token: people[role].token, headers: { 'idempotency-key': `k${(made += 1)}` } }
  if (!['GET', 'DELETE'].includes(method)) options.body = bodies[operationId]?.(shop, environment) ?? {}
  return { method, path: `${addressOf(path, places[environment])}?${query.toString()}`, options }
}

export function call(shop: Shop, route: Route, role: MemberRole, environment: Environment): Promise<Answer> {
  const { method, path, options } = requestOf(shop, route, role, environment)
  return shop.app.call(method, path, options)
}
