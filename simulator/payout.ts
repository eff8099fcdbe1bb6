/**
 * The record of one disbursement and the moves it may make. Invariant: amount and fees leave the account at the create; `failed` or
 * `reversed` returns both; a later payment takes them again.
 */
import type { Booked } from './charge.ts'

export type PayoutStatus = 'pending' | 'completed' | 'failed' | 'reversed'

export const nextPayoutStatus: Record<PayoutStatus, readonly PayoutStatus[]> = {
  pending: ['completed', 'failed'],
  completed: ['reversed'],
  // Paid later: a correction by the network, hours or days afterwards.
  failed: ['completed'],
  reversed: ['completed'],
}

export type Payout = Booked<PayoutStatus> & { recipientName: string; narration: string | null; reversedAt: number | null }

/** Whether its money has been returned. */
export const wasReturned = ({ status }: Payout): boolean => status === 'failed' || status === 'reversed'
