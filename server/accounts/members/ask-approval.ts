/** Asks the members of a business to approve money before it leaves, in the transaction that stores what they approve. */
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import type { ApprovalKind, ApprovalSum } from '../../domain/approval.ts'
import type { MemberRole } from '../../domain/member.ts'
import type { Owner } from '../identity/merchant.ts'
import type { Tx } from '../../platform/db/db.ts'
import { Refusal } from '../../platform/refusal.ts'
import { findMembership } from './access.sql.ts'
import { mailApprovers, type ApprovalMailDeps } from './approval-mails.ts'
import { approvalHours, type ApprovalRule } from './approval-rule.ts'
import { insertApproval } from './approval.sql.ts'
import { requestingRoles } from './decide-approval.ts'

/** `total` TZS, with what waits, are above the limit `above` of the rule. */
export type Exceeded = { sum: ApprovalSum; total: number; above: number }

/** Who requests, by sign-in or with a key. `userId`: the person behind it. */
export type Requester = Origin & { userId: string; isPerson: boolean }

export type WantedApproval = {
  /** The id of what waits. */
  id: string
  /** The same on the wire, for the audit log. */
  wireId: string
  kind: ApprovalKind
  /** TZS; null for a change of the rule. */
  amount: number | null
  approvers: ApprovalRule['approvers']
  /** Of a batch; what else waits does not change. */
  version?: number
  /** Which sum is above the rule; none if no sum is. */
  exceeded?: Exceeded | undefined
  /** For a new role: whose, and the hash of the token with which the requester confirms it alone. */
  member?: { id: string; role: MemberRole; tokenHash: Buffer | null }
  /** For a change of the rule: what is wanted; null: no rule. */
  newRule?: ApprovalRule | null
}

/** Refuses with 403 a key whose maker may not request this: nothing would be approved for them. */
async function requireActive(tx: Tx, owner: Owner, userId: string, kind: ApprovalKind): Promise<void> {
  const membership = await findMembership(tx, userId, owner.merchant.id)
  const roles = requestingRoles(owner, kind)
  if (membership && roles.includes(membership.role)) return
  throw new Refusal(
    403,
    'insufficient_role',
    'The person who made this key may not request what needs an approval. Let another member roll the key.',
    { details: { role: membership?.role ?? null, required_roles: roles } },
  )
}

/** Mails the approvers when nothing else waited before: one mail for a queue, not one for each payout. */
export async function askApproval(
  deps: ApprovalMailDeps,
  tx: Tx,
  owner: Owner,
  wanted: WantedApproval,
  by: Requester,
): Promise<void> {
  const { id, wireId, kind, amount, approvers, version = 1, exceeded, newRule, member } = wanted
  await requireActive(tx, owner, by.userId, kind)
  const isFirst = await insertApproval(tx, owner, {
    id,
    kind,
    version,
    amount,
    exceeded: exceeded?.sum ?? null,
    exceededSum: exceeded?.total ?? null,
    exceededAbove: exceeded?.above ?? null,
    approvers,
    requestedBy: by.actor,
    requestedByUser: by.userId,
    newAbove: newRule?.above ?? null,
    newAboveTotal: newRule?.aboveTotal ?? null,
    newApprovers: newRule?.approvers ?? null,
    memberId: member?.id ?? null,
    newRole: member?.role ?? null,
    tokenHash: member?.tokenHash ?? null,
    hours: approvalHours,
  })
  if (isFirst) await mailApprovers(deps, tx, owner, { kind, amount }, by.userId)
  await appendAudit(tx, by, {
    action: 'approval.requested',
    object: wireId,
    merchantId: owner.merchant.id,
    after: { kind, version, amount, approvers, exceeded: exceeded?.sum ?? null, environment: owner.environment },
  })
}
