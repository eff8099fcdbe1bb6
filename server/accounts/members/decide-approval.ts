/**
 * The decision of a member. Invariant: the requester never approves (except a role, by mail, where no one else could), a person counts once, a vote of a removed member does not count,
 * and nothing is approved for a requester who was removed.
 */
import { z } from 'zod'
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import type { ApprovalKind, DecisionOutcome } from '../../domain/approval.ts'
import type { WhoActs } from '../identity/authenticate.ts'
import type { Owner } from '../identity/merchant.ts'
import { hashOfToken } from '../identity/one-use-token.ts'
import type { Tx } from '../../platform/db/db.ts'
import { invalidState, notFound, Refusal } from '../../platform/refusal.ts'
import { confirmAccess } from './access.ts'
import { approvingRoles } from './approval-rule.ts'
import { endApproval, insertVote, listVotes, lockApproval, type ApprovalRequest } from './approval.sql.ts'
import { rolesWith } from './permissions.ts'

/** The roles that may request what waits. */
export const requestingRoles = (owner: Pick<Owner, 'environment'>, kind: ApprovalKind) =>
  rolesWith(
    kind === 'rule_change' ? 'rules.write' : kind === 'member_role' ? 'members.write' : 'payouts.write',
    owner.environment,
  )

/** `version`: of what the person has seen. */
export type ApprovalDecision = { who: WhoActs; version: number } & (
  | { verdict: 'approve'; token?: string | undefined }
  | { verdict: 'refuse'; reason: string; token?: undefined }
)

/** The field of a decision that names what was seen. */
export const seenVersion = z.int().min(1).meta({
  description: '`version` of what you have seen. If it is another one by now: 409 `approval_changed`, and `details.changes`.',
})

/** What is different in a later version. `row`: of a batch; null: what waits as a whole. */
export type ApprovalChange = {
  row: number | null
  field: string
  was: string | number | null
  is: string | number | null
}

/** `moreRows`: how many rows have changed that `changes` does not name. */
export type ChangesSince = { changes: ApprovalChange[]; moreRows: number }

/** Refuses a decision about another version with 409 `approval_changed`. */
export async function requireSeen(
  version: number,
  seen: number,
  changesSince: (version: number) => Promise<ChangesSince>,
): Promise<void> {
  if (seen === version) return
  const { changes, moreRows } = await changesSince(seen)
  throw new Refusal(
    409,
    'approval_changed',
    'This has changed since you read it, so nothing was decided. Check what is different, then decide again.',
    { details: { version, changes, more_rows: moreRows } },
  )
}

export type Decided = { request: ApprovalRequest; outcome: DecisionOutcome }

/** What the request waits for, as refusals: 409 `invalid_state` when it no longer waits, 403 `self_approval_forbidden` for the requester. */
function requireOpen(request: ApprovalRequest, userId: string, isConfirmed: boolean): void {
  if (request.status !== 'waiting' || request.isOverdue)
    throw invalidState('This does not wait for approval any more.', 'Hili halisubiri idhini tena.')
  if (!request.isRequesterActive) {
    throw invalidState(
      'The person who requested it may no longer do so. It is being cancelled.',
      'Aliyeliomba haruhusiwi tena kuliomba. Linaghairiwa.',
    )
  }
  if (request.memberUserId === userId || (request.requestedByUser === userId && !isConfirmed)) {
    throw new Refusal(
      403,
      'self_approval_forbidden',
      'You requested this yourself, or with a key that you made, or it is about your own role. Another member must decide.',
    )
  }
}

/** Whether the requester approves with the token that was mailed to them because no one else could decide. */
const isConfirmedByMail = ({ tokenHash, requestedByUser }: ApprovalRequest, decision: ApprovalDecision): boolean =>
  decision.token !== undefined &&
  requestedByUser === decision.who.userId &&
  tokenHash?.equals(hashOfToken(decision.token)) === true

/**
 * Writes the decision of a person, and acts on its outcome in the same transaction. The caller has locked what waits. Refuses with 404 an
 * unknown request, with 403 `insufficient_role`, with 409 `approval_changed` another version than the person has seen, and as
 * `requireOpen` does.
 */
export async function decideApproval(
  tx: Tx,
  owner: Owner,
  { id, wireId, kind }: { id: string; wireId: string; kind?: 'rule_change' | 'member_role' },
  decision: ApprovalDecision,
  origin: Origin,
  act: (outcome: DecisionOutcome, request: ApprovalRequest) => Promise<void>,
): Promise<Decided> {
  const { who, verdict } = decision
  await confirmAccess(tx, who, owner, 'payouts.approve')
  const request = await lockApproval(tx, { home: owner.merchant.home, id }, requestingRoles(owner, kind ?? 'payout'))
  const isOwn = request?.merchantId === owner.merchant.id && request.environment === owner.environment
  if (!request || !isOwn || (kind === undefined ? request.amount === null : request.kind !== kind)) throw notFound()
  const isConfirmed = isConfirmedByMail(request, decision)
  requireOpen(request, who.userId, isConfirmed)
  await requireSeen(request.version, decision.version, async () => ({ changes: [], moreRows: 0 }))
  const after = {
    kind: request.kind,
    version: request.version,
    amount: request.amount,
    requested_by: request.requestedBy,
    environment: owner.environment,
  }
  if (verdict === 'refuse') {
    await endApproval(tx, request, 'refused', decision.reason)
    await act('refused', request)
    await appendAudit(tx, origin, { action: 'approval.refused', object: wireId, merchantId: owner.merchant.id, after })
    return { request, outcome: 'refused' }
  }
  if (!isConfirmed && !(await insertVote(tx, request, who.userId)))
    throw invalidState(
      'You have approved this already. Another member must approve it, too.',
      'Umeshaidhinisha hili. Mwanachama mwingine naye lazima aidhinishe.',
    )
  const votes = await listVotes(tx, request.home, [id], approvingRoles(owner.environment))
  const isEnough = isConfirmed || votes.length >= request.approvers
  if (isEnough) await endApproval(tx, request, 'approved')
  await act(isEnough ? 'approved' : 'more', request)
  await appendAudit(tx, origin, {
    action: 'approval.given',
    object: wireId,
    merchantId: owner.merchant.id,
    after: { ...after, approvers: request.approvers, given: votes.length },
  })
  return { request, outcome: isEnough ? 'approved' : 'more' }
}
