/** Breaks: where our books and a provider's word do not agree. Invariant: a subject has at most one open break of a kind. */
import type { Environment } from '../domain/environment.ts'

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
  /** The provider reports a fee above the amount, or off what was expected: it waits, what was paid does not. */
  | 'fee_differs'

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
  /** The phone that has paid money which nobody here knows, in E.164. */
  payerPhone?: string
  /** The evidence: what an operator needs to see. Never a name or a phone. */
  details: Readonly<Record<string, string | number | boolean | null>>
}

const foundAgain: ReadonlySet<BreakKind> = new Set([
  'missing_at_provider',
  'unknown_at_provider',
  'settled_differs',
  'payout_contradicts',
  'fee_differs',
])

/** Whether each comparison finds it anew for as long as it is so. */
export function isFoundAgain(kind: BreakKind): boolean {
  return foundAgain.has(kind)
}

export const breakKinds = [
  'amount_differs',
  'charge_unknown',
  'reference_conflict',
  'payout_amount_differs',
  'payout_unknown',
  'payout_contradicts',
  'payout_reference_conflict',
  'missing_at_provider',
  'unknown_at_provider',
  'settled_differs',
  'fee_differs',
] as const satisfies readonly BreakKind[]

/** Those that can be about a payout of ours. */
export const payoutBreakKinds = [
  'payout_amount_differs',
  'payout_unknown',
  'payout_contradicts',
  'payout_reference_conflict',
  'missing_at_provider',
  'fee_differs',
] as const satisfies readonly BreakKind[]

export type PayoutBreakKind = (typeof payoutBreakKinds)[number]

/** What can be done about a break, and what that does. */
export const resolutions = {
  credit_payment:
    'Completes the payment with the amount that was received. The amount is credited, and the event and the receipt show both amounts.',
  return_to_payer:
    'Returns the money to the phone that paid, in a payout of the service and at our expense. The break stays open until the payout is completed; a held payment then becomes voided.',
  credit_to_payment: 'The money belongs to the named payment. Completes that payment with the amount that was received.',
  keep_unallocated: 'The owner of the money is not known. The money stays in `unallocated`.',
  refund_second_charge: 'The payer was charged twice. Returns the second charge to the phone that paid, like `return_to_payer`.',
  ask_again: 'Queries the provider again at once. Its answer is settled; without an answer the break opens again.',
  not_charged: 'The provider has shown that there is no charge. The payment fails. If it succeeds later anyway, it is credited.',
  payout_paid:
    'The provider has shown that the recipient has the money. The payout is completed with the reserved money. Refused if the provider reports a different amount.',
  payout_not_paid:
    'The provider has shown that nothing was paid and nothing will be paid. The payout fails, and everything is returned to the wallet.',
  payout_returned:
    'The provider has shown that the money of a completed payout came back. The payout is reversed, and everything is returned to the wallet.',
  follow_provider:
    'The provider has shown that the payment was not paid, or was paid with a different amount. The credit is taken back or corrected; if the wallet does not have enough, the merchant owes the rest. The payment stays completed and shows this.',
  book_fee: 'The provider has shown that it took this fee. Books the fee; for a payout, the difference from the quote.',
  payout_paid_after_all:
    'The provider has shown that it paid a payout that was returned to the wallet. The payout becomes completed, and the wallet is debited again; if the wallet does not have enough, the merchant owes the rest, and its next credits repay it first.',
  write_off: 'The provider has shown that the money was paid, and the merchant does not pay for it. Books the money to loss.',
  debit_wallet:
    'The money that was paid belongs to the named payout or merchant. Debits that wallet; if the wallet does not have enough, the merchant owes the rest.',
  provider_was_wrong:
    'The provider has corrected its record, which now matches our books. No money is moved. The note names the evidence.',
  already_settled: 'The books are already correct. No money is moved. Not possible while the payment or payout is in flight.',
} as const

export type Resolution = keyof typeof resolutions

/** What a proposed resolution names besides itself. */
export type ResolutionParameters = {
  /** The payment that is credited: its wire id. */
  payment_reference?: string
  /** The payout whose merchant pays, or the merchant: their wire ids. */
  payout_id?: string
  merchant_id?: string
}

/** What a proposal of a resolution must name; one that is not listed names nothing. */
export const parametersOf: Partial<Record<Resolution, readonly (keyof ResolutionParameters)[]>> = {
  credit_to_payment: ['payment_reference'],
}

/** Resolutions by a system payout to the payer. */
export const returnsMoney: ReadonlySet<Resolution> = new Set(['return_to_payer', 'refund_second_charge'])

/** No break can be resolved by a guess: each way either books what the provider has shown, or asks, or rests on an end that is there. */
const resolutionsOf: Record<BreakKind, readonly Resolution[]> = {
  amount_differs: ['credit_payment', 'return_to_payer'],
  charge_unknown: ['ask_again', 'not_charged', 'already_settled'],
  reference_conflict: ['refund_second_charge', 'keep_unallocated', 'already_settled'],
  payout_amount_differs: ['ask_again', 'payout_paid', 'payout_not_paid', 'provider_was_wrong'],
  payout_unknown: ['ask_again', 'payout_paid', 'payout_not_paid', 'already_settled'],
  payout_contradicts: ['payout_paid_after_all', 'write_off', 'payout_returned', 'provider_was_wrong'],
  payout_reference_conflict: ['ask_again', 'payout_paid', 'payout_not_paid', 'provider_was_wrong'],
  missing_at_provider: ['follow_provider', 'provider_was_wrong', 'already_settled'],
  unknown_at_provider: ['credit_to_payment', 'keep_unallocated', 'return_to_payer', 'already_settled'],
  settled_differs: ['follow_provider', 'provider_was_wrong'],
  fee_differs: ['book_fee', 'provider_was_wrong'],
}

/** Kinds that are found on both sides of a provider's books: where they are about a payout. */
const resolutionsOfPayouts: Partial<Record<BreakKind, readonly Resolution[]>> = {
  missing_at_provider: ['payout_returned', 'provider_was_wrong'],
  unknown_at_provider: ['debit_wallet', 'write_off'],
}

/** Whether it is about a payout, or about a provider's record of one. */
export function isAboutPayout({ payoutId, details }: Pick<Break, 'payoutId' | 'details'>): boolean {
  return payoutId !== null || details['subject'] === 'payout'
}

/** Whether it is about money that the provider brought back after it had left in an order that nobody here gave. */
export function isAboutMoneyBack({ details }: Pick<Break, 'details'>): boolean {
  const { subject, status_there: status } = details
  return subject === 'payout' && (status === 'failed' || status === 'reversed')
}

/** How this break can be resolved. A contradiction is resolved by what the provider said last: that it paid, or that it did not. */
export function resolutionsFor(one: Pick<Break, 'kind' | 'payoutId' | 'details'>): readonly Resolution[] {
  if (one.kind === 'payout_contradicts') {
    const isPaidThere = one.details['status'] === 'completed'
    const without: readonly Resolution[] = isPaidThere ? ['payout_returned'] : ['payout_paid_after_all', 'write_off']
    return resolutionsOf[one.kind].filter((resolution) => !without.includes(resolution))
  }
  if (isAboutMoneyBack(one)) return ['keep_unallocated']
  return (isAboutPayout(one) ? resolutionsOfPayouts[one.kind] : undefined) ?? resolutionsOf[one.kind]
}

export type Break = {
  home: number
  id: string
  environment: Environment
  kind: BreakKind
  paymentId: string | null
  payoutId: string | null
  provider: string | null
  providerReference: string | null
  details: Record<string, unknown>
  payerPhone: string | null
  openedAt: Date
  proposal: Resolution | null
  proposalNote: string | null
  proposalParameters: ResolutionParameters | null
  /** Who proposed, as the audit log names them. */
  proposedBy: string | null
  proposedAt: Date | null
  resolution: Resolution | null
  resolvedBy: string | null
  resolvedAt: Date | null
  /** The last system payout that was to return its money; the id of the payout. */
  lastReturn: { id: string; status: string } | null
}
