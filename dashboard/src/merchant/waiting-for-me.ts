/** The entries of the approval queue that wait for the decision of this person. */
import type { Approval } from '../api/operations.ts'
import { useAnswer } from '../api/queries.ts'
import { useAccount } from './account.ts'
import { useCan } from './membership.ts'

const read = 20

export type WaitingForMe = { entries: Approval[]; /** With a plus where the queue has more. */ count: string }

/** Undefined where the person approves nothing: the account of a person has no approvals. */
export function useWaitingForMe(): WaitingForMe | undefined {
  const { owner, query } = useAccount()
  const isWanted = useCan()('payouts.approve') === true && owner !== 'me'
  const wanted = { ...query, may_decide: 'true', limit: read } as const
  const answer = useAnswer('GET /v1/merchant/approvals', { query: wanted }, { isLive: true, isWanted }).data
  if (!answer || !isWanted || answer.data.length === 0) return undefined
  return { entries: answer.data, count: `${answer.data.length}${answer.has_more ? '+' : ''}` }
}
