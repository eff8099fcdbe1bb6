/**
 * What the members of a business may do: every route that a signed-in person calls for a merchant, as each role, in test and live. The
 * routes and their permissions come from the description of the API, so a new route is called at once; one that names neither a
 * permission nor a reason fails. With ROLE_TABLE=1 the table that was found is printed.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Environment } from '../../server/domain/environment.ts'
import { memberRoles, type MemberRole } from '../../server/domain/member.ts'
import {
  allPermissions,
  isAllowed,
  reachOf,
  rolesWith,
  type Permission,
  type Reach,
} from '../../server/accounts/members/permissions.ts'
import { mustMatch } from '../must-match.ts'
import type { Answer } from '../app.ts'
import { readRoutes, type Route } from './routes.ts'
import { bodies, call, startShop, type Shop } from './shop.ts'

/** Section 15 of the contract, word for word. */
const contract = `
| see payments, pages | ● | ● | ● | ● | today's, and the till | test only |
| make and change pages, payment requests | ● | ● | – | – | requests | test only |
| statements, exports | ● | ● | ● | ● | – | – |
| request payouts, refunds, batches | ● | ● | ● | ● | – | – |
| approve payouts, refunds, batches | ● | ● | ● | – | – | – |
| apps, keys, webhooks | ● | ● | – | – | – | ● (live keys without \`payouts:write\`) |
| members, approval rules, business data, KYB | ● | ● (not owners) | – | – | – | – |
`

/** The row of the contract that each permission belongs to. Null: the contract does not name it; the reaches are written out below. */
const rowOf: Record<Permission, string | null> = {
  'profile.read': null,
  'payments.read': 'see payments, pages',
  'payments.write': null,
  'customers.read': null,
  'payers.read': null,
  'pages.read': 'see payments, pages',
  'pages.write': 'make and change pages, payment requests',
  'requests.read': 'see payments, pages',
  'requests.write': 'make and change pages, payment requests',
  'wallet.read': 'statements, exports',
  'statements.read': 'statements, exports',
  'payouts.read': 'request payouts, refunds, batches',
  'payouts.write': 'request payouts, refunds, batches',
  'payouts.approve': 'approve payouts, refunds, batches',
  'events.read': 'apps, keys, webhooks',
  'apps.write': 'apps, keys, webhooks',
  'payout-keys.write': 'apps, keys, webhooks',
  'business.read': 'members, approval rules, business data, KYB',
  'business.write': 'members, approval rules, business data, KYB',
  'members.read': null,
  'members.write': 'members, approval rules, business data, KYB',
  'owners.write': 'members, approval rules, business data, KYB',
  'rules.read': null,
  'rules.write': 'members, approval rules, business data, KYB',
  'activity.read': 'members, approval rules, business data, KYB',
}

/** In the order of the roles. Everyone sees the name; who handles money sees the colleagues and the rule that hold their payouts. */
const beyondContract: Partial<Record<Permission, Reach[]>> = {
  'profile.read': ['all', 'all', 'all', 'all', 'all', 'all'],
  'payments.write': ['all', 'all', 'none', 'none', 'none', 'test'],
  // Whole numbers are for those who handle money and answer their payers.
  'customers.read': ['all', 'all', 'all', 'all', 'none', 'test'],
  'payers.read': ['all', 'all', 'all', 'all', 'none', 'test'],
  'members.read': ['all', 'all', 'all', 'all', 'none', 'none'],
  'rules.read': ['all', 'all', 'all', 'all', 'none', 'none'],
}

/** What a cell with words says of a permission of its row. */
const inWords: Record<string, Partial<Record<Permission, Reach>>> = {
  "today's, and the till": { 'payments.read': 'today', 'requests.read': 'today', 'pages.read': 'all' },
  // They are made and cancelled on the same day.
  requests: { 'pages.write': 'none', 'requests.write': 'today' },
  '● (live keys without `payouts:write`)': { 'apps.write': 'all', 'events.read': 'all', 'payout-keys.write': 'test' },
  '● (not owners)': { 'owners.write': 'none' },
}

function reachInContract(permission: Permission, place: number): Reach {
  const row = rowOf[permission]
  if (row === null) return beyondContract[permission]![place]!
  const line = contract.split('\n').find((one) => one.startsWith(`| ${row} |`))
  const cell = line!.split('|')[place + 2]!.trim()
  if (cell === 'test only') return 'test'
  return inWords[cell]?.[permission] ?? (cell.startsWith('●') ? 'all' : 'none')
}

test('the permissions of each role are those of section 15 of the contract', () => {
  assert.deepEqual([...memberRoles], ['owner', 'admin', 'approver', 'accountant', 'cashier', 'developer'])
  for (const permission of allPermissions) {
    for (const [place, role] of memberRoles.entries()) {
      assert.equal(reachOf(role, permission), reachInContract(permission, place), `${permission} of ${role}`)
    }
  }
})

/** Routes of a signed-in person that act for no merchant, by the reason why no role is asked. */
const withoutPermission: Record<string, string[]> = {
  'one’s own account': [
    'getMe',
    'updateMe',
    'getNotifications',
    'updateNotifications',
    'requestContactChange',
    'confirmContactChange',
  ],
  'one’s own sessions and proofs': [
    'listSessions',
    'endSession',
    'endOtherSessions',
    'signOut',
    'stepUp',
    'changePassword',
    'enrollSecondFactor',
    'confirmSecondFactor',
    'disableSecondFactor',
    'verifyEmail',
    'resendEmailVerification',
  ],
  'the verification of a person, not of a business': ['getKyc', 'submitKyc', 'presignKycDocument', 'viewOwnKycDocument'],
  'the person who registers a business becomes its owner': ['registerBusiness'],
  'lists what the person’s own roles show': ['listBusinesses', 'listMemberships', 'listChanges'],
  'the invitation itself is the permission': ['acceptInvitation'],
}

/** Permissions that guard a part of a route: the value of a key. */
const partly: Permission[] = ['payout-keys.write']

const isRefusedForRole = ({ status, body }: Answer): boolean => status === 403 && body?.error?.code === 'insufficient_role'

/** Deletions come last, and that of the app at the very end, because the others name what it removes. */
const placeOf = ({ method, operation }: Route): number =>
  method !== 'DELETE' ? 0 : operation.operationId === 'deleteApp' ? 2 : 1

/** The environments in which a route differs: a business belongs to none. */
const environmentsOf = ({ path }: Route): Environment[] => (path.startsWith('/v1/businesses') ? ['live'] : ['test', 'live'])

const permissionOf = ({ operation }: Route): Permission | undefined => operation['x-permission'] as Permission | undefined

/** Calls a route as every role in an environment; those who may not come first, while there is something to reach. */
async function callAsEveryone(shop: Shop, route: Route, environment: Environment): Promise<Set<MemberRole>> {
  const permission = permissionOf(route)!
  const { operationId } = route.operation
  const mayCall = (role: MemberRole): boolean => isAllowed(role, permission, environment)
  const refused = new Set<MemberRole>()
  for (const role of [...memberRoles].toSorted((one, other) => Number(mayCall(one)) - Number(mayCall(other)))) {
    const answer = await call(shop, route, role, environment)
    const what = `${operationId} by ${role} in ${environment}: ${answer.status} ${JSON.stringify(answer.body)}`
    assert.equal(isRefusedForRole(answer), !mayCall(role), what)
    if (!mayCall(role)) {
      refused.add(role)
      assert.deepEqual(answer.body.error.details, { role, required_roles: rolesWith(permission, environment) }, what)
    } else if (route.method === 'GET' && environment === environmentsOf(route)[0]) assert.equal(answer.status, 200, what)
    else if (bodies[operationId] && environment === environmentsOf(route)[0]) assert.ok([200, 201].includes(answer.status), what)
    else if (role === 'owner' && environment === environmentsOf(route)[0]) assert.notEqual(answer.status, 404, what)
  }
  return refused
}

function print(found: Map<Permission, { routes: number; cells: string[] }>, calls: number, routes: number): void {
  const lines = [...found].map(([permission, { routes: count, cells }]) => `| ${permission} | ${count} | ${cells.join(' | ')} |`)
  const head = `| permission | routes | ${memberRoles.join(' | ')} |\n|---|---|${'---|'.repeat(memberRoles.length)}`
  process.stdout.write(`${head}\n${lines.join('\n')}\n${routes} routes, ${memberRoles.length} roles, ${calls} calls\n`)
}

test('cashier, developer, accountant, approver, admin and owner on every route: the role table, exactly [A94]', async (t) => {
  const shop = await startShop(t)
  const signedIn = (await readRoutes(shop.app)).filter(
    ({ path, operation }) => operation.security?.some((scheme) => 'jwt' in scheme) && !path.startsWith('/v1/admin/'),
  )
  const reasons = Object.values(withoutPermission).flat()
  const silent = signedIn.filter((route) => permissionOf(route) === undefined).map(({ operation }) => operation.operationId)
  mustMatch(silent, reasons, {
    add: () =>
      'let its onRequest hook name a permission, or write it under a reason of withoutPermission in test/attacks/roles.test.ts',
    remove: () => 'remove it from withoutPermission in test/attacks/roles.test.ts',
  })
  const routes = signedIn
    .filter((route) => permissionOf(route) !== undefined)
    .toSorted((one, other) => placeOf(one) - placeOf(other))
  const named = new Set(routes.map(permissionOf))
  mustMatch(
    allPermissions.filter((permission) => !named.has(permission)),
    partly,
    {
      add: () => 'no route demands this permission: remove it, or write it into partly in test/attacks/roles.test.ts',
      remove: () => 'a route demands this permission: remove it from partly in test/attacks/roles.test.ts',
    },
  )

  let calls = 0
  const found = new Map<Permission, { routes: number; cells: string[] }>()
  for (const route of routes) {
    const permission = permissionOf(route)!
    const refused: Partial<Record<Environment, Set<MemberRole>>> = {}
    for (const environment of environmentsOf(route)) {
      refused[environment] = await callAsEveryone(shop, route, environment)
      calls += memberRoles.length
    }
    const cells = memberRoles.map((role) => {
      const [inTest = refused.live!, inLive] = [refused.test, refused.live!]
      return inLive.has(role) ? (inTest.has(role) ? '–' : 'test only') : reachOf(role, permission) === 'today' ? 'today' : '●'
    })
    const before = found.get(permission)
    if (before)
      assert.deepEqual(cells, before.cells, `${route.operation.operationId} agrees with the other routes of ${permission}`)
    found.set(permission, { routes: (before?.routes ?? 0) + 1, cells })
  }
  if (process.env['ROLE_TABLE']) print(found, calls, routes.length)
})

const merchantQuery = ({ owner }: Shop, environment: Environment = 'test'): string =>
  `environment=${environment}&business_id=${owner.businessId}`

test('a cashier sees the payments and requests of today, no older ones, and gets no file [A94]', async (t) => {
  const shop = await startShop(t)
  const { app, owner, people } = shop
  const { reference, requestId } = owner.ofBusiness
  const paths = { list: '/v1/merchant/payments', one: `/v1/merchant/payments/${reference}` }
  const requests = { list: '/v1/merchant/payment-requests', one: `/v1/merchant/payment-requests/${requestId}` }
  const ask = (role: MemberRole, path: string, headers: Record<string, string> = {}) =>
    app.call('GET', `${path}?${merchantQuery(shop)}`, { token: people[role].token, headers })
  const sees = async (role: MemberRole) => {
    const answers = []
    for (const { list, one } of [paths, requests]) {
      answers.push((await ask(role, list)).body.data.length, (await ask(role, one)).status)
    }
    return answers
  }
  assert.deepEqual(await sees('cashier'), [1, 200, 1, 200])
  const file = await ask('cashier', paths.list, { accept: 'text/csv' })
  assert.ok(isRefusedForRole(file), JSON.stringify(file.body))
  assert.deepEqual(file.body.error.details.required_roles, rolesWith('statements.read', 'test'))
  assert.equal((await ask('accountant', paths.list, { accept: 'text/csv' })).status, 200)
  for (const table of ['payments', 'payment_pages']) {
    await app.owner.pool.query(`update ${table} set created_at = created_at - interval '1 day'`)
  }
  assert.deepEqual(await sees('cashier'), [0, 404, 0, 404])
  assert.deepEqual(await sees('owner'), [1, 200, 1, 200])
  const cancel = (role: MemberRole) =>
    app.call('POST', `${requests.one}/cancel?${merchantQuery(shop)}`, { token: people[role].token, body: {} })
  assert.equal((await cancel('cashier')).status, 404, 'what a cashier cannot see, they cannot cancel')
  assert.equal((await cancel('owner')).status, 200)
})

test('a developer makes and rolls no live key that can pay out, and reads nothing of live payments [A94]', async (t) => {
  const shop = await startShop(t)
  const { app, owner, people, belongings } = shop
  const { token } = people.developer
  const create = (environment: Environment, scopes: string[], by = token) =>
    app.call('POST', '/developers/keys', { token: by, body: { app_id: belongings[environment].appId, key_name: 'k', scopes } })
  const paying = ['payouts:read', 'payouts:write']
  assert.ok(isRefusedForRole(await create('live', paying)))
  const waiting = await create('live', ['balance:read', 'payments:read', 'profile:read'])
  assert.equal(waiting.status, 201, JSON.stringify(waiting.body))
  assert.deepEqual(waiting.body.data.waiting_scopes, ['balance:read', 'payments:read'])
  const balance = () => app.call('GET', '/v1/balance', { key: waiting.body.data.key })
  const held = await balance()
  assert.deepEqual([held.status, held.body.error?.code], [403, 'insufficient_scope'])
  assert.deepEqual(held.body.error.details.granted_by_roles, rolesWith('wallet.read', 'live'))
  const grant = (by: string) => app.call('POST', `/developers/keys/${waiting.body.data.id}/grant`, { token: by, body: {} })
  assert.ok(isRefusedForRole(await grant(token)), 'who made it has not the rights')
  assert.equal((await balance()).status, 403)
  assert.deepEqual((await grant(owner.token)).body.data.waiting_scopes, [])
  assert.equal((await balance()).status, 200)
  const again = await app.call('POST', `/developers/keys/${waiting.body.data.id}/roll`, { token, body: {} })
  assert.deepEqual(
    again.body.data.waiting_scopes,
    ['balance:read', 'payments:read'],
    'a roll shows the value to the developer again',
  )
  assert.equal((await create('test', paying)).status, 201)
  const made = await create('live', paying, owner.token)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const roll = (by: string) => app.call('POST', `/developers/keys/${made.body.data.id}/roll`, { token: by, body: {} })
  const refused = await roll(token)
  assert.ok(isRefusedForRole(refused), JSON.stringify(refused.body))
  assert.deepEqual(refused.body.error.details.required_roles, ['owner', 'admin'])
  assert.equal((await roll(owner.token)).status, 200)
  for (const path of ['payments', `payments/${owner.ofBusiness.reference}`, 'payment-pages', 'payment-requests']) {
    assert.ok(isRefusedForRole(await app.call('GET', `/v1/merchant/${path}?${merchantQuery(shop, 'live')}`, { token })), path)
  }
})
