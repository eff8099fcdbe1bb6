/**
 * What the class of each operation demands, tried on the real routes: a stale session; a session, key, role or membership that ends while
 * the body arrives, or while the transaction waits; an entry in the audit log; the mail to the owners. The operations and their classes
 * come from the description of the API, so a new route is tried at once.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { test } from 'node:test'
import { backupCommands } from '../../server/operations/backup/backup-commands.ts'
import { personCommands } from '../../server/operations/data-lifecycle/person-commands.ts'
import type { Environment } from '../../server/domain/environment.ts'
import {
  classOf,
  operationClasses,
  operationsOf,
  provenOtherwise,
  stepUpOf,
  withoutSession,
} from '../../server/accounts/identity/operation-classes.ts'
import {
  allPermissions,
  isAllowed,
  permissions,
  waitsWithPower,
  type Permission,
} from '../../server/accounts/members/permissions.ts'
import { accountCommands } from '../../server/operations/operators/account-commands.ts'
import { databaseCommands } from '../../server/operations/operators/database-commands.ts'
import { emergencyCommands } from '../../server/operations/operators/emergency-commands.ts'
import { keyCommands } from '../../server/operations/operators/key-commands.ts'
import { moneyCommands } from '../../server/operations/operators/money-commands.ts'
import { providerCommands } from '../../server/operations/operators/provider-commands.ts'
import { short } from '../fixtures/payouts.ts'
import { sql, type Sql } from '../../server/platform/db/db.ts'
import { fromWire } from '../../server/platform/ids.ts'
import { eventually, share, startTestApp, type Answer, type TestApp } from '../app.ts'
import { lastMail } from '../members.ts'
import { openBreakOf, openCaseOf, addressOf, placesOf } from './objects.ts'
import { neededQuery, readRoutes, type Route } from './routes.ts'
import { bodies, call, requestOf, startShop, type Sent, type Shop } from './shop.ts'

const sharedShop = share((ending) => startShop(ending, { POWER_NEEDS_STEP_UP: 'true' }))

const changes = ({ method }: Route): boolean => method !== 'GET'
const idOf = ({ operation }: Route): string => operation.operationId
const isOfMerchant = ({ operation }: Route): boolean => operation['x-permission'] !== undefined
const isByKey = ({ operation }: Route): boolean => operation.security?.some((scheme) => 'apiKey' in scheme) ?? false
const isByPerson = ({ operation }: Route): boolean => operation.security?.some((scheme) => 'jwt' in scheme) ?? false

const mutating = async (app: TestApp): Promise<Route[]> => (await readRoutes(app)).filter(changes)

/** The environment in which an operation of a merchant is tried: a business belongs to none. */
const triedIn = (route: Route): Environment => (bodies[idOf(route)] || route.method === 'DELETE' ? 'live' : 'test')

test('every operation, command and job is in one class, and no class names one that does not exist', async (t) => {
  const app = await startTestApp(t)
  const routes = await mutating(app)
  for (const { operation } of routes) assert.ok(operation['x-class'], `${operation.operationId} has a class`)
  const ids = new Set(routes.flatMap((route) => [idOf(route), idOf(route).replace('Merchant', '')]))
  const named = operationClasses.flatMap((one) => operationsOf(one))
  assert.equal(new Set(named).size, named.length, 'no operation is in two classes')
  assert.deepEqual(
    [...named, ...Object.keys(provenOtherwise)].filter((id) => !ids.has(id)),
    [],
  )
  const commands = { ...accountCommands, ...emergencyCommands, ...personCommands, ...moneyCommands, ...providerCommands }
  const all = Object.keys({ ...commands, ...databaseCommands, ...keyCommands, ...backupCommands })
  assert.deepEqual(
    Object.values(withoutSession)
      .flatMap((one) => one.commands)
      .toSorted(),
    all.toSorted(),
  )
  const worker = readFileSync(new URL('../../server/start/worker.ts', import.meta.url), 'utf8')
  for (const { jobs } of Object.values(withoutSession)) for (const job of jobs) assert.ok(worker.includes(`'${job}'`), job)
})

/** Ages all sessions beyond every step-up, or makes them fresh again. */
const age = (app: TestApp, interval: string) =>
  app.owner.pool.query('update sessions set authenticated_at = authenticated_at - $1::interval', [interval])

const entriesIn = async (app: TestApp): Promise<number> =>
  Number((await app.owner.pool.query('select count(*) from audit_log')).rows[0].count)

/** Operators' routes name what their tests have opened. */
async function operatorCalls({ app, owner }: Shop): Promise<(route: Route) => Sent> {
  const admin = await app.admin()
  const breakId = await openBreakOf(app, owner.ofBusiness.reference)
  const caseId = await openCaseOf(app, owner.ofBusiness.reference)
  const places = { ...placesOf(owner, owner.ofBusiness, breakId), case_id: { id: caseId, prefix: 'case' as const } }
  return ({ method, path, operation }) => ({
    method,
    path: `${addressOf(path, places)}?${neededQuery(operation).toString()}`,
    options: { token: admin.token, ...(method !== 'DELETE' && { body: {} }) },
  })
}

test('a session that has proven nothing for a while moves no money, makes no power and decides nothing', async () => {
  const shop = await sharedShop()
  const { app } = shop
  const asOperator = await operatorCalls(shop)
  const routes = (await mutating(app)).filter(isByPerson)
  await age(app, '1 hour')
  const before = await entriesIn(app)
  let refused = 0
  for (const route of routes) {
    const { when } = stepUpOf(idOf(route))
    if (when === 'never') continue
    const send = ({ method, path, options }: Sent): Promise<Answer> => app.call(method, path, options)
    const isOfOperators = route.path.startsWith('/v1/admin/')
    const answer = await send(
      isOfOperators ? asOperator(route) : requestOf(shop, route, 'owner', when === 'live' ? 'live' : 'test'),
    )
    assert.equal(short(answer), '401 step_up_required', idOf(route))
    refused += 1
  }
  assert.ok(refused > 40, `${refused} operations were tried`)
  assert.equal(await entriesIn(app), before, 'a refused request does nothing')
  for (const route of routes) {
    if (stepUpOf(idOf(route)).when === 'always' || !bodies[idOf(route)]) continue
    const answer = await call(shop, route, 'owner', 'test')
    assert.ok([200, 201].includes(answer.status), `${idOf(route)} in test: ${short(answer)}`)
  }
  await age(app, '-1 hour')
})

/** A request that sends its headers and first byte now, and the rest when the test releases it. */
function startSlowly(app: TestApp, { method, path, options }: Sent): { finish(): void; answer: Promise<Answer> } {
  const text = JSON.stringify(options.body)
  const { promise: answer, resolve, reject } = Promise.withResolvers<Answer>()
  const headers = {
    ...options.headers,
    ...(options.token !== undefined && { authorization: `Bearer ${options.token}` }),
    ...(options.key !== undefined && { 'x-api-key': options.key }),
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  }
  const request = httpRequest(`${app.config.urls.api}${path}`, { method, agent: false, headers }, (response) => {
    let received = ''
    response.on('data', (chunk: Buffer) => (received += chunk.toString()))
    response.on('end', () => resolve({ status: response.statusCode!, headers: new Headers(), body: JSON.parse(received) }))
  })
  request.on('error', reject)
  request.write(text.slice(0, 1))
  return { finish: () => void request.end(text.slice(1)), answer }
}

type Ending = { what: string; end: Sql; undo: Sql; expects: RegExp }

/** What can end while a request of the admin is under way, and the refusals that it may get then. */
async function endingsOf({ app, people, owner }: Shop): Promise<Ending[]> {
  const { rows } = await app.owner.pool.query('select id from users where email = $1', [people.admin.email])
  const who = sql`user_id = ${rows[0].id}`
  const member = sql`update members set`
  const inBusiness = sql`where ${who} and merchant_id = ${fromWire('biz', owner.businessId)!}`
  return [
    {
      what: 'the session is revoked',
      end: sql`update sessions set revoked_at = clock_now(), revoked_reason = 'signed_out' where ${who}`,
      undo: sql`update sessions set revoked_at = null, revoked_reason = null where ${who}`,
      expects: /^401 session_inactive$/,
    },
    {
      what: 'the person is removed',
      end: sql`${member} removed_at = clock_now() ${inBusiness}`,
      undo: sql`${member} removed_at = null ${inBusiness}`,
      expects: /^404 not_found$/,
    },
    {
      what: 'the person is demoted',
      end: sql`${member} role = 'cashier' ${inBusiness}`,
      undo: sql`${member} role = 'admin' ${inBusiness}`,
      expects: /^403 insufficient_role$/,
    },
  ]
}

test('nothing is changed by a session, role or membership that ended while the body arrived', async () => {
  const shop = await sharedShop()
  const { app } = shop
  const routes = (await mutating(app)).filter((route) => isOfMerchant(route) && route.method !== 'DELETE')
  const isOpenTo = (route: Route) => isAllowed('cashier', route.operation['x-permission'] as Permission, triedIn(route))
  for (const { what, end, undo, expects } of await endingsOf(shop)) {
    const tried = routes.filter((route) => !what.includes('demoted') || !isOpenTo(route))
    const slow = tried.map((route) => ({ route, ...startSlowly(app, requestOf(shop, route, 'admin', triedIn(route))) }))
    // Answered after the headers of all others have been read.
    await call(
      shop,
      routes.find((route) => idOf(route) === 'updateApp')!,
      'owner',
      'test',
    )
    await app.owner.rows(end)
    const before = await entriesIn(app)
    for (const { finish } of slow) finish()
    for (const { route, answer } of slow) assert.match(short(await answer), expects, `${idOf(route)} while ${what}`)
    assert.equal(await entriesIn(app), before, what)
    await app.owner.rows(undo)
  }
})

test('nothing is paid or changed by a key that was revoked while the body arrived', async () => {
  const shop = await sharedShop()
  const { app, owner } = shop
  const places = placesOf(owner, owner.ofBusiness, '')
  const payment = { amount: 5000, phone_number: '+255754000123', customer_name: 'Asha Mushi' }
  const bodyOf = (id: string) =>
    id === 'createPayment' ? payment : (bodies[id.replace('create', 'createMerchant')]?.(shop, 'test') ?? {})
  const routes = (await mutating(app)).filter((route) => isByKey(route) && route.method !== 'DELETE')
  const slow = routes.map((route, at) => {
    const options = { key: owner.ofBusiness.key, headers: { 'idempotency-key': `revoked-${at}` }, body: bodyOf(idOf(route)) }
    const path = `${addressOf(route.path, places)}?${neededQuery(route.operation).toString()}`
    return { route, ...startSlowly(app, { method: route.method, path, options }) }
  })
  assert.equal(short(await app.call('GET', '/v1/balance', { key: owner.ofBusiness.key })), '200')
  const payments = async () => Number((await app.owner.pool.query('select count(*) from payments')).rows[0].count)
  const before = await payments()
  const id = fromWire('key', owner.ofBusiness.keyId)!
  await app.owner.pool.query('update api_keys set revoked_at = clock_now() where id = $1', [id])
  for (const { finish } of slow) finish()
  for (const { route, answer } of slow) assert.equal(short(await answer), '401 api_key_revoked', idOf(route))
  assert.ok(slow.some(({ route }) => idOf(route) === 'createPayment'))
  assert.equal(await payments(), before)
  await app.owner.pool.query('update api_keys set revoked_at = null where id = $1', [id])
})

const waitingForLocks = async (app: TestApp): Promise<number> =>
  (await app.owner.pool.query("select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"))
    .rows.length

test('what makes power is confirmed in its transaction: a removal that is answered first wins', async () => {
  const shop = await sharedShop()
  const { app } = shop
  const isPower = (route: Route) =>
    classOf(idOf(route)) === 'makes_power' &&
    isOfMerchant(route) &&
    isAllowed('admin', route.operation['x-permission'] as Permission, 'live')
  const routes = (await mutating(app)).filter(isPower)
  assert.ok(routes.length > 15)
  for (const { what, end, undo, expects } of await endingsOf(shop)) {
    for (const route of routes) {
      if (what.includes('demoted') && route.operation['x-permission'] === 'profile.read') continue
      let isAnswered = false
      const asked = await app.owner.tx(async (tx) => {
        await tx.rows(end)
        const answer = call(shop, route, 'admin', 'live').finally(() => void (isAnswered = true))
        await eventually('it waits, or is answered', async () => isAnswered || (await waitingForLocks(app)) > 0)
        return { answer }
      })
      const answer = await asked.answer
      await app.owner.rows(undo)
      // A busy machine answers that it is busy; the request has done nothing then.
      if (answer.status === 503) continue
      assert.match(short(answer), expects, `${idOf(route)} while ${what}`)
    }
  }
})

test('a new role pays, decides and makes power in live only after its wait; it reads and works, and test does not wait', async () => {
  const shop = await sharedShop()
  const { app, owner } = shop
  for (const permission of allPermissions)
    assert.ok(permission.endsWith('.read') || 'gives' in permissions[permission], `${permission} says what it gives`)
  const admin = sql`merchant_id = ${fromWire('biz', owner.businessId)!} and role = 'admin'`
  await app.owner.rows(sql`update members set power_from = clock_now() + interval '1 hour' where ${admin}`)
  const before = await entriesIn(app)
  let waiting = 0
  const routes = (await mutating(app)).filter(isOfMerchant)
  for (const route of routes) {
    const permission = route.operation['x-permission'] as Permission
    const isPower = waitsWithPower(idOf(route), permission) && isAllowed('admin', permission, 'live')
    if (!isPower) continue
    const answer = await call(shop, route, 'admin', 'live')
    // A body that the schema refuses is refused before the transaction.
    if (!bodies[idOf(route)] && short(answer) === '400 validation_error') continue
    assert.equal(short(answer), '409 power_not_active_yet', idOf(route))
    assert.ok(Date.parse(answer.body.error.details.until) > Date.now(), 'it says until when')
    waiting += 1
  }
  assert.ok(waiting > 20, `${waiting} operations wait`)
  assert.equal(await entriesIn(app), before, 'nothing is done')
  for (const route of routes) {
    const permission = route.operation['x-permission'] as Permission
    if (!bodies[idOf(route)] || !isAllowed('admin', permission, 'live')) continue
    const isOrdinary = classOf(idOf(route)) === 'ordinary'
    const answer = await call(shop, route, 'admin', isOrdinary ? 'live' : 'test')
    if (isOrdinary || stepUpOf(idOf(route)).when === 'live')
      assert.notEqual(short(answer), '409 power_not_active_yet', `${idOf(route)} does not wait`)
  }
  await app.owner.rows(sql`update members set power_from = null where ${admin}`)
})

/** Deletions come last, and that of the app at the very end, because the others name what it removes. */
const placeOf = ({ method, operation }: Route): number =>
  method !== 'DELETE' ? 0 : operation.operationId === 'deleteApp' ? 2 : 1

test('what makes power is in the audit log, and the owners are told', async () => {
  const shop = await sharedShop()
  const { app, owner } = shop
  const isTried = (route: Route) => isOfMerchant(route) && (classOf(idOf(route)) === 'makes_power' || idOf(route) === 'updateApp')
  const routes = (await mutating(app)).filter(isTried).toSorted((one, other) => placeOf(one) - placeOf(other))
  // So that the change to a cashier is one, and there is a wait to end.
  await app.owner.pool.query(
    `update members set role = 'accountant', power_from = clock_now() + interval '1 hour' where id = $1`,
    [fromWire('mem', owner.memberId)],
  )
  // So that there is something to grant.
  const liveKey = fromWire('key', shop.belongings.live.keyId)
  await app.owner.pool.query('update api_keys set waiting_scopes = scopes where id = $1', [liveKey])
  const mail = () => lastMail(app, owner.email, 'power_changed')
  for (const route of routes) {
    const [entries, told] = [await entriesIn(app), await mail()]
    const answer = await call(shop, route, 'owner', 'live')
    const what = `${idOf(route)}: ${short(answer)} ${JSON.stringify(answer.body)}`
    assert.ok([200, 201].includes(answer.status), what)
    assert.ok((await entriesIn(app)) > entries, `${what} is in the audit log`)
    // A looser rule changes nothing before others have approved it; they are asked by mail.
    if (!['updateApp', 'removeApprovalRule'].includes(idOf(route))) assert.notEqual(await mail(), told, `${what} is in the mail`)
  }
})
