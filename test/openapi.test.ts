/** The description of the API holds what the API does: every route, who may call it, and what strangers get. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { openBreak } from '../server/breaks/break.sql.ts'
import { errorCodes } from '../server/error-codes.ts'
import { routesOf } from '../server/platform/http.ts'
import { fromWire, homeOfId, newMoneyId, toWire } from '../server/platform/ids.ts'
import { registerBusiness } from './onboarding.ts'
import { startWorld, type World } from './world.ts'

const root = join(import.meta.dirname, '..')

type Operation = {
  operationId?: string
  summary?: string
  tags?: string[]
  security?: Record<string, unknown>[]
  responses: Record<string, unknown>
}

/** Routes that are not part of the API that integrators read about. */
const undescribed = new Set([
  'GET /openapi.json',
  'GET /reference',
  'GET /reference/',
  'GET /reference/openapi.json',
  'GET /reference/openapi.yaml',
  'GET /reference/js/scalar.js',
  'POST /v1/providers/:provider/:environment/webhook',
  // The pages of the dashboards and what they load.
  'GET /dashboard',
  'GET /dashboard/*',
  'GET /dashboard/assets/:name',
  'GET /admin',
  'GET /admin/*',
  // The mailbox of a local start, which production does not have.
  'GET /local/mail',
])

async function describedRoutes(t: Parameters<typeof startWorld>[0]) {
  const world = await startWorld(t)
  const { body } = await world.call('GET', '/openapi.json')
  const operations = Object.entries(body.paths as Record<string, Record<string, Operation>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
  return { world, document: body, operations }
}

test('every route is described, or stands in the list of those that are not', async (t) => {
  const { world, operations } = await describedRoutes(t)
  const described = new Set(operations.map(({ method, path }) => `${method} ${path.replace(/\{(\w+)\}/g, ':$1')}`))
  const missing = routesOf(world.api.api).filter(
    (route) => !/^(HEAD|OPTIONS) /.test(route) && !described.has(route) && !undescribed.has(route),
  )
  assert.deepEqual(missing, [])
})

test('each operation has a name of its own, a summary, a known tag, and says who may call it', async (t) => {
  const { document, operations } = await describedRoutes(t)
  assert.equal(document.openapi, '3.1.0')
  const names = operations.map(({ operation }) => operation.operationId)
  assert.equal(new Set(names).size, operations.length)
  const tags = new Set(document.tags.map(({ name }: { name: string }) => name))
  for (const { method, path, operation } of operations) {
    assert.ok(operation.operationId && operation.summary, `${method} ${path}`)
    assert.ok(
      operation.tags?.every((tag) => tags.has(tag)),
      `${method} ${path}: ${operation.tags?.join(', ')}`,
    )
    for (const status of ['500', '503']) assert.ok(status in operation.responses, `${method} ${path} lacks ${status}`)
  }
  assert.ok(!JSON.stringify(document).includes('Default Response'))
  assert.deepEqual(Object.keys(document.webhooks), ['payment.completed'])
})

test('a linter that others maintain finds nothing wrong with the description', async (t) => {
  const { document } = await describedRoutes(t)
  const config = await createConfig({
    extends: ['recommended'],
    // What tells only whether we are up, or our public keys, refuses nobody.
    rules: { 'operation-4xx-response': 'off' },
  })
  const problems = await lintFromString({ source: JSON.stringify(document), config })
  assert.deepEqual(
    problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`),
    [],
  )
})

test('every code that the source answers with is explained, and no other', async (t) => {
  const { document } = await describedRoutes(t)
  const codes = new Set<string>()
  for (const path of globSync('server/**/*.ts', { cwd: root })) {
    // The hosted checkout speaks to people, in words of its own.
    if (path.endsWith('.test.ts') || path.endsWith('error-codes.ts') || path.startsWith('server/checkout/')) continue
    const text = readFileSync(join(root, path), 'utf8')
    for (const [, code] of text.matchAll(/Refusal\(\s*\d+,\s*'([a-z_]+)'/g)) codes.add(code!)
    for (const [, code] of text.matchAll(/broken\(\s*'\w+',\s*'([a-z_]+)'/g)) codes.add(code!)
    for (const [, code] of text.matchAll(/\['(page_[a-z_]+)'/g)) codes.add(code!)
    for (const [, code] of text.matchAll(/field: [^,]+, code: '([a-z]+_[a-z_]+)'/g)) codes.add(code!)
    for (const [, code] of text.matchAll(/'([a-z_]+_invalid): /g)) codes.add(code!)
  }
  codes.delete('unknown_field')
  for (const code of codes) assert.ok(code in errorCodes, `${code} is not explained`)
  for (const code of Object.keys(errorCodes)) assert.ok(document.info.description.includes(`| \`${code}\` |`), code)
})

/** An access token of an operator who has shown a password only: the second factor was asked for after the sign-in. */
async function adminByPassword(world: World): Promise<string> {
  const student = await world.student()
  await world.owner.pool.query(`update users set role = 'admin' where email = $1`, [student.email])
  return student.token
}

/** A break about a payment that has come to its end. */
async function openBreakOf(world: World, reference: string): Promise<string> {
  const paymentId = fromWire('pay', reference)!
  const home = homeOfId(paymentId)
  const id = newMoneyId(home)
  const finding = {
    home,
    paymentId,
    environment: 'test',
    kind: 'reference_conflict',
    provider: 'snippe',
    reference: 'r',
  } as const
  await openBreak(world.db, { ...finding, details: {} }, id)
  return toWire('brk', id)
}

/** Operations that need nobody: everything else refuses a caller without credentials. */
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
  'verifyEmail',
  'getPublicPaymentPage',
  'startCheckout',
  'getPaymentStatus',
  'listNetworks',
  'resendPrompt',
  'cancelPayment',
])

test('identity matrix: nobody, a stranger, a key of the other environment, a missing scope, an ended session, an operator by password', async (t) => {
  const { world, operations } = await describedRoutes(t)
  const [owner, stranger, gone] = [await world.student({ home: 7 }), await world.student({ home: 7 }), await world.student()]
  await world.call('POST', '/v1/auth/logout', { token: gone.token })
  const page = await world.page(owner, { amount: 50_000 })
  const owners = await world.key(owner)
  const sessions = await world.call('GET', '/v1/auth/sessions', { token: owner.token })
  const { reference } = (await world.checkout(page.slug)).body.data
  await world.settled(reference)
  const events = await world.call('GET', '/v1/events', { key: owners.key })
  const business = await registerBusiness(world, owner)
  const admin = await world.admin()
  const [byPassword, ended] = [await adminByPassword(world), await world.admin()]
  await world.call('POST', '/v1/auth/logout', { token: ended.token })
  const ids: Record<string, string> = {
    app_id: owners.appId,
    id_or_slug: page.id,
    page_id: page.id,
    delivery_id: 'whd_01jz8e6c9kf0x9v4m2n7q5t3ab',
    business_id: business.id,
    merchant_id: business.id,
    user_id: owner.userId,
    event_id: events.body.data[0].id,
    reference,
    purpose: 'tax_certificate',
    break_id: await openBreakOf(world, reference),
  }
  const payout = await world.call('POST', '/v1/payouts', {
    key: owners.key,
    headers: { 'idempotency-key': 'matrix' },
    body: { amount: 5000, phone_number: '+255754000123', recipient_name: 'Asha Mushi' },
  })
  const idOf = (path: string): string =>
    path.includes('/payouts/')
      ? payout.body.data.id
      : path.includes('/keys/')
        ? owners.keyId
        : path.includes('/sessions/')
          ? sessions.body.data[0].id
          : owners.appId
  const address = (path: string) => path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? idOf(path))
  const { key: otherEnvironment } = await world.key(owner, 'live')
  const { key: strangersKey } = await world.key(stranger)
  const [noScope, noPayouts] = [
    await world.key(owner, 'test', ['payouts:read']),
    await world.key(owner, 'test', ['balance:read']),
  ]
  const environment = (path: string) => (path.startsWith('/v1/merchant/') ? '?environment=test' : '')

  for (const { method, path, operation } of operations) {
    const name = operation.operationId!
    const at = `${address(path)}${environment(path)}`
    const send = async (credentials: { token?: string; key?: string }) => {
      const answer = await world.call(method, at, {
        ...credentials,
        ...(method !== 'GET' && method !== 'DELETE' && { body: {} }),
      })
      return `${answer.status} ${answer.body.error?.code ?? ''}`.trim()
    }
    const scheme = Object.keys(operation.security?.[0] ?? {})[0]
    if (open.has(name)) {
      assert.equal(scheme, undefined, name)
      continue
    }
    assert.ok(scheme === 'apiKey' || scheme === 'jwt', `${name} says who may call it`)
    assert.equal(await send({}), '401 authentication_required', name)
    const namesAnObject = path.includes('{')
    if (path.startsWith('/v1/admin/')) {
      assert.equal(await send({ token: owner.token }), '403 admin_required', name)
      assert.equal(await send({ token: byPassword }), '403 two_factor_required', name)
      assert.equal(await send({ token: ended.token }), '401 session_inactive', name)
      assert.equal(await send({ key: owners.key }), '401 authentication_required', name)
      if (namesAnObject) {
        // What there is not, and what is of another kind, looks the same to operators too.
        const elsewhere = (path.includes('{merchant_id}') ? at.replace(business.id, owners.appId) : at)
          .replace(page.id, owners.appId)
          .replace(/evt_\w+/, owners.appId)
          .replace(payout.body.data.id, owners.appId)
          .replace(/brk_\w+/, owners.appId)
          .replace(reference, owners.appId)
          .replace(business.id, owner.userId)
          .replace(`kyc/${owner.userId}`, `kyc/${business.id}`)
        const answer = await world.call(method, elsewhere, { token: admin.token, ...(method !== 'GET' && { body: {} }) })
        assert.equal(`${answer.status} ${answer.body.error?.code}`, '404 not_found', name)
      }
    } else if (scheme === 'jwt') {
      assert.equal(await send({ token: gone.token }), '401 session_inactive', name)
      assert.equal(await send({ key: owners.key }), '401 authentication_required', name)
      if (namesAnObject) assert.equal(await send({ token: stranger.token }), '404 not_found', name)
    } else {
      assert.equal(await send({ token: owner.token }), '401 authentication_required', name)
      assert.equal(await send({ key: path.includes('/payouts') ? noPayouts.key : noScope.key }), '403 insufficient_scope', name)
      if (namesAnObject) {
        assert.equal(await send({ key: strangersKey }), '404 not_found', name)
        assert.equal(await send({ key: otherEnvironment }), '404 not_found', name)
      }
    }
  }
})

test('the reference page and all it loads come from us', async (t) => {
  const { world } = await describedRoutes(t)
  const page = await fetch(`${world.config.urls.api}/reference`)
  const html = await page.text()
  assert.equal(page.status, 200)
  assert.doesNotMatch(html, /(?:src|href)="(?:https?:)?\/\//)
  assert.match(page.headers.get('content-security-policy')!, /default-src 'none'.*connect-src 'self'/)
  const script = /src="([^"]+)"/.exec(html)![1]!
  assert.equal((await fetch(new URL(script, `${world.config.urls.api}/reference/`))).status, 200)
})
