/** The amounts of a break: what was expected, what the provider reports, and what our books show. Pure. */
import type { ReportedBy } from '../../domain/break.ts'
import type { Break } from '../../money/breaks/break.ts'

/** TZS; null: not known, or not in TZS. */
export type BreakAmounts = {
  expected: number | null
  reported: number | null
  /** Where the reported amount is from. A message alone proves nothing until the provider itself has answered. */
  reportedBy: ReportedBy | null
  booked: number | null
  /** Of the reported amount from the expected one. */
  difference: number | null
}

const wholeNumber = (value: unknown): number | null => (typeof value === 'number' ? value : null)

type Evidence = Pick<Break, 'kind' | 'details' | 'orderedAmount' | 'unallocated'>
type Details = Break['details']

/** What a record shows as paid. A record that names an end without money shows 0. */
function paidThere({ status_there: status, amount_there: amount, currency_there: currency }: Details): number | null {
  if (status === 'completed') return currency === 'TZS' ? wholeNumber(amount) : null
  return status === 'failed' || status === 'voided' || status === 'expired' || status === 'reversed' ? 0 : null
}

/** Of a record in the provider's list, or one that is missing in it. */
function ofRecord({ kind, details, unallocated }: Evidence): Omit<BreakAmounts, 'difference'> {
  const isUnknownHere = kind === 'unknown_at_provider'
  const here = isUnknownHere ? 0 : wholeNumber(details['amount_here'])
  return {
    expected: here,
    reported: kind === 'missing_at_provider' ? 0 : paidThere(details),
    reportedBy: 'provider',
    // What is unknown here is booked to an account of its own as soon as its money moved.
    booked: isUnknownHere ? Math.abs(unallocated) : details['status_here'] === 'completed' ? here : 0,
  }
}

/** Of an answer or a message about a payment or a payout of ours. */
function ofAnswer({ details, orderedAmount }: Evidence): Omit<BreakAmounts, 'difference'> {
  const { ordered, our_amount: ours, amount, currency, message_amount: said, message_currency: saidCurrency } = details
  const answered = currency === 'TZS' ? wholeNumber(amount) : null
  const message = saidCurrency === 'TZS' ? wholeNumber(said) : null
  const isAnswered = typeof currency === 'string'
  return {
    expected: wholeNumber(ordered) ?? wholeNumber(ours) ?? orderedAmount,
    reported: isAnswered ? answered : message,
    reportedBy: isAnswered ? 'provider' : message === null ? null : 'message',
    booked: wholeNumber(details['booked']),
  }
}

function withoutDifference(one: Evidence): Omit<BreakAmounts, 'difference'> {
  const { kind, details } = one
  switch (kind) {
    case 'missing_at_provider':
    case 'unknown_at_provider':
    case 'settled_differs':
      return ofRecord(one)
    case 'fee_differs': {
      const quoted = wholeNumber(details['quoted_fee'])
      const expected = quoted ?? wholeNumber(details['expected_fee'])
      // The quoted fee of a payout is booked when it completes; a doubtful fee of a payment waits.
      return { expected, reported: wholeNumber(details['fee']), reportedBy: 'provider', booked: quoted ?? 0 }
    }
    case 'balance_differs': {
      const { expected_low: low, expected_high: high } = details
      const expected = low === high ? wholeNumber(low) : null
      return { expected, reported: wholeNumber(details['reported']), reportedBy: 'provider', booked: null }
    }
    case 'amount_differs':
    case 'charge_unknown':
    case 'reference_conflict':
    case 'payout_amount_differs':
    case 'payout_unknown':
    case 'payout_contradicts':
    case 'payout_reference_conflict':
      return ofAnswer(one)
  }
}

export function amountsOf(one: Evidence): BreakAmounts {
  const amounts = withoutDifference(one)
  const { expected, reported } = amounts
  const known = one.kind === 'balance_differs' ? wholeNumber(one.details['difference']) : null
  return { ...amounts, difference: known ?? (expected === null || reported === null ? null : reported - expected) }
}
