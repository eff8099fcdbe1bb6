/**
 * The review of a merchant's owner, a person or a business: its status, its transitions, and its open requirements. Both kinds
 * share one review; their data and forms are defined elsewhere.
 */
import { z } from 'zod'
import { documentStatusSchema, type Purpose } from '../../domain/document.ts'
import {
  reviewActionSchema,
  reviewStageSchema,
  type Decision,
  type ReviewStage,
  type VerificationStatus,
  type ReviewAction,
} from '../../domain/verification.ts'
import { isUnreadable, type Document } from '../documents/document.ts'
import { toWire } from '../../platform/ids.ts'
import type { Claim } from './review-queue.sql.ts'
import { answerOf } from '../../platform/http/answer.ts'

/** What is wrong with one document or field of a rejected package; `review`: with the whole of it. */
export type Problem = { item: string; code: string; sw: string; en: string }

export type Review = {
  merchantId: string
  status: VerificationStatus
  stage: ReviewStage
  /** Increases with every submission, change and decision. */
  version: number
  rejectionReason: string | null
  /** The reasons of the last rejection by item; null: there is only the text. */
  problems: Problem[] | null
  submittedAt: Date | null
  decidedAt: Date | null
  verifiedAt: Date | null
}

/** The decisions that reviewers can make, by the current status. All others are 409 `invalid_state`. */
export const decisions: Record<'submitted' | VerificationStatus, readonly Decision[]> = {
  submitted: ['verified', 'rejected'],
  verified: ['rejected'],
  rejected: [],
  pending: [],
  unsubmitted: [],
}

export function decisionsOn({ stage, status }: Pick<Review, 'stage' | 'status'>): readonly Decision[] {
  return stage === 'submitted' ? decisions.submitted : decisions[status]
}

type RequirementError = { item: string; code: string; reason: string; sw?: string; en?: string }

export type Requirements = { currentlyDue: string[]; errors: RequirementError[] }

const unreadableReason = 'The file cannot be opened. Upload a different file.'

/** Words of the reviewer alone are the same in both languages. */
export const inBothLanguages = ({ sw, en }: Pick<Problem, 'sw' | 'en'>): string => (sw === en ? sw : `${sw}\n${en}`)

/** The whole reason, then one error for each document and field; a document that was uploaded again since is no error any more. */
function rejectionErrors(
  { rejectionReason, problems, decidedAt }: Pick<Review, 'rejectionReason' | 'problems' | 'decidedAt'>,
  latest: readonly Document[],
): RequirementError[] {
  const found = problems ?? []
  const general = found.find(({ item }) => item === 'review')
  const isReplaced = (item: string): boolean =>
    latest.some(
      ({ purpose, state, finishedAt }) =>
        purpose === item && state === 'uploaded' && decidedAt !== null && finishedAt! > decidedAt,
    )
  const ofItems = found.filter(({ item }) => item !== 'review' && !isReplaced(item))
  return [
    {
      item: 'review',
      code: 'rejected',
      reason: rejectionReason!,
      // With items, the reason that is about none of them; without items, `reason` says it all.
      ...(general && { sw: general.sw, en: general.en }),
    },
    ...ofItems.map((problem) => ({ ...problem, reason: inBothLanguages(problem) })),
  ]
}

/** The newest kept file of a purpose, and the newest refused file, if it came later. */
type Latest = { kept: Document | undefined; refused: Document | undefined }

export function latestOf(documents: readonly Document[], purpose: Purpose): Latest {
  const ofPurpose = documents.filter((document) => document.purpose === purpose)
  const kept = ofPurpose.find(({ state }) => state === 'uploaded')
  const refused = ofPurpose.find(({ state }) => state === 'refused')
  const isNewer = refused && (!kept || refused.finishedAt! > kept.finishedAt!)
  return { kept, refused: isNewer ? refused : undefined }
}

/**
 * The requirements that the owner still has to meet. `latest` contains the newest kept and the newest refused file of each
 * purpose, `submitted` the files under review; `representativeIsVerified` is undefined for a personal merchant, which has no representative.
 */
export function requirementsOf(
  review: Pick<Review, 'status' | 'stage' | 'rejectionReason' | 'problems' | 'submittedAt' | 'decidedAt'>,
  purposes: readonly Purpose[],
  documents: { latest: readonly Document[]; submitted: readonly Document[] },
  representativeIsVerified: boolean | undefined,
): Requirements {
  const currentlyDue: string[] = []
  const errors: Requirements['errors'] = []
  if (representativeIsVerified === false) currentlyDue.push('representative_kyc')
  if (review.status === 'verified') return { currentlyDue, errors }
  if (review.status === 'rejected' && review.rejectionReason !== null) errors.push(...rejectionErrors(review, documents.latest))
  const isSubmitted = review.stage === 'submitted'
  let isSubmissionDue = !isSubmitted
  for (const purpose of purposes) {
    const { kept, refused } = latestOf(documents.latest, purpose)
    const submitted = documents.submitted.find((document) => document.purpose === purpose)
    // A refusal before the submission of the package no longer counts.
    if (refused && !(isSubmitted && review.submittedAt! >= refused.finishedAt!)) {
      errors.push({ item: purpose, code: refused.refusedCode!, reason: refused.refusedReason! })
    }
    const isKeptReadable = kept !== undefined && !isUnreadable(kept)
    if (isSubmitted && submitted && !isUnreadable(submitted)) continue
    // The file under review cannot be opened: a readable file must be submitted in its place.
    if (isSubmitted) isSubmissionDue = true
    if (isKeptReadable) continue
    currentlyDue.push(purpose)
    if (kept) errors.push({ item: purpose, code: 'document_unreadable', reason: unreadableReason })
  }
  if (isSubmissionDue) currentlyDue.push('submission')
  return { currentlyDue, errors }
}

export const reviewSchema = z.object({
  stage: reviewStageSchema,
  version: z.int().meta({ description: 'Increases with every submission, change and decision.' }),
  submitted_at: z.iso.datetime().nullable(),
  decided_at: z.iso.datetime().nullable(),
})

export function reviewToJson(review: Review): z.infer<typeof reviewSchema> {
  return answerOf(reviewSchema, review, {})
}

export const requirementsSchema = z.object({
  currently_due: z.array(z.string()).meta({
    description: 'The missing items: document purposes, `representative_kyc`, `submission`.',
    example: ['representative_kyc', 'tax_certificate', 'submission'],
  }),
  errors: z
    .array(
      z.object({
        item: z.string().meta({ description: 'A purpose of a document, a field, or `review` for the whole case.' }),
        code: z.string(),
        reason: z.string(),
        sw: z.string().optional().meta({
          description:
            'The reviewer’s reason about this item alone, in Swahili. Missing for a file that was refused automatically.',
        }),
        en: z.string().optional().meta({ description: 'The same in English.' }),
      }),
    )
    .meta({ description: 'The refused items, each with its reason. Send them again; everything else stays as it is.' }),
})

export function requirementsToJson(requirements: Requirements): z.infer<typeof requirementsSchema> {
  return { currently_due: requirements.currentlyDue, errors: requirements.errors }
}

const documentFields = {
  status: documentStatusSchema,
  unreadable: z.boolean().meta({ description: 'Whether the file was stored but cannot be opened. Upload it again.' }),
  document_url: z.string().nullable().meta({ description: 'The newest stored file. Submit this URL.' }),
  file_name: z.string().nullable().meta({ description: 'The name of that file as you sent it with presign.' }),
  under_review: z.boolean().meta({ description: 'Whether that file is the one that was submitted.' }),
  uploaded_at: z.iso.datetime().nullable(),
}

export function documentSchema<const Purposes extends readonly [Purpose, ...Purpose[]]>(
  purposes: Purposes,
): z.ZodObject<typeof documentFields & { purpose: z.ZodType<Purpose> }> {
  return z.object({ purpose: z.enum(purposes) as z.ZodType<Purpose>, ...documentFields })
}

/** One entry for each purpose, with or without a file. */
export function documentsToJson(
  purposes: readonly Purpose[],
  documents: { latest: readonly Document[]; submitted: readonly Document[] },
  urlOf: (document: Document) => string,
): z.infer<ReturnType<typeof documentSchema>>[] {
  return purposes.map((purpose) => {
    const { kept, refused } = latestOf(documents.latest, purpose)
    return {
      purpose,
      status: kept ? 'uploaded' : refused ? 'refused' : 'missing',
      unreadable: kept !== undefined && isUnreadable(kept),
      document_url: kept ? urlOf(kept) : null,
      file_name: kept?.fileName ?? null,
      under_review: documents.submitted.some(({ id }) => id === kept?.id),
      uploaded_at: kept?.finishedAt?.toISOString() ?? null,
    }
  })
}

export const submittedDocumentSchema = z.object({
  purpose: z.string(),
  id: z.string(),
  content_type: z.string(),
  size_bytes: z.int(),
  sha256: z.string().meta({ description: 'SHA-256 of the uploaded file, in hex.' }),
  same_as: z.array(z.string()).meta({ description: 'Other purposes for which the same file was submitted.' }),
  unreadable: z.boolean().meta({ description: 'Whether the file cannot be opened. Verification is not possible with it.' }),
  uploaded_at: z.iso.datetime(),
})

/** The documents under review, for reviewers, in the order of their purposes. */
export function submittedDocumentsToJson(
  purposes: readonly Purpose[],
  documents: readonly Document[],
): z.infer<typeof submittedDocumentSchema>[] {
  const inOrder = purposes.flatMap((purpose) => documents.filter((document) => document.purpose === purpose))
  return inOrder.map((document) => ({
    purpose: document.purpose,
    id: toWire('doc', document.id),
    content_type: document.contentType,
    size_bytes: document.sizeBytes!,
    sha256: document.sha256!.toString('hex'),
    same_as: inOrder
      .filter((other) => other.id !== document.id && other.sha256!.equals(document.sha256!))
      .map(({ purpose }) => purpose),
    unreadable: isUnreadable(document),
    uploaded_at: document.finishedAt!.toISOString(),
  }))
}

export type HistoryEntry = {
  version: number
  action: ReviewAction
  fromStatus: VerificationStatus
  toStatus: VerificationStatus
  reason: string | null
  /** Null for the operator's command line. */
  actorUserId: string | null
  actorName: string | null
  /** The submitted or changed data. */
  package: { facts: Record<string, string | null>; documents: { id: string; purpose: string; sha256: string }[] } | null
  at: Date
}

export const historySchema = z.object({
  version: z.int(),
  action: reviewActionSchema,
  from_status: z.string(),
  to_status: z.string(),
  reason: z.string().nullable(),
  actor: z.object({
    id: z.string().meta({ description: 'A user, or `ops` for the operator command line.' }),
    name: z.string().nullable(),
  }),
  package: z
    .object({
      facts: z.record(z.string(), z.string().nullable()),
      documents: z.array(z.object({ id: z.string(), purpose: z.string(), sha256: z.string() })),
    })
    .nullable()
    .meta({ description: 'The submitted or changed data.' }),
  changes: z
    .array(z.object({ field: z.string(), before: z.string().nullable(), after: z.string().nullable() }))
    .nullable()
    .meta({
      description: 'Differences from the previous package: facts, and the SHA-256 of documents. Null if there is none.',
    }),
  at: z.iso.datetime(),
})

type Package = NonNullable<HistoryEntry['package']>

function fieldsOf({ facts, documents }: Package): Map<string, string | null> {
  return new Map([...Object.entries(facts), ...documents.map(({ purpose, sha256 }) => [purpose, sha256] as const)])
}

function changesBetween(before: Package, after: Package): { field: string; before: string | null; after: string | null }[] {
  const [then, now] = [fieldsOf(before), fieldsOf(after)]
  return [...new Set([...now.keys(), ...then.keys()])]
    .map((field) => ({ field, before: then.get(field) ?? null, after: now.get(field) ?? null }))
    .filter((change) => change.before !== change.after)
}

/** `entries` newest first, as they are shown. */
export function historyToJson(entries: readonly HistoryEntry[]): z.infer<typeof historySchema>[] {
  return entries.map((entry, place) => {
    const before = entries.slice(place + 1).find((earlier) => earlier.package !== null)?.package
    return answerOf(historySchema, entry, {
      actor: { id: entry.actorUserId === null ? 'ops' : toWire('usr', entry.actorUserId), name: entry.actorName },
      package: entry.package,
      changes: entry.package && before ? changesBetween(before, entry.package) : null,
    })
  })
}

export const claimSchema = z
  .object({ reviewer: z.object({ id: z.string(), name: z.string() }), claimed_at: z.iso.datetime() })
  .nullable()
  .meta({ description: 'The operator that claimed the case.' })

export function claimToJson(claim: Claim | undefined): z.infer<typeof claimSchema> {
  if (!claim) return null
  return {
    reviewer: { id: toWire('usr', claim.reviewerId), name: claim.reviewerName },
    claimed_at: claim.claimedAt.toISOString(),
  }
}

export const caseFields = {
  self_review: z.boolean().meta({ description: 'Whether it is your own case. You cannot decide about it.' }),
  resembles: z
    .string()
    .nullable()
    .meta({ description: 'A network, bank or public office with a similar name, which payers could confuse with it.' }),
  claim: claimSchema,
  duplicate_people: z
    .array(z.object({ user_id: z.string(), full_name: z.string(), same: z.array(z.string()) }))
    .meta({ description: 'Other people with the same national identity number, phone or file.' }),
}

export type DuplicatePerson = { id: string; fullName: string; same: string[] }

export function duplicatePeopleToJson(
  people: readonly DuplicatePerson[],
): z.infer<z.ZodObject<typeof caseFields>>['duplicate_people'] {
  return people.map(({ id, fullName, same }) => ({ user_id: toWire('usr', id), full_name: fullName, same }))
}

/** Businesses that share something with a case. */
export const duplicateBusinesses = z.array(
  z.object({ business_id: z.string(), legal_name: z.string(), same: z.array(z.string()) }),
)

export type DuplicateBusiness = { id: string; legalName: string; same: string[] }

export function duplicateBusinessesToJson(businesses: readonly DuplicateBusiness[]): z.infer<typeof duplicateBusinesses> {
  return businesses.map(({ id, legalName, same }) => ({ business_id: toWire('biz', id), legal_name: legalName, same }))
}
