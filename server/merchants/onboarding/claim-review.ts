/** Which operator works on a submitted case. A claim prevents two operators from reading the same case; any operator may still decide. */
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import { confirmOperator, type ActiveSession } from '../../accounts/identity/authenticate.ts'
import { wireIdOf, type Merchant } from '../../accounts/identity/merchant.ts'
import { findUser } from '../../accounts/identity/user.sql.ts'
import { refuseOwnMerchant } from '../../accounts/members/self-decision.ts'
import type { Db } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { invalidFields, invalidState, Refusal } from '../../platform/refusal.ts'
import { deleteClaim, findClaim, insertClaim } from './review-queue.sql.ts'
import { lockOrMakeReview } from './submit-package.ts'

type Operator = ActiveSession & { origin: Origin }

/**
 * Assigns a case to an operator. Refuses with 403 `self_review_forbidden` their own case, with 409 `invalid_state` a case that
 * does not wait for a decision, with 409 `review_claimed` a case of another operator, with 400 a person that is not an operator.
 */
export async function claimReview(deps: { db: Db }, merchant: Merchant, reviewerId: string, by: Operator): Promise<void> {
  await refuseOwnMerchant(deps.db, merchant.id, reviewerId)
  const reviewer = await findUser(deps.db, reviewerId)
  if (reviewer?.role !== 'admin') {
    throw invalidFields([{ field: 'reviewer_id', code: 'invalid', message: 'This user is not an operator.' }])
  }
  await deps.db.tx(async (tx) => {
    const { stage } = await lockOrMakeReview(tx, merchant.id)
    await confirmOperator(tx, by)
    if (stage !== 'submitted') throw invalidState('This case is not waiting for a decision.', 'Suala hili halisubiri uamuzi.')
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
    await appendAudit(tx, by.origin, { action: 'review.claimed', object: wireIdOf(merchant), after })
  })
}

/** Releases a case of any operator; does nothing for an unclaimed case. */
export async function releaseReview(deps: { db: Db }, merchant: Merchant, by: Operator): Promise<void> {
  await deps.db.tx(async (tx) => {
    await confirmOperator(tx, by)
    const reviewerId = await deleteClaim(tx, merchant.id)
    if (reviewerId === undefined) return
    const before = { reviewer: toWire('usr', reviewerId) }
    await appendAudit(tx, by.origin, { action: 'review.released', object: wireIdOf(merchant), before })
  })
}
