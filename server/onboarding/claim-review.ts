/** Which operator has a submitted case in hand. A claim keeps others from reading the same case twice; it forbids nobody to decide. */
import { appendAudit, type Origin } from '../audit/audit.ts'
import { wireIdOf, type Merchant } from '../identity/merchant.ts'
import { findUser } from '../identity/user.sql.ts'
import type { Db } from '../platform/db/db.ts'
import { toWire } from '../platform/ids.ts'
import { invalidFields, Refusal } from '../platform/refusal.ts'
import { requireNotSelf } from './decide.ts'
import { deleteClaim, findClaim, insertClaim } from './review-queue.sql.ts'
import { lockOrMakeReview } from './submit-package.ts'

/**
 * Gives a case to an operator. Refuses with 403 `self_review_forbidden` their own, with 409 `invalid_state` what does not wait for a
 * decision, with 409 `review_claimed` what another one has, with 400 somebody who is no operator.
 */
export async function claimReview(deps: { db: Db }, merchant: Merchant, reviewerId: string, origin: Origin): Promise<void> {
  requireNotSelf(merchant, reviewerId)
  const reviewer = await findUser(deps.db, reviewerId)
  if (reviewer?.role !== 'admin') {
    throw invalidFields([{ field: 'reviewer_id', code: 'invalid', message: 'This user is not an operator.' }])
  }
  await deps.db.tx(async (tx) => {
    const { stage } = await lockOrMakeReview(tx, merchant.id)
    if (stage !== 'submitted') throw new Refusal(409, 'invalid_state', 'This case is not waiting for a decision.')
    if (!(await insertClaim(tx, merchant.id, reviewerId))) {
      const claim = await findClaim(tx, merchant.id)
      if (claim?.reviewerId === reviewerId) return
      throw new Refusal(
        409,
        'review_claimed',
        `${claim?.reviewerName ?? 'Another operator'} is working on this case. Ask them, or have it released.`,
        {
          details: { reviewer_id: claim ? toWire('usr', claim.reviewerId) : null },
        },
      )
    }
    const after = { reviewer: toWire('usr', reviewerId) }
    await appendAudit(tx, origin, { action: 'review.claimed', object: wireIdOf(merchant), after })
  })
}

/** Lets go of a case, whoever has it; of one that nobody has, nothing. */
export async function releaseReview(deps: { db: Db }, merchant: Merchant, origin: Origin): Promise<void> {
  await deps.db.tx(async (tx) => {
    const reviewerId = await deleteClaim(tx, merchant.id)
    if (reviewerId === undefined) return
    const before = { reviewer: toWire('usr', reviewerId) }
    await appendAudit(tx, origin, { action: 'review.released', object: wireIdOf(merchant), before })
  })
}
