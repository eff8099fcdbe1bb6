/** HTTP routes of businesses: their representative registers, documents and submits them; operators decide on them. */
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { businessPurposes, type BusinessPurpose } from '../../domain/document.ts'
import { businessStatusSchema, reviewStageSchema } from '../../domain/verification.ts'
import { wantedDocumentSchema } from '../documents/document.ts'
import { merchantsWithSameBytes } from '../documents/document.sql.ts'
import { uploadAddressSchema } from '../documents/presign-upload.ts'
import { resembledName } from '../../accounts/identity/known-names.ts'
import { originOf, requireAdmin, requireUser } from '../../accounts/identity/authenticate.ts'
import { findMerchant, merchantOfUser } from '../../accounts/identity/merchant.sql.ts'
import type { Merchant } from '../../accounts/identity/merchant.ts'
import { authorize, confirmAccess } from '../../accounts/members/access.ts'
import { isMember } from '../../accounts/members/access.sql.ts'
import { rolesWith, type Permission } from '../../accounts/members/permissions.ts'
import { refuseOwnMerchant } from '../../accounts/members/self-decision.ts'
import type { Runner, Tx } from '../../platform/db/db.ts'
import { dataOf, errors, listOf, listQuery, type Http } from '../../platform/http/http.ts'
import { fromWire } from '../../platform/ids.ts'
import { answerPage, pageByTime, rangeOf } from '../../platform/http/page.ts'
import { assert, notFound } from '../../platform/refusal.ts'
import { uploadAddress, viewAddress, viewAddressSchema } from './case-documents.ts'
import { decide } from './decide.ts'
import { findSubmitted } from './find-submitted.ts'
import { readReview, readReviews } from './read-review.ts'
import { findDuplicatePeople } from './kyc.sql.ts'
import { decisionSchema, readDecision } from './decision.ts'
import { findClaim } from './review-queue.sql.ts'
import {
  claimToJson,
  duplicateBusinessesToJson,
  duplicatePeopleToJson,
  historyToJson,
  submittedDocumentsToJson,
} from './review.ts'
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
  changesOf,
  factsOf,
  factsToJson,
  newBusinessSchema,
  displayNameOf,
  type Business,
} from './business.ts'
import { changeBusiness, registerBusiness } from './save-business.ts'

/** A business in a list, with its position in it. */
type Listed = { id: string; createdAt: Date; json: z.infer<typeof businessSchema> }

async function existing(runner: Runner, id: string): Promise<Business> {
  const business = await findBusiness(runner, id)
  assert(business, 'a business merchant has a record')
  return business
}

const byBusiness = z.object({ business_id: z.string() })
const documentUrl = z.string().max(1000).meta({ description: 'The `document_url` (or `upload_url`) from presign.' })

const security = [{ jwt: [] }]

/** The roles that see the record of a business. */
const readers = rolesWith('business.read', 'live')

/** Objects that the routes of this file share. */
type Shared = ReturnType<typeof createShared>

function createShared(deps: VerificationDeps) {
  const onRequest = requireUser(deps)
  const asAdmin = { onRequest: requireAdmin(deps) }
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
        const review = reviews.get(id)
        assert(review, 'a business has a review')
        return { id, createdAt, json: businessToJson(business, review, urls) }
      })
    })
  }

  return { onRequest, recordOf, recordsOf, allowed, confirm, asAdmin, urls, reviewed }
}

export async function businessRoutes(http: Http, deps: VerificationDeps): Promise<void> {
  const shared = createShared(deps)
  registerBusinessRoute(http, deps, shared)
  listBusinessesRoute(http, deps, shared)
  getBusinessRoute(http, shared)
  updateBusinessRoute(http, deps, shared)
  presignBusinessDocumentRoute(http, deps, shared)
  viewOwnBusinessDocumentRoute(http, deps, shared)
  submitBusinessDocumentsRoute(http, deps, shared)
  listBusinessCasesRoute(http, deps, shared)
  getBusinessCaseRoute(http, deps, shared)
  decideBusinessRoute(http, deps, shared)
  viewBusinessDocumentRoute(http, deps, shared)
}

function registerBusinessRoute(http: Http, deps: VerificationDeps, { onRequest, recordOf }: Shared): void {
  http.post(
    '/v1/businesses',
    {
      onRequest,
      config: { idempotencyKey: 'replay_answer' },
      schema: {
        operationId: 'registerBusiness',
        tags: ['Businesses'],
        summary: 'Register a business',
        description:
          'You become its representative. Registering does not require your own verification, but submitting documents does.',
        security,
        body: newBusinessSchema,
        response: { 201: dataOf(businessSchema), ...errors(400, 401, 413, 415, 503) },
      },
    },
    async (request, reply) => {
      const business = await registerBusiness(deps, request.signedIn.userId, factsOf(request.body), originOf(request))
      void reply.code(201)
      return { data: await recordOf(business.id) }
    },
  )
}

function listBusinessesRoute(http: Http, deps: VerificationDeps, { onRequest, recordsOf }: Shared): void {
  http.get(
    '/v1/businesses',
    {
      onRequest,
      schema: {
        operationId: 'listBusinesses',
        tags: ['Businesses'],
        summary: 'List your businesses',
        security,
        querystring: z.strictObject(listQuery),
        response: { 200: listOf(businessSchema), ...errors(400, 401, 503) },
      },
    },
    async (request) => {
      const { userId } = request.signedIn
      const scope = `businesses of ${userId}`
      const range = rangeOf(deps.cursors, scope, request.query)
      const found = await recordsOf((tx) => listOfMember(tx, userId, readers, range))
      const page = pageByTime(deps.cursors, scope, found, range.limit)
      return answerPage(page, ({ json }) => json)
    },
  )
}

function getBusinessRoute(http: Http, { onRequest, allowed, recordOf }: Shared): void {
  http.get(
    '/v1/businesses/:business_id',
    {
      onRequest,
      config: { permission: 'business.read' },
      schema: {
        operationId: 'getBusiness',
        tags: ['Businesses'],
        summary: 'Get a business',
        security,
        params: byBusiness,
        response: { 200: dataOf(businessSchema), ...errors(401, 403, 404, 503) },
      },
    },
    async (request) => ({ data: await recordOf((await allowed(request, 'business.read')).id) }),
  )
}

function updateBusinessRoute(http: Http, deps: VerificationDeps, { onRequest, allowed, confirm, recordOf }: Shared): void {
  http.patch(
    '/v1/businesses/:business_id',
    {
      onRequest,
      preValidation: async (request) => void (await allowed(request, 'business.write')),
      config: { permission: 'business.write' },
      schema: {
        operationId: 'updateBusiness',
        tags: ['Businesses'],
        summary: 'Update a business',
        description:
          'Only while it is not verified: otherwise 409 `business_already_verified`. A change during a review creates a new version of the package under review.',
        security,
        params: byBusiness,
        body: businessChangesSchema,
        response: { 200: dataOf(businessSchema), ...errors(400, 401, 403, 404, 409, 413, 415, 503) },
      },
    },
    async (request) => {
      const merchant = await allowed(request, 'business.write')
      const { id } = merchant
      const by = { userId: request.signedIn.userId, origin: originOf(request), confirm: confirm(request, merchant) }
      await changeBusiness(deps, merchant, changesOf(request.body), by)
      return { data: await recordOf(id) }
    },
  )
}

function presignBusinessDocumentRoute(http: Http, deps: VerificationDeps, { onRequest, allowed }: Shared): void {
  http.post(
    '/v1/businesses/:business_id/documents/presign',
    {
      onRequest,
      preValidation: async (request) => void (await allowed(request, 'business.write')),
      config: { permission: 'business.write' },
      schema: {
        operationId: 'presignBusinessDocument',
        tags: ['Businesses'],
        summary: 'Presign a business document upload',
        description:
          'PUT the file to `upload_url` with exactly the given `headers`, once, within 15 minutes: `uploadBusinessDocument`. At most 30 URLs an hour: 429 `rate_limited`.',
        security,
        params: byBusiness,
        body: wantedDocumentSchema(businessPurposes),
        response: { 200: dataOf(uploadAddressSchema), ...errors(400, 401, 403, 404, 413, 415, 429, 503) },
      },
    },
    async (request, reply) => {
      const business = await allowed(request, 'business.write')
      return { data: await uploadAddress(deps, business, request.body, reply) }
    },
  )
}

function viewOwnBusinessDocumentRoute(http: Http, deps: VerificationDeps, { onRequest, allowed }: Shared): void {
  http.post(
    '/v1/businesses/:business_id/documents/:purpose/view',
    {
      onRequest,
      preValidation: async (request) => void (await allowed(request, 'business.write')),
      config: { permission: 'business.write' },
      schema: {
        operationId: 'viewOwnBusinessDocument',
        tags: ['Businesses'],
        summary: 'View a business document',
        description:
          'For the newest file that you uploaded: a picture made from it, as reviewers see it. The URL works once, within 60 seconds, in this session only. Recorded in the audit log. A file that cannot be opened: 409 `document_unreadable`.',
        security,
        params: z.object({ business_id: z.string(), purpose: z.string() }),
        body: z.strictObject({}).prefault({}),
        response: { 200: dataOf(viewAddressSchema), ...errors(400, 401, 403, 404, 409, 413, 415, 503) },
      },
    },
    async (request) => {
      const { latest } = await readReview(deps.db, (await allowed(request, 'business.write')).id)
      const uploaded = latest.filter(({ state }) => state === 'uploaded')
      return { data: await viewAddress(deps, uploaded, request.params.purpose, request) }
    },
  )
}

function submitBusinessDocumentsRoute(
  http: Http,
  deps: VerificationDeps,
  { onRequest, allowed, confirm, recordOf }: Shared,
): void {
  http.post(
    '/v1/businesses/:business_id/documents',
    {
      onRequest,
      preValidation: async (request) => {
        const business = await allowed(request, 'business.write')
        const representative = await merchantOfUser(deps.db, business.userId)
        assert(representative, 'every user has a personal merchant')
        requireVerifiedRepresentative(representative)
        // Checked before the URLs, because nothing in them needs a correction.
        if (business.verificationStatus === 'verified') throw alreadyVerified(business)
      },
      config: { permission: 'business.write' },
      schema: {
        operationId: 'submitBusinessDocuments',
        tags: ['Businesses'],
        summary: 'Submit business documents for review',
        description:
          'The uploaded files are pinned for the review. You may submit again until a decision is made; a rejected business becomes `pending` again. Your own identity must be verified: 403 `representative_kyc_required`.',
        security,
        params: byBusiness,
        body: z.strictObject({
          registration_certificate_url: documentUrl,
          tax_certificate_url: documentUrl,
          business_license_url: documentUrl,
          proof_of_address_url: documentUrl,
        }),
        response: { 200: dataOf(businessSchema), ...errors(400, 401, 403, 404, 409, 413, 415, 503) },
      },
    },
    async (request) => {
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
  )
}

function listBusinessCasesRoute(http: Http, deps: VerificationDeps, { asAdmin, recordsOf }: Shared): void {
  http.get(
    '/v1/admin/businesses',
    {
      ...asAdmin,
      schema: {
        operationId: 'listBusinessCases',
        tags: ['Operators'],
        summary: 'List businesses by review status',
        security,
        querystring: z.strictObject({
          ...listQuery,
          status: businessStatusSchema.optional(),
          stage: reviewStageSchema.optional(),
          q: searchText,
        }),
        response: { 200: listOf(businessSchema), ...errors(400, 401, 403, 503) },
      },
    },
    async (request) => {
      const { status = null, stage = null, q = '' } = request.query
      const scope = `businesses ${status} ${stage} ${q}`
      const range = rangeOf(deps.cursors, scope, request.query)
      const found = await recordsOf((tx) => listCases(tx, { status, stage, search: searchFor(q, ['biz', 'usr']) }, range))
      const page = pageByTime(deps.cursors, scope, found, range.limit)
      return answerPage(page, ({ json }) => json)
    },
  )
}

function getBusinessCaseRoute(http: Http, deps: VerificationDeps, { asAdmin, urls, reviewed }: Shared): void {
  http.get(
    '/v1/admin/businesses/:business_id',
    {
      ...asAdmin,
      schema: {
        operationId: 'getBusinessCase',
        tags: ['Operators'],
        summary: 'Get a business review case',
        security,
        params: byBusiness,
        response: { 200: dataOf(businessCaseSchema), ...errors(401, 403, 404, 503) },
      },
    },
    async (request) => {
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
        return {
          data: {
            ...businessToJson(business, review, urls),
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
  )
}

function decideBusinessRoute(http: Http, deps: VerificationDeps, { reviewed, recordOf }: Shared): void {
  http.post(
    '/v1/admin/businesses/:business_id/verify',
    {
      onRequest: requireAdmin(deps),
      preValidation: async (request) => refuseOwnMerchant(deps.db, (await reviewed(request)).id, request.signedIn.userId),
      schema: {
        operationId: 'decideBusiness',
        tags: ['Operators'],
        summary: 'Decide on a business',
        description:
          'A submitted business becomes `verified` or `rejected`. A verified business can become `rejected`: its live keys, pages and payouts stop at once. Any other change: 409 `invalid_state` or `kyb_not_submitted`. A file that cannot be opened: 409 `document_unreadable`. A decision on a submitted case before you have opened every readable document: 409 `documents_not_opened`. Your own business: 403 `self_review_forbidden`.',
        security,
        params: byBusiness,
        body: decisionSchema,
        response: { 200: dataOf(businessSchema), ...errors(400, 401, 403, 404, 409, 413, 415, 503) },
      },
    },
    async (request) => {
      const merchant = await reviewed(request)
      const reviewer = { userId: request.signedIn.userId, origin: originOf(request) }
      const nameOf = async (tx: Tx) => displayNameOf(await existing(tx, merchant.id))
      await decide(deps, merchant, readDecision(merchant.kind, request.body), reviewer, nameOf)
      return { data: await recordOf(merchant.id) }
    },
  )
}

function viewBusinessDocumentRoute(http: Http, deps: VerificationDeps, { asAdmin, reviewed }: Shared): void {
  http.post(
    '/v1/admin/businesses/:business_id/documents/:purpose/view',
    {
      ...asAdmin,
      schema: {
        operationId: 'viewBusinessDocument',
        tags: ['Operators'],
        summary: 'Get a document view URL',
        description:
          'The URL works once, within 60 seconds, in this session only. Recorded in the audit log. A file that cannot be opened: 409 `document_unreadable`.',
        security,
        params: z.object({ business_id: z.string(), purpose: z.string() }),
        body: z.strictObject({}).prefault({}),
        response: { 200: dataOf(viewAddressSchema), ...errors(400, 401, 403, 404, 409, 503) },
      },
    },
    async (request) => {
      const { id } = await reviewed(request)
      const { submitted } = await readReview(deps.db, id)
      return { data: await viewAddress(deps, submitted, request.params.purpose, request) }
    },
  )
}
