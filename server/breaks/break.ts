/** Breaks: where our books and a provider's word do not agree. Invariant: a subject has at most one open break of a kind. */
import type { Environment } from '../config.ts'

export type BreakKind =
  /** Proven money of another amount or currency; it lies in suspense. */
  | 'amount_differs'
  /** Whether the payer was charged cannot be learned. */
  | 'charge_unknown'
  /** The provider's reference belongs to something else of ours, or its answer names something else. */
  | 'reference_conflict'
  | 'payout_amount_differs'
  | 'payout_unknown'
  /** The provider says completed after the money was given back, or failed after it was counted as paid. */
  | 'payout_contradicts'
  | 'payout_reference_conflict'
  /** Completed with us, and the provider's own list does not have it. */
  | 'missing_at_provider'
  /** On the provider's list as money that moved, and nothing of ours. */
  | 'unknown_at_provider'
  /** Completed with us, and on the provider's list with another state or amount. */
  | 'settled_differs'

/** What is known when a break opens. It names a payment, a payout, or, where the record is nobody's, the provider's own reference. */
export type Finding = {
  /** The home of its subject; 0 for a record that is nobody's. */
  home: number
  environment: Environment
  kind: BreakKind
  paymentId?: string
  payoutId?: string
  provider?: string
  reference?: string | null
  /** The evidence: what an operator needs to see. Never a name or a phone. */
  details: Readonly<Record<string, string | number | boolean | null>>
}

const foundAgain: ReadonlySet<BreakKind> = new Set(['missing_at_provider', 'unknown_at_provider', 'settled_differs'])

/** Whether each comparison finds it anew for as long as it is so. */
export function isFoundAgain(kind: BreakKind): boolean {
  return foundAgain.has(kind)
}

export const resolutions = ['credit_payment', 'return_to_payer', 'ask_again', 'not_charged', 'already_settled'] as const

/** What can be done about a break. */
export type Resolution = (typeof resolutions)[number]
