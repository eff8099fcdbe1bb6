/** The record of one collection in the provider's books and the moves it may make. Invariant: `moneyMoved` is true exactly when the status is `completed`. */
import type { AccountName } from './config.ts'
import type { NetworkName } from './phones.ts'

export type ChargeStatus = 'pending' | 'completed' | 'failed' | 'voided' | 'expired'

/** At this provider a late success after any other end is possible; no charge leaves `completed`. */
export const nextChargeStatus: Record<ChargeStatus, readonly ChargeStatus[]> = {
  pending: ['completed', 'failed', 'voided', 'expired'],
  completed: [],
  failed: ['completed'],
  voided: ['completed'],
  expired: ['completed'],
}

/** One USSD push. It is open until it is closed, its time is over, or its charge is no longer pending. */
export type Prompt = {
  phone: string
  openedAt: number
  closesAt: number
  closedAt: number | null
  outcome: 'confirmed' | 'cancelled' | 'wrong_pin' | 'insufficient' | 'replaced' | 'dismissed' | 'ended' | null
}

export type HistoryEntry = { at: number; what: string; detail?: string }

/** What the books have of a charge and of a payout alike. */
export type Booked<Status> = {
  reference: string
  /** The upstream's reference (Selcom's at the real provider). */
  externalReference: string
  account: AccountName
  idempotencyKey: string | null
  /** The caller's own reference, where the provider finds the record by it; unique within the account. */
  orderReference: string | null
  /** The caller's own name for it, which the storm uses for its draws: the idempotency key, or its substitute. */
  callersKey: string
  phone: string
  network: NetworkName | null
  /** Of a charge: the amount paid or to be paid. It differs from the order only where the payer paid another amount. */
  amount: number
  fees: number
  webhookUrl: string | null
  metadata: Record<string, unknown>
  status: Status
  failureReason: string | null
  createCalls: number
  createdAt: number
  completedAt: number | null
  failedAt: number | null
  history: HistoryEntry[]
}

export type Charge = Booked<ChargeStatus> & {
  /** The phone of the last prompt; the phone page finds a charge by it. */
  promptPhone: string
  orderedAmount: number
  customer: { firstName: string; lastName: string; email: string }
  moneyMoved: boolean
  wrongPins: number
  prompts: Prompt[]
  expiresAt: number
}

export function openPrompt(charge: Charge, now: number): Prompt | null {
  const last = charge.prompts.at(-1)
  if (charge.status !== 'pending' || !last || last.closedAt !== null || now >= last.closesAt) return null
  return last
}
