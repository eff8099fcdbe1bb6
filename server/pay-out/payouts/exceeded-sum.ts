/**
 * Whether money that is to leave needs the approval of members. Invariant: two requests at once are added up one after the other, so they do
 * not both stay below a sum that they exceed together.
 */
import type { Owner } from '../../accounts/identity/merchant.ts'
import type { ApprovalRule } from '../../accounts/members/approval-rule.ts'
import { lockRule } from '../../accounts/members/approval-rule.sql.ts'
import type { Exceeded } from '../../accounts/members/ask-approval.ts'
import type { Tx } from '../../platform/db/db.ts'
import { sumToday, type Share } from './exceeded-sum.sql.ts'

export type NeededApproval = { approvers: ApprovalRule['approvers']; exceeded: Exceeded }

/**
 * The approval that the rule of the wallet needs for these shares of one payout, refund or batch; undefined: none. Locks the rule.
 * `isWaiting`: they are the rows of a batch that waits. Other batches that wait do not count: each is judged when it is approved.
 */
export async function neededApproval(
  tx: Tx,
  owner: Owner,
  shares: Share[],
  { isWaiting = false } = {},
): Promise<NeededApproval | undefined> {
  const rule = await lockRule(tx, owner)
  if (!rule) return undefined
  const { above, aboveTotal, approvers } = rule
  const alone = shares.reduce((sum, { amount }) => sum + amount, 0)
  if (alone > above) return { approvers, exceeded: { sum: 'amount', total: alone, above } }
  // After the lock: it sees what earlier requests have stored.
  const { wallet, recipient } = await sumToday(tx, owner, shares, { waitingRows: !isWaiting })
  if (recipient > above) return { approvers, exceeded: { sum: 'recipient_day', total: recipient, above } }
  if (aboveTotal === null || wallet <= aboveTotal) return undefined
  return { approvers, exceeded: { sum: 'wallet_day', total: wallet, above: aboveTotal } }
}
