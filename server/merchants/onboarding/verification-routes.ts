/** HTTP routes of personal KYC: a person submits their own documents, and operators decide on them. */
import { operatorRoute, personRoute, type SignedInRouteDeps } from '../../accounts/identity/route.ts'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { personalPurposes } from '../../domain/document.ts'
import { reviewStageSchema, verificationStatusSchema } from '../../domain/verification.ts'
import { appendAudit } from '../../base/audit/audit.ts'
import type { Config } from '../../config/config.ts'
import { merchantsWithSameBytes } from '../documents/document.sql.ts'
import { wantedDocumentSchema, documentRefusals } from '../documents/document.ts'
import type { ViewDeps } from '../documents/open-view.ts'
import { uploadAddressSchema } from '../documents/presign-upload.ts'
import { resembledName } from '../../accounts/identity/known-names.ts'
import { originOf } from '../../accounts/identity/authenticate.ts'
import { merchantOfUser } from '../../accounts/identity/merchant.sql.ts'
import type { Merchant } from '../../accounts/identity/merchant.ts'
import { findUser } from '../../accounts/identity/user.sql.ts'
import type { Db, Runner } from '../../platform/db/db.ts'
import { refuseOwnMerchant } from '../../accounts/members/self-decision.ts'
import { dataOf, listOf, listQuery, type Http } from '../../platform/http/http.ts'
import { fromWire, toWire } from '../../platform/ids.ts'
import type { Limit } from '../../platform/http/limits.ts'
import { answerPage, pageByTime, rangeOf, type Cursors } from '../../platform/http/page.ts'
import { must, orNotFound } from '../../platform/refusal.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import type { DocumentStore } from '../documents/document-store.ts'
import { uploadAddress, viewAddress, viewAddressSchema } from './case-documents.ts'
import { decide } from './decide.ts'
import { contextOfNationalId, dateOfBirth, kycCaseSchema, kycCaseToJson, kycSchema, kycToJson, nationalIdNumber } from './kyc.ts'
import {
  findDuplicateBusinesses,
  findDuplicatePeople,
  findPapers,
  findSamePerson,
  findSealedNationalId,
  listPersons,
} from './kyc.sql.ts'
import { readReview, readReviews } from './read-review.ts'
import { decisionRefusals, decisionSchema, readDecision } from './decision.ts'
import { findClaim } from './review-queue.sql.ts'
import {
  caseFields,
  claimToJson,
  duplicateBusinesses,
  duplicateBusinessesToJson,
  duplicatePeopleToJson,
  historySchema,
  historyToJson,
} from './review.ts'
import { readHistory } from './review.sql.ts'
import { searchFor, searchText } from './search-people.ts'
import { submitKyc } from './submit-kyc.ts'

export type VerificationDeps = SignedInRouteDeps &
  ViewDeps & {
    db: Db
    sealer: Sealer
    cursors: Cursors
    limits: Record<'presign', Limit>
    documentStore: DocumentStore
    config: Pick<Config, 'keys' | 'urls' | 'sessions' | 'documents' | 'safeguards'>
  }

const openCaseSchema = kycCaseSchema
  .extend({
    national_id_number: z
      .string()
      .nullable()
      .meta({ description: 'The complete number. Reading it is recorded in the audit log.' }),
    same_number_as: z.array(z.string()).meta({ description: 'Other users who gave the same number.' }),
    ...caseFields,
    duplicate_businesses: duplicateBusinesses.meta({ description: 'Businesses of other people with the same phone or file.' }),
    history: z.array(historySchema),
  })
  .meta({ id: 'OpenKycCase' })

export async function verificationRoutes(http: Http, deps: VerificationDeps): Promise<void> {
  const { urls } = deps.config

  async function personOf(request: Pick<FastifyRequest, 'signedIn'>): Promise<Merchant> {
    return must(await merchantOfUser(deps.db, request.signedIn.userId), 'every user has a personal merchant')
  }

  /** The personal merchant in a path; refuses with 404. */
  async function merchantIn(request: FastifyRequest): Promise<Merchant> {
    const id = fromWire('usr', (request.params as { user_id: string }).user_id)
    return orNotFound(id === undefined ? undefined : await merchantOfUser(deps.db, id))
  }

  /** Read in one snapshot, so that a decision is made on the data that was shown with its version. */
  function caseOf(merchant: Merchant): Promise<z.infer<typeof kycCaseSchema>> {
    return deps.db.snapshot(async (tx) => readCase(tx, merchant))
  }

  async function submittedHashes(tx: Runner, merchantId: string): Promise<Buffer[]> {
    return (await readReview(tx, merchantId)).submitted.map((document) => document.sha256!)
  }

  async function readCase(tx: Runner, merchant: Merchant): Promise<z.infer<typeof kycCaseSchema>> {
    const review = await readReview(tx, merchant.id)
    const user = must(await findUser(tx, merchant.userId), 'a personal merchant has a user')
    return kycCaseToJson(review, user, (await findPapers(tx, [merchant.userId]))[0])
  }

  function recordOf(merchant: Merchant): Promise<z.infer<typeof kycSchema>> {
    return deps.db.snapshot(async (tx) => {
      const review = await readReview(tx, merchant.id)
      return kycToJson(review, (await findPapers(tx, [merchant.userId]))[0], urls)
    })
  }
  personRoute(http, deps, {
    route: 'GET /v1/kyc',
    operationId: 'getKyc',
    summary: 'Get your verification status',
    answers: { 200: dataOf(kycSchema) },
    handler: async (request) => ({ data: await recordOf(await personOf(request)) }),
  })

  personRoute(http, deps, {
    route: 'POST /v1/kyc/documents/presign',
    operationId: 'presignKycDocument',
    summary: 'Presign a personal document upload',
    description:
      'PUT the file to `upload_url` with exactly the given `headers`, once, within 15 minutes: `uploadKycDocument`. At most 30 URLs an hour: 429 `rate_limited`.',
    body: wantedDocumentSchema(personalPurposes),
    answers: { 200: dataOf(uploadAddressSchema) },
    refuses: ['unsupported_document_type', 'filename_extension_mismatch'],
    handler: async (request, reply) => {
      const person = await personOf(request)
      return { data: await uploadAddress(deps, person, request.body, reply) }
    },
  })

  personRoute(http, deps, {
    route: 'POST /v1/kyc/documents/:purpose/view',
    operationId: 'viewOwnKycDocument',
    summary: 'View a document of yours',
    description:
      'For the newest file that you uploaded: a picture made from it, as reviewers see it. The URL works once, within 60 seconds, in this session only. Recorded in the audit log. A file that cannot be opened: 409 `document_unreadable`.',
    body: z.strictObject({}).prefault({}),
    answers: { 200: dataOf(viewAddressSchema) },
    refuses: ['document_unreadable'],
    handler: async (request) => {
      const { latest } = await readReview(deps.db, (await personOf(request)).id)
      const uploaded = latest.filter(({ state }) => state === 'uploaded')
      return { data: await viewAddress(deps, uploaded, request.params.purpose, request) }
    },
  })

  personRoute(http, deps, {
    route: 'POST /v1/kyc',
    operationId: 'submitKyc',
    summary: 'Submit your documents for review',
    description:
      'You may submit again until a decision is made. `national_id_number` is required the first time; without it, the number submitted before is kept. Already verified: 409 `invalid_state`. Without a student number: 403 `student_id_required`.',
    body: z.strictObject({
      national_id_number: nationalIdNumber.optional(),
      date_of_birth: dateOfBirth,
      national_id_url: z.string().max(1000),
      student_id_card_url: z.string().max(1000),
      selfie_url: z.string().max(1000),
    }),
    answers: { 200: dataOf(kycSchema) },
    refuses: [...documentRefusals, 'student_id_required', 'invalid_state', 'storage_unavailable'],
    handler: async (request) => {
      const { national_id_number, date_of_birth, national_id_url, student_id_card_url, selfie_url } = request.body
      const merchant = await personOf(request)
      await submitKyc(
        deps,
        merchant,
        {
          nationalIdNumber: national_id_number,
          dateOfBirth: date_of_birth,
          urls: [
            ['national_id', national_id_url],
            ['student_id_card', student_id_card_url],
            ['selfie', selfie_url],
          ],
        },
        { who: request.signedIn, origin: originOf(request) },
      )
      return { data: await recordOf(merchant) }
    },
  })

  operatorRoute(http, deps, {
    route: 'GET /v1/admin/kyc',
    operationId: 'listKycCases',
    summary: 'List people by verification status',
    query: z.strictObject({
      ...listQuery,
      status: verificationStatusSchema.optional(),
      stage: reviewStageSchema.optional(),
      q: searchText,
    }),
    answers: { 200: listOf(kycCaseSchema) },
    handler: async (request) => {
      const { status = null, stage = null, q = '' } = request.query
      const scope = `kyc ${status} ${stage} ${q}`
      const range = rangeOf(deps.cursors, scope, request.query)
      const page = pageByTime(
        deps.cursors,
        scope,
        await listPersons(deps.db, { status, stage, search: searchFor(q, ['usr']) }, range),
        range.limit,
      )
      const ids = page.items.map(({ id }) => id)
      const { reviews, papers } = await deps.db.snapshot(async (tx) => ({
        reviews: await readReviews(tx, ids),
        papers: await findPapers(tx, ids),
      }))
      return answerPage(page, (person) => {
        const review = must(reviews.get(person.id), 'a listed person has a review')
        return kycCaseToJson(
          review,
          person,
          papers.find(({ userId }) => userId === person.id),
        )
      })
    },
  })

  operatorRoute(http, deps, {
    route: 'GET /v1/admin/kyc/:user_id',
    operationId: 'getKycCase',
    summary: 'Get a person’s review case',
    answers: { 200: dataOf(openCaseSchema) },
    handler: async (request) => {
      const merchant = await merchantIn(request)
      const { userId } = merchant
      const { base, sealed, same, people, businesses, claim, history } = await deps.db.snapshot(async (tx) => {
        const withSameFile = await merchantsWithSameBytes(tx, merchant.id, await submittedHashes(tx, merchant.id))
        return {
          base: await readCase(tx, merchant),
          sealed: await findSealedNationalId(tx, userId),
          same: await findSamePerson(tx, userId),
          people: await findDuplicatePeople(tx, { userId, isPerson: true, phoneNumber: null, withSameFile }),
          businesses: await findDuplicateBusinesses(tx, { userId, withSameFile }),
          claim: await findClaim(tx, merchant.id),
          history: await readHistory(tx, merchant.id),
        }
      })
      if (sealed !== undefined) {
        await appendAudit(deps.db, originOf(request), { action: 'kyc.national_id_read', object: base.user_id })
      }
      return {
        data: {
          ...base,
          national_id_number: sealed === undefined ? null : deps.sealer.open(sealed, contextOfNationalId(merchant.userId)),
          same_number_as: same.map((id) => toWire('usr', id)),
          resembles: resembledName(base.full_name)?.name ?? null,
          self_review: userId === request.signedIn.userId,
          claim: claimToJson(claim),
          duplicate_people: duplicatePeopleToJson(people),
          duplicate_businesses: duplicateBusinessesToJson(businesses),
          history: historyToJson(history),
        },
      }
    },
  })

  operatorRoute(http, deps, {
    route: 'POST /v1/admin/kyc/:user_id/verify',
    operationId: 'decideKyc',
    summary: 'Decide on a person’s identity',
    description:
      'A submitted person becomes `verified` or `rejected`. A verified person can become `rejected`; this also revokes the person’s businesses. Any other change: 409 `invalid_state` or `kyc_not_submitted`. A decision on a submitted case before you have opened every readable document: 409 `documents_not_opened`. Your own case: 403 `self_review_forbidden`.',
    body: decisionSchema,
    answers: { 200: dataOf(kycCaseSchema) },
    refuses: ['kyc_not_submitted', ...decisionRefusals],
    before: async (request) => refuseOwnMerchant(deps.db, (await merchantIn(request)).id, request.signedIn.userId),
    handler: async (request) => {
      const merchant = await merchantIn(request)
      const reviewer = { ...request.signedIn, origin: originOf(request) }
      await decide(deps, merchant, readDecision(merchant.kind, request.body), reviewer)
      return { data: await caseOf(merchant) }
    },
  })

  operatorRoute(http, deps, {
    route: 'POST /v1/admin/kyc/:user_id/documents/:purpose/view',
    operationId: 'viewKycDocument',
    summary: 'Get a document view URL',
    description:
      'The URL works once, within 60 seconds, in this session only. Recorded in the audit log. A file that cannot be opened: 409 `document_unreadable`.',
    body: z.strictObject({}).prefault({}),
    answers: { 200: dataOf(viewAddressSchema) },
    refuses: ['self_review_forbidden', 'document_unreadable', 'review_version_changed', 'review_claimed'],
    handler: async (request) => {
      const merchant = await merchantIn(request)
      const { submitted } = await readReview(deps.db, merchant.id)
      return { data: await viewAddress(deps, submitted, request.params.purpose, request) }
    },
  })
}
