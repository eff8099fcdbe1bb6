/**
 * A reviewer's decision. Invariant: it is made once, on the package that the reviewer has seen, by a reviewer who does not own
 * the merchant. It sets the merchant's status, which every request reads.
 */
import type { Decision } from '../../domain/verification.ts'
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import type { Config } from '../../config/config.ts'
import { findOpenedBy } from '../documents/document.sql.ts'
import { isUnreadable, type Document } from '../documents/document.ts'
import {
  lockMerchantsOfUser,
  relyOnMerchantOfUser,
  renameMerchant,
  setVerificationStatus,
} from '../../accounts/identity/merchant.sql.ts'
import { wireIdOf, type Merchant } from '../../accounts/identity/merchant.ts'
import { listOwners } from '../../accounts/members/access.sql.ts'
import { refuseOwnMerchant } from '../../accounts/members/self-decision.ts'
import { confirmOperator, type ActiveSession } from '../../accounts/identity/authenticate.ts'
import { enqueueMail } from '../../base/mail/mail.ts'
import type { Db, Tx } from '../../platform/db/db.ts'
import { invalidFields, invalidState, Refusal } from '../../platform/refusal.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import { decisionMail } from './decision-mail.ts'
import { readReview } from './read-review.ts'
import { insertHistory, markDecided } from './review.sql.ts'
import { decisionsOn, type Problem, type Review } from './review.ts'
import { deleteClaim } from './review-queue.sql.ts'
import { lockOrMakeReview } from './submit-package.ts'

export type DecideDeps = { db: Db; sealer: Sealer; config: Pick<Config, 'safeguards'> }

export type WantedDecision = {
  status: Decision
  reason: string | null
  /** The reasons for a rejection by document and field. */
  problems: Problem[]
  /** The version that the reviewer has seen, if given. */
  version: number | undefined
}

/** The name that payers see after approval: the name that reviewers saw, read while the review is locked. */
type NameOf = (tx: Tx) => Promise<string>

/** Refuses with 409 `documents_not_opened` a reviewer that has not opened each readable document in its submitted version. */
async function requireOpened(tx: Tx, submitted: readonly Document[], reviewerId: string): Promise<void> {
  const readable = submitted.filter((document) => !isUnreadable(document))
  const ids = readable.map(({ id }) => id)
  const opened = await findOpenedBy(tx, reviewerId, ids)
  const purposes = readable.filter(({ id }) => !opened.has(id)).map(({ purpose }) => purpose)
  if (purposes.length === 0) return
  throw new Refusal(409, 'documents_not_opened', 'Open every document before you decide. See details.purposes.', {
    details: { purposes },
  })
}

async function requireDecidable(
  { config }: Pick<DecideDeps, 'config'>,
  tx: Tx,
  merchant: Merchant,
  review: Review,
  wanted: WantedDecision,
  reviewerId: string,
): Promise<void> {
  if (wanted.version !== undefined && wanted.version !== review.version) {
    throw new Refusal(409, 'review_version_changed', 'This case has changed since you read it. Read it again.', {
      details: { version: review.version },
    })
  }
  if (review.stage === 'draft') {
    throw merchant.kind === 'business'
      ? new Refusal(409, 'kyb_not_submitted', 'This business has not submitted its documents yet.')
      : new Refusal(409, 'kyc_not_submitted', 'This person has not submitted their documents yet.')
  }
  if (!decisionsOn(review).includes(wanted.status)) {
    throw invalidState(
      `A decision cannot change the status from ${review.status} to ${wanted.status}.`,
      `Uamuzi hauwezi kubadilisha hali kutoka ${review.status} kwenda ${wanted.status}.`,
    )
  }
  // A later revocation follows from news, not from the documents.
  if (review.stage === 'decided') return
  const { submitted } = await readReview(tx, merchant.id)
  if (config.safeguards.reviewNeedsOpenedDocuments) await requireOpened(tx, submitted, reviewerId)
  if (wanted.status !== 'verified') return
  const unreadable = submitted.find(isUnreadable)
  if (unreadable) {
    throw new Refusal(409, 'document_unreadable', `The ${unreadable.purpose} cannot be opened. Ask for another file.`, {
      details: { purpose: unreadable.purpose },
    })
  }
  if (merchant.kind !== 'business') return
  const representative = await relyOnMerchantOfUser(tx, merchant.userId)
  if (representative?.verificationStatus !== 'verified') {
    throw invalidState(
      'The identity of the representative is no longer verified.',
      'Utambulisho wa mwakilishi haujathibitishwa tena.',
    )
  }
}

/** Applies a reviewer's decision on a person or a business. */
export async function decide(
  deps: DecideDeps,
  merchant: Merchant,
  wanted: WantedDecision,
  reviewer: ActiveSession & { origin: Origin },
  nameOf?: NameOf,
): Promise<void> {
  await refuseOwnMerchant(deps.db, merchant.id, reviewer.userId)
  const { status, reason, problems } = wanted
  if (status === 'rejected' && !reason) {
    throw invalidFields([
      { field: 'reason', code: 'required', message: 'Enter the reason for the rejection. The owner reads this text.' },
    ])
  }
  await deps.db.tx(async (tx) => {
    const businesses = status === 'rejected' ? await lockBusinessesBehind(tx, merchant) : []
    const review = await lockOrMakeReview(tx, merchant.id)
    await confirmOperator(tx, reviewer)
    await requireDecidable(deps, tx, merchant, review, wanted, reviewer.userId)
    if (status === 'verified' && nameOf) await renameMerchant(tx, merchant.id, await nameOf(tx))
    const by = { userId: reviewer.userId, origin: reviewer.origin }
    await recordDecision(deps, tx, { merchant, review, status, reason, problems, ...by })
    await revokeBusinesses(deps, tx, businesses, by)
  })
}

/** The businesses that a person represents, locked before the person: the lock order is business, then person. For a business: none. */
export async function lockBusinessesBehind(tx: Tx, merchant: Merchant): Promise<Merchant[]> {
  if (merchant.kind === 'business') return []
  return (await lockMerchantsOfUser(tx, merchant.userId)).filter(({ kind }) => kind === 'business')
}

/** Revokes the verification of verified businesses, because their representative's identity was rejected. They may be submitted again. */
export async function revokeBusinesses(
  deps: { sealer: Sealer },
  tx: Tx,
  businesses: readonly Merchant[],
  by: { userId: string | null; origin: Origin },
): Promise<void> {
  const reason = 'Utambulisho wa mwakilishi haujakubaliwa tena. · The identity of the representative is not accepted any more.'
  for (const merchant of businesses.filter(({ verificationStatus }) => verificationStatus === 'verified')) {
    const review = await lockOrMakeReview(tx, merchant.id)
    await recordDecision(deps, tx, { merchant, review, status: 'rejected', reason, problems: [], ...by })
  }
}

/** The effects of a decision, in the transaction that has locked the review. */
export async function recordDecision(
  deps: { sealer: Sealer },
  tx: Tx,
  decision: {
    merchant: Merchant
    review: Review
    status: Decision
    reason: string | null
    problems: Problem[]
    userId: string | null
    origin: Origin
  },
): Promise<void> {
  const { merchant, review, status, reason, problems, userId, origin } = decision
  const version = review.version + 1
  await deleteClaim(tx, merchant.id)
  await markDecided(tx, merchant.id, { version, status, reason, problems })
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
  for (const { email, fullName } of await listOwners(tx, merchant.id)) {
    const mail = decisionMail({ to: email, name: fullName, merchant, from: review.status, status, reason })
    await enqueueMail(deps, tx, mail)
  }
  await appendAudit(tx, origin, {
    action: `${merchant.kind === 'business' ? 'business' : 'kyc'}.${status}`,
    object: wireIdOf(merchant),
    merchantId: merchant.id,
    before: { status: review.status, version: review.version },
    after: { status, version, ...(problems.length > 0 && { items: problems.map(({ item }) => item) }) },
  })
}
