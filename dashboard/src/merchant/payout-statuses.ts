/** The states of a payout, in the order of the filters. */
import type { Payout } from '../api/operations.ts'

export const payoutStatuses: readonly Payout['status'][] = [
  'pending',
  'processing',
  'completed',
  'failed',
  'reversed',
  'cancelled',
]
