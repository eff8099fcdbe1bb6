/**
 * Which caller may use which route, for every route. The rows come from the description of the API, so every kind of caller tries a
 * new route at once. A route whose description names no callers, or names something that no caller has, fails.
 */
import assert from 'node:assert/strict'
import { sign } from 'node:crypto'
import { test } from 'node:test'
import { newId, newMoneyId, toWire } from '../../server/platform/ids.ts'
import type { CallOptions, TestApp } from '../app.ts'
import { startAttackedApp, type Attack } from './attacked-app.ts'
import { addressOf, makeKey, makeOwners, openBreakOf, placesOf, type Owner } from './objects.ts'
import { neededQuery, readRoutes, type Route } from './routes.ts'

/** Operations without credentials; every other operation refuses a caller without them. */
const open = new Set([
  'livez',
  'readyz',
  'getPublicKeys',
  'register',
  'signIn',
  'refreshSession',
  'verifySecondFactor',
  'forgotPassword',
  'resetPassword',
  'getPublicPaymentPage',
  'startCheckout',
  'getPaymentStatus',
  'listNetworks',
  'readInvitation',
  'resendPrompt',
  'cancelPayment',
])

/** The same token, long after its end. */
function expired(app: TestApp, token: string): string {
  const [header, payload] = token.split('.') as [string, string]
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const past = Buffer.from(JSON.stringify({ ...claims, iat: 1, exp: 900 })).toString('base64url')
  const text = `${header}.${past}`
  return `${text}.${sign(null, Buffer.from(text), app.config.keys.signing[0]!.privateKey).toString('base64url')}`
}

/** An access token of an operator after a password only; the second factor became required after the sign-in. */
async function operatorByPassword(app: TestApp): Promise<string> {
  const student = await app.student()
  await app.owner.pool.query(`update users set role = 'admin' where email = $1`, [student.email])
  const { body } = await app.call('POST', '/v1/auth/login', {
    body: { identifier: student.email, password: student.password },
  })
  return body.data.access_token
}

test('identity matrix: every route without credentials, as another student, for another business, with a key of the other environment, a missing scope, an ended session, expired credentials, and as an operator by password [A07, A13, A14, A15]', async (t) => {
  // One key sends hundreds of requests here, within a second if nothing slows them down.
  const quotas = 'key=100000/1,status=100000/60,unknown-reference=100000/60,webhook-secret=100000/60'
  const app = await startAttackedApp(t, { settings: { RATE_LIMIT_QUOTAS: quotas } })
  const [owner, stranger] = (await makeOwners(t, app, 2)) as [Owner, Owner]
  const breakId = await openBreakOf(app, owner.own.reference)
  const [gone, admin, endedAdmin] = [await app.student(), await app.admin(), await app.admin()]
  for (const { token } of [gone, endedAdmin]) await app.call('POST', '/v1/auth/logout', { token })
  const byPassword = await operatorByPassword(app)
  // The audit log records their attempts on operator routes once in ten minutes; later attempts leave no further entry.
  for (const token of [owner.token, byPassword]) await app.call('GET', '/v1/admin/audit', { token })
  const live = await makeKey(app, owner, { environment: 'live' })
  const [revoked, expiring] = [
    await makeKey(app, owner),
    await makeKey(app, owner, { expires_at: new Date(Date.now() + 86_400_000).toISOString() }),
  ]
  await app.call('DELETE', `/developers/keys/${revoked.keyId}`, { token: owner.token })
  await app.owner.pool.query(`update api_keys set expires_at = now() - interval '1 second' where last4 = $1`, [
    expiring.key.slice(-4),
  ])
  const [noScope, noPayouts] = [
    await makeKey(app, owner, { scopes: ['payouts:read'] }),
    await makeKey(app, owner, { scopes: ['balance:read'] }),
  ]
  const places = placesOf(owner, owner.own, breakId)
  const placesOfBusiness = placesOf(owner, owner.ofBusiness, breakId)
  const unknownPlaces = (path: string) =>
    addressOf(path, places, ({ id, prefix }) =>
      prefix === undefined ? id : toWire(prefix, prefix === 'pay' ? newMoneyId(7) : newId()),
    )
  const expiredToken = expired(app, owner.token)
  const expiredAdmin = expired(app, admin.token)
  // The audit log records a student's attempts on operator routes once per period; this is that entry.
  await app.call('GET', '/v1/admin/breaks', { token: owner.token })

  let asked = 0
  const routes = await readRoutes(app)
  const tryAll = async ({ method, path, operation }: Route): Promise<void> => {
    const name = operation.operationId
    const asMerchant = (businessId?: string) => {
      const query = neededQuery(operation)
      if (path.startsWith('/v1/merchant/')) query.set('environment', 'test')
      if (businessId !== undefined) query.set('business_id', businessId)
      return query.size === 0 ? '' : `?${query.toString()}`
    }
    const at = addressOf(path, places)
    const refuses = (who: string, credentials: CallOptions, expects: string, rest: Partial<Attack> & { at?: string } = {}) => {
      const { at: where = at + asMerchant(), ...attack } = rest
      asked += 1
      return app.attack({
        name: `${name} by ${who}`,
        send: () => app.call(method, where, { ...credentials, ...(!['GET', 'DELETE'].includes(method) && { body: {} }) }),
        expects,
        ...attack,
      })
    }
    const scheme = Object.keys(operation.security?.[0] ?? {})[0]
    if (open.has(name)) {
      assert.equal(scheme, undefined, `${name} needs no authentication`)
      return
    }
    assert.ok(scheme === 'apiKey' || scheme === 'jwt', `${name} names its callers`)
    const namesAnObject = path.includes('{')
    await refuses('a caller without credentials', {}, '401 authentication_required', { isMistake: true })

    if (scheme === 'apiKey') {
      await refuses('a signed-in user', { token: owner.token }, '401 authentication_required', { isMistake: true })
      await refuses('a revoked key', { key: revoked.key }, '401 api_key_revoked')
      await refuses('an expired key', { key: expiring.key }, '401 api_key_expired')
      const lacking = /\/(payouts|refunds|recipients|payout-batches)/.test(path) ? noPayouts : noScope
      const { body } = await refuses('a key without the scope', { key: lacking.key }, '403 insufficient_scope')
      assert.match(body.error.details.required_scope, /^[a-z]+:(read|write)$/)
      if (!namesAnObject) return
      await refuses('a key of another student', { key: stranger.own.key }, '404 not_found')
      await refuses('a key of another business', { key: stranger.ofBusiness.key }, '404 not_found')
      await refuses('a key of one’s own business', { key: owner.ofBusiness.key }, '404 not_found')
      await refuses('a key of the other environment', { key: live.key }, '404 not_found')
      return
    }

    await refuses('a key', { key: owner.own.key }, '401 authentication_required', { isMistake: true })
    if (path.startsWith('/v1/admin/')) {
      await refuses('a student', { token: owner.token }, '403 admin_required')
      await refuses('an operator by password', { token: byPassword }, '403 two_factor_required')
      await refuses('a signed-out operator', { token: endedAdmin.token }, '401 session_inactive')
      await refuses('an operator whose token has expired', { token: expiredAdmin }, '401 invalid_token', { isMistake: true })
      if (!namesAnObject) return
      const known = path.includes('{name}') ? addressOf(path, { ...places, name: { id: 'nothing' } }) : unknownPlaces(path)
      // Objects that do not exist and objects of another kind look the same to operators too.
      await refuses('an operator, an unknown id', { token: admin.token }, '404 not_found', { at: known })
      const ofAnotherKind = addressOf(path, places, ({ prefix, id }) =>
        prefix === undefined && id !== 'test.checkout.halotel' ? id : owner.own.keyId,
      )
      await refuses('an operator, of another kind', { token: admin.token }, '404 not_found', { at: ofAnotherKind })
      return
    }

    await refuses('a signed-out user', { token: gone.token }, '401 session_inactive')
    await refuses('a user whose token has expired', { token: expiredToken }, '401 invalid_token', { isMistake: true })
    if (path.startsWith('/v1/merchant/')) {
      const inTheirName = { at: addressOf(path, placesOfBusiness) + asMerchant(owner.businessId) }
      await refuses('another student in the name of a business', { token: stranger.token }, '404 not_found', inTheirName)
    }
    if (!namesAnObject) return
    const absent = await refuses('its owner, an unknown id', { token: owner.token }, '404 not_found', {
      at: unknownPlaces(path) + asMerchant(),
    })
    const foreign = await refuses('another student', { token: stranger.token }, '404 not_found')
    const errorOf = ({ body }: typeof foreign) => ({ ...body.error, request_id: undefined })
    assert.deepEqual(errorOf(foreign), errorOf(absent), `${name}: an object of another owner looks like a missing one`)
    await refuses('another student, of a business', { token: stranger.token }, '404 not_found', {
      at: addressOf(path, placesOfBusiness) + asMerchant(),
    })
    if (path.startsWith('/v1/merchant/')) {
      await refuses('another business', { token: stranger.token }, '404 not_found', { at: at + asMerchant(stranger.businessId) })
      await refuses('one’s own business', { token: owner.token }, '404 not_found', { at: at + asMerchant(owner.businessId) })
    }
  }
  for (const route of routes) await app.changesNothing(route.operation.operationId, () => tryAll(route))
  assert.ok(asked > 4 * (routes.length - open.size), `${asked} questions to ${routes.length} routes`)
})
