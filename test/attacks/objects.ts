/**
 * An owner with one of each thing that a route can name, and a second owner who tries to reach it. A route that names a new kind of
 * thing fails here until a thing of that kind is added.
 */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { openBreak } from '../../server/money/breaks/break.sql.ts'
import { fromWire, homeOfId, newMoneyId, toWire, type IdPrefix } from '../../server/platform/ids.ts'
import { startWorker } from '../../server/start/worker.ts'
import { decideBusiness, registerBusiness, submitBusiness, uploadFour } from '../onboarding.ts'
import { addMember } from '../members.ts'
import { allScopes, eventually, type Student, type TestApp } from '../app.ts'

/** The things of one merchant: a person, or a business that a person represents. */
export type Belongings = {
  /** undefined for the person's own things. */
  businessId: string | undefined
  appId: string
  keyId: string
  key: string
  pageId: string
  slug: string
  reference: string
  checkoutToken: string
  payoutId: string
  refundId: string
  eventId: string
  deliveryId: string
  requestId: string
  recipientId: string
  customerId: string
  batchId: string
  paymentFilterId: string
  payoutFilterId: string
}

export type Owner = Student & { businessId: string; memberId: string; own: Belongings; ofBusiness: Belongings; sessionId: string }

/** A receiver of webhooks that accepts everything. */
async function startReceiver(t: TestContext): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => response.end('thanks'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
}

/** Calls a route of the signed-in owner, for themselves or their business; everything here is of the test environment. */
async function make(app: TestApp, token: string, path: string, body: unknown, status = 201): Promise<any> {
  const answer = await app.call('POST', path, { token, body })
  assert.equal(answer.status, status, `${path} ${JSON.stringify(answer.body)}`)
  return answer.body.data
}

export async function makeKey(
  app: TestApp,
  { token }: { token: string },
  fields: { business_id?: string; environment?: string; scopes?: string[]; expires_at?: string } = {},
): Promise<{ appId: string; keyId: string; key: string }> {
  const { scopes = allScopes, expires_at, environment = 'test', business_id } = fields
  const shopApp = await make(app, token, '/developers/apps', { name: 'Shop', environment, ...(business_id && { business_id }) })
  const key = await make(app, token, '/developers/keys', {
    app_id: shopApp.id,
    key_name: 'k',
    scopes,
    ...(expires_at && { expires_at }),
  })
  return { appId: shopApp.id, keyId: key.id, key: key.key }
}

/** As if members had approved a payout: without other members, no rule can be set. */
async function noteApproval(app: TestApp, payoutId: string): Promise<void> {
  await app.owner.pool.query(
    `insert into approval_requests (home, id, merchant_id, environment, kind, amount, approvers, status, requested_by, requested_by_user, decided_at, expires_at)
     select p.home, p.id, p.merchant_id, p.environment, 'payout', p.amount, 1, 'approved', p.requested_by, m.user_id, clock_now(), clock_now()
     from payouts p join merchants m on m.id = p.merchant_id where p.id = $1`,
    [fromWire('po', payoutId)],
  )
}

async function makeObjects(
  app: TestApp,
  student: Student,
  businessId: string | undefined,
  receiver: string,
): Promise<Belongings> {
  const { token } = student
  const { appId, keyId, key } = await makeKey(app, student, businessId === undefined ? {} : { business_id: businessId })
  await make(app, token, `/developers/apps/${appId}/webhook`, { url: receiver })
  const as = `environment=test${businessId === undefined ? '' : `&business_id=${businessId}`}`
  const page = await make(app, token, `/v1/merchant/payment-pages?${as}`, { type: 'payment', title: 'Chai', amount: 90_000 })
  const checkout = (await app.checkout(page.slug)).body.data
  assert.equal((await app.settled(checkout.reference)).status, 'completed')
  const payout = await app.call('POST', '/v1/payouts', {
    key,
    headers: { 'idempotency-key': 'first' },
    body: { amount: 5000, phone_number: '+255754000123', recipient_name: 'Asha Mushi' },
  })
  assert.equal(payout.status, 201, JSON.stringify(payout.body))
  await eventually('the payout has ended', async () => {
    const { body } = await app.call('GET', `/v1/payouts/${payout.body.data.id}`, { key })
    return body.data.status === 'completed'
  })
  await noteApproval(app, payout.body.data.id)
  const refund = await app.call('POST', `/v1/payments/${checkout.reference}/refunds`, {
    key,
    headers: { 'idempotency-key': 'first' },
    body: { amount: 5000 },
  })
  assert.equal(refund.status, 201, JSON.stringify(refund.body))
  await eventually('the refund has ended', async () => {
    const { body } = await app.call('GET', `/v1/refunds/${refund.body.data.id}`, { key })
    return body.data.status === 'completed'
  })
  const delivery = await eventually('its event was delivered', async () => {
    const { body } = await app.call('GET', `/developers/apps/${appId}/webhook/deliveries`, { token })
    return body.data.find(({ outcome }: { outcome: string }) => outcome === 'succeeded')
  })
  const batch = await app.call('POST', '/v1/payout-batches', {
    key,
    headers: { 'idempotency-key': 'first' },
    body: { items: [{ amount: 5000, phone_number: '+255754000123', recipient_name: 'Asha Mushi' }] },
  })
  assert.equal(batch.status, 201, JSON.stringify(batch.body))
  const request = await make(app, token, `/v1/merchant/payment-requests?${as}`, { title: 'Order 7', amount: 5000 })
  const recipient = await make(app, token, `/v1/merchant/recipients?${as}`, { name: 'Asha', phone_number: '+255754000123' })
  const customers = await app.call('GET', `/v1/merchant/customers?${as}`, { token })
  const saveFilter = async (list: string): Promise<string> => {
    const body = { name: 'Leo', filter: { period: 'today' } }
    const saved = await app.call('PUT', `/v1/merchant/saved-filters/${list}?${as}`, { token, body })
    assert.equal(saved.status, 200, JSON.stringify(saved.body))
    return saved.body.data.id
  }
  return {
    businessId,
    paymentFilterId: await saveFilter('payments'),
    payoutFilterId: await saveFilter('payouts'),
    appId,
    keyId,
    key,
    pageId: page.id,
    slug: page.slug,
    reference: checkout.reference,
    checkoutToken: checkout.checkout_token,
    payoutId: payout.body.data.id,
    refundId: refund.body.data.id,
    eventId: delivery.event_id,
    deliveryId: delivery.id,
    requestId: request.id,
    recipientId: recipient.id,
    customerId: customers.body.data[0].id,
    batchId: batch.body.data.id,
  }
}

/** Two people with neighbouring rows of money, each with a business, so that only the owner's filter separates them. */
export async function makeOwners(t: TestContext, app: TestApp, count: number): Promise<Owner[]> {
  const receiver = await startReceiver(t)
  const worker = startWorker(app.deps)
  const admin = await app.admin()
  const owners: Owner[] = []
  for (let made = 0; made < count; made += 1) {
    const student = await app.student({ home: 7 })
    const business = await registerBusiness(app, student)
    const submitted = await submitBusiness(app, student, business.id, await uploadFour(app, student, business.id))
    assert.equal(submitted.status, 200, JSON.stringify(submitted.body))
    assert.equal((await decideBusiness(app, admin, business.id, { status: 'verified' })).status, 200)
    const sessions = await app.call('GET', '/v1/auth/sessions', { token: student.token })
    owners.push({
      ...student,
      businessId: business.id,
      memberId: await addMember(app, student, business.id, await app.student(), 'cashier'),
      own: await makeObjects(app, student, undefined, receiver),
      ofBusiness: await makeObjects(app, student, business.id, receiver),
      sessionId: sessions.body.data[0].id,
    })
  }
  await worker.stop()
  return owners
}

/** A break about a payment that has ended. */
export async function openBreakOf(app: TestApp, reference: string): Promise<string> {
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
  await openBreak(app.db, { ...finding, details: {} }, id)
  return toWire('brk', id)
}

/** A support case about a payment, which waits for operators. */
export async function openCaseOf(app: TestApp, reference: string): Promise<string> {
  const paymentId = fromWire('pay', reference)!
  const home = homeOfId(paymentId)
  const id = newMoneyId(home)
  await app.owner.pool.query(
    `insert into support_cases (home, id, payment_id, merchant_id, environment, state, sms_number, payer_language, escalated_because, escalated_at,
       next_attempt_at, request_id)
     select p.home, $2, p.id, p.merchant_id, p.environment, 'with_operators', $3, 'sw', 'not_proven',
       clock_now(), null, 'req_test'
     from payments p where p.id = $1`,
    [paymentId, id, `S${id.replaceAll('-', '').slice(-20).toUpperCase()}`],
  )
  return toWire('case', id)
}

/** Values for the parameters of a route's address. */
export type Places = Record<string, { id: string; prefix?: IdPrefix }>

/** By the name of a parameter, or by the word before it where the name is too general. */
export function placesOf(owner: Owner, belongings: Belongings, breakId: string): Places {
  return {
    app_id: { id: belongings.appId, prefix: 'app' },
    id_or_slug: { id: belongings.pageId, prefix: 'page' },
    page_id: { id: belongings.pageId, prefix: 'page' },
    slug: { id: belongings.slug },
    business_id: { id: owner.businessId, prefix: 'biz' },
    merchant_id: { id: owner.businessId, prefix: 'biz' },
    member_id: { id: owner.memberId, prefix: 'mem' },
    user_id: { id: owner.userId, prefix: 'usr' },
    event_id: { id: belongings.eventId, prefix: 'evt' },
    delivery_id: { id: belongings.deliveryId, prefix: 'whd' },
    reference: { id: belongings.reference, prefix: 'pay' },
    break_id: { id: breakId, prefix: 'brk' },
    // Only operators name a case; their tests open one.
    case_id: { id: toWire('case', fromWire('pay', belongings.reference)!), prefix: 'case' },
    purpose: { id: 'tax_certificate' },
    name: { id: 'test.checkout.halotel' },
    'apps/id': { id: belongings.appId, prefix: 'app' },
    'keys/id': { id: belongings.keyId, prefix: 'key' },
    'sessions/id': { id: owner.sessionId, prefix: 'ses' },
    'requests/id': { id: belongings.requestId, prefix: 'preq' },
    'payouts/id': { id: belongings.payoutId, prefix: 'po' },
    'customers/id': { id: belongings.customerId, prefix: 'cus' },
    'recipients/id': { id: belongings.recipientId, prefix: 'rcp' },
    'payments/filter_id': { id: belongings.paymentFilterId, prefix: 'flt' },
    'payouts/filter_id': { id: belongings.payoutFilterId, prefix: 'flt' },
    'batches/id': { id: belongings.batchId, prefix: 'pb' },
    row: { id: '1' },
    'refunds/id': { id: belongings.refundId, prefix: 'rf' },
    'approvals/id': { id: belongings.payoutId, prefix: 'po' },
    'deliveries/id': { id: belongings.deliveryId, prefix: 'whd' },
  }
}

/** The address of a route, with `choose` selecting the value of each parameter; an unknown parameter is a mistake in this file. */
export function addressOf(path: string, places: Places, choose = (place: Places[string]) => place.id): string {
  return path.replace(/(\w+)\/\{(\w+)\}/g, (_, word: string, name: string) => {
    const place = places[`${word}/${name}`] ?? places[name]
    assert.ok(place, `${path} names something new: give the owner of test/attacks/objects.ts one`)
    return `${word}/${choose(place)}`
  })
}
