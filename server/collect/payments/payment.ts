/** The rules of a payment and its transitions. The database holds the same transitions (payment_transitions); a test compares the two. */
import type { Currency } from '../../domain/currency.ts'
import type { PayerLanguage } from '../../domain/language.ts'
import type { FailureCode, PaymentStatus } from '../../domain/payment.ts'
import type { Environment } from '../../domain/environment.ts'
import type { Network } from '../../domain/network.ts'

export const transitions: Record<PaymentStatus, readonly PaymentStatus[]> = {
  pending: ['processing', 'completed', 'failed', 'voided', 'expired'],
  processing: ['completed', 'failed', 'voided', 'expired'],
  completed: [],
  // Only for a late, proven success: the only transition out of an end state.
  failed: ['completed'],
  voided: ['completed'],
  expired: ['completed'],
}

export const endStatuses: ReadonlySet<PaymentStatus> = new Set(['completed', 'failed', 'voided', 'expired'])

/** After its expiry a charge is still queried, at this interval, until the provider reports an end. */
export const lateCheckSeconds = 1800

/** Seconds after its end at which a payment without a credit is queried again. */
export const recheckSeconds = [120, 600, 3_600, 86_400] as const
/** Additional queries if the provider has no list that would show a later success. */
export const recheckWithoutListSeconds = [2, 3, 4, 5, 6, 7].map((days) => days * 86_400)

/** What a merchant's server says about a payment. A payer's checkout has none of it. */
export type MerchantFields = {
  /** The merchant's own order number; not unique. */
  merchantReference: string | null
  metadata: Record<string, string>
  /** What the payer pays for; null: the title of the page. */
  description: string | null
}

export const noMerchantFields: MerchantFields = { merchantReference: null, metadata: {}, description: null }

export type Payment = {
  home: number
  id: string
  merchantId: string
  environment: Environment
  pageId: string
  status: PaymentStatus
  /** TZS. */
  amount: number
  /** TZS that were received and credited, if they differ from `amount`. */
  amountReceived: number | null
  currency: Currency
  /** E.164. */
  phoneNumber: string
  network: Network | null
  payerLanguage: PayerLanguage
  failureCode: FailureCode | null
  late: boolean
  expiresAt: Date
  completedAt: Date | null
  createdAt: Date
  /** The code by which people name it aloud, in groups. */
  shortCode: string
  /** The number in the network's own message to the payer; null while no one has reported it. */
  networkReceipt: string | null
}

/** Whether a payment waits for its payer's confirmation, before anything is sent. */
export function needsConfirmation({ status, isUnconfirmed }: { status: PaymentStatus; isUnconfirmed: boolean }): boolean {
  return status === 'pending' && isUnconfirmed
}
