/**
 * A reviewer's decision. Invariant: it is taken on the package that the reviewer has seen, by somebody who is not behind it, once;
 * what it opens or closes is the merchant's status itself, which every request reads.
 */
import { appendAudit, type Origin } from '../audit/audit.ts'
import { isUnreadable } from '../documents/document.ts'
import { relyOnMerchantOfUser, renameMerchant, setVerificationStatus } from '../identity/merchant.sql.ts'
import { wireIdOf, type Merchant } from '../identity/merchant.ts'
import { findUser } from '../identity/user.sql.ts'
import { enqueueMail } from '../mail/mail.ts'
import type { Db, Tx } from '../platform/db.ts'
import { assert, invalidFields, Refusal } from '../platform/refusal.ts'
import type { Sealer } from '../platform/secrets.ts'
import { decisionMail } from './decision-mail.ts'
import { readReview } from './read-review.ts'
import { insertHistory, markDecided } from './review.sql.ts'
import { decisionsOn, type Decision, type Review } from './review.ts'
import { deleteClaim } from './review-queue.sql.ts'
import { holdReview } from './submit-package.ts'

export type DecideDeps = { db: Db; sealer: Sealer }

export type WantedDecision = {
  status: Decision
  reason: string | null
  /** The version that the reviewer has seen, if they say so. */
  version: number | undefined
}

/** The name that payers see once it is verified: what reviewers looked at, read with the review held. */
type NameOf = (tx: Tx) => Promise<string>

export function requireNotSelf(merchant: Pick<Merchant, 'userId'>, reviewerId: string): void {
  if (merchant.userId !== reviewerId) return
  throw new Refusal(403, 'self_review_forbidden', 'This is your own: another reviewer has to decide.')
}

async function requireDecidable(tx: Tx, merchant: Merchant, review: Review, wanted: WantedDecision): Promise<void> {
  if (wanted.version !== undefined && wanted.version !== review.version) {
    throw new Refusal(409, 'review_version_changed', 'This has changed since you looked at it. Look again.', {
      details: { version: review.version },
    })
  }
  if (review.stage === 'draft') {
    throw merchant.kind === 'business'
      ? new Refusal(409, 'kyb_not_submitted', 'This business has not submitted its documents yet.')
      : new Refusal(409, 'kyc_not_submitted', 'This person has not submitted their documents yet.')
  }
  if (!decisionsOn(review).includes(wanted.status)) {
    throw new Refusal(409, 'invalid_state', `What is ${review.status} cannot become ${wanted.status} by a decision.`)
  }
  if (wanted.status !== 'verified') return
  const { submitted } = await readReview(tx, merchant.id)
  const unreadable = submitted.find(isUnreadable)
  if (unreadable) {
    throw new Refusal(409, 'document_unreadable', `The ${unreadable.purpose} does not decode: ask for another file.`, {
      details: { purpose: unreadable.purpose },
    })
  }
  if (merchant.kind !== 'business') return
  const representative = await relyOnMerchantOfUser(tx, merchant.userId)
  if (representative?.verificationStatus !== 'verified') {
    throw new Refusal(409, 'invalid_state', 'The identity of the representative is not verified any more.')
  }
}

/** Takes a reviewer's decision on a person or a business. */
export async function decide(
  deps: DecideDeps,
  merchant: Merchant,
  wanted: WantedDecision,
  reviewer: { userId: string; origin: Origin },
  nameOf?: NameOf,
): Promise<void> {
  requireNotSelf(merchant, reviewer.userId)
  const { status, reason } = wanted
  if (status === 'rejected' && !reason) {
    throw invalidFields([{ field: 'reason', code: 'required', message: 'Write what is wrong, for its owner to read.' }])
  }
  await deps.db.tx(async (tx) => {
    const review = await holdReview(tx, merchant.id)
    await requireDecidable(tx, merchant, review, wanted)
    if (status === 'verified' && nameOf) await renameMerchant(tx, merchant.id, await nameOf(tx))
    await recordDecision(deps, tx, { merchant, review, status, reason, userId: reviewer.userId, origin: reviewer.origin })
  })
}

/** The effects of a decision, in the transaction that holds the review. */
export async function recordDecision(
  deps: { sealer: Sealer },
  tx: Tx,
  decision: {
    merchant: Merchant
    review: Review
    status: Decision
    reason: string | null
    userId: string | null
    origin: Origin
  },
): Promise<void> {
  const { merchant, review, status, reason, userId, origin } = decision
  const version = review.version + 1
  await deleteClaim(tx, merchant.id)
  await markDecided(tx, merchant.id, { version, status, reason })
  await setVerificationStatus(tx, merchant.id, status)
  await insertHistory(tx, {
    merchantId: merchant.id,
    version,
    action: status,
    fromStatus: review.status,
    toStatus: status,
    reason,
    package: null,
    actorUserId: userId,
    requestId: origin.requestId,
  })
  const user = await findUser(tx, merchant.userId)
  assert(user, 'a merchant has a user')
  await enqueueMail(
    deps,
    tx,
    decisionMail({ to: user.email, name: user.fullName, merchant, from: review.status, status, reason }),
  )
  await appendAudit(tx, origin, {
    action: `${merchant.kind === 'business' ? 'business' : 'kyc'}.${status}`,
    object: wireIdOf(merchant),
    before: { status: review.status, version: review.version },
    after: { status, version },
  })
}
