/** The log of calls made with keys: its content, its readers, that its size is limited, and that no call waits for it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  deleteOldRequests,
  insertRequests,
  listRequests,
  type KeyRequest,
} from '../server/accounts/developers/request-log.sql.ts'
import { fromWire, newId } from '../server/platform/ids.ts'
import { eventually, share, startTestApp, type Student, type TestApp } from './app.ts'

const sharedApp = share((ending) => startTestApp(ending))

const read = async (app: TestApp, { token }: Student, query = '') => {
  const { status, body } = await app.call('GET', `/v1/merchant/requests?environment=test&${query}`, { token })
  assert.equal(status, 200, JSON.stringify(body))
  return body.data
}

test('each call of a key is in its owner’s log, refused ones too, without its content', async () => {
  const app = await sharedApp()
  const [student, stranger] = [await app.student({ home: 7 }), await app.student({ home: 7 })]
  const { key, keyId, appId } = await app.key(student)
  const poor = await app.key(student, 'test', ['profile:read'])
  const page = await app.page(student)
  const first = await app.call('GET', `/v1/payment-pages/${page.slug}?`, { key })
  assert.equal(first.status, 200)
  await app.call('GET', '/v1/transactions?limit=7&reference=pay_secret', { key })
  await app.call('GET', '/v1/balance', { key: poor.key })
  await app.call('DELETE', `/developers/keys/${poor.keyId}`, { token: student.token })
  await app.call('GET', '/v1/balance', { key: poor.key })
  const all = await eventually('they are recorded', async () => {
    const found = await read(app, student)
    return found.length === 4 && found
  })
  assert.deepEqual(
    all.map(({ method, route, status, error_code, key: used }: any) => [method, route, status, error_code, used.id]),
    [
      ['GET', '/v1/balance', 401, 'api_key_revoked', poor.keyId],
      ['GET', '/v1/balance', 403, 'insufficient_scope', poor.keyId],
      ['GET', '/v1/transactions', 400, 'validation_error', keyId],
      ['GET', '/v1/payment-pages/:id_or_slug', 200, null, keyId],
    ],
  )
  const oldest = all[3]
  assert.equal(oldest.request_id, first.headers.get('x-request-id'))
  assert.deepEqual([oldest.app_id, oldest.key.key_prefix, oldest.key.last4], [appId, 'svc_test_', key.slice(-4)])
  assert.ok(oldest.duration_ms >= 0 && oldest.duration_ms < 5000)
  assert.doesNotMatch(JSON.stringify(all), new RegExp(`secret|limit=7|${page.slug}|${key}`))
  assert.equal((await read(app, student, 'outcome=failed')).length, 3)
  assert.deepEqual((await read(app, student, `key_id=${keyId}&outcome=succeeded`)).length, 1)
  assert.equal((await read(app, student, `app_id=${poor.appId}`)).length, 2)
  assert.equal((await app.call('GET', '/v1/merchant/requests?key_id=x', { token: student.token })).status, 400)
  assert.deepEqual(await read(app, stranger), [])
  const page1 = await app.call('GET', '/v1/merchant/requests?environment=test&limit=3', { token: student.token })
  assert.deepEqual((await read(app, student, `cursor=${page1.body.next_cursor}`)).length, 1)
})

test('a merchant’s log keeps its newest calls in a fixed number of places, and deletes those of last week', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const { keyId, appId } = await app.key(student)
  const merchantId = fromWire('usr', student.userId)!
  const now = Date.now()
  const call = (number: number, ageMs = 0): KeyRequest => ({
    id: newId(),
    merchantId,
    environment: 'test',
    appId: fromWire('app', appId)!,
    keyId: fromWire('key', keyId)!,
    method: 'GET',
    route: `/v1/${number}`,
    status: 200,
    errorCode: null,
    durationMs: 1,
    requestId: 'r',
    requestedAt: new Date(now - ageMs + number),
  })
  const calls = (from: number, count: number) => Array.from({ length: count }, (_, index) => call(from + index))
  const routes = async () =>
    (await listRequests(app.db, { merchantId, environment: 'test' }, { limit: 100 })).map(({ route }) => Number(route.slice(4)))
  await insertRequests(app.db, calls(1, 7), 10)
  await insertRequests(app.db, calls(8, 6), 10)
  assert.deepEqual(await routes(), [13, 12, 11, 10, 9, 8, 7, 6, 5, 4])
  // More calls than fit, in one statement; and several processes at once.
  await insertRequests(app.db, calls(14, 25), 10)
  assert.deepEqual(await routes(), [38, 37, 36, 35, 34, 33, 32, 31, 30, 29])
  await Promise.all([1, 2, 3, 4].map((turn) => insertRequests(app.db, calls(100 * turn, 3), 10)))
  assert.equal((await routes()).length, 10)
  await insertRequests(app.db, [call(900, 8 * 86_400_000)], 10)
  assert.ok(!(await routes()).includes(900))
  assert.equal(await deleteOldRequests(app.db, 100), 1)
  assert.equal(await deleteOldRequests(app.db, 100), 0)
})

test('a call is answered even when its log cannot be written', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const { key } = await app.key(student)
  await app.owner.pool.query('alter table api_requests rename to api_requests_away')
  assert.equal((await app.call('GET', '/v1/balance', { key })).status, 200)
  await app.deps.requestLog.flush()
  await app.owner.pool.query('alter table api_requests_away rename to api_requests')
  assert.equal((await app.call('GET', '/v1/profile', { key })).status, 200)
  await app.deps.requestLog.flush()
  assert.deepEqual(
    (await read(app, student)).map(({ route }: { route: string }) => route),
    ['/v1/profile'],
  )
})
