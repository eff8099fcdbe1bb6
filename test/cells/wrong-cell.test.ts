/**
 * A request that belongs to another cell: every route answers it with 421 and writes nothing. Without `CELL` keys, tokens, slugs and
 * addresses are those of an installation that knows no cells.
 */
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { cellOfKey, isWellFormedKey, newKeyValue } from '../../server/accounts/developers/key.ts'
import { cellOfToken, newToken } from '../../server/accounts/identity/one-use-token.ts'
import { cellOfRefreshToken, readRefreshToken, writeRefreshToken } from '../../server/accounts/identity/refresh-token.ts'
import { cellOfSlug, randomSlug } from '../../server/collect/pages/page.ts'
import { callbackUrlOf } from '../../server/config/providers.ts'
import { refuseForeignHomes } from '../../server/operations/cells/foreign-homes.ts'
import { routesOf } from '../../server/platform/http/http.ts'
import { fromWire, homeOfId, moneyPrefixes, newMoneyId, toWire } from '../../server/platform/ids.ts'
import { share, startTestApp } from '../app.ts'
import { createTestDatabase } from '../databases.ts'
import { mustBeNone, mustMatch } from '../must-match.ts'
import { countRows } from './count-rows.ts'
import { ways, type Way } from './routes.ts'

const cellSettings = { CELL: 'k1', CELL_HOMES: '0-127', RATE_LIMITS: 'off' }
const cellApp = share((ending) => startTestApp(ending, { settings: cellSettings }))

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const foreign = {
  key: newKeyValue('test', 'k2'),
  session: `${encoded({ alg: 'EdDSA', typ: 'at+jwt' })}.${encoded({ cell: 'k2', sub: 'usr_1' })}.c2ln`,
  refresh: writeRefreshToken(randomBytes(32), { sessionId: randomUUID(), generation: 0 }, 'k2'),
  token: newToken('k2'),
  slug: randomSlug('k2'),
  payment: toWire('pay', newMoneyId(200)),
}

type Sent = { path?: string; headers?: Record<string, string>; body?: unknown }

const bodyOfToken: Record<string, unknown> = {
  'POST /v1/auth/2fa/verify': { challenge_token: foreign.token, code: '123456' },
  'POST /v1/auth/refresh': { refresh_token: foreign.refresh },
  'POST /v1/invitations/read': { token: foreign.token },
}

/** A request of another cell at this route; undefined where no request can name one. */
function foreignRequest(way: Way, route: string, path: string): Sent | undefined {
  const filled = path.replaceAll(/:(reference|case)\b/g, foreign.payment).replaceAll(':slug', foreign.slug)
  switch (way) {
    case 'id':
      return { path: filled }
    case 'key':
      return { headers: { 'x-api-key': foreign.key } }
    case 'session':
      return { headers: { authorization: `Bearer ${foreign.session}` } }
    case 'slug':
      return path === '/v1/payments/checkout' ? { body: { slug: foreign.slug } } : { path: filled }
    case 'token':
      return { body: bodyOfToken[route] }
    case 'message':
      return { path: '/v1/providers/snippe/test/webhook?cell=k2', body: {} }
    case 'address':
      return { path: `/logo/${'0'.repeat(64)}.png?cell=k2` }
    case 'host':
    case 'directory':
    case 'any':
      return undefined
  }
}

const listed = Object.entries(ways).flatMap(([way, routes]) => routes.map((route) => ({ way: way as Way, route })))

test('every operation, hosted page and provider route is in the table of what routes it', async () => {
  const { api } = await cellApp()
  const served = (['api', 'checkout', 'storage'] as const).flatMap((host) =>
    routesOf(api[host])
      .filter((route) => !/^(?:HEAD|OPTIONS) /.test(route))
      .map((route) => (host === 'api' ? route : route.replace(' ', ` ${host}:`))),
  )
  mustMatch(
    served,
    listed.map(({ route }) => route),
    {
      add: () => 'write it into test/cells/routes.ts under what routes it to its cell',
      remove: () => 'remove it from test/cells/routes.ts',
    },
  )
})

test('a request of another cell is answered with 421 at every route that can name one, and nothing is written', async () => {
  const app = await cellApp()
  await app.page(await app.student())
  const before = await countRows(app)
  const wrong: string[] = []
  for (const { way, route } of listed) {
    const [method, address] = route.split(' ') as [string, string]
    const isCheckout = address.startsWith('checkout:')
    const sent = foreignRequest(way, route, address.replace('checkout:', ''))
    if (!sent) continue
    const response = await fetch(`${isCheckout ? app.config.urls.checkout : app.config.urls.api}${sent.path ?? address}`, {
      method,
      redirect: 'manual',
      headers: { ...(sent.body !== undefined && { 'content-type': 'application/json' }), ...sent.headers },
      ...(sent.body !== undefined && { body: JSON.stringify(sent.body) }),
    })
    const text = await response.text()
    const isShaped = isCheckout || (JSON.parse(text) as { error: { code: string } }).error.code === 'wrong_cell'
    const isRefused = response.status === 421
    if (!isRefused || !isShaped) wrong.push(`${route}: ${response.status} ${text.slice(0, 200)}`)
  }
  mustBeNone(wrong, 'Refuse these requests of another cell')
  assert.deepEqual(await countRows(app), before)
})

test('every kind of money id is known by its home, and an id without one is not', async () => {
  const app = await cellApp()
  for (const prefix of moneyPrefixes) {
    const at = async (home: number): Promise<number> =>
      (await app.call('GET', `/v1/payments/${toWire(prefix, newMoneyId(home))}/status`)).status
    // Above the last home an id is mistyped, and no cell has it.
    assert.deepEqual([await at(127), await at(128), await at(300)], [404, 421, 404], prefix)
  }
  const { body } = await app.call('GET', `/v1/payments/${foreign.payment}/status`)
  assert.equal(body.error.code, 'wrong_cell')
  assert.ok(body.error.message_sw)
})

test('the cookie of a dashboard names the cell of the session that asks, and no other one', async () => {
  const app = await cellApp()
  const port = new URL(app.config.urls.api).port
  const own = writeRefreshToken(randomBytes(32), { sessionId: randomUUID(), generation: 0 }, 'k1')
  const refresh = async (face: string): Promise<number> =>
    (
      await app.call('POST', '/v1/auth/refresh', {
        headers: {
          origin: app.config.urls.api,
          'x-session-cookie': face,
          cookie: `malipo_merchant_${port}=${own}; malipo_admin_${port}=${foreign.refresh}`,
        },
      })
    ).status
  assert.deepEqual([await refresh('merchant'), await refresh('admin')], [401, 421])
  // A browser that kept the cookie of another cell can sign in here.
  const person = await app.student()
  const signedIn = await app.call('POST', '/v1/auth/login', {
    body: { identifier: person.email, password: person.password },
    headers: {
      origin: app.config.urls.api,
      'x-session-cookie': 'merchant',
      cookie: `malipo_merchant_${port}=${foreign.refresh}`,
    },
  })
  assert.equal(signedIn.status, 200, JSON.stringify(signedIn.body))
})

test('in a cell everything that leaves the service names it, and new merchants get its homes', async () => {
  const app = await cellApp()
  const student = await app.student()
  const { key } = await app.key(student)
  const page = await app.page(student)
  assert.equal(cellOfKey(key), 'k1')
  assert.ok(isWellFormedKey(key))
  assert.equal(cellOfSlug(page.slug), 'k1')
  assert.equal(cellOfRefreshToken(student.refreshToken), 'k1')
  assert.equal(JSON.parse(Buffer.from(student.token.split('.')[1]!, 'base64url').toString()).cell, 'k1')
  const { reference } = (await app.checkout(page.slug)).body.data
  assert.ok(homeOfId(fromWire('pay', reference)!) < 128)
  const { rows } = await app.owner.pool.query<{ bodies: string }>('select max(request_body) as bodies from provider_charges')
  assert.ok(rows[0]!.bodies.includes(`${app.config.urls.providerCallback}/v1/providers/snippe/test/webhook?cell=k1`))
  assert.equal((await app.settled(reference)).status, 'completed')
  const { rows: homes } = await app.owner.pool.query('select home from merchants where home > 127')
  assert.deepEqual(homes, [])
})

test('in a cell a chosen slug begins with its name, so that no other cell can give it to another merchant', async () => {
  const app = await cellApp()
  const { key } = await app.key(await app.student())
  const make = (slug: string) =>
    app.call('POST', '/v1/payment-pages', { key, body: { type: 'payment', title: 'Chai', amount: 1500, slug } })
  for (const slug of ['duka-la-asha', 'k2-duka', foreign.slug]) {
    const { status, body } = await make(slug)
    assert.equal(status, 400, slug)
    assert.deepEqual(
      body.error.errors.map(({ field, message }: Record<string, string>) => [field, message]),
      [['slug', `Begin it with k1-, as in k1-${slug}.`]],
    )
  }
  assert.equal((await make('k1-duka-la-asha')).status, 201)
})

test('a process that is ready says its cell and its homes', async () => {
  const app = await cellApp()
  for (const url of [app.config.urls.api, app.config.urls.checkout])
    assert.equal((await fetch(`${url}/readyz`)).headers.get('malipo-cell'), 'k1 0-127')
})

test('keys, sessions, slugs and chosen slugs from before there were cells go on to work', async (t) => {
  const database = await createTestDatabase()
  t.after(() => database.drop())
  const kept = { database: { url: database.url, drop: async () => undefined } }
  const before = await startTestApp(t, { ...kept, settings: { RATE_LIMITS: 'off' } })
  const student = await before.student()
  const { key } = await before.key(student)
  const page = await before.page(student)
  const wanted = { type: 'payment', title: 'Chai', amount: 1500, slug: foreign.slug }
  const chosen = await before.call('POST', '/v1/payment-pages', { key, body: wanted })
  assert.equal(chosen.status, 201, JSON.stringify(chosen.body))
  await before.close()
  const { DATA_DIR: _folder, ...settings } = before.settings
  const after = await startTestApp(t, { ...kept, settings: { ...settings, ...cellSettings, CELL_HOMES: '0-255' } })
  assert.equal((await after.call('GET', '/v1/payment-pages', { key })).status, 200)
  assert.equal((await after.call('GET', '/v1/me', { token: student.token })).status, 200)
  for (const slug of [page.slug, foreign.slug]) assert.equal((await after.call('GET', `/v1/pay/${slug}`)).status, 200, slug)
  const refreshed = await after.call('POST', '/v1/auth/refresh', { body: { refresh_token: student.refreshToken } })
  assert.equal(cellOfRefreshToken(refreshed.body.data.refresh_token), 'k1')
  // The answer may have been lost: the previous token gets it again.
  const again = await after.call('POST', '/v1/auth/refresh', { body: { refresh_token: student.refreshToken } })
  assert.equal(again.body.data.refresh_token, refreshed.body.data.refresh_token)
  await after.close()
})

test('a cell does not start with merchants of homes that it does not own', async () => {
  const app = await cellApp()
  await app.student()
  const checked = (name: string, first: number, last: number) =>
    refuseForeignHomes({ db: app.db, config: { cell: { name, homes: { first, last } } } })
  await checked('k1', 0, 127)
  await checked('', 128, 255)
  await assert.rejects(checked('k1', 128, 255), /merchants of home \d+, and CELL_HOMES of cell k1 is 128-255\. Extend it/)
})

test('without CELL nothing carries a cell and nothing is refused as another cell’s', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const { key } = await app.key(student)
  const page = await app.page(student)
  assert.equal((await fetch(`${app.config.urls.api}/readyz`)).headers.get('malipo-cell'), null)
  assert.match(key, /^svc_test_[0-9A-Za-z]{38}$/)
  assert.match(student.refreshToken, /^mrt_[\w-]{70}$/)
  assert.match(page.slug, /^[0-9a-hjkmnp-tv-z]{8}$/)
  assert.match(newToken(), /^[0-9a-f]{64}$/)
  const claims = JSON.parse(Buffer.from(student.token.split('.')[1]!, 'base64url').toString()) as object
  assert.deepEqual(Object.keys(claims), ['sid', 'amr', 'iss', 'aud', 'sub', 'jti', 'iat', 'exp'])
  const url = callbackUrlOf(app.config, 'snippe', 'live')
  assert.equal(url, `${app.config.urls.providerCallback}/v1/providers/snippe/live/webhook`)
  assert.equal((await app.call('GET', `/v1/payments/${foreign.payment}/status`)).status, 404)
  assert.equal((await app.call('GET', '/v1/payment-pages', { key: foreign.key })).status, 401)
})

test('a refresh token made under a fixed key is the same text as before there were cells', () => {
  const golden = 'mrt_AZq83gAAcACAAAAAAAAAAAAAAAfp4WtKycy55-D36zgCcUglGHnEZ2-7P-TQpvsVFVcrpQ'
  const token = { sessionId: '019abcde-0000-7000-8000-000000000000', generation: 7 }
  const text = writeRefreshToken(Buffer.alloc(32, 1), token)
  assert.equal(text, golden)
  const inCell = writeRefreshToken(Buffer.alloc(32, 1), token, 'k1')
  assert.equal(inCell, golden.replace('mrt_', 'mrt_k1_'))
  for (const one of [text, inCell]) assert.deepEqual(readRefreshToken([Buffer.alloc(32, 1)], one), token)
  assert.deepEqual([cellOfToken(foreign.token), cellOfToken(newToken())], ['k2', undefined])
})
