/** HTTP routes of businesses: their representative registers, documents and submits them; operators decide on them. */
import { operatorRoute, personRoute } from '../../accounts/identity/route.ts'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { businessPurposes, type BusinessPurpose } from '../../domain/document.ts'
import { businessStatusSchema, reviewStageSchema } from '../../domain/verification.ts'
import { wantedDocumentSchema, documentRefusals } from '../documents/document.ts'
import { merchantsWithSameBytes } from '../documents/document.sql.ts'
import { uploadAddressSchema } from '../documents/presign-upload.ts'
import { resembledName } from '../../accounts/identity/known-names.ts'
import { originOf } from '../../accounts/identity/authenticate.ts'
import { findMerchant, merchantOfUser } from '../../accounts/identity/merchant.sql.ts'
import type { Merchant } from '../../accounts/identity/merchant.ts'
import { sandboxToJson, type CreateSandbox } from '../../accounts/identity/sandbox.ts'
import { authorize, confirmAccess } from '../../accounts/members/access.ts'
import { isMember } from '../../accounts/members/access.sql.ts'
import { rolesWith, type Permission } from '../../accounts/members/permissions.ts'
import { refuseOwnMerchant } from '../../accounts/members/self-decision.ts'
import type { Runner, Tx } from '../../platform/db/db.ts'
import { dataOf, listOf, listQuery, type Http } from '../../platform/http/http.ts'
import { fromWire } from '../../platform/ids.ts'
import { answerPage, pageByTime, rangeOf } from '../../platform/http/page.ts'
import { must, notFound } from '../../platform/refusal.ts'
import { uploadAddress, viewAddress, viewAddressSchema } from './case-documents.ts'
import { decide } from './decide.ts'
import { findSubmitted } from './find-submitted.ts'
import { readReview, readReviews } from './read-review.ts'
import { findDuplicatePeople } from './kyc.sql.ts'
import { decisionRefusals, decisionSchema, readDecision } from './decision.ts'
import { findClaim } from './review-queue.sql.ts'
import {
  claimToJson,
  duplicateBusinessesToJson,
  duplicatePeopleToJson,
  historyToJson,
  submittedDocumentsToJson,
} from './review.ts'
import { fieldsOf } from '../../platform/http/answer.ts'
import { readHistory } from './review.sql.ts'
import { searchFor, searchText } from './search-people.ts'
import type { VerificationDeps } from './verification-routes.ts'
import { alreadyVerified, requireVerifiedRepresentative, submitPackage } from './submit-package.ts'
import { findBusiness, findDuplicates, listCases, listOfMember } from './business.sql.ts'
import {
  businessCaseSchema,
  businessChangesSchema,
  businessSchema,
  businessToJson,
  factsOf,
  factsToJson,
  newBusinessSchema,
  displayNameOf,
  type Business,
} from './business.ts'
import { changeBusiness, registerBusiness } from './save-business.ts'

type Listed = { id: string; createdAt: Date; json: z.infer<typeof businessSchema> }

async function existing(runner: Runner, id: string): Promise<Business> {
  return must(await findBusiness(runner, id), 'a business merchant has a record')
}

const documentUrl = z.string().max(1000).meta({ description: 'The `document_url` (or `upload_url`) from presign.' })

/** The roles that see the record of a business. */
const readers = rolesWith('business.read', 'live')

export async function businessRoutes(http: Http, deps: VerificationDeps & { createSandbox: CreateSandbox }): Promise<void> {
  const { urls } = deps.config

  /** The business in a path. 404: the person is no member; 403 `insufficient_role`: their role does not have the permission. */
  async function allowed(request: FastifyRequest, permission: Permission): Promise<Merchant> {
    const businessId = (request.params as { business_id: string }).business_id
    // A business and its data belong to no environment; live is the stricter one.
    const wanted = { permission, environment: 'live', businessId } as const
    return (await authorize(deps.db, request.signedIn, wanted)).owner.merchant
  }

  /** The same again, in the transaction of a change. */
  const confirm =
    (request: FastifyRequest, merchant: Merchant) =>
    async (tx: Tx): Promise<void> =>
      void (await confirmAccess(tx, request.signedIn, { merchant, environment: 'live' }, 'business.write'))

  /** The business in a path, for reviewers; refuses with 404. */
  async function reviewed(request: FastifyRequest): Promise<Merchant> {
    const id = fromWire('biz', (request.params as { business_id: string }).business_id)
    const merchant = id === undefined ? undefined : await findMerchant(deps.db, id)
    if (merchant?.kind !== 'business') throw notFound()
    return merchant
  }

  /** Read in one snapshot, so that a decision is made on the data that was shown with its version. */
  function recordOf(id: string): Promise<z.infer<typeof businessSchema>> {
    return deps.db.snapshot(async (tx) => {
      const review = await readReview(tx, id)
      return businessToJson(await existing(tx, id), review, urls)
    })
  }

  function recordsOf(list: (tx: Runner) => Promise<Business[]>): Promise<Listed[]> {
    return deps.db.snapshot(async (tx) => {
      const businesses = await list(tx)
      const reviews = await readReviews(
        tx,
        businesses.map(({ id }) => id),
      )
      return businesses.map((business) => {
        const { id, createdAt } = business
        const review = must(reviews.get(id), 'a business has a review')
        return { id, createdAt, json: businessToJson(business, review, urls) }
      })
    })
  }
  personRoute(http, deps, {
    route: 'POST /v1/businesses',
    operationId: 'registerBusiness',
    summary: 'Register a business',
    description:
      'You become its representative. Registering does not require your own verification, but submitting documents does. It has a `sandbox` at once. Without a student number: 403 `student_id_required`.',
    body: newBusinessSchema,
    answers: { 201: dataOf(businessSchema) },
    refuses: ['too_many_objects', 'student_id_required'],
    // The first answer shows a key.
    idempotencyKey: 'name_object',
    handler: async (request, reply) => {
      const { business, sandbox } = await registerBusiness(deps, request.signedIn, factsOf(request.body), originOf(request))
      void reply.code(201).header('cache-control', 'no-store')
      return { data: { ...(await recordOf(business.id)), sandbox: sandboxToJson(sandbox, urls) } }
    },
  })

  personRoute(http, deps, {
    route: 'GET /v1/businesses',
    operationId: 'listBusinesses',
    summary: 'List your businesses',
    query: z.strictObject(listQuery),
    answers: { 200: listOf(businessSchema) },
    handler: async (request) => {
      const { userId } = request.signedIn
      const scope = `businesses of ${userId}`
      const range = rangeOf(deps.cursors, scope, request.query)
      const found = await recordsOf((tx) => listOfMember(tx, userId, readers, range))
      const page = pageByTime(deps.cursors, scope, found, range.limit)
      return answerPage(page, ({ json }) => json)
    },
  })

  personRoute(http, deps, {
    route: 'GET /v1/businesses/:business_id',
    permission: 'business.read',
    operationId: 'getBusiness',
    summary: 'Get a business',
    answers: { 200: dataOf(businessSchema) },
    handler: async (request) => ({ data: await recordOf((await allowed(request, 'business.read')).id) }),
  })

  personRoute(http, deps, {
    route: 'PATCH /v1/businesses/:business_id',
    permission: 'business.write',
    operationId: 'updateBusiness',
    summary: 'Update a business',
    description:
      'Only while it is not verified: otherwise 409 `business_already_verified`. A change during a review creates a new version of the package under review.',
    body: businessChangesSchema,
    answers: { 200: dataOf(businessSchema) },
    refuses: ['representative_kyc_required', 'business_already_verified'],
    before: (request) => allowed(request, 'business.write'),
    handler: async (request) => {
      const merchant = await allowed(request, 'business.write')
      const { id } = merchant
      const by = { userId: request.signedIn.userId, origin: originOf(request), confirm: confirm(request, merchant) }
      await changeBusiness(deps, merchant, fieldsOf(request.body), by)
      return { data: await recordOf(id) }
    },
  })

  personRoute(http, deps, {
    route: 'POST /v1/businesses/:business_id/documents/presign',
    permission: 'business.write',
    operationId: 'presignBusinessDocument',
    summary: 'Presign a business document upload',
    description:
      'PUT the file to `upload_url` with exactly the given `headers`, once, within 15 minutes: `uploadBusinessDocument`. At most 30 URLs an hour: 429 `rate_limited`.',
    body: wantedDocumentSchema(businessPurposes),
    answers: { 200: dataOf(uploadAddressSchema) },
    refuses: ['unsupported_document_type', 'filename_extension_mismatch'],
    before: (request) => allowed(request, 'business.write'),
    handler: async (request, reply) => {
      const business = await allowed(request, 'business.write')
      return { data: await uploadAddress(deps, business, request.body, reply) }
    },
  })

  personRoute(http, deps, {
    route: 'POST /v1/businesses/:business_id/documents/:purpose/view',
    permission: 'business.write',
    operationId: 'viewOwnBusinessDocument',
    summary: 'View a business document',
    description:
      'For the newest file that you uploaded: a picture made from it, as reviewers see it. The URL works once, within 60 seconds, in this session only. Recorded in the audit log. A file that cannot be opened: 409 `document_unreadable`.',
    body: z.strictObject({}).prefault({}),
    answers: { 200: dataOf(viewAddressSchema) },
    refuses: ['document_unreadable'],
    before: (request) => allowed(request, 'business.write'),
    handler: async (request) => {
      const { latest } = await readReview(deps.db, (await allowed(request, 'business.write')).id)
      const uploaded = latest.filter(({ state }) => state === 'uploaded')
      return { data: await viewAddress(deps, uploaded, request.params.purpose, request) }
    },
  })

  personRoute(http, deps, {
    route: 'POST /v1/businesses/:business_id/documents',
    permission: 'business.write',
    operationId: 'submitBusinessDocuments',
    summary: 'Submit business documents for review',
    description:
      'The uploaded files are pinned for the review. You may submit again until a decision is made; a rejected business becomes `pending` again. The identity of its representative must be verified: 403 `representative_kyc_required`.',
    body: z.strictObject({
      registration_certificate_url: documentUrl,
      tax_certificate_url: documentUrl,
      business_license_url: documentUrl,
      proof_of_address_url: documentUrl,
    }),
    answers: { 200: dataOf(businessSchema) },
    refuses: [...documentRefusals, 'representative_kyc_required', 'business_already_verified', 'storage_unavailable'],
    before: async (request) => {
      const business = await allowed(request, 'business.write')
      const representative = must(await merchantOfUser(deps.db, business.userId), 'every user has a personal merchant')
      requireVerifiedRepresentative(representative)
      // Checked before the URLs, because nothing in them needs a correction.
      if (business.verificationStatus === 'verified') throw alreadyVerified(business)
    },
    handler: async (request) => {
      const merchant = await allowed(request, 'business.write')
      const sent: [BusinessPurpose, string][] = businessPurposes.map((purpose) => [purpose, request.body[`${purpose}_url`]])
      const documents = await findSubmitted(deps, merchant, sent)
      const { userId } = request.signedIn
      const factsOfBusiness = async (tx: Tx) => factsToJson(await existing(tx, merchant.id))
      await submitPackage(
        deps,
        { merchant, documents, factsOf: factsOfBusiness, userId, confirm: confirm(request, merchant) },
        originOf(request),
      )
      return { data: await recordOf(merchant.id) }
    },
  })

  operatorRoute(http, deps, {
    route: 'GET /v1/admin/businesses',
    operationId: 'listBusinessCases',
    summary: 'List businesses by review status',
    query: z.strictObject({
      ...listQuery,
      status: businessStatusSchema.optional(),
      stage: reviewStageSchema.optional(),
      q: searchText,
    }),
    answers: { 200: listOf(businessSchema) },
    handler: async (request) => {
      const { status = null, stage = null, q = '' } = request.query
      const scope = `businesses ${status} ${stage} ${q}`
      const range = rangeOf(deps.cursors, scope, request.query)
      const found = await recordsOf((tx) => listCases(tx, { status, stage, search: searchFor(q, ['biz', 'usr']) }, range))
      const page = pageByTime(deps.cursors, scope, found, range.limit)
      return answerPage(page, ({ json }) => json)
    },
  })

  operatorRoute(http, deps, {
    route: 'GET /v1/admin/businesses/:business_id',
    operationId: 'getBusinessCase',
    summary: 'Get a business review case',
    answers: { 200: dataOf(businessCaseSchema) },
    handler: async (request) => {
      const { id } = await reviewed(request)
      return deps.db.snapshot(async (tx) => {
        const review = await readReview(tx, id)
        const business = await existing(tx, id)
        const hashes = review.submitted.map((document) => document.sha256!)
        const withSameFile = await merchantsWithSameBytes(tx, id, hashes)
        const duplicates = await findDuplicates(tx, id, withSameFile)
        const { representativeUserId: userId, phone: phoneNumber } = business
        const people = await findDuplicatePeople(tx, { userId, isPerson: false, phoneNumber, withSameFile })
        const claim = await findClaim(tx, id)
        const history = await readHistory(tx, id)
        const json = businessToJson(business, review, urls)
        return {
          data: {
            ...json,
            representative: { ...json.representative, full_name: business.representativeName },
            submitted_documents: submittedDocumentsToJson(businessPurposes, review.submitted),
            duplicates: duplicateBusinessesToJson(duplicates),
            resembles: resembledName(`${business.legalName} ${business.tradingName ?? ''}`)?.name ?? null,
            self_review: await isMember(tx, request.signedIn.userId, id),
            claim: claimToJson(claim),
            duplicate_people: duplicatePeopleToJson(people),
            history: historyToJson(history),
          },
        }
      })
    },
  })

  operatorRoute(http, deps, {
    route: 'POST /v1/admin/businesses/:business_id/verify',
    operationId: 'decideBusiness',
    summary: 'Decide on a business',
    description:
      'A submitted business becomes `verified` or `rejected`. A verified business can become `rejected`: its live keys, pages and payouts stop at once. Any other change: 409 `invalid_state` or `kyb_not_submitted`. A file that cannot be opened: 409 `document_unreadable`. A decision on a submitted case before you have opened every readable document: 409 `documents_not_opened`. Your own business: 403 `self_review_forbidden`.',
    body: decisionSchema,
    answers: { 200: dataOf(businessSchema) },
    refuses: ['kyb_not_submitted', ...decisionRefusals],
    before: async (request) => refuseOwnMerchant(deps.db, (await reviewed(request)).id, request.signedIn.userId),
    handler: async (request) => {
      const merchant = await reviewed(request)
      const reviewer = { ...request.signedIn, origin: originOf(request) }
      const nameOf = async (tx: Tx) => displayNameOf(await existing(tx, merchant.id))
      await decide(deps, merchant, readDecision(merchant.kind, request.body), reviewer, nameOf)
      return { data: await recordOf(merchant.id) }
    },
  })

  operatorRoute(http, deps, {
    route: 'POST /v1/admin/businesses/:business_id/documents/:purpose/view',
    operationId: 'viewBusinessDocument',
    summary: 'Get a document view URL',
    description:
      'The URL works once, within 60 seconds, in this session only. Recorded in the audit log. A file that cannot be opened: 409 `document_unreadable`.',
    body: z.strictObject({}).prefault({}),
    answers: { 200: dataOf(viewAddressSchema) },
    refuses: ['self_review_forbidden', 'document_unreadable', 'review_version_changed', 'review_claimed'],
    handler: async (request) => {
      const { id } = await reviewed(request)
      const { submitted } = await readReview(deps.db, id)
      return { data: await viewAddress(deps, submitted, request.params.purpose, request) }
    },
  })
}
