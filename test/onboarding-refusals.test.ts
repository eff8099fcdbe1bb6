/** Everything that onboarding refuses: over HTTP, with the code on which a client branches, and with nothing changed afterwards. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eraseAccount } from '../server/operations/data-lifecycle/erase-account.ts'
import { setKycStatus } from '../server/merchants/onboarding/decide-by-operator.ts'
import {
  businessFacts,
  businessPurposes,
  decideBusiness,
  files,
  presign,
  registerBusiness,
  send,
  submitBusiness,
  submitKyc,
  submittedBusiness,
  upload,
  uploadFour,
} from './onboarding.ts'
import { newMember } from './members.ts'
import { truncatedJpeg } from './sample-documents.ts'
import { fromWire } from '../server/platform/ids.ts'
import { lockReview } from '../server/merchants/onboarding/review.sql.ts'
import { eventually, startTestApp, type Admin, type Answer, type Student, type TestApp } from './app.ts'

let app: TestApp
let admin: Admin
let other: Admin
let student: Student

const ends: (() => Promise<void>)[] = []

before(async () => {
  app = await startTestApp({ after: (end: () => Promise<void>) => void ends.push(end) } as never)
  admin = await app.admin()
  other = await app.admin()
  student = await app.student()
})

after(() => Promise.all(ends.map((end) => end())))

function codeOf({ status, body }: Answer): string {
  return `${status} ${body.error?.code ?? ''}`.trim()
}

function fieldsOf({ body }: Answer): string[] {
  return body.error.errors.map(({ field, code }: { field: string; code: string }) => `${field}: ${code}`)
}

const register = (changes: Record<string, unknown>) =>
  app.call('POST', '/v1/businesses', { token: student.token, body: { ...businessFacts, ...changes } })

test('a representative gives the student number before the first business or a personal KYC, and the business keeps it', async () => {
  const person = {
    full_name: 'Joseph Mrema',
    email: 'joseph.mrema@example.com',
    phone_number: '+255713444555',
    password: 'mti mkubwa wa mwembe',
    registers_as: 'representative',
  }
  const registered = await app.call('POST', '/v1/auth/register', { body: person })
  assert.equal(registered.status, 201, JSON.stringify(registered.body))
  const token = registered.body.data.access_token
  const start = () => app.call('POST', '/v1/businesses', { token, body: { ...businessFacts, legal_name: 'Mrema and Sons' } })
  assert.equal(codeOf(await start()), '403 student_id_required')
  const kyc = {
    national_id_number: '20030517-12345-00001-23',
    date_of_birth: '2003-05-17',
    national_id_url: 'x',
    student_id_card_url: 'x',
    selfie_url: 'x',
  }
  const identify = () => app.call('POST', '/v1/kyc', { token, body: kyc })
  assert.equal(codeOf(await identify()), '403 student_id_required')
  assert.deepEqual((await app.call('GET', '/v1/businesses', { token })).body.data, [])

  const added = await app.call('PATCH', '/v1/me', { token, body: { student_id: '2024-07-00311', institution: 'SUA' } })
  assert.equal(added.status, 200)
  const { status, body } = await start()
  assert.deepEqual([status, body.data?.representative.student_id], [201, '2024-07-00311'])
  assert.equal(codeOf(await identify()), '400 document_url_invalid')
})

test('the fields of a business: each rule of registration, by the field that breaks it', async () => {
  const bad: [Record<string, unknown>, string][] = [
    [{ legal_name: undefined }, 'legal_name: required'],
    [{ legal_name: ' ' }, 'legal_name: invalid'],
    [{ legal_name: 'x'.repeat(121) }, 'legal_name: invalid'],
    [{ business_type: 'bank' }, 'business_type: invalid'],
    [{ registration_number: undefined }, 'registration_number: required'],
    [{ registration_number: '' }, 'registration_number: required'],
    [{ registration_number: '  ', business_type: 'ngo' }, 'registration_number: required'],
    [{ country: 'KE' }, 'country: invalid'],
    [{ country: undefined }, 'country: required'],
    [{ website: 'http://mwenge.example.com' }, 'website: invalid'],
    [{ website: 'javascript:alert(1)' }, 'website: invalid'],
    [{ phone: '12345' }, 'phone: invalid'],
    [{ email: 'duka' }, 'email: invalid'],
    [{ representative_role: undefined }, 'representative_role: required'],
    [{ status: 'verified' }, 'status: unknown_field'],
    [{ representative: { user_id: 'usr_x' } }, 'representative: unknown_field'],
  ]
  for (const [changes, expected] of bad) {
    const answer = await register(changes)
    assert.equal(codeOf(answer), '400 validation_error', JSON.stringify(changes))
    assert.deepEqual(fieldsOf(answer), [expected], JSON.stringify(changes))
  }
  const informal = await register({
    business_type: 'sole_proprietor',
    registration_number: '',
    trading_name: null,
    tax_identification_number: undefined,
    website: null,
    phone: '0754 123 456',
  })
  assert.equal(informal.status, 201, JSON.stringify(informal.body))
  assert.deepEqual(
    [informal.body.data.registration_number, informal.body.data.phone, informal.body.data.website],
    ['', '+255754123456', null],
  )
  const foreign = await register({ phone: '+254712345678', trading_name: undefined })
  assert.deepEqual([foreign.body.data.phone, foreign.body.data.trading_name], ['+254712345678', null])
})

test('[A89] no business is registered under the name of a network, or renamed to it; reviewers are warned about such a name', async () => {
  for (const [changes, field] of [
    [{ legal_name: 'Vоdасоm Tanzania Plc' }, 'legal_name: name_reserved'],
    [{ trading_name: 'M-Pesa Customer Care' }, 'trading_name: name_reserved'],
  ] as const) {
    assert.deepEqual(fieldsOf(await register(changes)), [field])
  }
  const { id } = await registerBusiness(app, student, { trading_name: 'Wakala wa M-Pesa Mwenge' })
  const renamed = await app.call('PATCH', `/v1/businesses/${id}`, { token: student.token, body: { trading_name: 'NMB Bank' } })
  assert.deepEqual(fieldsOf(renamed), ['trading_name: name_reserved'])
  const seen = await app.call('GET', `/v1/admin/businesses/${id}`, { token: admin.token })
  assert.equal(seen.body.data.resembles, 'M-Pesa')
})

test('a business is changed only by its representative, field by field, until it is verified', async () => {
  const { id } = await registerBusiness(app, student, { business_type: 'sole_proprietor', registration_number: '' })
  const patch = (body: unknown, token = student.token) => app.call('PATCH', `/v1/businesses/${id}`, { token, body })
  assert.equal(codeOf(await patch({ city: 'Arusha' }, (await app.student()).token)), '404 not_found')
  assert.deepEqual(fieldsOf(await patch({ business_type: 'company' })), ['registration_number: required'])
  assert.deepEqual(fieldsOf(await patch({ status: 'verified' })), ['status: unknown_field'])
  const changed = await patch({ city: 'Arusha', website: null })
  assert.deepEqual([changed.status, changed.body.data.city, changed.body.data.website], [200, 'Arusha', null])
  assert.equal(changed.body.data.legal_name, businessFacts.legal_name)
  assert.equal(changed.body.data.review.version, 0)
  assert.equal((await patch({})).status, 200)

  const submitted = await submittedBusiness(app)
  const at = `/v1/businesses/${submitted.business.id}`
  const token = submitted.student.token
  const moved = await app.call('PATCH', at, { token, body: { address: 'Plot 99' } })
  assert.deepEqual(
    [moved.body.data.review.stage, moved.body.data.review.version, moved.body.data.requirements.currently_due],
    ['submitted', 2, []],
  )
  const unseen = await decideBusiness(app, admin, submitted.business.id, { status: 'verified', version: 1 })
  assert.equal(codeOf(unseen), '409 review_version_changed')
  assert.equal((await decideBusiness(app, admin, submitted.business.id, { status: 'verified', version: 2 })).status, 200)
  assert.equal(codeOf(await app.call('PATCH', at, { token, body: { city: 'Moshi' } })), '409 business_already_verified')
  assert.equal((await app.call('GET', at, { token })).body.data.city, 'Dar es Salaam')
})

test('an upload is requested with purpose, type and a valid name', async () => {
  const { id } = await registerBusiness(app, student)
  const wanted = { filename: 'a.pdf', content_type: 'application/pdf', purpose: 'tax_certificate' }
  const ask = (changes: Record<string, unknown>, token = student.token) =>
    app.call('POST', `/v1/businesses/${id}/documents/presign`, { token, body: { ...wanted, ...changes } })
  assert.equal(codeOf(await ask({}, (await app.student()).token)), '404 not_found')
  const refused: [Record<string, unknown>, string][] = [
    [{ purpose: 'selfie' }, 'validation_error'],
    [{ purpose: '../tax_certificate' }, 'validation_error'],
    [{ content_type: 'image/gif' }, 'unsupported_document_type'],
    [{ content_type: 'image/svg+xml', filename: 'a.svg' }, 'unsupported_document_type'],
    [{ content_type: 'application/pdf; charset=x' }, 'unsupported_document_type'],
    [{ content_type: '__proto__' }, 'unsupported_document_type'],
    [{ filename: 'a.pdf.exe' }, 'filename_extension_mismatch'],
    [{ filename: 'pdf' }, 'filename_extension_mismatch'],
    [{ filename: 'x.PDF', content_type: 'image/png' }, 'filename_extension_mismatch'],
    [{ filename: '../../x.pdf' }, 'validation_error'],
    [{ filename: 'a\u0000.pdf' }, 'invalid_json'],
    [{ filename: 'a\u202efdp.pdf' }, 'validation_error'],
    [{ filename: `${'a'.repeat(300)}.pdf` }, 'validation_error'],
    [{ filename: '' }, 'validation_error'],
    [{ bucket: 'x' }, 'validation_error'],
  ]
  for (const [changes, code] of refused) assert.equal(codeOf(await ask(changes)), `400 ${code}`, JSON.stringify(changes))
  for (const [filename, type] of [
    ['x.PDF', 'application/pdf'],
    ['x.JPEG', 'image/jpeg'],
    ['x.jpg', 'image/jpeg'],
    ['x.png', 'IMAGE/PNG'],
    ['Cheti cha usajili – 2026.png', 'image/png'],
  ]) {
    const { status, body } = await ask({ filename, content_type: type })
    assert.equal(status, 200)
    // The address contains nothing that a user wrote.
    assert.match(
      body.data.document_url,
      new RegExp(`^${app.config.urls.storage}/business-docs/${id}/tax_certificate/doc_[0-9a-z]{26}\\.(pdf|jpg|png)$`),
    )
    assert.ok(body.data.upload_url.startsWith(`${body.data.document_url}?`))
  }
})

test('submitted addresses are exactly ours for this business and this purpose, with an uploaded file', async () => {
  const { id } = await registerBusiness(app, student)
  const urls = await uploadFour(app, student, id)
  const own = urls['tax_certificate_url']!
  const storage = app.config.urls.storage
  const path = own.slice(storage.length)
  const stranger = await submittedBusiness(app)
  const awaited = await presign(app, student, `/v1/businesses/${id}`, 'tax_certificate', files.pdf())
  const { port } = new URL(storage)
  const notOurs = [
    `https://storage.evil.com${path}`,
    own.replace('http://', 'http://evil@'),
    own.replace(`:${port}`, `.evil.com:${port}`),
    own.replace('http://', 'https://'),
    own.replace(`:${port}`, ':1'),
    own.replace('http:', ''),
    own.replace('/business-docs/', '//business-docs/'),
    own.replace('/business-docs/', '/x/../business-docs/'),
    own.replace('/business-docs/', '/x/%2e%2e/business-docs/'),
    own.replace('/tax_certificate/', '/tax%5fcertificate/'),
    own.replace('http://127', 'http://%31%32%37'),
    own.replace('/', '\\'),
    `${own}/`,
    `${own}?x=1`,
    ` ${own}`,
    own.toUpperCase(),
    path,
    '',
    'http://127.0.0.1:1/metadata',
    urls['business_license_url']!,
    stranger.urls['tax_certificate_url']!,
    `${storage}/business-docs/${id}/tax_certificate/doc_01jz8e6c9kf0x9v4m2n7q5t3ab.pdf`,
  ]
  for (const url of notOurs) {
    const answer = await submitBusiness(app, student, id, { ...urls, tax_certificate_url: url })
    assert.equal(codeOf(answer), '400 document_url_invalid', url)
    assert.equal(answer.body.error.param, 'tax_certificate_url', url)
  }
  const nothingThere = await submitBusiness(app, student, id, { ...urls, tax_certificate_url: awaited.document_url })
  assert.equal(codeOf(nothingThere), '400 document_not_uploaded')
  const refusedFile = await send(awaited, Buffer.from('not a pdf'))
  assert.equal(codeOf(refusedFile), '400 document_content_mismatch')
  const refused = await submitBusiness(app, student, id, { ...urls, tax_certificate_url: awaited.document_url })
  assert.equal(codeOf(refused), '400 document_not_uploaded')
  const shown = (await app.call('GET', `/v1/businesses/${id}`, { token: student.token })).body.data
  // The earlier good file can still be submitted; the notice stands beside it.
  assert.equal(shown.documents[1].status, 'uploaded')
  assert.equal(shown.documents[1].document_url, own)
  assert.deepEqual(
    shown.requirements.errors.map(({ item, code }: { item: string; code: string }) => [item, code]),
    [['tax_certificate', 'document_content_mismatch']],
  )

  const twoWrong = { ...urls, tax_certificate_url: 'x', proof_of_address_url: awaited.document_url }
  assert.deepEqual(fieldsOf(await submitBusiness(app, student, id, twoWrong)), [
    'tax_certificate_url: document_url_invalid',
    'proof_of_address_url: document_url_invalid',
  ])
  const sameFile = Object.fromEntries(businessPurposes.map((purpose) => [`${purpose}_url`, own]))
  assert.equal(fieldsOf(await submitBusiness(app, student, id, sameFile)).length, 3)
  assert.deepEqual(fieldsOf(await submitBusiness(app, student, id, { tax_certificate_url: own })), [
    'registration_certificate_url: required',
    'business_license_url: required',
    'proof_of_address_url: required',
  ])
  assert.equal((await app.call('GET', `/v1/businesses/${id}`, { token: student.token })).body.data.review.stage, 'draft')

  // The address with its signature is the same address; a newer file that was then refused does not replace the named one.
  const withSignature = { ...urls, tax_certificate_url: `${own}?expires=1&signature=x` }
  assert.equal((await submitBusiness(app, student, id, withSignature)).status, 200)
})

test('a reviewer cannot decide on their own business, on an unknown one, or on one already decided', async () => {
  const draft = await registerBusiness(app, student)
  assert.equal(codeOf(await decideBusiness(app, admin, draft.id, { status: 'verified' })), '409 kyb_not_submitted')
  assert.equal(codeOf(await decideBusiness(app, admin, draft.id, { status: 'rejected', reason: 'x' })), '409 kyb_not_submitted')

  const { business, student: owner } = await submittedBusiness(app)
  const decide = (body: unknown, by: Pick<Admin, 'token'> = admin) => decideBusiness(app, by, business.id, body)
  assert.equal(codeOf(await decide({ status: 'verified' }, owner)), '403 admin_required')
  for (const [body, expected] of [
    [{}, 'status: required'],
    [{ status: 'pending' }, 'status: invalid'],
    [{ status: 'rejected' }, 'reason: required'],
    [{ status: 'rejected', reason: null }, 'reason: required'],
    [{ status: 'rejected', reason: ' \n ' }, 'reason: required'],
    [{ status: 'rejected', reason: 'x'.repeat(10_000) }, 'reason: invalid'],
    [{ status: 'verified', version: 'x' }, 'version: invalid'],
    [{ status: 'verified', force: true }, 'force: unknown_field'],
  ] as const) {
    const answer = await decide(body)
    assert.equal(codeOf(answer), '400 validation_error', JSON.stringify(body))
    assert.deepEqual(fieldsOf(answer), [expected], JSON.stringify(body))
  }
  assert.equal((await decide({ status: 'verified' })).status, 200)
  assert.equal(codeOf(await decide({ status: 'verified' }, other)), '409 invalid_state')
  assert.equal((await decide({ status: 'rejected', reason: 'Withdrawn.' })).status, 200)
  assert.equal(codeOf(await decide({ status: 'verified' })), '409 invalid_state')
  assert.equal(codeOf(await decide({ status: 'rejected', reason: 'Again.' })), '409 invalid_state')
  assert.equal(
    codeOf(await decideBusiness(app, admin, 'biz_01jz8e6c9kf0x9v4m2n7q5t3ab', { status: 'verified' })),
    '404 not_found',
  )
  assert.equal(codeOf(await decideBusiness(app, admin, student.userId, { status: 'verified' })), '404 not_found')

  // An operator who owns a business.
  await app.call('PATCH', '/v1/me', { token: admin.token, body: { student_id: '2019-04-00777' } })
  await setKycStatus(app.deps, admin.email, 'verified')
  const own = await registerBusiness(app, admin as unknown as Student)
  const urls = await uploadFour(app, admin as unknown as Student, own.id)
  assert.equal((await submitBusiness(app, admin as unknown as Student, own.id, urls)).status, 200)
  assert.equal(codeOf(await decideBusiness(app, admin, own.id, { status: 'verified' })), '403 self_review_forbidden')
  assert.equal(codeOf(await decideBusiness(app, admin, own.id, {})), '403 self_review_forbidden')
  assert.equal((await decideBusiness(app, other, own.id, { status: 'verified' })).status, 200)
  const ownKyc = await app.call('POST', `/v1/admin/kyc/${admin.userId}/verify`, {
    token: admin.token,
    body: { status: 'verified' },
  })
  assert.equal(codeOf(ownKyc), '403 self_review_forbidden')
})

test('two reviewers at once: one decision, one conflict; a submission that races a decision is never approved unseen', async () => {
  for (let round = 0; round < 6; round += 1) {
    const { business } = await submittedBusiness(app)
    const { version } = business.review
    const answers = await Promise.all([
      decideBusiness(app, admin, business.id, { status: 'verified', version }),
      decideBusiness(app, other, business.id, { status: 'rejected', reason: 'No.', version }),
    ])
    assert.deepEqual(answers.map(codeOf).sort(), ['200', '409 review_version_changed'])
  }
  for (let round = 0; round < 6; round += 1) {
    const { business, student: owner, urls } = await submittedBusiness(app)
    const file = await upload(app, owner, `/v1/businesses/${business.id}`, 'tax_certificate', files.png())
    const [decided, submitted] = await Promise.all([
      decideBusiness(app, admin, business.id, { status: 'verified', version: 1 }),
      submitBusiness(app, owner, business.id, { ...urls, tax_certificate_url: file }),
    ])
    const now = (await app.call('GET', `/v1/businesses/${business.id}`, { token: owner.token })).body.data
    if (decided.status === 200) {
      assert.deepEqual([codeOf(submitted), now.status], ['409 business_already_verified', 'verified'])
    } else {
      assert.deepEqual([codeOf(decided), submitted.status, now.status], ['409 review_version_changed', 200, 'pending'])
    }
  }
  const { business, student: owner, urls } = await submittedBusiness(app)
  const twice = await Promise.all([1, 2].map(() => submitBusiness(app, owner, business.id, urls)))
  assert.deepEqual(
    twice.map(({ status }) => status),
    [200, 200],
  )
  const after = (await app.call('GET', `/v1/businesses/${business.id}`, { token: owner.token })).body.data
  assert.deepEqual([after.review.version, after.review.stage], [3, 'submitted'])
})

test('reviewers see the submitted documents: a later upload is not shown, and a document that cannot be opened cannot be verified', async () => {
  const { business, student: owner, urls } = await submittedBusiness(app)
  const at = `/v1/businesses/${business.id}`
  const seen = async () =>
    (await app.call('GET', `/v1/admin${at.slice(3)}`, { token: admin.token })).body.data.submitted_documents.map(
      ({ sha256 }: { sha256: string }) => sha256,
    )
  const before_ = await seen()
  const broken = await upload(app, owner, at, 'business_license', { ...files.jpeg(), bytes: truncatedJpeg() })
  assert.deepEqual(await seen(), before_)
  const shown = (await app.call('GET', at, { token: owner.token })).body.data
  assert.equal(shown.documents[2].unreadable, true)

  await submitBusiness(app, owner, business.id, { ...urls, business_license_url: broken })
  const now = (await app.call('GET', at, { token: owner.token })).body.data
  assert.deepEqual(
    [now.requirements.currently_due, now.requirements.errors.map(({ code }: { code: string }) => code)],
    [['business_license', 'submission'], ['document_unreadable']],
  )
  assert.equal(codeOf(await decideBusiness(app, admin, business.id, { status: 'verified' })), '409 document_unreadable')
  // A readable file exists now; only the submission is missing.
  await upload(app, owner, at, 'business_license', files.png())
  const better = (await app.call('GET', at, { token: owner.token })).body.data
  assert.deepEqual(better.requirements, { currently_due: ['submission'], errors: [] })
  assert.deepEqual(
    better.documents.map(({ under_review }: { under_review: boolean }) => under_review),
    [true, true, false, true],
  )
  const view = await app.call('POST', `/v1/admin${at.slice(3)}/documents/business_license/view`, { token: admin.token })
  assert.equal(codeOf(view), '409 document_unreadable')
  assert.equal(
    (await decideBusiness(app, admin, business.id, { status: 'rejected', reason: 'It cannot be opened.' })).status,
    200,
  )
})

test('a business is not verified when the person behind it no longer is', async () => {
  const { business, student: owner } = await submittedBusiness(app)
  const reject = { status: 'rejected', reason: 'The card belongs to another person.' }
  const path = `/v1/admin/kyc/${owner.userId}/verify`
  assert.equal((await app.call('POST', path, { token: admin.token, body: reject })).status, 200)
  assert.equal(codeOf(await decideBusiness(app, admin, business.id, { status: 'verified' })), '409 invalid_state')
  const shown = (await app.call('GET', `/v1/businesses/${business.id}`, { token: owner.token })).body.data
  assert.deepEqual(shown.requirements.currently_due, ['representative_kyc'])
})

test('a reviewer does not decide on facts that changed outside the package: the institution, and the person of a business', async () => {
  const asha = await app.student({ verified: false })
  assert.equal((await submitKyc(app, asha)).body.data.review.version, 1)
  const move = (institution: string) => app.call('PATCH', '/v1/me', { token: asha.token, body: { institution } })
  const verify = (version: number) =>
    app.call('POST', `/v1/admin/kyc/${asha.userId}/verify`, { token: admin.token, body: { status: 'verified', version } })
  // The institution that they have is no change.
  for (const institution of ['UDSM', 'SUA']) assert.equal((await move(institution)).status, 200)
  assert.equal(codeOf(await verify(1)), '409 review_version_changed')
  const seen = (await app.call('GET', `/v1/admin/kyc/${asha.userId}`, { token: admin.token })).body.data
  assert.deepEqual(
    [seen.review.version, seen.institution, seen.history[0].action, seen.history[0].actor.id],
    [2, 'SUA', 'changed', asha.userId],
  )
  assert.equal(codeOf(await verify(2)), '200')
  assert.equal((await move('UDSM')).status, 200)

  const { student: founder, business } = await submittedBusiness(app)
  const members = `/v1/businesses/${business.id}/members`
  const [own] = (await app.call('GET', members, { token: founder.token })).body.data
  const heir = await newMember(app, founder, business.id, 'owner')
  assert.equal(codeOf(await app.call('DELETE', `${members}/${own.id}`, { token: founder.token })), '200')
  const decide = (version: number) => decideBusiness(app, admin, business.id, { status: 'verified', version })
  assert.equal(codeOf(await decide(1)), '409 review_version_changed')
  const shown = (await app.call('GET', `/v1/admin/businesses/${business.id}`, { token: admin.token })).body.data
  assert.deepEqual([shown.review.version, shown.representative.user_id], [2, heir.userId])
  assert.equal(codeOf(await decide(2)), '200')
})

test('when the person of a business under review is erased, the next owner makes a new version of the case', async () => {
  const { student: founder, business } = await submittedBusiness(app)
  await newMember(app, founder, business.id, 'owner')
  await eraseAccount(app.deps, { email: founder.email, heldYears: 10, keepsHeldRecords: true })
  const seen = await decideBusiness(app, admin, business.id, { status: 'verified', version: 1 })
  assert.equal(codeOf(seen), '409 review_version_changed')
})

test('the data that reviewers see with a version belongs to that version, even while its owner changes it', async () => {
  const { business, student: owner } = await submittedBusiness(app)
  const at = `/v1/businesses/${business.id}`
  let isChanging = true
  const seen: [number, string][] = []
  const look = async () => {
    while (isChanging) {
      const { body } = await app.call('GET', `/v1/admin${at.slice(3)}`, { token: admin.token })
      seen.push([body.data.review.version, body.data.address])
    }
  }
  const looking = [look(), look(), look()]
  for (let version = 2; version <= 60; version += 1) {
    const changed = await app.call('PATCH', at, { token: owner.token, body: { address: `Plot ${version}` } })
    assert.equal(changed.body.data.review.version, version)
  }
  isChanging = false
  await Promise.all(looking)
  assert.ok(seen.length > 30)
  for (const [version, address] of seen.filter(([number]) => number > 1)) assert.equal(address, `Plot ${version}`)

  // The decided data stays visible, however much is changed.
  await decideBusiness(app, admin, business.id, { status: 'rejected', reason: 'Not this one.' })
  const { body } = await app.call('GET', `/v1/admin${at.slice(3)}`, { token: admin.token })
  const { history } = body.data
  assert.deepEqual([history[0].action, history.at(-1).action], ['rejected', 'submitted'])
  assert.equal(history.filter(({ action }: { action: string }) => action === 'changed').length, 50)
  assert.equal(history[1].package.facts.address, 'Plot 60')
  assert.equal(history.at(-1).package.documents.length, 4)
})

test('a business that was verified once keeps the name known to payers until reviewers have seen another', async () => {
  const { business, student: owner, urls } = await submittedBusiness(app, { trading_name: 'Duka la Juma' })
  const nameShown = async () =>
    (await app.owner.pool.query('select display_name from merchants where id = $1', [fromWire('biz', business.id)])).rows[0]
      .display_name
  const rename = (name: string) =>
    app.call('PATCH', `/v1/businesses/${business.id}`, { token: owner.token, body: { trading_name: name } })
  await rename('Duka la Juma Mpya')
  assert.equal(await nameShown(), 'Duka la Juma Mpya')
  await decideBusiness(app, admin, business.id, { status: 'verified' })
  await decideBusiness(app, admin, business.id, { status: 'rejected', reason: 'Withdrawn.' })
  assert.equal((await rename('Wakala wa M-PESA')).status, 200)
  assert.equal(await nameShown(), 'Duka la Juma Mpya')
  await submitBusiness(app, owner, business.id, urls)
  await decideBusiness(app, admin, business.id, { status: 'verified' })
  assert.equal(await nameShown(), 'Wakala wa M-PESA')
})

test('a rejection of the person that is being committed blocks work that relies on the person', async () => {
  const { business, student: owner, urls } = await submittedBusiness(app)
  const person = fromWire('usr', owner.userId)!
  const rejecting = await app.owner.pool.connect()
  await rejecting.query('begin')
  await rejecting.query(`update merchants set verification_status = 'rejected' where id = $1`, [person])
  const waiting = Promise.all([
    submitBusiness(app, owner, business.id, urls),
    decideBusiness(app, admin, business.id, { status: 'verified' }),
  ])
  await eventually('one of them waits for the person', async () => {
    const { rows } = await app.owner.pool.query(
      `select 1 from pg_locks where not granted and locktype in ('transactionid', 'tuple')`,
    )
    return rows.length >= 1
  })
  await rejecting.query(`insert into verification_history (merchant_id, version, action, from_status, to_status, reason, request_id)
    select merchant_id, version + 1, 'rejected', 'verified', 'rejected', 'Forged.', 'test' from verifications where merchant_id = '${person}'`)
  await rejecting.query(
    `update verifications set version = version + 1, rejection_reason = 'Forged.' where merchant_id = '${person}'`,
  )
  await rejecting.query('commit')
  rejecting.release()
  const codes = (await waiting).map(codeOf)
  assert.ok(
    codes.every((code) => ['403 representative_kyc_required', '409 invalid_state'].includes(code)),
    codes.join(),
  )
})

test('payments of a merchant continue while its review is being decided', async () => {
  const owner = await app.student()
  const page = await app.page(owner)
  const review = fromWire('usr', owner.userId)!
  let checkedOut: number | undefined
  // The lock that a decision holds until its entry in the audit log is written.
  await app.db.tx(async (tx) => {
    assert.ok(await lockReview(tx, review))
    const answer = await Promise.race([app.checkout(page.slug), new Promise((resolve) => setTimeout(resolve, 1_500))])
    checkedOut = (answer as Answer | undefined)?.status
  })
  assert.equal(checkedOut, 201)
})

test('a user cannot reach the pages of a business that they do not represent, by any route', async () => {
  const { id } = await registerBusiness(app, student)
  const stranger = await app.student()
  const at = `/v1/merchant/payment-pages?environment=test&business_id=${id}`
  const body = { type: 'payment', title: 'Chai', amount: 1000 }
  for (const [method, path, sent] of [
    ['POST', at, body],
    ['GET', at, undefined],
    ['PATCH', at, { slug: 'chai', title: 'x' }],
    ['GET', at.replace('payment-pages', 'payment-pages/chai'), undefined],
    ['PATCH', at.replace('payment-pages', 'payment-pages/chai'), { title: 'x' }],
    ['POST', '/developers/apps', { name: 'x', environment: 'test', business_id: id }],
  ] as const) {
    const answer = await app.call(method, path, { token: stranger.token, ...(sent && { body: sent }) })
    assert.equal(codeOf(answer), '404 not_found', `${method} ${path}`)
  }
  assert.equal(codeOf(await app.call('POST', at, { token: student.token, body })), '403 business_not_verified')
})

test('personal documents: refused by field, replaced until they are decided, compared without being read', async () => {
  const asha = await app.student({ verified: false })
  const at = (await submitKyc(app, asha)).body.data
  assert.equal(at.review.version, 1)
  const urls = Object.fromEntries(
    at.documents.map(({ purpose, document_url }: { purpose: string; document_url: string }) => [`${purpose}_url`, document_url]),
  )
  const body = { national_id_number: '20030517-12345-00001-23', date_of_birth: '2003-05-17', ...urls }
  const submit = (changes: Record<string, unknown>, token = asha.token) =>
    app.call('POST', '/v1/kyc', { token, body: { ...body, ...changes } })
  for (const [changes, expected] of [
    [{ national_id_number: '12' }, 'national_id_number: invalid'],
    [{ national_id_number: '---- -' }, 'national_id_number: invalid'],
    [{ date_of_birth: '17/05/2003' }, 'date_of_birth: invalid'],
    [{ date_of_birth: '2003-02-30' }, 'date_of_birth: invalid'],
    [{ date_of_birth: '2999-01-01' }, 'date_of_birth: invalid'],
    [{ date_of_birth: '1803-01-01' }, 'date_of_birth: invalid'],
    [{ date_of_birth: '2022-01-01' }, 'date_of_birth: invalid'],
    [{ status: 'verified' }, 'status: unknown_field'],
    [{ selfie_url: undefined }, 'selfie_url: required'],
    [{ selfie_url: urls['national_id_url'] }, 'selfie_url: document_url_invalid'],
  ] as const) {
    assert.deepEqual(fieldsOf(await submit(changes)), [expected], JSON.stringify(changes))
  }
  const both = await submit({ date_of_birth: '2999-01-01', selfie_url: 'x' })
  assert.deepEqual(fieldsOf(both), ['date_of_birth: invalid', 'selfie_url: document_url_invalid'])
  assert.equal((await submit({})).body.data.review.version, 2)
  const again = (await submit({ national_id_number: undefined, date_of_birth: '2003-05-18' })).body.data
  assert.deepEqual([again.review.version, again.national_id_last4, again.date_of_birth], [3, '0123', '2003-05-18'])

  const juma = await app.student({ verified: false })
  assert.equal(codeOf(await submit({}, juma.token)), '400 document_url_invalid')
  const first = await submit({ national_id_number: undefined, national_id_url: 'x' }, juma.token)
  assert.ok(fieldsOf(first).includes('national_id_number: required'), fieldsOf(first).join())
  assert.equal(codeOf(first), '400 validation_error')
  await submitKyc(app, juma)
  const seen = await app.call('GET', `/v1/admin/kyc/${juma.userId}`, { token: admin.token })
  assert.ok(seen.body.data.same_number_as.includes(asha.userId))
  const { rows } = await app.owner.pool.query('select * from identity_papers')
  assert.ok(!JSON.stringify(rows).includes('20030517123450000'))

  const decide = (status: string) =>
    app.call('POST', `/v1/admin/kyc/${juma.userId}/verify`, { token: admin.token, body: { status, reason: 'Seen.' } })
  assert.equal((await decide('verified')).status, 200)
  assert.equal(codeOf(await submitKyc(app, juma)), '409 invalid_state')
  const unverified = await app.student({ verified: false })
  const none = await app.call('POST', `/v1/admin/kyc/${unverified.userId}/verify`, {
    token: admin.token,
    body: { status: 'verified' },
  })
  assert.equal(codeOf(none), '409 kyc_not_submitted')
})

test('reviewers find a business by any of its names and numbers, and see its duplicates', async () => {
  const first = await submittedBusiness(app, { legal_name: 'Kilimo 100%_Bora', tax_identification_number: '999-888-777' })
  const second = await submittedBusiness(app, { legal_name: 'Kilimo Bora Tena', tax_identification_number: '999-888-777' })
  const find = async (query: string) => {
    const { body } = await app.call('GET', `/v1/admin/businesses?${query}`, { token: admin.token })
    return body.data.map(({ id }: { id: string }) => id)
  }
  assert.deepEqual(await find(`q=${encodeURIComponent('100%_b')}`), [first.business.id])
  assert.deepEqual(await find('q=999-888'), [second.business.id, first.business.id])
  assert.deepEqual(await find(`q=${first.business.id}`), [first.business.id])
  assert.deepEqual(await find(`q=${first.student.userId}`), [first.business.id])
  assert.deepEqual(await find(`q=${first.student.email}`), [first.business.id])
  assert.ok((await find('q=0222112345')).includes(first.business.id))
  assert.deepEqual(await find('q=999-888&stage=decided'), [])
  assert.deepEqual(await find('q=999-888&status=verified'), [])
  assert.deepEqual(await find(`q=${encodeURIComponent("' or 1=1 --")}`), [])
  const { body } = await app.call('GET', `/v1/admin/businesses/${first.business.id}`, { token: admin.token })
  const double = body.data.duplicates.find(({ business_id }: { business_id: string }) => business_id === second.business.id)
  assert.deepEqual(double.same, ['document', 'phone', 'registration_number', 'tax_identification_number'])
  assert.equal(codeOf(await app.call('GET', '/v1/admin/businesses?status=lost', { token: admin.token })), '400 validation_error')
})
