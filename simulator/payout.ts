/**
 * The record of one disbursement and the moves it may make. Invariant: amount and fees leave the account at the create; `failed` or
 * `reversed` returns both; a later payment takes them again.
 */
import type { AccountName } from './config.ts'
import type { HistoryEntry } from './charge.ts'
import type { NetworkName } from './phones.ts'

export type PayoutStatus = 'pending' | 'completed' | 'failed' | 'reversed'

export const nextPayoutStatus: Record<PayoutStatus, readonly PayoutStatus[]> = {
  pending: ['completed', 'failed'],
  completed: ['reversed'],
  // Paid later: a correction by the network, hours or days afterwards.
  failed: ['completed'],
  reversed: ['completed'],
}

export type Payout = {
  reference: string
  externalReference: string
  account: AccountName
  idempotencyKey: string | null
  /** The caller's own reference, where the provider finds the record by it; unique within the account. */
  orderReference: string | null
  /** The same as for a charge. */
  callersKey: string
  phone: string
  network: NetworkName | null
  recipientName: string
  narration: string | null
  amount: number
  fees: number
  webhookUrl: string | null
  metadata: Record<string, unknown>
  status: PayoutStatus
  failureReason: string | null
  createCalls: number
  createdAt: number
  completedAt: number | null
  failedAt: number | null
  reversedAt: number | null
  history: HistoryEntry[]
}

/** Whether its money has been returned. */
export const wasReturned = ({ status }: Payout): boolean => status === 'failed' || status === 'reversed'
