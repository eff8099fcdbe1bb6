/** Attacks on the review of businesses: deciding on the own business, twice, without a reason, two operators at once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setKycStatus } from '../../server/merchants/onboarding/decide-by-operator.ts'
import {
  businessPurposes,
  decideBusiness,
  registerBusiness,
  submitBusiness,
  submittedBusiness,
  uploadFour,
} from '../onboarding.ts'
import { startTestApp, type Student } from '../app.ts'
import { attackAll, startAttackedApp } from './attacked-app.ts'

/** The audit log records an attempt on an operators’ route once per period. */
const recordedAttempt = ['audit_head', 'audit_log']

test('a decision is made by another person, once, with a reason [A18]', async (t) => {
  const app = await startAttackedApp(t)
  const [admin, other] = [await app.admin(), await app.admin()]
  const { business, student } = await submittedBusiness(app)
  await app.call('PATCH', '/v1/me', { token: admin.token, body: { student_id: '2019-04-00777' } })
  await setKycStatus(app.deps, admin.email, 'verified')
  const own = await registerBusiness(app, admin as unknown as Student)
  const urls = await uploadFour(app, admin as unknown as Student, own.id)
  assert.equal((await submitBusiness(app, admin as unknown as Student, own.id, urls)).status, 200)
  const rejects = (reason?: string | null) => () => decideBusiness(app, admin, business.id, { status: 'rejected', reason })
  await attackAll(app, [
    {
      name: 'on oneself',
      send: () => decideBusiness(app, admin, own.id, { status: 'verified' }),
      expects: '403 self_review_forbidden',
    },
    {
      name: 'by its representative',
      send: () => decideBusiness(app, student, business.id, { status: 'verified' }),
      expects: '403 admin_required',
      changes: recordedAttempt,
    },
    { name: 'no reason', send: rejects(), expects: '400 validation_error', isMistake: true },
    { name: 'a blank reason', send: rejects(' \n\t '), expects: '400 validation_error', isMistake: true },
    { name: 'null', send: rejects(null), expects: '400 validation_error', isMistake: true },
    { name: 'ten kilobytes of reason', send: rejects('x'.repeat(10_000)), expects: '400 validation_error', isMistake: true },
  ])
  assert.equal((await decideBusiness(app, admin, business.id, { status: 'verified' })).status, 200)
  await app.attack({
    name: 'verified twice',
    send: () => decideBusiness(app, other, business.id, { status: 'verified' }),
    expects: '409 invalid_state',
    isMistake: true,
  })
})

test('a verified subject cannot be submitted again, and a business cannot be submitted without its verified person [A19]', async (t) => {
  const app = await startAttackedApp(t)
  const admin = await app.admin()
  const { business, student, urls } = await submittedBusiness(app)
  const { version } = business.review
  const decisions = await Promise.all([
    decideBusiness(app, admin, business.id, { status: 'verified', version }),
    submitBusiness(app, student, business.id, urls),
  ])
  const now = (await app.call('GET', `/v1/businesses/${business.id}`, { token: student.token })).body.data
  const [decided, submitted] = decisions.map(({ status }) => status)
  assert.deepEqual([decided, submitted, now.status], decided === 200 ? [200, 409, 'verified'] : [409, 200, 'pending'])
  if (now.status === 'pending') {
    assert.equal((await decideBusiness(app, admin, business.id, { status: 'verified' })).status, 200)
  }
  const newcomer = await app.student({ verified: false })
  const draft = await registerBusiness(app, newcomer)
  const four = await uploadFour(app, newcomer, draft.id)
  await attackAll(app, [
    {
      name: 'a verified business',
      send: () => submitBusiness(app, student, business.id, urls),
      expects: '409 business_already_verified',
      isMistake: true,
    },
    {
      name: 'with addresses that are not ours',
      send: () => submitBusiness(app, student, business.id, { ...urls, tax_certificate_url: 'https://evil.example/x' }),
      expects: '409 business_already_verified',
      isMistake: true,
    },
    {
      name: 'a person who is not verified',
      send: () => submitBusiness(app, newcomer, draft.id, four),
      expects: '403 representative_kyc_required',
      isMistake: true,
    },
  ])
  await setKycStatus(app.deps, newcomer.email, 'verified')
  const twice = await Promise.all([1, 2].map(() => submitBusiness(app, newcomer, draft.id, four)))
  assert.ok(twice.some(({ status }) => status === 200) && twice.every(({ status }) => status === 200 || status === 409))
})

test('a person whose identity is rejected later takes no live money, nor do their businesses, while the test environment continues to work [A83]', async (t) => {
  const app = await startTestApp(t)
  const admin = await app.admin()
  const { business, student } = await submittedBusiness(app)
  assert.equal((await decideBusiness(app, admin, business.id, { status: 'verified' })).status, 200)
  const ofBusiness = `business_id=${business.id}`
  const page = async (query: string) => {
    const made = await app.call('POST', `/v1/merchant/payment-pages?${query}`, {
      token: student.token,
      body: { type: 'payment', title: 'Chai', amount: 1500 },
    })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    return made.body.data.slug as string
  }
  const pages = [await page('environment=live'), await page(`environment=live&${ofBusiness}`)]
  const testPage = await page('environment=test')
  const key = await app.key(student, 'live')
  const under = await app.checkout(pages[0]!)
  assert.deepEqual([under.status, (await app.checkout(pages[1]!)).status], [201, 201])

  const rejected = await app.call('POST', `/v1/admin/kyc/${student.userId}/verify`, {
    token: admin.token,
    body: { status: 'rejected', reason: 'The papers are forged.' },
  })
  assert.equal(rejected.status, 200, JSON.stringify(rejected.body))
  for (const slug of pages) {
    const { status, body } = await app.checkout(slug)
    assert.deepEqual([status, body.error?.code], [409, 'page_inactive'], slug)
  }
  assert.equal((await app.checkout(testPage)).status, 201)
  assert.equal((await app.settled(under.body.data.reference)).status, 'completed', 'a payment that has started settles')
  const balance = await app.call('GET', '/v1/balance', { key: key.key })
  assert.deepEqual([balance.status, balance.body.error?.code], [403, 'kyc_required'])
  const shown = (await app.call('GET', `/v1/businesses/${business.id}`, { token: student.token })).body.data
  assert.equal(shown.status, 'rejected')
  assert.deepEqual(shown.requirements.currently_due, ['representative_kyc', 'submission'])
  const { rows } = await app.owner.pool.query('select kind from mails where recipient = $1 order by created_at, id', [
    student.email,
  ])
  assert.deepEqual(rows.map(({ kind }) => kind).slice(-2), ['kyc_revoked', 'business_revoked'])
  assert.equal(
    (await app.call('GET', `/v1/merchant/balance?${ofBusiness}`, { token: student.token })).status,
    200,
    'the owner still reads',
  )
})

test('where the setting is on, a reviewer decides only after opening every document of the current submission; a later revocation does not need it [A93]', async (t) => {
  const app = await startTestApp(t, { settings: { REVIEW_NEEDS_OPENED_DOCUMENTS: 'true' } })
  const [admin, other] = [await app.admin(), await app.admin()]
  const { business, student } = await submittedBusiness(app)
  const at = `/v1/businesses/${business.id}`
  const open = async (who: typeof admin, purpose: string) => {
    const { status, body } = await app.call('POST', `/v1/admin${at.slice(3)}/documents/${purpose}/view`, { token: who.token })
    assert.equal(status, 200, JSON.stringify(body))
    const seen = await fetch(body.data.view_url, { headers: { authorization: `Bearer ${who.token}` } })
    assert.equal(seen.status, 200)
    await seen.arrayBuffer()
  }
  const refusedFor = async (who: typeof admin, purposes: readonly string[]) => {
    for (const verdict of [{ status: 'verified' }, { status: 'rejected', reason: 'The licence has expired.' }]) {
      const { status, body } = await decideBusiness(app, who, business.id, verdict)
      assert.deepEqual([status, body.error?.code], [409, 'documents_not_opened'], verdict.status)
      assert.deepEqual(new Set(body.error.details.purposes), new Set(purposes))
    }
  }
  /** What the reviewer is told before deciding: the same as the refusal. */
  const unopened = async (who: typeof admin) => {
    const { status, body } = await app.call('GET', `/v1/admin/reviews/${business.id}/opened-documents`, { token: who.token })
    assert.deepEqual([status, body.data.required], [200, true])
    return body.data.documents.filter((one: any) => !one.opened).map((one: any) => one.purpose)
  }
  assert.deepEqual(new Set(await unopened(admin)), new Set(businessPurposes))
  await refusedFor(admin, businessPurposes)
  const [first, ...others] = businessPurposes
  for (const purpose of others) await open(admin, purpose)
  // An address that was requested and not opened does not count, nor does a document that another reviewer has opened.
  await app.call('POST', `/v1/admin${at.slice(3)}/documents/${first}/view`, { token: admin.token })
  await open(other, first)
  await refusedFor(admin, [first])
  assert.deepEqual(await unopened(admin), [first])
  await open(admin, first)
  assert.deepEqual(await unopened(admin), [])

  const urls = await uploadFour(app, student, business.id)
  assert.equal((await submitBusiness(app, student, business.id, urls)).status, 200)
  await refusedFor(admin, businessPurposes)
  assert.deepEqual(new Set(await unopened(admin)), new Set(businessPurposes), 'a new file counts as not opened')
  const submitted = (await app.call('GET', `/v1/admin${at.slice(3)}`, { token: admin.token })).body.data.submitted_documents
  assert.deepEqual(
    submitted.map(({ purpose, same_as }: { purpose: string; same_as: string[] }) => [purpose, same_as]),
    [
      ['registration_certificate', []],
      ['tax_certificate', []],
      ['business_license', ['proof_of_address']],
      ['proof_of_address', ['business_license']],
    ],
    'one file under two purposes is shown',
  )
  for (const purpose of businessPurposes) await open(admin, purpose)
  assert.equal((await decideBusiness(app, admin, business.id, { status: 'verified' })).status, 200)
  assert.equal((await decideBusiness(app, other, business.id, { status: 'rejected', reason: 'Withdrawn.' })).status, 200)
})
