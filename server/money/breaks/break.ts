/** Breaks: differences between our books and a provider's records. Invariant: a subject has at most one open break of a kind. */
import type { BreakKind } from '../../domain/break.ts'
import type { Environment } from '../../domain/environment.ts'

/** The facts of a new break. It names a payment, a payout, or, for an unknown record, the provider's own reference. */
export type Finding = {
  /** The home of its subject; 0 for an unknown record. */
  home: number
  environment: Environment
  kind: BreakKind
  paymentId?: string
  payoutId?: string
  provider?: string
  reference?: string | null
  /** The phone that paid unknown money, in E.164. */
  payerPhone?: string
  /** Our booking differs from the record, so it is opened again even if the last decision was about the same evidence. */
  evenIfDecided?: boolean
  /** The evidence that an operator needs to see. Never contains a name or a phone. */
  details: Readonly<Record<string, string | number | boolean | null>>
}

const foundAgain: ReadonlySet<BreakKind> = new Set([
  'missing_at_provider',
  'unknown_at_provider',
  'settled_differs',
  'payout_contradicts',
  'payout_amount_differs',
  'fee_differs',
])

/** Whether each comparison finds it again until it is corrected. */
export function isFoundAgain(kind: BreakKind): boolean {
  return foundAgain.has(kind)
}

/** The ways to resolve a break, with their effects. */
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
    'The provider has shown that the recipient has the money. The payout is completed with the reserved money. Refused if the provider reports a different amount: use `follow_provider`.',
  payout_not_paid:
    'The provider has shown that nothing was paid and nothing will be paid. The payout fails, and everything is returned to the wallet.',
  payout_returned:
    'The provider has shown that the money of a completed payout came back. The payout is reversed, and everything is returned to the wallet.',
  follow_provider:
    'The provider has shown that the payment was not paid, or that the payment or payout was paid with a different amount. The credit or the debit is corrected; if the wallet does not have enough, the merchant owes the rest. The payment or payout is completed.',
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

export type ResolutionParameters = {
  /** The wire id of the payment to credit. */
  payment_reference?: string
  /** The wire id of the payout whose merchant pays, or of the merchant. */
  payout_id?: string
  merchant_id?: string
}

/** The parameters that a resolution requires. A resolution that is not listed has none. */
export const parametersOf: Partial<Record<Resolution, readonly (keyof ResolutionParameters)[]>> = {
  credit_to_payment: ['payment_reference'],
}

/** Resolutions by a system payout to the payer. */
export const returnsMoney: ReadonlySet<Resolution> = new Set(['return_to_payer', 'refund_second_charge'])

/** No break can be resolved by a guess: each resolution books facts that the provider has shown, queries it again, or relies on a final state. */
const resolutionsOf: Record<BreakKind, readonly Resolution[]> = {
  amount_differs: ['credit_payment', 'return_to_payer'],
  charge_unknown: ['ask_again', 'not_charged', 'already_settled'],
  reference_conflict: ['refund_second_charge', 'keep_unallocated', 'already_settled'],
  payout_amount_differs: ['ask_again', 'payout_paid', 'payout_not_paid', 'provider_was_wrong', 'follow_provider'],
  payout_unknown: ['ask_again', 'payout_paid', 'payout_not_paid', 'already_settled'],
  payout_contradicts: ['payout_paid_after_all', 'write_off', 'payout_returned', 'provider_was_wrong'],
  payout_reference_conflict: ['ask_again', 'payout_paid', 'payout_not_paid', 'provider_was_wrong'],
  missing_at_provider: ['follow_provider', 'provider_was_wrong', 'already_settled'],
  unknown_at_provider: ['credit_to_payment', 'keep_unallocated', 'return_to_payer', 'already_settled'],
  settled_differs: ['follow_provider', 'provider_was_wrong'],
  fee_differs: ['book_fee', 'provider_was_wrong'],
  // It ends by itself when the balance agrees again, also because operators have recorded what moved the money.
  balance_differs: ['already_settled', 'provider_was_wrong'],
}

/** For kinds that exist for charges and for payouts: the resolutions when the break is about a payout. */
const resolutionsOfPayouts: Partial<Record<BreakKind, readonly Resolution[]>> = {
  missing_at_provider: ['payout_returned', 'provider_was_wrong'],
  unknown_at_provider: ['debit_wallet', 'write_off'],
}

/** Whether it is about a payout, or about a provider's record of one. */
export function isAboutPayout({ payoutId, details }: Pick<Break, 'payoutId' | 'details'>): boolean {
  return payoutId !== null || details['subject'] === 'payout'
}

/**
 * TZS by which a record of an unknown order differs from what earlier decisions have booked for it; undefined for the first break of a
 * record.
 */
export function differenceOf({ details }: Pick<Break, 'details'>): number | undefined {
  return typeof details['difference'] === 'number' ? details['difference'] : undefined
}

/** Whether it is about money that the provider returned after it had left by an order that this service did not send. */
export function isAboutMoneyBack({ details }: Pick<Break, 'details'>): boolean {
  const { subject, status_there: status } = details
  return subject === 'payout' && (status === 'failed' || status === 'reversed' || (differenceOf({ details }) ?? 0) < 0)
}

/** A message has another amount than the order, and the provider itself has not answered: nothing is booked. */
const isUnanswered = ({ kind, details }: Pick<Break, 'kind' | 'details'>): boolean =>
  kind === 'amount_differs' && 'message_amount' in details && details['currency'] === null

/**
 * The resolutions of this break. A contradiction is resolved by the provider's latest report: that it paid, or that it did not. Money is
 * credited or returned only for the provider's own answer.
 */
export function resolutionsFor(one: Pick<Break, 'kind' | 'payoutId' | 'details'>): readonly Resolution[] {
  if (one.kind === 'payout_contradicts') {
    const isPaidThere = one.details['status'] === 'completed'
    const without: readonly Resolution[] = isPaidThere ? ['payout_returned'] : ['payout_paid_after_all', 'write_off']
    return resolutionsOf[one.kind].filter((resolution) => !without.includes(resolution))
  }
  if (isUnanswered(one)) return resolutionsOf.charge_unknown.filter((resolution) => resolution !== 'ask_again')
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
  /** TZS of its payment or payout, as ordered; null for an unknown record. */
  orderedAmount: number | null
  /** TZS of it in `unallocated`; negative for money that left. */
  unallocated: number
  payerPhone: string | null
  openedAt: Date
  proposal: Resolution | null
  proposalNote: string | null
  proposalParameters: ResolutionParameters | null
  /** The operator who proposed, as the audit log names them. */
  proposedBy: string | null
  proposedAt: Date | null
  resolution: Resolution | null
  resolvedBy: string | null
  resolvedAt: Date | null
  /** The last system payout that should return its money; the id of the payout. */
  lastReturn: { id: string; status: string } | null
}
