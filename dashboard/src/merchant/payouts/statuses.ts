/** The states of a payout, in the order in which they are offered as a filter. */
import type { Payout } from '../../api/operations.ts'

export type PayoutStatus = Payout['status']

export const payoutStatuses: readonly PayoutStatus[] = ['pending', 'processing', 'completed', 'failed', 'reversed', 'cancelled']
