/**
 * The whole onboarding of a business over HTTP: a student, their identity, four documents, a reviewer with a second factor, live
 * money, and the loss of it.
 */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { startFleet } from './fleet.ts'
import {
  decideBusiness,
  files,
  registerBusiness,
  submitBusiness,
  submitKyc,
  submittedBusiness,
  upload,
  uploadFour,
} from './onboarding.ts'
import { fromWire } from '../server/platform/ids.ts'
import { s3Secret, startS3 } from './s3.ts'
import { eventually, startTestApp, type CallOptions, type TestApp } from './app.ts'

const scopes = ['profile:read', 'balance:read', 'pages:read', 'pages:write', 'transactions:read']

async function mailsTo(app: TestApp, address: string): Promise<string[]> {
  const { rows } = await app.owner.pool.query('select kind from mails where recipient = $1 order by created_at, id', [address])
  return rows.map(({ kind }) => kind)
}

/** The onboarding itself, the same for each kind of document store. */
async function wholeWay(t: TestContext, settings: Record<string, string> = {}): Promise<void> {
  const app = await startTestApp(t, { worker: true, settings })
  const student = await app.student({ verified: false })
  const admin = await app.admin()
  const asStudent = (method: string, path: string, body?: unknown) =>
    app.call(method, path, { token: student.token, ...(body !== undefined && { body }) })

  // The business comes first: any user can register one, and the answer lists the open requirements at once.
  const { id, ...draft } = await registerBusiness(app, student)
  const at = `/v1/businesses/${id}`
  assert.equal(draft.status, 'pending')
  assert.deepEqual(draft.review, { stage: 'draft', version: 0, submitted_at: null, decided_at: null })
  assert.deepEqual(draft.requirements.currently_due, [
    'representative_kyc',
    'registration_certificate',
    'tax_certificate',
    'business_license',
    'proof_of_address',
    'submission',
  ])
  assert.deepEqual(draft.capabilities, { live_keys: false, page_writes: false, payouts: false })
  const urls = await uploadFour(app, student, id)
  const tooEarly = await submitBusiness(app, student, id, urls)
  assert.deepEqual([tooEarly.status, tooEarly.body.error.code], [403, 'representative_kyc_required'])
  // Another owner or an admin may read it, too.
  assert.match(tooEarly.body.error.message, /^The identity of the representative must be verified first/)
  assert.match(tooEarly.body.error.message_sw, /^Utambulisho wa mwakilishi wa biashara/)

  // The student's own identity.
  const kyc = await submitKyc(app, student)
  assert.deepEqual([kyc.status, kyc.body.data.status], [200, 'pending'], JSON.stringify(kyc.body))
  assert.equal(kyc.body.data.national_id_last4, '0123')
  const queue = await app.call('GET', '/v1/admin/kyc?status=pending&stage=submitted', { token: admin.token })
  assert.deepEqual(
    queue.body.data.map((person: { user_id: string }) => person.user_id),
    [student.userId],
  )
  const openCase = await app.call('GET', `/v1/admin/kyc/${student.userId}`, { token: admin.token })
  assert.equal(openCase.body.data.national_id_number, '20030517123450000123')
  const decided = await app.call('POST', `/v1/admin/kyc/${student.userId}/verify`, {
    token: admin.token,
    body: { status: 'verified', version: 1 },
  })
  assert.deepEqual([decided.status, decided.body.data.status], [200, 'verified'], JSON.stringify(decided.body))
  assert.equal((await asStudent('GET', '/v1/me')).body.data.kyc_status, 'verified')

  // The submission, and a reviewer who reads it and rejects it.
  const submitted = await submitBusiness(app, student, id, urls)
  assert.deepEqual([submitted.status, submitted.body.data.review.version], [200, 1], JSON.stringify(submitted.body))
  assert.deepEqual(submitted.body.data.requirements, { currently_due: [], errors: [] })
  const pending = await app.call('GET', '/v1/admin/businesses?status=pending', { token: admin.token })
  assert.deepEqual(
    pending.body.data.map((business: { id: string }) => business.id),
    [id],
  )
  for (const { purpose } of submitted.body.data.documents) {
    const view = await app.call('POST', `/v1/admin/businesses/${id}/documents/${purpose}/view`, { token: admin.token })
    assert.equal(view.status, 200, JSON.stringify(view.body))
    const picture = await fetch(view.body.data.view_url, { headers: { authorization: `Bearer ${admin.token}` } })
    assert.equal(picture.status, 200)
    assert.match(picture.headers.get('content-type')!, /^image\/(jpeg|png)$/)
    assert.match(picture.headers.get('content-security-policy')!, /sandbox/)
    assert.equal(picture.headers.get('cache-control'), 'no-store')
    assert.ok((await picture.arrayBuffer()).byteLength > 500)
  }
  const noReason = await decideBusiness(app, admin, id, { status: 'rejected', reason: '  ' })
  assert.equal(noReason.status, 400)
  assert.deepEqual(
    noReason.body.error.errors.map(({ field, code }: { field: string; code: string }) => [field, code]),
    [['reason', 'required']],
  )
  const reason = 'The business licence has expired.'
  const rejected = await decideBusiness(app, admin, id, { status: 'rejected', reason })
  assert.equal(rejected.status, 200, JSON.stringify(rejected.body))
  const shown = (await asStudent('GET', at)).body.data
  assert.deepEqual([shown.status, shown.rejection_reason], ['rejected', reason])
  assert.deepEqual(shown.requirements, {
    currently_due: ['submission'],
    errors: [{ item: 'review', code: 'rejected', reason }],
  })

  // Corrected and submitted again: the reason is gone.
  const license = await upload(app, student, at, 'business_license', files.png())
  const again = await submitBusiness(app, student, id, { ...urls, business_license_url: license })
  assert.deepEqual([again.body.data.status, again.body.data.rejection_reason], ['pending', null])
  const { version } = again.body.data.review

  // Actions that were closed before the decision open with it.
  const shopApp = async (environment: string) =>
    (await asStudent('POST', '/developers/apps', { name: 'Duka', business_id: id, environment })).body.data
  const key = async (appId: string) => asStudent('POST', '/developers/keys', { app_id: appId, key_name: 'till', scopes })
  const [testApp, liveApp] = [await shopApp('test'), await shopApp('live')]
  assert.equal(testApp.business_id, id)
  const testKey = await key(testApp.id)
  assert.equal(testKey.status, 201)
  const tooSoon = await key(liveApp.id)
  assert.deepEqual([tooSoon.status, tooSoon.body.error.code], [403, 'business_not_verified'])
  const page = { type: 'payment', title: 'Unga', amount: 4000 }
  const testPage = await app.call('POST', '/v1/payment-pages', { key: testKey.body.data.key, body: page })
  assert.deepEqual([testPage.status, testPage.body.error.code], [403, 'business_not_verified'])

  const stale = await decideBusiness(app, admin, id, { status: 'verified', version: version - 1 })
  assert.deepEqual([stale.status, stale.body.error.code], [409, 'review_version_changed'])
  const verified = await decideBusiness(app, admin, id, { status: 'verified', version })
  assert.equal(verified.body.data.status, 'verified', JSON.stringify(verified.body))
  assert.deepEqual(verified.body.data.capabilities, { live_keys: true, page_writes: true, payouts: true })
  const resubmit = await submitBusiness(app, student, id, { nothing: 'is looked at' })
  assert.deepEqual([resubmit.status, resubmit.body.error.code], [409, 'business_already_verified'])

  const firstLiveKey = (await key(liveApp.id)).body.data
  const profile = await app.call('GET', '/v1/profile', { key: firstLiveKey.key })
  assert.deepEqual([profile.body.data.id, profile.body.data.app.id, profile.body.data.status], [id, liveApp.id, 'verified'])
  const fromOutside = await asStudent('GET', `/v1/merchant/profile?business_id=${id}`)
  const { role, permissions, ...merchant } = fromOutside.body.data
  assert.equal(role, 'owner')
  assert.ok(profile.body.data.permissions.every((one: string) => permissions.includes(one)))
  const { role: roleOfKey, permissions: _ofKey, ...merchantOfKey } = profile.body.data
  assert.equal(roleOfKey, null)
  assert.deepEqual(merchant, { ...merchantOfKey, app: null, key: null })

  // The key moves to another server without a pause, and then works only from there.
  const roll = await asStudent('POST', `/developers/keys/${firstLiveKey.id}/roll`)
  assert.equal(roll.status, 200, JSON.stringify(roll.body))
  const liveKey = roll.body.data.key
  for (const value of [firstLiveKey.key, liveKey]) {
    assert.equal((await app.call('GET', '/v1/balance', { key: value })).status, 200)
  }
  await asStudent('PATCH', `/developers/keys/${firstLiveKey.id}`, { allowed_ips: ['203.0.113.0/24'] })
  const elsewhere = await app.call('GET', '/v1/balance', { key: firstLiveKey.key })
  assert.deepEqual([elsewhere.status, elsewhere.body.error.code], [403, 'ip_not_allowed'])
  const livePage = await app.call('POST', '/v1/payment-pages', { key: liveKey, body: page })
  assert.deepEqual([livePage.status, livePage.body.data?.owner], [201, { type: 'business', id }], JSON.stringify(livePage.body))
  const ownPage = await app.page(student, page, 'live')
  const fromDashboard = await asStudent('POST', `/v1/merchant/payment-pages?business_id=${id}`, { ...page, title: 'Sukari' })
  assert.deepEqual([fromDashboard.status, fromDashboard.body.data.owner.id], [201, id])

  // Money arrives only in the business's own wallet.
  const { slug } = livePage.body.data
  const paid = await app.checkout(slug)
  await app.settled(paid.body.data.reference, ['completed'])
  const started = await app.checkout(slug, { phone_number: '+255754123788' })
  const balance = await app.call('GET', '/v1/balance', { key: liveKey })
  assert.equal(balance.body.data.total, 4000)
  const own = await app.key(student, 'live')
  assert.equal((await app.call('GET', '/v1/balance', { key: own.key })).body.data.total, 0)
  const list = (credentials: { key: string }) => app.call('GET', '/v1/payment-pages', credentials)
  assert.deepEqual(
    (await list({ key: own.key })).body.data.map(({ id: pageId }: { id: string }) => pageId),
    [ownPage.id],
  )
  assert.equal((await list({ key: liveKey })).body.data.length, 2)

  // The way back: it takes effect at once, for everything except payments that have begun.
  const revoked = await decideBusiness(app, admin, id, { status: 'rejected', reason: 'The licence was withdrawn.' })
  assert.deepEqual([revoked.status, revoked.body.data.status], [200, 'rejected'])
  const refused = await app.call('GET', '/v1/balance', { key: liveKey })
  assert.deepEqual([refused.status, refused.body.error.code], [403, 'business_not_verified'])
  const closed = await app.checkout(slug)
  assert.deepEqual([closed.status, closed.body.error.code], [409, 'page_inactive'])
  const charge = (await app.truth()).charges.find(({ status }: { status: string }) => status === 'pending')
  await app.control('POST', `/charges/${charge.reference}/answer`, { action: 'pin', pin: '1234' })
  await app.settled(started.body.data.reference, ['completed'])
  const { rows: wallets } = await app.owner.pool.query(
    `select sum(balance)::int as total from ledger_accounts where holder::text = $1`,
    [fromWire('biz', id)],
  )
  assert.equal(wallets[0].total, 8000)
  assert.equal((await app.call('GET', '/v1/balance', { key: own.key })).status, 200)

  const history = (await app.call('GET', `/v1/admin/businesses/${id}`, { token: admin.token })).body.data.history
  assert.deepEqual(
    history.map((entry: { version: number; action: string; actor: { id: string } }) => [
      entry.version,
      entry.action,
      entry.actor.id,
    ]),
    [
      [5, 'rejected', admin.userId],
      [4, 'verified', admin.userId],
      [3, 'submitted', student.userId],
      [2, 'rejected', admin.userId],
      [1, 'submitted', student.userId],
    ],
  )
  const { rows: audit } = await app.owner.pool.query(
    `select action from audit_log where object = $1 or action like 'document.%' order by seq`,
    [id],
  )
  const actions = audit.map(({ action }) => action)
  for (const action of ['business.registered', 'business.submitted', 'business.rejected', 'business.verified'])
    assert.ok(actions.includes(action), action)
  assert.equal(actions.filter((action) => action === 'document.viewed').length, 4)
  // What concerns power is collected for a quarter of an hour.
  await eventually('the decisions were mailed', async () => {
    const { rows } = await app.owner.pool.query(
      `select 1 from mails where recipient = $1 and state = 'due' and kind <> 'power_changed'`,
      [student.email],
    )
    return rows.length === 0
  })
  assert.deepEqual(
    (await mailsTo(app, student.email)).filter((kind) => /^(kyc|business)_/.test(kind)),
    ['kyc_verified', 'business_rejected', 'business_verified', 'business_revoked'],
  )
}

test('a student takes a business from registration to live money and loses it by a decision', (t) => wholeWay(t))

test('the same with the documents in an S3-compatible store', async (t) => {
  await wholeWay(t, {
    DOCUMENT_STORE: 's3',
    S3_ENDPOINT: await startS3(t),
    S3_BUCKET: 'documents',
    S3_ACCESS_KEY_ID: s3Secret,
    S3_SECRET_ACCESS_KEY: s3Secret,
  })
})

test('a decision on one process closes every other one at once', async (t) => {
  const { app, api } = await startFleet(t)
  const [here, there] = [await api(), await api()]
  const admin = await app.admin()
  const { student, business } = await submittedBusiness(app)
  const at = async (url: string, method: string, path: string, { token, key, body }: CallOptions = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(key !== undefined && { 'x-api-key': key }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const answer = (await response.json()) as { data?: any; error?: { code: string } }
    return { code: `${response.status} ${answer.error?.code ?? ''}`.trim(), data: answer.data }
  }
  const decide = (body: unknown) =>
    at(here.url, 'POST', `/v1/admin/businesses/${business.id}/verify`, { token: admin.token, body })
  assert.equal((await decide({ status: 'verified' })).code, '200')
  const wanted = { name: 'Duka', business_id: business.id, environment: 'live' }
  const shopApp = await at(there.url, 'POST', '/developers/apps', { token: student.token, body: wanted })
  const made = await at(there.url, 'POST', '/developers/keys', {
    token: student.token,
    body: { app_id: shopApp.data.id, key_name: 'till', scopes },
  })
  const key = made.data.key as string
  const page = await at(there.url, 'POST', '/v1/payment-pages', { key, body: { type: 'payment', title: 'Unga', amount: 4000 } })
  assert.equal(page.code, '201')
  const checkout = () =>
    at(there.url, 'POST', '/v1/payments/checkout', {
      body: {
        slug: page.data.slug,
        phone_number: '0754123456',
        customer_name: 'Juma',
        customer_email: 'juma@example.com',
        idempotency_key: String(Math.random()),
      },
    })
  assert.equal((await checkout()).code, '201')
  assert.equal((await decide({ status: 'rejected', reason: 'Withdrawn.' })).code, '200')
  const [balance, closed, pages] = await Promise.all([
    at(there.url, 'GET', '/v1/balance', { key }),
    checkout(),
    at(there.url, 'GET', '/v1/payment-pages', { key }),
  ])
  assert.deepEqual(
    [balance.code, closed.code, pages.code],
    ['403 business_not_verified', '409 page_inactive', '403 business_not_verified'],
  )
})
