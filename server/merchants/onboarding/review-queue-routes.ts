/** HTTP routes of the review queue, for operators: the waiting cases and their age, who works on them, and the sentences for a rejection. */
import { operatorRoute, type OperatorRouteDeps } from '../../accounts/identity/route.ts'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { reviewedKindSchema } from '../../domain/verification.ts'
import { originOf } from '../../accounts/identity/authenticate.ts'
import { findMerchantByWire } from '../../accounts/identity/merchant.sql.ts'
import { wireIdOf, type Merchant } from '../../accounts/identity/merchant.ts'
import type { Config } from '../../config/config.ts'
import { findOpenedBy } from '../documents/document.sql.ts'
import type { Clock } from '../../platform/clock.ts'
import { dataOf, listOf, listQuery, type Http } from '../../platform/http/http.ts'
import { trueOrFalse } from '../../platform/http/text.ts'
import { fromWire, toWire } from '../../platform/ids.ts'
import { answerPage, toPage, type Cursors } from '../../platform/http/page.ts'
import { invalidFields, orNotFound } from '../../platform/refusal.ts'
import { remembered } from '../../platform/process/remembered.ts'
import { claimReview, releaseReview } from './claim-review.ts'
import { readReview } from './read-review.ts'
import { listRejectionReasons, rejectionReasonSchema } from './rejection-reasons.ts'
import { countStatuses, countWaiting, findClaim, listWaiting, type WaitingCase } from './review-queue.sql.ts'
import { claimSchema, claimToJson } from './review.ts'
import { answerOf } from '../../platform/http/answer.ts'

export type ReviewQueueDeps = OperatorRouteDeps & { clock: Clock; cursors: Cursors; config: Pick<Config, 'safeguards'> }

/** A case that waits longer is overdue. */
export const overdueHours = 48
const countsKeptMs = 10_000

const kind = reviewedKindSchema
const kinds: Record<z.infer<typeof kind>, Merchant['kind']> = { person: 'personal', business: 'business' }

const waitingCaseSchema = z
  .object({
    id: z.string().meta({ description: '`usr_…` for a person, `biz_…` for a business.' }),
    kind,
    name: z.string(),
    version: z.int(),
    submitted_at: z.iso.datetime(),
    age_seconds: z.int(),
    overdue: z.boolean().meta({ description: `Whether the case has waited for more than ${overdueHours} hours.` }),
    self_review: z.boolean().meta({ description: 'Whether it is your own case. You cannot decide about it.' }),
    claim: claimSchema,
  })
  .meta({ id: 'WaitingReview' })

function toJson(one: WaitingCase): z.infer<typeof waitingCaseSchema> {
  const { reviewerId, reviewerName, claimedAt } = one
  const isClaimed = reviewerId !== null && reviewerName !== null && claimedAt !== null
  return answerOf(waitingCaseSchema, one, {
    id: wireIdOf({ kind: one.kind, id: one.merchantId }),
    kind: one.kind === 'personal' ? 'person' : 'business',
    age_seconds: Math.floor(one.ageSeconds),
    overdue: one.ageSeconds > overdueHours * 3600,
    self_review: one.isOwn,
    claim: claimToJson(isClaimed ? { reviewerId, reviewerName, claimedAt } : undefined),
  })
}

const countsSchema = z
  .object({
    kind,
    waiting: z.int(),
    claimed: z.int().meta({ description: 'Waiting cases that an operator has claimed.' }),
    overdue: z.int(),
    oldest_submitted_at: z.iso.datetime().nullable(),
    unsubmitted: z.int(),
    pending: z.int().meta({ description: 'Waiting cases, and businesses that were never submitted.' }),
    verified: z.int(),
    rejected: z.int(),
  })
  .meta({ id: 'ReviewCounts' })

const byMerchant = z.object({ merchant_id: z.string() })

export async function reviewQueueRoutes(http: Http, deps: ReviewQueueDeps): Promise<void> {
  const { db, cursors } = deps
  const readStatuses = remembered(() => countStatuses(db), { forMs: countsKeptMs, clock: deps.clock })

  async function find(request: FastifyRequest): Promise<Merchant> {
    return orNotFound(await findMerchantByWire(db, (request.params as z.infer<typeof byMerchant>).merchant_id))
  }
  operatorRoute(http, deps, {
    route: 'GET /v1/admin/reviews',
    operationId: 'listWaitingReviews',
    summary: 'List cases waiting for review',
    query: z.strictObject({
      limit: listQuery.limit,
      cursor: listQuery.cursor,
      kind: kind.optional(),
      claimed: z.enum(['me', 'none']).optional().meta({ description: 'Only cases claimed by you (`me`) or by no one (`none`).' }),
      overdue: trueOrFalse
        .default('false')
        .meta({ description: `Only cases that have waited for more than ${overdueHours} hours.` }),
    }),
    answers: { 200: listOf(waitingCaseSchema) },
    handler: async (request) => {
      const { limit, cursor, claimed, overdue } = request.query
      const { userId } = request.signedIn
      const wantedKind = request.query.kind === undefined ? null : kinds[request.query.kind]
      const scope = `reviews ${wantedKind} ${claimed} ${overdue} ${claimed === 'me' ? userId : ''}`
      const [submittedAt, merchantId] = cursors.decode(scope, cursor)
      const rows = await listWaiting(db, request.signedIn.userId, {
        kind: wantedKind,
        claimedBy: claimed === 'me' ? { reviewerId: userId } : (claimed ?? null),
        waitedHours: overdue === 'true' ? overdueHours : null,
        after: submittedAt === undefined ? null : { submittedAt: String(submittedAt), merchantId: String(merchantId) },
        limit,
      })
      const page = toPage(rows, limit, (last) => cursors.encode(scope, [last.submittedAt.toISOString(), last.merchantId]))
      return answerPage(page, toJson)
    },
  })

  operatorRoute(http, deps, {
    route: 'GET /v1/admin/reviews/counts',
    operationId: 'countReviews',
    summary: 'Count reviews by status',
    description: 'The counts may be ten seconds old.',
    answers: { 200: dataOf(z.array(countsSchema)) },
    handler: async () => {
      const [waiting, statuses] = await Promise.all([countWaiting(db, overdueHours), readStatuses()])
      const countOf = (of: Merchant['kind'], status: string): number =>
        statuses.find((one) => one.kind === of && one.status === status)?.count ?? 0
      return {
        data: waiting.map((one) =>
          answerOf(countsSchema, one, {
            kind: one.kind === 'personal' ? 'person' : one.kind,
            unsubmitted: countOf(one.kind, 'unsubmitted'),
            pending: countOf(one.kind, 'pending'),
            verified: countOf(one.kind, 'verified'),
            rejected: countOf(one.kind, 'rejected'),
          }),
        ),
      }
    },
  })

  const { config } = deps
  operatorRoute(http, deps, {
    route: 'GET /v1/admin/reviews/:merchant_id/opened-documents',
    operationId: 'getOpenedDocuments',
    summary: 'Get the documents you opened',
    description: 'The documents under review in their submitted version. A new file for the same purpose counts as not opened.',
    answers: { 200: dataOf(openedDocumentsSchema) },
    before: find,
    handler: async (request) => {
      const merchant = await find(request)
      const { submitted } = await readReview(db, merchant.id)
      const opened = await findOpenedBy(
        db,
        request.signedIn.userId,
        submitted.map(({ id }) => id),
      )
      return {
        data: {
          required: config.safeguards.reviewNeedsOpenedDocuments,
          documents: submitted.map(({ id, purpose }) => ({ id: toWire('doc', id), purpose, opened: opened.has(id) })),
        },
      }
    },
  })

  operatorRoute(http, deps, {
    route: 'GET /v1/admin/rejection-reasons',
    operationId: 'listRejectionReasons',
    summary: 'List rejection reasons',
    description: 'The texts that the owner will read, in both languages. Send their codes as `reason_codes` of a decision.',
    answers: { 200: dataOf(z.array(rejectionReasonSchema)) },
    handler: async () => ({ data: listRejectionReasons() }),
  })

  operatorRoute(http, deps, {
    route: 'POST /v1/admin/reviews/:merchant_id/claim',
    operationId: 'claimReview',
    summary: 'Claim or assign a review case',
    description:
      'A claim does not stop other operators from deciding. It ends with the decision. Already claimed by another operator: 409 `review_claimed`. Not waiting for a decision: 409 `invalid_state`. The case is about the operator’s own account or business: 403 `self_review_forbidden`.',
    body: z
      .strictObject({ reviewer_id: z.string().optional().meta({ description: 'The operator to assign. Default: you.' }) })
      .prefault({}),
    answers: { 200: dataOf(claimSchema) },
    refuses: ['self_review_forbidden', 'review_claimed', 'invalid_state'],
    before: find,
    handler: async (request) => {
      const merchant = await find(request)
      const { reviewer_id: wireId } = request.body
      const reviewerId = wireId === undefined ? request.signedIn.userId : fromWire('usr', wireId)
      if (reviewerId === undefined) {
        throw invalidFields([{ field: 'reviewer_id', code: 'invalid', message: 'This user is not an operator.' }])
      }
      await claimReview(deps, merchant, reviewerId, { ...request.signedIn, origin: originOf(request) })
      return { data: claimToJson(await findClaim(db, merchant.id)) }
    },
  })

  operatorRoute(http, deps, {
    route: 'POST /v1/admin/reviews/:merchant_id/release',
    operationId: 'releaseReview',
    summary: 'Release a review case',
    body: z.strictObject({}).prefault({}),
    answers: { 200: dataOf(z.object({ id: z.string(), claim: claimSchema })) },
    before: find,
    handler: async (request) => {
      const merchant = await find(request)
      await releaseReview(deps, merchant, { ...request.signedIn, origin: originOf(request) })
      return { data: { id: wireIdOf(merchant), claim: claimToJson(await findClaim(db, merchant.id)) } }
    },
  })
}

const openedDocumentsSchema = z
  .object({
    required: z.boolean().meta({
      description: 'Whether a reviewer must open every readable document before deciding (409 `documents_not_opened`).',
    }),
    documents: z.array(
      z.object({
        id: z.string(),
        purpose: z.string(),
        opened: z.boolean().meta({ description: 'Whether you have opened this file.' }),
      }),
    ),
  })
  .meta({ id: 'OpenedDocuments' })
