/** What the decision of members does to a payout or refund that waits for it. Invariant: its money leaves, or returns, once. */
import type { ApprovalFailure, DecisionOutcome } from '../../domain/approval.ts'
import { bySystem, type Origin } from '../../base/audit/audit.ts'
import type { Config } from '../../config/config.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { requestingRoles, decideApproval, type ApprovalDecision, type Decided } from '../../accounts/members/decide-approval.ts'
import { endApproval, lockApproval } from '../../accounts/members/approval.sql.ts'
import { outcomeOfEnd } from '../../accounts/members/end-approval.ts'
import type { Db, Tx } from '../../platform/db/db.ts'
import type { RecordMac } from '../../platform/crypto/record-mac.ts'
import { toWire } from '../../platform/ids.ts'
import { invalidState, must, notFound } from '../../platform/refusal.ts'
import { endUnsent, refuseInDoubt } from './cancel-payout.ts'
import { payoutReleaseMac } from './order-mac.ts'
import type { Payout } from './payout.ts'
import { decidePayout, lockEndable, type EndablePayout } from './payout.sql.ts'
import { completeOutside } from './complete-outside.ts'
import { operatorsApproval } from './request-payout.ts'

type ApproveDeps = { db: Db; config: Pick<Config, 'payouts'>; recordMac: RecordMac }

const wireIdOf = ({ id, refundOf }: Pick<Payout, 'id' | 'refundOf'>): string => toWire(refundOf === null ? 'po' : 'rf', id)

const waitsForMembers = ({ status, approval, approvalBy }: EndablePayout): boolean =>
  status === 'pending' && approval === 'required' && approvalBy === 'members'

/** Members have refused it, or did not approve it in time. */
async function end(
  tx: Tx,
  payout: EndablePayout,
  code: ApprovalFailure,
  cause: { actor: string; requestId: string },
): Promise<void> {
  await decidePayout(tx, payout, { approval: 'refused', by: 'members' })
  await endUnsent(tx, payout, cause, code)
}

/**
 * A member approves or refuses. Returns the outcome; an approved payout is due unless operators decide next, and an
 * approved refund outside is completed. Refuses with 404 a payout of
 * another wallet, with 409 `invalid_state` one that does not wait for members, and as `decideApproval` does.
 */
export async function decidePayoutByMember(
  deps: ApproveDeps,
  owner: Owner,
  wanted: { id: string; isRefund: boolean },
  decision: ApprovalDecision,
  origin: Origin,
): Promise<Decided> {
  const { home } = owner.merchant
  return deps.db.tx(async (tx) => {
    const payout = await lockEndable(tx, { home, id: wanted.id })
    const isOwn = payout?.merchantId === owner.merchant.id && payout.environment === owner.environment
    if (!payout || !isOwn || (payout.refundOf !== null) !== wanted.isRefund) throw notFound()
    if (!waitsForMembers(payout))
      throw invalidState('This does not wait for the approval of members.', 'Hili halisubiri idhini ya wanachama.')
    if (decision.verdict === 'refuse') refuseInDoubt(payout)
    const wireId = wireIdOf(payout)
    const next = operatorsApproval(deps, payout)
    const act = async (outcome: DecisionOutcome): Promise<void> => {
      if (outcome === 'refused') await end(tx, payout, 'approval_refused', { actor: origin.actor, requestId: origin.requestId })
      if (outcome !== 'approved') return
      if (next.approvalBy) return decidePayout(tx, payout, { approval: 'required', by: 'operators' })
      const mac = payoutReleaseMac(deps.recordMac, { ...payout, approval: 'approved', approvalBy: 'members' })
      await decidePayout(tx, payout, { approval: 'approved', by: 'members', mac })
      if (payout.method === 'outside') await completeOutside(tx, payout)
    }
    return decideApproval(tx, owner, { id: payout.id, wireId }, decision, origin, act)
  })
}

/** Ends a payout that no one can approve any more: it was not approved in time, or its requester was removed. False: it has to wait. */
export async function endUnapprovedPayout(deps: { db: Db }, key: { home: number; id: string }): Promise<boolean> {
  return deps.db.tx(async (tx) => {
    const payout = must(await lockEndable(tx, key), 'a payout stays')
    const request = must(await lockApproval(tx, key, requestingRoles(payout, 'payout')), 'what was requested stays')
    const ended = outcomeOfEnd(request)
    if (!ended) return true
    const isWaiting = waitsForMembers(payout)
    // Whether the provider has it is not known after a restore: it is asked first.
    if (isWaiting && (payout.restoreDoubt === 'comparing' || payout.restoreDoubt === 'uncompared')) return false
    await endApproval(tx, key, isWaiting ? ended.status : 'withdrawn')
    if (isWaiting) await end(tx, payout, ended.code, { ...bySystem, requestId: payout.requestId })
    return true
  })
}
