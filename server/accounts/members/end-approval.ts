/** Why something that waits for approval can get none any more. */
import type { ApprovalFailure } from '../../domain/approval.ts'
import type { ApprovalRequest } from './approval.sql.ts'

export type EndOfApproval = { status: 'refused' | 'expired'; code: ApprovalFailure }

/** Undefined: it still waits, or has ended before. A requester who was removed counts as refused. */
export function outcomeOfEnd({ status, isOverdue, isRequesterActive }: ApprovalRequest): EndOfApproval | undefined {
  if (status !== 'waiting') return undefined
  if (!isRequesterActive) return { status: 'refused', code: 'approval_refused' }
  return isOverdue ? { status: 'expired', code: 'approval_expired' } : undefined
}
