/** The kinds and statuses of breaks: differences between our books and a provider's records. */
import { z } from 'zod'

export const breakKinds = [
  /** Proven money of another amount or currency; it is in suspense. */
  'amount_differs',
  /** It cannot be learned whether the payer was charged. */
  'charge_unknown',
  /** The provider's reference belongs to another record of ours, or its answer names another one. */
  'reference_conflict',
  'payout_amount_differs',
  'payout_unknown',
  /** The provider reports completed after the money was returned to the wallet, or failed after the payout was booked as paid. */
  'payout_contradicts',
  'payout_reference_conflict',
  /** Completed in our books, and missing in the provider's list. */
  'missing_at_provider',
  /** Listed by the provider as money that moved, without a record of ours. */
  'unknown_at_provider',
  /** Completed in our books, and in the provider's list with another status or amount. */
  'settled_differs',
  /** The provider reports a fee above the amount, or far from the expected fee. The fee waits; the payment or payout does not. */
  'fee_differs',
  /** The provider's balance differs from our books by more than what is in flight; its record has the reference `balance`. */
  'balance_differs',
] as const
export const breakKindSchema = z.enum(breakKinds)
export type BreakKind = (typeof breakKinds)[number]

/** The kinds that can be about a payout of ours. */
export const payoutBreakKindSchema = breakKindSchema.extract([
  'payout_amount_differs',
  'payout_unknown',
  'payout_contradicts',
  'payout_reference_conflict',
  'missing_at_provider',
  'fee_differs',
])
export type PayoutBreakKind = z.infer<typeof payoutBreakKindSchema>

export const breakStatusSchema = z.enum(['open', 'proposed', 'resolved'])

/** Who says the reported amount of a break: the provider itself, or only a message. */
export const reportedBySchema = z.enum(['provider', 'message'])
export type ReportedBy = z.infer<typeof reportedBySchema>
