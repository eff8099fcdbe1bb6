/** The queue of reviews for operators: the waiting cases, their reviewers, the suspicious signs, and the messages to the owner. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { decideBusiness, registerBusiness, submitBusiness, submitKyc, submittedBusiness, upload } from './onboarding.ts'
import { startTestApp, type Admin, type Answer, type TestApp } from './app.ts'

let app: TestApp
let [rehema, juma]: Admin[] = []
const ends: (() => Promise<void>)[] = []

before(async () => {
  app = await startTestApp({ after: (end: () => Promise<void>) => void ends.push(end) } as never)
  ;[rehema, juma] = [await app.admin(), await app.admin()]
})
after(() => Promise.all(ends.map((end) => end())))

const codeOf = ({ status, body }: Answer): string => `${status} ${body.error?.code ?? ''}`.trim()
const read = (path: string, admin = rehema!) => app.call('GET', path, { token: admin.token })
const queue = async (query = '', admin = rehema!) => (await read(`/v1/admin/reviews?limit=100&${query}`, admin)).body.data
const idsOf = (cases: { id: string }[]) => cases.map(({ id }) => id)
const act = (id: string, verb: 'claim' | 'release', admin: Admin, body: unknown = {}) =>
  app.call('POST', `/v1/admin/reviews/${id}/${verb}`, { token: admin.token, body })

test('people and businesses wait in one queue, oldest first, until they are decided on', async () => {
  const student = await app.student({ verified: false })
  await submitKyc(app, student)
  const { business } = await submittedBusiness(app)
  const { id: drafted } = await registerBusiness(app, await app.student())
  const waiting = await queue()
  const [first, second] = waiting.filter(({ id }: { id: string }) => [student.userId, business.id].includes(id))
  assert.deepEqual([first.id, second.id], [student.userId, business.id])
  assert.deepEqual(
    [first.kind, second.kind, second.name, second.version, second.claim, second.self_review, second.overdue],
    ['person', 'business', 'Mwenge Traders Limited', 1, null, false, false],
  )
  assert.ok(second.age_seconds >= 0 && second.age_seconds < 60)
  assert.ok(!idsOf(waiting).includes(drafted))
  assert.ok(!idsOf(await queue('kind=person')).includes(business.id))
  assert.ok(!idsOf(await queue('kind=business')).includes(student.userId))

  const page = await read('/v1/admin/reviews?limit=1')
  assert.deepEqual([page.body.data.length, page.body.has_more], [1, true])
  const rest = await read(`/v1/admin/reviews?limit=100&cursor=${page.body.next_cursor}`)
  assert.deepEqual(idsOf([...page.body.data, ...rest.body.data]), idsOf(waiting))
  assert.equal(codeOf(await read(`/v1/admin/reviews?kind=person&cursor=${page.body.next_cursor}`)), '400 cursor_invalid')

  const counted = async () =>
    (await read('/v1/admin/reviews/counts')).body.data.find(({ kind }: { kind: string }) => kind === 'person').overdue
  const overdue = await counted()
  await app.owner.pool.query('alter table verifications disable trigger verifications_go_on')
  await app.owner.pool.query(
    `update verifications set submitted_at = submitted_at - interval '49 hours' where merchant_id = (select id from users where email = $1)`,
    [student.email],
  )
  await app.owner.pool.query('alter table verifications enable trigger verifications_go_on')
  assert.equal((await queue('kind=person')).find(({ id }: { id: string }) => id === student.userId).overdue, true)
  assert.equal(await counted(), overdue + 1)

  await decideBusiness(app, rehema!, business.id, { status: 'verified' })
  assert.ok(!idsOf(await queue()).includes(business.id))
})

test('a case is claimed by one operator, handed to another, released, and finished when it is decided', async () => {
  const { business } = await submittedBusiness(app)
  const stranger = await app.student()
  assert.equal(codeOf(await act(business.id, 'claim', rehema!)), '200')
  assert.equal(codeOf(await act(business.id, 'claim', rehema!)), '200')
  const taken = await act(business.id, 'claim', juma!)
  assert.equal(codeOf(taken), '409 review_claimed')
  assert.equal(taken.body.error.details.reviewer_id, rehema!.userId)
  assert.deepEqual(idsOf(await queue('claimed=me')), [business.id])
  assert.deepEqual(await queue('claimed=me', juma), [])
  assert.ok(!idsOf(await queue('claimed=none')).includes(business.id))
  const opened = (await read(`/v1/admin/businesses/${business.id}`, juma)).body.data
  assert.deepEqual([opened.claim.reviewer.id, opened.self_review], [rehema!.userId, false])

  const released = await act(business.id, 'release', juma!)
  assert.deepEqual(released.body.data, { id: business.id, claim: null })
  assert.equal(codeOf(await act(business.id, 'claim', rehema!, { reviewer_id: stranger.userId })), '400 validation_error')
  assert.equal(codeOf(await act(business.id, 'claim', rehema!, { reviewer_id: juma!.userId })), '200')
  const { body } = await read(`/v1/admin/audit?object=${business.id}`)
  assert.deepEqual(
    body.data.slice(0, 3).map(({ action, actor }: { action: string; actor: string }) => [action, actor]),
    [
      ['review.claimed', rehema!.userId],
      ['review.released', juma!.userId],
      ['review.claimed', rehema!.userId],
    ],
  )
  // Any operator may decide: an absent operator blocks nothing.
  assert.equal(codeOf(await decideBusiness(app, rehema!, business.id, { status: 'verified' })), '200')
  assert.equal((await read(`/v1/admin/businesses/${business.id}`)).body.data.claim, null)
  assert.equal(codeOf(await act(business.id, 'claim', rehema!)), '409 invalid_state')
})

test('an operator sees beforehand that a case is their own, and cannot claim it', async () => {
  const { business, student } = await submittedBusiness(app)
  const asAdmin = await app.admin()
  await app.owner.pool.query(
    `insert into members (id, merchant_id, user_id, role, joined_at)
     select gen_random_uuid(), m.id, (select id from users where email = $1), 'admin', clock_now()
     from merchants m join users u on u.id = m.user_id where u.email = $2 and m.kind = 'business'`,
    [asAdmin.email, student.email],
  )
  const seen = (await queue('', asAdmin)).find(({ id }: { id: string }) => id === business.id)
  assert.equal(seen.self_review, true)
  assert.equal((await read(`/v1/admin/businesses/${business.id}`, asAdmin)).body.data.self_review, true)
  assert.equal(codeOf(await act(business.id, 'claim', asAdmin)), '403 self_review_forbidden')
  assert.equal(codeOf(await act(business.id, 'claim', rehema!, { reviewer_id: asAdmin.userId })), '403 self_review_forbidden')
})

test('counts show how many cases wait, and how many are in each state', async () => {
  const count = async () => {
    const { data } = (await read('/v1/admin/reviews/counts')).body
    return Object.fromEntries(data.map((one: { kind: string }) => [one.kind, one]))
  }
  const earlier = await count()
  const { business } = await submittedBusiness(app)
  await act(business.id, 'claim', rehema!)
  const now = await count()
  assert.equal(now['business'].waiting, earlier['business'].waiting + 1)
  assert.equal(now['business'].claimed, earlier['business'].claimed + 1)
  assert.equal(now['person'].waiting, earlier['person'].waiting)
  assert.ok(now['business'].oldest_submitted_at !== null)
  const { rows } = await app.owner.pool.query(
    `select count(*)::integer as count from merchants where kind = 'personal' and verification_status = 'verified'`,
  )
  // Counted at most ten seconds ago.
  assert.ok(now['person'].verified > 0 && now['person'].verified <= rows[0].count)
})

test('a case shows its duplicates among people and businesses, and the changes between two submissions', async () => {
  const { business, student, urls } = await submittedBusiness(app)
  const other = await app.student({ verified: false })
  // The same bytes as a document of the business, and the phone that the business gives as its own.
  await submitKyc(app, other)
  await app.owner.pool.query('update users set phone_number = $1 where email = $2', ['+255222112345', other.email])
  const seen = (await read(`/v1/admin/businesses/${business.id}`)).body.data
  const double = seen.duplicate_people.find(({ user_id }: { user_id: string }) => user_id === other.userId)
  assert.deepEqual(double.same, ['document', 'phone'])
  assert.ok(!seen.duplicate_people.some(({ user_id }: { user_id: string }) => user_id === student.userId))
  const person = (await read(`/v1/admin/kyc/${other.userId}`)).body.data
  const shared = person.duplicate_businesses.find(({ business_id }: { business_id: string }) => business_id === business.id)
  assert.deepEqual(shared.same, ['document', 'phone'])
  assert.ok(
    person.documents.every(
      ({ sha256, size_bytes, uploaded_at }: any) => /^[0-9a-f]{64}$/.test(sha256) && size_bytes > 0 && uploaded_at,
    ),
  )

  await decideBusiness(app, rehema!, business.id, { status: 'rejected', reason_codes: ['address_not_proven'] })
  await app.call('PATCH', `/v1/businesses/${business.id}`, { token: student.token, body: { address: 'Plot 14' } })
  const fresh = await upload(app, student, `/v1/businesses/${business.id}`, 'proof_of_address')
  await submitBusiness(app, student, business.id, { ...urls, proof_of_address_url: fresh })
  const { history } = (await read(`/v1/admin/businesses/${business.id}`)).body.data
  const latest = history[0]
  assert.deepEqual(
    latest.changes.map(({ field }: { field: string }) => field),
    ['address', 'proof_of_address'],
  )
  assert.deepEqual(latest.changes[0], { field: 'address', before: 'Plot 12, Bagamoyo Road', after: 'Plot 14' })
  assert.deepEqual([history.at(-1).action, history.at(-1).changes], ['submitted', null])
})

test('a rejection from the catalogue has the catalogue’s text, in both languages', async () => {
  const reasons = (await read('/v1/admin/rejection-reasons')).body.data
  const expired = reasons.find(({ code }: { code: string }) => code === 'document_expired')
  assert.deepEqual(expired.kinds, ['person', 'business'])
  const { business, student } = await submittedBusiness(app)
  assert.equal(
    codeOf(await decideBusiness(app, rehema!, business.id, { status: 'rejected', reason_codes: [] })),
    '400 validation_error',
  )
  assert.equal(
    codeOf(await decideBusiness(app, rehema!, business.id, { status: 'rejected', reason_codes: ['ugly'] })),
    '400 validation_error',
  )
  const decided = await decideBusiness(app, rehema!, business.id, {
    status: 'rejected',
    reason_codes: ['document_expired', 'name_mismatch', 'document_expired'],
    reason: 'Leseni ya 2019.',
  })
  assert.equal(codeOf(decided), '200')
  const theirs = await app.call('GET', `/v1/businesses/${business.id}`, { token: student.token })
  const mismatch = reasons.find(({ code }: { code: string }) => code === 'name_mismatch')
  assert.equal(
    theirs.body.data.rejection_reason,
    `${expired.sw}\n${expired.en}\n\n${mismatch.sw}\n${mismatch.en}\n\nLeseni ya 2019.`,
  )
})

test('a reviewer decides in a session with a second factor, however long ago it was given', async () => {
  const [tired, { business, student }] = [await app.admin(), await submittedBusiness(app)]
  await app.owner.pool.query(
    `update sessions set authenticated_at = authenticated_at - interval '6 minutes' where user_id = (select id from users where email = $1)`,
    [tired.email],
  )
  const person = { token: tired.token, body: { status: 'rejected', reason: 'Sivyo.' } }
  assert.equal((await decideBusiness(app, tired, business.id, { status: 'verified' })).status, 200)
  assert.equal((await app.call('POST', `/v1/admin/kyc/${student.userId}/verify`, person)).status, 200)
  assert.equal((await read(`/v1/admin/businesses/${business.id}`)).body.data.status, 'rejected')
})
