/**
 * Who sees what: every route that reads, in every form (JSON, file, document, picture, stream), and every mail, as every role, as a key of
 * each scope, as a stranger and as an operator. The objects of the merchant carry markers, and each marker names the permissions of which
 * one is enough to see it. With SIGHT_TABLE=1 the table that was found is printed.
 */
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs'
import { environments, type Environment } from '../../server/domain/environment.ts'
import { memberRoles, type MemberRole } from '../../server/domain/member.ts'
import { scopes, type Scope } from '../../server/domain/scope.ts'
import { openContent } from '../../server/base/mail/mail.ts'
import { permissionsOf, permissionsOfKey, reachOf, type Permission } from '../../server/accounts/members/permissions.ts'
import { fromWire } from '../../server/platform/ids.ts'
import { eventually, startTestApp, type Student, type TestApp } from '../app.ts'
import { newMember } from '../members.ts'
import { addressOf, makeKey, makeOwners, openCaseOf, placesOf, type Owner, type Places } from './objects.ts'
import { neededQuery, readRoutes, type Route } from './routes.ts'

type Marker = {
  /** What it stands for, in the table. */
  of: string
  text: string
  /** Any of these permissions is enough; none: it is in no answer, except to its person. */
  seenWith: readonly Permission[]
  /** Made before today: a role that sees only what was made today does not see it. */
  isOld?: true
  /** The person that it belongs to. */
  own?: MemberRole
}

type Reader = {
  name: string
  role?: MemberRole
  permissions: readonly Permission[]
  headers: Record<string, string>
  /** Asks as a merchant of their own for the objects of this one. */
  isOtherMerchant?: true
  mayCall(route: Route): boolean
}

const quotas =
  'key=100000/1,status=100000/60,webhook-secret=100000/60,invitation=100000/60,payout=100000/60,presign=100000/60,unknown-reference=100000/60'

type Fields = Record<string, unknown>

async function ask(app: TestApp, token: string, method: string, path: string, body?: Fields): Promise<any> {
  const headers = { 'idempotency-key': `k${Math.random()}` }
  const answer = await app.call(method, path, { token, headers, ...(body && { body }) })
  assert.ok(answer.status < 300, `${method} ${path} ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body.data
}

/** The objects of one environment of the business, with a marker in every field that a person or a program can fill. */
async function mark(
  app: TestApp,
  owner: Owner,
  people: Record<MemberRole, Student>,
  environment: Environment,
): Promise<{ places: Places; markers: Marker[] }> {
  const { token, businessId } = owner
  const as = `environment=${environment}&business_id=${businessId}`
  const word = (name: string) => `Zq${environment}${name}`
  // Test phones that end so pay.
  const phone = (last: number) => `+2557546${environment === 'live' ? '2' : '1'}${last}789`
  const more = environment === 'live' ? 1000 : 0
  const merchant = (method: string, path: string, body?: Fields, by = token) =>
    ask(app, by, method, `/v1/merchant/${path}${path.includes('?') ? '&' : '?'}${as}`, body)

  const shop = await ask(app, token, 'POST', '/developers/apps', { name: word('app'), environment, business_id: businessId })
  const key = await ask(app, token, 'POST', '/developers/keys', { app_id: shop.id, key_name: word('key'), scopes: [...scopes] })
  const hook = await ask(app, token, 'POST', `/developers/apps/${shop.id}/webhook`, {
    url: `http://127.0.0.1:8443/${word('hook')}`,
    events: ['*'],
  })

  const custom = [{ key: 'seat', label: word('question'), type: 'text', required: false }]
  const settings = { type: 'payment', metadata: { note: word('pagemeta') }, custom_fields: custom }
  const page = await merchant('POST', 'payment-pages', { ...settings, title: word('page'), allow_custom_amount: true })
  const second = await merchant('POST', 'payment-pages', { ...settings, title: word('second'), allow_custom_amount: true })
  const pay = async (slug: string, amount: number, last: number, name: string): Promise<string> => {
    const body = { amount, phone_number: phone(last), customer_name: word(name), customer_email: `${word(name)}@example.com` }
    const answer = await app.checkout(slug, { ...body, custom_fields: { seat: word('answer') } })
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    assert.equal((await app.settled(answer.body.data.reference)).status, 'completed')
    return answer.body.data.reference
  }
  await pay(page.slug, 55_511 + more, 7, 'other')
  const old = await pay(second.slug, 2_913_407 + more, 1, 'oldpayer')
  await app.owner.pool.query(`update payments set created_at = created_at - interval '1 day' where id = $1`, [
    fromWire('pay', old),
  ])
  const reference = await pay(second.slug, 913_111 + more, 2, 'payer')
  await pay(second.slug, 713_222 + more, 2, 'payer')

  const customer = { name: word('requested'), email: `${word('requested')}@example.com`, phone_number: phone(3) }
  const request = await merchant('POST', 'payment-requests', { title: word('order'), amount: 5000, customer })
  await merchant('PUT', 'saved-filters/payments', { name: word('filter'), filter: { period: 'today' } })
  const payoutFilter = await merchant('PUT', 'saved-filters/payouts', { name: word('filter'), filter: { period: 'today' } })
  const paymentFilters = await merchant('GET', 'saved-filters/payments')
  await merchant('POST', 'approval-rule', { above: 10_000, approvers: 1 })
  const payment = (last: number, name: string) => ({
    amount: 41_003 + more,
    phone_number: phone(last),
    recipient_name: word(name),
    narration: word('narration'),
    reference: word('payoutref'),
  })
  const payout = await merchant('POST', 'payouts', payment(4, 'payee'), people.accountant.token)
  const refund = await merchant('POST', `payments/${reference}/refunds`, { amount: 40_007 + more, reason: word('reason') })
  const batch = await merchant('POST', 'payout-batches', { title: word('batch'), items: [payment(5, 'batchpayee')] })
  const recipient = await merchant('POST', 'recipients', { name: word('recipient'), phone_number: phone(6) })
  const customers = await merchant('GET', 'customers')
  const [ofCustomer, ofPage] = [913_111 + 713_222 + 2 * more, 2_913_407 + 913_111 + 713_222 + 3 * more]
  const deliveries = await eventually('an event has a delivery', async () => {
    const { body } = await app.call('GET', `/developers/apps/${shop.id}/webhook/deliveries`, { token })
    return body.data.length > 0 && body.data
  })
  const host = await app.call('POST', `/v1/merchant/redirect-hosts?${as}`, {
    token,
    body: { host: `${word('host').toLowerCase()}.example.com` },
  })
  assert.ok(host.status < 300 || environment === 'test', JSON.stringify(host.body))

  const caseId = await openCaseOf(app, reference)
  const operator = await app.admin()
  await ask(app, operator.token, 'POST', `/v1/admin/support-cases/${caseId}/close`, {
    decision: 'received',
    note: word('opnote'),
    message: word('casemessage'),
  })

  const { rows } = await app.owner.pool.query(
    `select case when t.credit_account_id = a.id then t.credit_balance_after else t.debit_balance_after end as n from ledger_transfers t
     join ledger_accounts a on a.id in (t.credit_account_id, t.debit_account_id) and a.kind = 'wallet'
     where a.holder = $1 and a.environment = $2 and t.amount not in
       (case when t.credit_account_id = a.id then t.credit_balance_after else t.debit_balance_after end)`,
    [fromWire('biz', businessId), environment],
  )
  // The sum of all payments is what the till of today shows.
  const arrived = String(55_511 + 2_913_407 + 913_111 + 713_222 + 4 * more)
  const balances = rows.map(({ n }: { n: string }) => String(n)).filter((one) => one !== arrived)
  assert.ok(balances.length >= 4, balances.join())

  const paid: Permission[] = ['payments.read', 'customers.read', 'statements.read', 'payouts.read']
  // The bodies of events are what a webhook receives: an app's developer and a key that reads events see them.
  const event: Permission[] = ['events.read', 'apps.write']
  const payouts: Permission[] = ['payouts.read', 'statements.read', 'rules.read']
  const markers: Marker[] = [
    ...balances.map((text): Marker => ({ of: 'balance', text, seenWith: ['wallet.read', 'statements.read'] })),
    { of: 'total of a page', text: String(ofPage), seenWith: ['wallet.read', 'statements.read'] },
    { of: 'total of a customer', text: String(ofCustomer), seenWith: ['customers.read'] },
    { of: 'payer’s name', text: word('payer'), seenWith: [...paid, ...event] },
    { of: 'payer’s name, yesterday', text: word('oldpayer'), seenWith: [...paid, ...event], isOld: true },
    { of: 'payer’s e-mail', text: `${word('payer')}@example.com`, seenWith: [...paid, ...event] },
    { of: 'payer’s answer', text: word('answer'), seenWith: [...paid, ...event] },
    { of: 'payer’s whole number', text: phone(1), seenWith: [] },
    { of: 'payer’s whole number', text: phone(2), seenWith: ['payouts.read'] },
    { of: 'customer of a request', text: word('requested'), seenWith: ['requests.read'] },
    { of: 'customer’s whole number', text: phone(3), seenWith: ['payers.read', 'pages.write'] },
    { of: 'order of a request', text: word('order'), seenWith: ['requests.read', 'pages.read'] },
    { of: 'page’s own data', text: word('pagemeta'), seenWith: ['pages.read'] },
    { of: 'payee’s name', text: word('payee'), seenWith: [...payouts, ...event] },
    { of: 'payee’s whole number', text: phone(4), seenWith: [...payouts, ...event] },
    { of: 'narration of a payout', text: word('narration'), seenWith: [...payouts, ...event] },
    { of: 'merchant’s reference of a payout', text: word('payoutref'), seenWith: [...payouts, ...event] },
    { of: 'reason of a refund', text: word('reason'), seenWith: [...payouts, 'payments.read', ...event] },
    { of: 'title of a batch', text: word('batch'), seenWith: [...payouts, ...event] },
    { of: 'payee of a batch', text: word('batchpayee'), seenWith: payouts },
    { of: 'payee’s number, in a batch', text: phone(5), seenWith: payouts },
    { of: 'saved recipient', text: word('recipient'), seenWith: ['payouts.read'] },
    { of: 'saved recipient’s number', text: phone(6), seenWith: ['payouts.read'] },
    { of: 'name of an app', text: word('app'), seenWith: ['apps.write', 'events.read'] },
    { of: 'name of a key', text: word('key'), seenWith: ['apps.write', 'activity.read'] },
    { of: 'value of a key', text: key.key, seenWith: [] },
    { of: 'address of a webhook', text: word('hook'), seenWith: ['apps.write', 'events.read'] },
    { of: 'secret of a webhook', text: hook.secret, seenWith: ['apps.write'] },
    { of: 'redirect host', text: word('host').toLowerCase(), seenWith: ['pages.write', 'activity.read'] },
    { of: 'saved filter', text: word('filter'), seenWith: [], own: 'owner' },
    { of: 'operator’s note', text: word('opnote'), seenWith: [] },
    { of: 'operator’s answer to the payer', text: word('casemessage'), seenWith: [] },
  ]
  const belongings = {
    ...owner.ofBusiness,
    appId: shop.id,
    keyId: key.id,
    key: key.key,
    pageId: second.id,
    slug: second.slug,
    reference,
    payoutId: payout.id,
    refundId: refund.id,
    eventId: deliveries[0].event_id,
    deliveryId: deliveries[0].id,
    requestId: request.id,
    recipientId: recipient.id,
    customerId: customers[0].id,
    batchId: batch.id,
    payoutFilterId: payoutFilter.id,
    paymentFilterId: paymentFilters[0].id,
  }
  return { places: placesOf(owner, belongings, ''), markers }
}

/** What is the same in both environments: people, and the papers of the business. */
const commonMarkers = (people: Record<MemberRole, Student>): Marker[] => [
  { of: 'registration number', text: 'BRELA-123456', seenWith: ['business.read'] },
  { of: 'tax number', text: '123-456-789', seenWith: ['business.read'] },
  { of: 'member’s e-mail', text: people.accountant.email, seenWith: ['members.read', 'activity.read'], own: 'accountant' },
  { of: 'member’s number', text: people.accountant.phoneNumber, seenWith: [], own: 'accountant' },
  { of: 'invited address', text: 'zqinvited@example.com', seenWith: ['members.read', 'activity.read'] },
  { of: 'member’s browser', text: 'ZqBrowser', seenWith: [], own: 'owner' },
]

/** Digits without groups, so that `2,913,407` and `0754 610 001` are found as they are stored. */
const plain = (text: string): string => text.replaceAll(/(?<=\d)[,\u00a0\u202f ](?=\d)/g, '').toLowerCase()

function isIn(text: string, { text: marker }: Marker): boolean {
  if (/^\d+$/.test(marker)) return new RegExp(`(?<!\\d)${marker}(?!\\d)`).test(text)
  // Without the country's code: 0754…, 255754… and 754… are the same number.
  const word = /^\+255\d{9}$/.test(marker) ? marker.slice(4) : marker.toLowerCase()
  return text.includes(word)
}

async function textOf(response: Response): Promise<string> {
  if (response.headers.get('content-type') !== 'application/pdf') return plain(await response.text())
  const data = new Uint8Array(await response.arrayBuffer())
  const document = await getDocument({ data, useSystemFonts: true, verbosity: 0 }).promise
  let text = ''
  for (let number = 1; number <= document.numPages; number += 1) {
    const { items } = await (await document.getPage(number)).getTextContent()
    text += items.map((item) => ('str' in item ? item.str : '')).join('\n')
  }
  await document.cleanup()
  return plain(text)
}

/** The forms in which a route answers. */
function formsOf({ operation }: Route): string[] {
  const { responses = {} } = operation as { responses?: Record<string, { content?: Record<string, unknown> }> }
  return Object.keys(responses['200']?.content ?? { 'application/json': {} })
}

const isOperators = ({ path }: Route): boolean => path.startsWith('/v1/admin/')
const takes = (route: Route, scheme: string): boolean => route.operation.security?.some((one) => scheme in one) ?? false
const isPublic = (route: Route): boolean => !takes(route, 'jwt') && !takes(route, 'apiKey')

function maySee({ permissions, role }: Reader, { seenWith, isOld, own }: Marker): boolean {
  if (own !== undefined && own === role) return true
  const enough = seenWith.filter((permission) => permissions.includes(permission))
  return isOld && role ? enough.some((permission) => reachOf(role, permission) !== 'today') : enough.length > 0
}

type Found = Map<string, Set<string>>

/** Reads one route in all its forms as one reader; returns what was seen that may not be. */
async function look(
  app: TestApp,
  route: Route,
  reader: Reader,
  { places, markers, environment, businessId, found }: Place & { found: Found },
): Promise<string[]> {
  const { path, operation } = route
  const query = neededQuery(operation)
  if (query.has('q')) query.set('q', `Zq${environment}`)
  if (query.has('month')) query.set('month', new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 7))
  if (path.startsWith('/v1/merchant/')) {
    query.set('environment', environment)
    if (!reader.isOtherMerchant) query.set('business_id', businessId)
  }
  if (operation.operationId === 'listApps') query.set('owner', businessId)
  if (operation.operationId === 'listKeys') query.set('app_id', places['apps/id']!.id)
  const wrong: string[] = []
  for (const accept of formsOf(route)) {
    const url = `${app.config.urls.api}${addressOf(path, places)}?${query.toString()}`
    const response = await fetch(url, { headers: { ...reader.headers, accept } })
    const text = await textOf(response)
    if (response.status >= 500) wrong.push(`${reader.name} gets ${response.status} from ${operation.operationId}`)
    for (const marker of markers) {
      if (!isIn(text, marker)) continue
      // The till shows what arrived today, whenever it was asked for.
      if (marker.isOld && operation.operationId === 'getMerchantTill') continue
      found.set(marker.of, (found.get(marker.of) ?? new Set()).add(reader.name))
      if (!maySee(reader, marker))
        wrong.push(
          `${reader.name} reads ${marker.of} (${marker.text}) from ${operation.operationId} as ${accept} in ${environment}`,
        )
    }
  }
  return wrong
}

type Place = { places: Places; markers: Marker[]; environment: Environment; businessId: string }

async function readersOf(
  app: TestApp,
  owner: Owner,
  people: Record<MemberRole, Student>,
  environment: Environment,
): Promise<Reader[]> {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const mayPerson = (route: Route) => takes(route, 'jwt') && !isOperators(route)
  const roles = memberRoles.map((role): Reader => ({
    name: role,
    role,
    permissions: permissionsOf(role, environment),
    headers: bearer(people[role].token),
    mayCall: mayPerson,
  }))
  const keys: Reader[] = []
  for (const scope of scopes) {
    const { key } = await makeKey(app, owner, { business_id: owner.businessId, environment, scopes: [scope satisfies Scope] })
    const permissions = permissionsOfKey([scope])
    keys.push({ name: scope, permissions, headers: { 'x-api-key': key }, mayCall: (route) => takes(route, 'apiKey') })
  }
  const none = { permissions: [] }
  const stranger = await app.student()
  const operator = await app.admin()
  return [
    ...roles,
    ...keys,
    { ...none, name: 'stranger', headers: bearer(stranger.token), mayCall: (route) => takes(route, 'jwt') },
    { ...none, name: 'other merchant', isOtherMerchant: true, headers: bearer(stranger.token), mayCall: mayPerson },
    { ...none, name: 'no one', headers: {}, mayCall: isPublic },
    { ...none, name: 'operator', headers: bearer(operator.token), mayCall: (route) => isOperators(route) },
  ]
}

/** Every mail of the service, by recipient. */
async function mailsOf(app: TestApp): Promise<{ to: string; text: string }[]> {
  const { rows } = await app.owner.pool.query('select id, recipient, sealed_content from mails')
  const waiting = rows.flatMap(({ id, recipient, sealed_content: sealed }) => {
    if (sealed === null) return []
    const {
      subject,
      text,
      html = '',
    } = openContent(app.deps.sealer, id, sealed) as { subject: string; text: string; html?: string }
    return [{ to: recipient as string, text: plain(`${subject}\n${text}\n${html}`) }]
  })
  const { folder } = app.config.mail
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'))
  const sent = await Promise.all(
    names.map(async (name) => {
      const { to, subject, text } = JSON.parse(await readFile(join(folder, name), 'utf8')) as Record<string, string>
      return { to: to!, text: plain(`${subject}\n${text}`) }
    }),
  )
  return [...waiting, ...sent]
}

/** Markers that operators may see: all except secrets and what is a person's own. */
const hiddenFromOperators = new Set(['value of a key', 'secret of a webhook', 'saved filter'])

test('no role, key, stranger or operator reads a marker of a permission that they do not have, in any form of any answer, or in a mail', async (t: TestContext) => {
  const app = await startTestApp(t, { worker: true, settings: { RATE_LIMIT_QUOTAS: quotas } })
  const [owner] = (await makeOwners(t, app, 1)) as [Owner]
  const { businessId } = owner
  const join = (role: MemberRole) => newMember(app, owner, businessId, role)
  const people: Record<MemberRole, Student> = {
    owner,
    admin: await join('admin'),
    approver: await join('approver'),
    accountant: await join('accountant'),
    cashier: await join('cashier'),
    developer: await join('developer'),
  }
  const signedIn = await app.call('POST', '/v1/auth/login', {
    body: { identifier: owner.email, password: owner.password },
    headers: { 'user-agent': 'ZqBrowser/1.0' },
  })
  assert.equal(signedIn.status, 200)
  await ask(app, owner.token, 'POST', `/v1/businesses/${businessId}/members`, { email: 'zqinvited@example.com', role: 'cashier' })

  const routes = (await readRoutes(app)).filter(({ method }) => method === 'GET')
  const found: Found = new Map()
  const wrong: string[] = []
  const all: Marker[] = commonMarkers(people)
  let [answers, columns] = [0, [] as string[]]
  for (const environment of environments) {
    const { places, markers } = await mark(app, owner, people, environment)
    all.push(...markers)
    const here = { places, markers: [...markers, ...commonMarkers(people)], environment, businessId, found }
    const readers = await readersOf(app, owner, people, environment)
    columns = readers.map(({ name }) => name)
    for (const reader of readers) {
      const hidden = here.markers.filter(({ of }) => reader.name !== 'operator' || hiddenFromOperators.has(of))
      for (const route of routes.filter((one) => reader.mayCall(one))) {
        wrong.push(...(await look(app, route, reader, { ...here, markers: hidden })))
        answers += 1
      }
    }
  }
  assert.deepEqual([...new Set(wrong)].toSorted(), [])

  const mails = await mailsOf(app)
  assert.ok(mails.length > 20, `${mails.length} mails`)
  const both = new Set<Permission>(['test', 'live'].flatMap((one) => permissionsOf('owner', one as Environment)))
  const mailed: string[] = []
  for (const { to, text } of mails) {
    const role = memberRoles.find((one) => people[one].email === to)
    const permissions = role === 'owner' ? [...both] : role ? permissionsOf(role, 'live') : []
    const reader: Reader = { name: to, ...(role && { role }), permissions, headers: {}, mayCall: () => false }
    for (const marker of all)
      if (isIn(text, marker) && !maySee(reader, marker)) mailed.push(`${role ?? to} gets ${marker.of}: ${text.slice(0, 300)}`)
  }
  assert.deepEqual(mailed, [])

  const unseen = [...new Set(all.filter(({ seenWith, own }) => seenWith.length > 0 || own).map(({ of }) => of))].filter(
    (of) => !found.has(of),
  )
  assert.deepEqual(unseen, [], 'each marker is seen by someone who may: otherwise it proves nothing')
  if (process.env['SIGHT_TABLE']) {
    const rows = [...new Set(all.map(({ of }) => of))].map((of) => [
      of,
      ...columns.map((name) => (found.get(of)?.has(name) ? '●' : '–')),
    ])
    const lines = [['field', ...columns], columns.concat('').map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
    process.stdout.write(`${lines.join('\n')}\n${answers} answers, ${mails.length} mails\n`)
  }
})
