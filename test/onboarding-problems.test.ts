/** A rejection by document and field: what its owner sees at each place, what stays, and the owner's own view of a document. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { share, startTestApp, type Student, type TestApp } from './app.ts'
import { lastMail } from './members.ts'
import { decideBusiness, files, submitBusiness, submitKyc, submittedBusiness, upload } from './onboarding.ts'

const sharedApp = share((ending) => startTestApp(ending))

async function view(app: TestApp, who: Pick<Student, 'token'>, where: string, purpose: string): Promise<any> {
  return app.call('POST', `${where}/documents/${purpose}/view`, { token: who.token })
}

const open = (url: string, token: string) => fetch(url, { headers: { authorization: `Bearer ${token}` } })

const itemsOf = (record: any): [string, string][] =>
  record.requirements.errors.map(({ item, code }: { item: string; code: string }) => [item, code])

test('a rejected business sees each reason at its document and field, corrects only these, and the rest stays', async () => {
  const app = await sharedApp()
  const admin = await app.admin()
  const { student, business, urls } = await submittedBusiness(app)
  const at = `/v1/businesses/${business.id}`
  const read = async () => (await app.call('GET', at, { token: student.token })).body.data

  const body = {
    status: 'rejected',
    reason: 'Karibu tena.',
    problems: [
      { item: 'business_license', code: 'document_expired' },
      { item: 'registration_number', code: 'registration_not_found', note: 'BRELA-123456 ni ya kampuni nyingine.' },
      { item: 'proof_of_address', code: 'other', note: 'Ukurasa wa pili haupo.' },
    ],
  }
  assert.equal((await decideBusiness(app, admin, business.id, body)).status, 200)
  const rejected = await read()
  assert.deepEqual(itemsOf(rejected), [
    ['review', 'rejected'],
    ['business_license', 'document_expired'],
    ['registration_number', 'registration_not_found'],
    ['proof_of_address', 'other'],
  ])
  const [general, license, number, address] = rejected.requirements.errors
  assert.deepEqual([general.sw, general.en], ['Karibu tena.', 'Karibu tena.'])
  assert.equal(license.reason, `${license.sw}\n${license.en}`)
  assert.match(license.sw, /imeisha muda/)
  assert.match(license.en, /expired/)
  assert.match(number.en, /BRELA\)\.\nBRELA-123456 ni ya kampuni nyingine\.$/)
  assert.equal(address.reason, 'Ukurasa wa pili haupo.')
  // Older clients and the mail have the same as one text, with the names of the items.
  for (const text of [rejected.rejection_reason, await lastMail(app, student.email, 'business_rejected')]) {
    assert.match(text, /Karibu tena\.\n\nLeseni ya biashara · Business licence:\nHati hii/)
    assert.match(text, /Namba ya usajili · Registration number:/)
  }

  // Everything else is left: fields, files and their names.
  assert.ok(rejected.documents.every(({ status }: any) => status === 'uploaded'))
  assert.deepEqual(
    rejected.documents.map(({ file_name }: any) => file_name),
    ['photo.JPG', 'scan.png', 'certificate.pdf', 'certificate.pdf'],
  )
  const renewed = await upload(app, student, at, 'business_license', files.png())
  // A new file answers its reason; a field stays marked until the next submission.
  assert.deepEqual(
    itemsOf(await read()).map(([item]) => item),
    ['review', 'registration_number', 'proof_of_address'],
  )
  await app.call('PATCH', at, { token: student.token, body: { registration_number: '654321' } })
  const again = await submitBusiness(app, student, business.id, { ...urls, business_license_url: renewed })
  assert.deepEqual([again.status, again.body.data.status, itemsOf(again.body.data)], [200, 'pending', []])
  const history = (await app.call('GET', `/v1/admin/businesses/${business.id}`, { token: admin.token })).body.data.history
  assert.deepEqual(
    history[0].changes.map(({ field }: any) => field),
    ['registration_number', 'business_license'],
  )
})

test('a person is told which document and field to correct', async () => {
  const app = await sharedApp()
  const admin = await app.admin()
  const student = await app.student({ verified: false })
  assert.equal((await submitKyc(app, student)).status, 200)
  const problems = [
    { item: 'selfie', code: 'selfie_mismatch' },
    { item: 'date_of_birth', code: 'date_of_birth_mismatch' },
  ]
  const id = (await app.call('GET', '/v1/kyc', { token: student.token })).body.data.user_id
  const decided = await app.call('POST', `/v1/admin/kyc/${id}/verify`, {
    token: admin.token,
    body: { status: 'rejected', problems },
  })
  assert.equal(decided.status, 200, JSON.stringify(decided.body))
  const kyc = (await app.call('GET', '/v1/kyc', { token: student.token })).body.data
  assert.deepEqual(itemsOf(kyc), [['review', 'rejected'], ...problems.map(({ item, code }) => [item, code])])
  assert.deepEqual([kyc.date_of_birth, kyc.national_id_last4.length > 0], ['2003-05-17', true])
})

test('a reason about something that the case does not have is refused', async () => {
  const app = await sharedApp()
  const admin = await app.admin()
  const { business } = await submittedBusiness(app)
  const refusals: [unknown, string, string][] = [
    [[{ item: 'selfie', code: 'document_expired' }], 'problems.0.item', 'invalid'],
    [[{ item: 'legal_name', code: 'selfie_mismatch' }], 'problems.0.code', 'invalid'],
    [[{ item: 'legal_name', code: 'other', note: ' ' }], 'problems.0.note', 'required'],
    [
      [
        { item: 'city', code: 'name_mismatch' },
        { item: 'city', code: 'number_mismatch' },
      ],
      'problems.1.item',
      'invalid',
    ],
    [[{ item: 'iris', code: 'name_mismatch' }], 'problems.0.item', 'invalid'],
  ]
  for (const [problems, field, code] of refusals) {
    const answer = await decideBusiness(app, admin, business.id, { status: 'rejected', problems })
    assert.deepEqual([answer.status, answer.body.error.errors[0].field, answer.body.error.errors[0].code], [400, field, code])
  }
  const verified = { status: 'verified', problems: [{ item: 'city', code: 'name_mismatch' }] }
  assert.equal((await decideBusiness(app, admin, business.id, verified)).status, 400)
  const empty = await decideBusiness(app, admin, business.id, { status: 'rejected', problems: [] })
  assert.deepEqual([empty.status, empty.body.error.errors[0].field], [400, 'reason'])
})

test('an owner sees a new picture of a document of theirs, once, in their own session, and strangers see nothing', async () => {
  const app = await sharedApp()
  const { student, business } = await submittedBusiness(app)
  const stranger = await app.student()
  const where = `/v1/businesses/${business.id}`
  const offered = await view(app, student, where, 'business_license')
  assert.equal(offered.status, 200, JSON.stringify(offered.body))
  const url = offered.body.data.view_url

  const taken = await open(url, stranger.token)
  assert.deepEqual([taken.status, ((await taken.json()) as any).error.code], [403, 'admin_required'])
  assert.equal((await fetch(url)).status, 401)
  const elsewhere = (
    await app.call('POST', '/v1/auth/login', { body: { identifier: student.email, password: student.password } })
  ).body
  const other = await open(url, elsewhere.data.access_token)
  assert.deepEqual([other.status, ((await other.json()) as any).error.code], [403, 'not_your_view'])

  const picture = await open(url, student.token)
  // They sent a PDF: its bytes never come back.
  assert.deepEqual([picture.status, picture.headers.get('content-type')], [200, 'image/jpeg'])
  assert.equal((await open(url, student.token)).status, 403)

  assert.equal((await view(app, stranger, where, 'tax_certificate')).status, 404)
  assert.equal((await view(app, student, where, 'selfie')).status, 404)
  assert.equal((await view(app, student, '/v1/kyc', 'selfie')).status, 404)
  const admin = await app.admin()
  const entries = (await app.call('GET', `/v1/admin/audit?action=document.viewed&limit=5`, { token: admin.token })).body.data
  assert.equal(entries.length, 1)
})
