/** Submits a package for review. Invariant: the transaction that submits also pins the bytes that reviewers will see. */
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import type { Document } from '../documents/document.ts'
import { relyOnMerchantOfUser, setVerificationStatus } from '../../accounts/identity/merchant.sql.ts'
import { wireIdOf, type Merchant } from '../../accounts/identity/merchant.ts'
import type { Db, Tx } from '../../platform/db/db.ts'
import { fromWire, toWire } from '../../platform/ids.ts'
import { invalidState, must, Refusal } from '../../platform/refusal.ts'
import {
  insertHistory,
  insertVerification,
  lockReview,
  markSubmitted,
  readLastPackage,
  setReviewVersion,
  replaceSubmittedDocuments,
} from './review.sql.ts'
import type { Review } from './review.ts'

export type Submission = {
  merchant: Merchant
  documents: Document[]
  /** The submitted facts for the history, read while the review is locked; without data that is sealed elsewhere. */
  factsOf(tx: Tx): Promise<Facts>
  userId: string
  /** Refuses, in the transaction, a person that may no longer submit. */
  confirm(tx: Tx): Promise<void>
}

type Facts = Record<string, string | null>

export function alreadyVerified(merchant: Merchant): Refusal {
  return merchant.kind === 'business'
    ? new Refusal(409, 'business_already_verified', 'This business is already verified. Its documents cannot be submitted again.')
    : invalidState('Your identity is already verified.', 'Utambulisho wako umeshathibitishwa.')
}

/** Refuses until the representative of a business is verified as a person: 403 `representative_kyc_required`. */
export function requireVerifiedRepresentative(representative: Merchant): void {
  if (representative.verificationStatus === 'verified') return
  throw new Refusal(
    403,
    'representative_kyc_required',
    'The identity of the representative must be verified first, in their own account. See GET /v1/kyc.',
  )
}

/** The same in a transaction, with a lock until its end. The lock order is business, then person. */
export async function requireRepresentative(tx: Tx, userId: string): Promise<void> {
  const representative = must(await relyOnMerchantOfUser(tx, userId), 'every user has a personal merchant')
  requireVerifiedRepresentative(representative)
}

/** Locks the review of a merchant, and makes it if the merchant is older than reviews. */
export async function lockOrMakeReview(tx: Tx, merchantId: string): Promise<Review> {
  await insertVerification(tx, merchantId)
  return must(await lockReview(tx, merchantId), 'a review can be read in the transaction that created it')
}

/** Submits a package, or replaces one without a decision. */
export async function submitPackage(deps: { db: Db }, submission: Submission, origin: Origin): Promise<void> {
  const { merchant, documents, userId } = submission
  await deps.db.tx(async (tx) => {
    await submission.confirm(tx)
    const review = await lockOrMakeReview(tx, merchant.id)
    if (merchant.kind === 'business') {
      await requireRepresentative(tx, merchant.userId)
    }
    if (review.status === 'verified') throw alreadyVerified(merchant)
    const version = review.version + 1
    const pinned = documents.map(({ id, purpose, sha256 }) => ({ id, purpose, sha256: sha256! }))
    await replaceSubmittedDocuments(tx, merchant.id, pinned)
    await markSubmitted(tx, merchant.id, version)
    await setVerificationStatus(tx, merchant.id, 'pending')
    await insertHistory(tx, {
      merchantId: merchant.id,
      version,
      action: 'submitted',
      fromStatus: review.status,
      toStatus: 'pending',
      reason: null,
      package: packageOf(await submission.factsOf(tx), pinned),
      actorUserId: userId,
      requestId: origin.requestId,
    })
    await appendAudit(tx, origin, {
      action: merchant.kind === 'business' ? 'business.submitted' : 'kyc.submitted',
      object: wireIdOf(merchant),
      merchantId: merchant.id,
      before: { status: review.status, version: review.version },
      after: { status: 'pending', version, documents: pinned.map(({ id }) => toWire('doc', id)) },
    })
  })
}

/**
 * Something that reviewers compare has changed outside the package: a case under review goes on in a new version, with the same package,
 * so that no decision that names its version falls on what its reviewer has not seen. It keeps its place in the queue.
 */
export async function renewReview(tx: Tx, merchantId: string, origin: Origin): Promise<void> {
  const review = await lockReview(tx, merchantId)
  if (review?.stage !== 'submitted') return
  const version = review.version + 1
  await setReviewVersion(tx, merchantId, version)
  await insertHistory(tx, {
    merchantId,
    version,
    action: 'changed',
    fromStatus: review.status,
    toStatus: 'pending',
    reason: null,
    package: await readLastPackage(tx, merchantId),
    actorUserId: fromWire('usr', origin.actor) ?? null,
    requestId: origin.requestId,
  })
}

export function packageOf(facts: Facts, documents: readonly { id: string; purpose: string; sha256: Buffer }[]): string {
  return JSON.stringify({
    facts,
    documents: documents.map(({ id, purpose, sha256 }) => ({ id: toWire('doc', id), purpose, sha256: sha256.toString('hex') })),
  })
}
