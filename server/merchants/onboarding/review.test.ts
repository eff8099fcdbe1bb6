/** The rules of a review: the requirements in each state, the possible decisions, and that the database has the same rules. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { businessPurposes } from '../../domain/document.ts'
import type { Decision } from '../../domain/verification.ts'
import { share, startTestApp } from '../../../test/app.ts'
import type { Document } from '../documents/document.ts'
import { sql } from '../../platform/db/db.ts'
import { fromWire } from '../../platform/ids.ts'
import { setKycStatus } from './decide-by-operator.ts'
import { decisions, requirementsOf, type Review } from './review.ts'

const sharedApp = share((ending) => startTestApp(ending))

const minute = (number: number) => new Date(Date.UTC(2026, 0, 1, 12, number))

function file(purpose: Document['purpose'], at: number, changes: Partial<Document> = {}): Document {
  return {
    id: `${purpose}-${at}`,
    merchantId: 'm',
    accountId: 'account',
    merchantKind: 'business',
    purpose,
    contentType: 'image/png',
    fileName: 'scan.png',
    state: 'uploaded',
    uploadId: 'u',
    sizeBytes: 1,
    sha256: Buffer.alloc(32),
    reviewContentType: 'image/png',
    reviewSha256: Buffer.alloc(32),
    refusedCode: null,
    refusedReason: null,
    finishedAt: minute(at),
    ...changes,
  }
}

const refused = (purpose: Document['purpose'], at: number) =>
  file(purpose, at, { state: 'refused', refusedCode: 'document_infected', refusedReason: 'Malware.' })
const unreadable = (purpose: Document['purpose'], at: number) => file(purpose, at, { reviewContentType: null })
const all = (at: number) => businessPurposes.map((purpose) => file(purpose, at))

const draft = {
  status: 'pending',
  stage: 'draft',
  rejectionReason: null,
  problems: null,
  submittedAt: null,
  decidedAt: null,
} as const
const submitted = {
  status: 'pending',
  stage: 'submitted',
  rejectionReason: null,
  problems: null,
  submittedAt: minute(30),
  decidedAt: minute(35),
} as const
const rejected = {
  status: 'rejected',
  stage: 'decided',
  rejectionReason: 'Expired.',
  problems: null,
  submittedAt: minute(30),
  decidedAt: minute(35),
} as const
const found = (item: string) => ({ item, code: 'document_expired', sw: 'Imeisha.', en: 'Expired.' })
const byItem = { ...rejected, problems: [found('tax_certificate'), found('legal_name')] }
const verified = {
  status: 'verified',
  stage: 'decided',
  rejectionReason: null,
  problems: null,
  submittedAt: minute(30),
  decidedAt: minute(35),
} as const

type State = Parameters<typeof requirementsOf>[0]

test('requirements and errors in every state', () => {
  const tax = 'tax_certificate'
  const others = all(1).filter(({ purpose }) => purpose !== tax)
  const cases: [string, State, Document[], Document[], boolean, string[], string[]][] = [
    ['nothing is there', draft, [], [], false, ['representative_kyc', ...businessPurposes, 'submission'], []],
    ['all files are there', draft, all(1), [], true, ['submission'], []],
    ['one was refused', draft, [...others, refused(tax, 2)], [], true, [tax, 'submission'], ['document_infected']],
    ['a newer one was refused', draft, [...all(1), refused(tax, 2)], [], true, ['submission'], ['document_infected']],
    ['an older one was refused', draft, [...all(3), refused(tax, 2)], [], true, ['submission'], []],
    ['one does not open', draft, [...others, unreadable(tax, 2)], [], true, [tax, 'submission'], ['document_unreadable']],
    ['under review', submitted, all(1), all(1), true, [], []],
    ['refused before submission', submitted, [...all(1), refused(tax, 2)], all(1), true, [], []],
    ['refused after submission', submitted, [...all(1), refused(tax, 40)], all(1), true, [], ['document_infected']],
    ['a newer file that was not submitted', submitted, [...others, file(tax, 40)], all(1), true, [], []],
    [
      'a file under review does not open',
      submitted,
      [...others, unreadable(tax, 2)],
      [...others, unreadable(tax, 2)],
      true,
      [tax, 'submission'],
      ['document_unreadable'],
    ],
    [
      'a file under review does not open, its replacement does',
      submitted,
      [...others, file(tax, 40)],
      [...others, unreadable(tax, 2)],
      true,
      ['submission'],
      [],
    ],
    ['the person is not verified any more', submitted, all(1), all(1), false, ['representative_kyc'], []],
    ['rejected', rejected, all(1), all(1), true, ['submission'], ['rejected']],
    ['rejected by item', byItem, all(1), all(1), true, ['submission'], ['rejected', 'document_expired', 'document_expired']],
    [
      'rejected by item, the document was uploaded again',
      byItem,
      [...others, file(tax, 40)],
      all(1),
      true,
      ['submission'],
      ['rejected', 'document_expired'],
    ],
    ['verified', verified, all(1), all(1), true, [], []],
    ['verified, the person not any more', verified, all(1), all(1), false, ['representative_kyc'], []],
  ]
  for (const [name, state, latest, under, person, due, codes] of cases) {
    const found = requirementsOf(state, businessPurposes, { latest, submitted: under }, person)
    assert.deepEqual([found.currentlyDue, found.errors.map(({ code }) => code)], [due, codes], name)
  }
})

test('the database accepts from a reviewer exactly the decisions of the table', async () => {
  const app = await sharedApp()
  const reviewer = await app.student()
  for (const [from, allowed] of Object.entries(decisions)) {
    // A submitted review has the status pending; a pending one without a package cannot be decided.
    if (from === 'pending') continue
    const status = from === 'submitted' ? 'pending' : from
    for (const wanted of ['verified', 'rejected'] satisfies Decision[]) {
      const student = await app.student({ verified: false })
      const id = fromWire('usr', student.userId)!
      const write = app.owner.tx(async (tx) => {
        await tx.rows(sql`update merchants set verification_status = ${status} where id = ${id}`)
        await tx.rows(sql`insert into verifications (merchant_id) values (${id})`)
        await tx.rows(sql`
          insert into verification_history (merchant_id, version, action, from_status, to_status, reason, actor_user_id, request_id)
          values (${id}, 1, ${wanted}, ${status}, ${wanted}, 'Seen.', ${fromWire('usr', reviewer.userId)}, 'test')`)
        await tx.rows(sql`
          update verifications set version = 1, stage = 'decided', decided_at = clock_now() where merchant_id = ${id}`)
        await tx.rows(sql`update merchants set verification_status = ${wanted} where id = ${id}`)
      })
      const isTaken = await write.then(
        () => true,
        () => false,
      )
      assert.equal(isTaken, allowed.includes(wanted), `${from} to ${wanted}`)
    }
  }
})

test('the service role cannot write a review that did not happen', async () => {
  const app = await sharedApp()
  const student = await app.student({ verified: false })
  const id = fromWire('usr', student.userId)!
  await setKycStatus(app.deps, student.email, 'verified')
  const refusals = {
    'a status without a decision': sql`update merchants set verification_status = 'rejected' where id = ${id}`,
    'a version without an entry': sql`update verifications set version = version + 1 where merchant_id = ${id}`,
    'a version that goes back': sql`update verifications set version = 0 where merchant_id = ${id}`,
    'a decision over another one': sql`
      insert into verification_history (merchant_id, version, action, from_status, to_status, request_id)
      select merchant_id, version, 'verified', 'pending', 'verified', 'x' from verifications where merchant_id = ${id}`,
    'a changed history': sql`update verification_history set reason = 'x' where merchant_id = ${id}`,
    'a review that vanishes': sql`delete from verifications where merchant_id = ${id}`,
    'another person behind it': sql`update merchants set user_id = (select id from users where id <> ${id} limit 1) where id = ${id}`,
    'a business that is a person': sql`
      insert into businesses (id, legal_name, business_type, registration_number, country, address, city, region, phone, email, representative_role)
      values (${id}, 'x', 'company', '1', 'TZ', 'x', 'x', 'x', 'x', 'x', 'x')`,
  }
  await app.student()
  for (const [what, statement] of Object.entries(refusals)) {
    await assert.rejects(app.db.rows(statement), /violates|permission denied|a .* (goes on|without|keeps|belongs)/, what)
  }
  const [review] = await app.db.rows<Pick<Review, 'version' | 'stage'>>(
    sql`select version, stage from verifications where merchant_id = ${id}`,
  )
  assert.deepEqual(review, { version: 1, stage: 'decided' })
})
