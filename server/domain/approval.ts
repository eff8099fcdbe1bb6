/** The approval of money by the members of a business. */
import { z } from 'zod'

/** `rule_change`: a loosening of the rule itself. `member_role`: a new approver, admin or owner. */
export const approvalKinds = ['payout', 'refund', 'payout_batch', 'rule_change', 'member_role'] as const
export const approvalKindSchema = z.enum(approvalKinds)
export type ApprovalKind = (typeof approvalKinds)[number]

/** `withdrawn`: what waited was cancelled, or ended in another way. */
export const approvalStatuses = ['waiting', 'approved', 'refused', 'expired', 'withdrawn'] as const
export const approvalStatusSchema = z.enum(approvalStatuses)
export type ApprovalStatus = (typeof approvalStatuses)[number]

/** Who must still approve a payout, or has: first members, then operators. */
export const approversOfPayout = ['members', 'operators'] as const
export const approversOfPayoutSchema = z.enum(approversOfPayout)
export type ApproversOfPayout = (typeof approversOfPayout)[number]

/** Why the members' approval ended something that had waited for it. */
export const approvalFailures = ['approval_refused', 'approval_expired'] as const
export type ApprovalFailure = (typeof approvalFailures)[number]

/** Which sum is above the rule: of what waits alone, of a day to one recipient, or of a day of the wallet. */
export const approvalSums = ['amount', 'recipient_day', 'wallet_day'] as const
export const approvalSumSchema = z.enum(approvalSums)
export type ApprovalSum = (typeof approvalSums)[number]

/** What one decision leads to. `more`: another person must approve, too. */
export const decisionOutcomeSchema = z.enum(['approved', 'refused', 'more'])
export type DecisionOutcome = z.infer<typeof decisionOutcomeSchema>

/** What a member can say to it. */
export const approvalVerdicts = ['approve', 'refuse'] as const
