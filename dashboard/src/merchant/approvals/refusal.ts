/** What a refusal does, by what waits: only a single payout or refund of the wallet has reserved its money. */
import type { Approval } from '../../api/operations.ts'

const refusals = {
  payout: 'refuseText',
  refund: 'refuseText',
  payout_batch: 'refuseBatch',
  rule_change: 'refuseRule',
  member_role: 'refuseRole',
} as const satisfies Record<Approval['kind'], string>

/** The key of its text. */
export const refusalOf = ({ kind, method }: Pick<Approval, 'kind' | 'method'>) =>
  method === 'outside' ? 'refuseOutside' : refusals[kind]
