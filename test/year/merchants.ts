/** The merchants of the year: each with a person who signs in, an app whose key it uses, a page, and a receiver of webhooks. */
import assert from 'node:assert/strict'
import { setKycStatus } from '../../server/merchants/onboarding/decide-by-operator.ts'
import type { Environment } from '../../server/domain/environment.ts'
import type { Db } from '../../server/platform/db/db.ts'
import { createSealer } from '../../server/platform/crypto/secrets.ts'
import type { Dice } from '../faults/model-clients.ts'
import { startReceiver, type Receiver } from './receiver.ts'
import type { Service } from './service.ts'

export type YearMerchant = {
  name: string
  environment: Environment
  email: string
  password: string
  refreshToken: string
  appId: string
  keyId: string
  key: string
  slug: string
  receiver: Receiver
  /** `usr_…` or `biz_…`, as operators name it. */
  wireId: string
  /** Set for a business. */
  businessId?: string
}

const scopes = ['profile:read', 'balance:read', 'pages:read', 'pages:write', 'transactions:read', 'payouts:read', 'payouts:write']

/** Sends a request that must succeed with this status. */
export async function must(service: Service, status: number, ...asked: Parameters<Service['call']>): Promise<any> {
  const answer = await service.call(...asked)
  assert.equal(answer.status, status, `${asked[0]} ${asked[1]}: ${JSON.stringify(answer.body)}`)
  return answer.body.data
}

export async function register(
  service: Service,
  name: string,
  dice: Dice,
): Promise<{ email: string; password: string; token: string; refreshToken: string }> {
  const [email, password] = [`${name}@example.com`, `eighteen bitter lemons`]
  const made = await must(service, 201, 'POST', '/v1/auth/register', {
    body: {
      full_name: `Owner ${name}`,
      email,
      phone_number: `+2557540${String(dice.below(1e5)).padStart(5, '0')}`,
      password,
      student_id: name,
      institution: 'UDSM',
    },
  })
  return { email, password, token: made.access_token, refreshToken: made.refresh_token }
}

export const verifyPerson = (service: Service, db: Db, email: string): Promise<unknown> =>
  setKycStatus({ db, sealer: createSealer(service.config.keys.envelope) }, email, 'verified')

export async function openMerchant(
  service: Service,
  db: Db,
  { name, environment, dice }: { name: string; environment: Environment; dice: Dice },
): Promise<YearMerchant> {
  const person = await register(service, name, dice)
  await verifyPerson(service, db, person.email)
  const { rows } = await service.owner.query<{ id: string }>(
    `select wire_id('usr', m.id) as id from merchants m join users u on u.id = m.user_id where u.email = $1`,
    [person.email],
  )
  return makeShop(service, { name, environment, wireId: rows[0]!.id, ...person })
}

/** An app with a key, a page and a receiver, made by this person for themselves or for a business. */
export async function makeShop(
  service: Service,
  {
    token,
    businessId,
    ...shop
  }: Pick<YearMerchant, 'name' | 'environment' | 'email' | 'password' | 'refreshToken' | 'wireId'> & {
    token: string
    businessId?: string
  },
): Promise<YearMerchant> {
  const { name, environment } = shop
  const of = businessId === undefined ? {} : { business_id: businessId }
  const app = await must(service, 201, 'POST', '/developers/apps', { token, body: { name: `Shop ${name}`, environment, ...of } })
  const made = await must(service, 201, 'POST', '/developers/keys', {
    token,
    body: { app_id: app.id, key_name: 'server', scopes },
  })
  const query = new URLSearchParams({ environment, ...(businessId !== undefined && { business_id: businessId }) })
  const page = await must(service, 201, 'POST', `/v1/merchant/payment-pages?${query.toString()}`, {
    token,
    body: { type: 'payment', title: 'Chai', allow_custom_amount: true, amount: null },
  })
  const receiver = await startReceiver()
  const webhook = await must(service, 201, 'POST', `/developers/apps/${app.id}/webhook`, { token, body: { url: receiver.url } })
  receiver.learn(webhook.secret)
  return {
    ...shop,
    ...(businessId !== undefined && { businessId }),
    appId: app.id,
    keyId: made.id,
    key: made.key,
    slug: page.slug,
    receiver,
  }
}

type Session = Pick<YearMerchant, 'email' | 'password' | 'refreshToken'>

/** An access token from a new sign-in of its owner: actions on keys and secrets require that. */
export async function signInAgain(service: Service, merchant: Session): Promise<string> {
  const { email: identifier, password } = merchant
  const data = await must(service, 200, 'POST', '/v1/auth/login', { body: { identifier, password } })
  merchant.refreshToken = data.refresh_token
  return data.access_token
}

/** An access token of its owner: refreshed while the session is valid, otherwise from a new sign-in. */
export async function tokenOf(service: Service, merchant: Session): Promise<string> {
  const refreshed = await service.call('POST', '/v1/auth/refresh', { body: { refresh_token: merchant.refreshToken } })
  if (refreshed.status !== 200) return signInAgain(service, merchant)
  merchant.refreshToken = refreshed.body.data.refresh_token
  return refreshed.body.data.access_token
}
