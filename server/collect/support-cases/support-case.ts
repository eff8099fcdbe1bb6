/**
 * The rules of support cases: the moves of their state, what follows from a provider's answer, and what a payer sees. Pure. Invariants: a
 * case is answered only with a proof, and what a payer sees never depends on another payment.
 */
import type { CaseDecision, CaseFinding, CaseReason, CaseState } from '../../domain/support-case.ts'
import type { Environment } from '../../domain/environment.ts'
import type { PayerLanguage } from '../../domain/language.ts'
import type { ChargeTruth } from '../payments/ask-charge.ts'
import { lettersOf } from '../payments/receipt-parts.ts'

/** The database has the same pairs; a test compares the two. */
export const caseMoves: Record<CaseState, readonly CaseState[]> = {
  open: ['asking'],
  asking: ['answered', 'with_operators'],
  // The payer disagrees.
  answered: ['with_operators'],
  // A proof arrived later, or operators decided.
  with_operators: ['answered', 'closed'],
  // Only its payer opens it again, who was not told that it was closed: see `escalateByPayer`.
  closed: [],
}

/** What a payer tells besides the number, each optional. */
export type Claim = {
  /** TZS. */
  amount: number | null
  /** E.164. */
  phone: string | null
  /** In the payer's words. */
  time: string | null
  words: string | null
  email: string | null
}

export type SupportCase = {
  home: number
  id: string
  paymentId: string
  merchantId: string
  environment: Environment
  state: CaseState
  /** Letters and digits; null: erased. */
  smsNumber: string | null
  claimedAmount: number | null
  claimedPhone: string | null
  claimedTime: string | null
  words: string | null
  email: string | null
  payerLanguage: PayerLanguage
  finding: CaseFinding | null
  provenAt: Date | null
  escalatedBecause: CaseReason | null
  escalatedAt: Date | null
  numberOwnerId: string | null
  questions: number
  decision: CaseDecision | null
  decisionNote: string | null
  decisionMessage: string | null
  decidedBy: string | null
  decidedAt: Date | null
  /** The report came from the browser that paid, or has the number of the payment's receipt. */
  hasProof: boolean
  createdAt: Date
}

/** Seconds from one question to the next while the payer waits and the charge may still end; after the last one, operators get the case. */
export const askAgainSeconds = [20] as const
/** Operators get a case at this age in any case; it is also asked again after that. */
export const machineSeconds = 55
/** A question that had to wait for the provider's budget is tried again after this time at the latest. */
const longestPostponedSeconds = 5
/** Seconds from one question to the next while operators have the case: a proof may still arrive. */
export const askLaterSeconds = [300, 900, 3600, 3600, 10_800, 21_600, 43_200] as const

/** A case that has waited longer than this for operators is overdue. The alert `SupportCasesLate` has the same limit; a test compares them. */
export const caseOverdueSeconds = 4 * 3600

export type Conclusion =
  | { kind: 'answered'; finding: CaseFinding }
  | { kind: 'with_operators'; because: CaseReason; finding: CaseFinding | null; nextSeconds: number | null }
  | { kind: 'ask_again'; nextSeconds: number }
  /** The provider was not asked, because regular traffic needs its budget: this was no question. */
  | { kind: 'postponed'; nextSeconds: number }

const reasonOf: Record<Exclude<ChargeTruth['kind'], 'received' | 'no_money' | 'held'>, CaseReason> = {
  open: 'still_open',
  not_found: 'not_found',
  not_proven: 'not_proven',
  no_answer: 'no_answer',
}

type Learned = {
  truth: ChargeTruth
  /** The number of this payment's receipt, if it is known. */
  networkReceipt: string | null
  /** Another payment has a receipt with the payer's number. */
  isOfAnother: boolean
}

type Asked = {
  smsNumber: string | null
  state: CaseState
  /** Questions so far, including this one. */
  questions: number
  ageSeconds: number
}

/** What follows for a case from the answer to a question. */
export function conclude(one: Asked, { truth, networkReceipt, isOfAnother }: Learned): Conclusion {
  const receipt = networkReceipt === null ? null : lettersOf(networkReceipt)
  switch (truth.kind) {
    case 'received':
      // The payer's number is not this payment's: another charge may have taken money, too.
      if (receipt !== null && one.smsNumber !== null && receipt !== one.smsNumber)
        return toOperators('number_differs', 'received')
      if (isOfAnother) return toOperators('number_of_another', 'received')
      return { kind: 'answered', finding: 'received' }
    case 'no_money':
      if (isOfAnother) return toOperators('number_of_another', 'no_money')
      return { kind: 'answered', finding: 'no_money' }
    case 'held':
      return toOperators('money_held', null)
    case 'open':
    case 'not_found':
    case 'not_proven':
    case 'no_answer':
      return undecided(one, truth)
  }
}

function toOperators(because: CaseReason, finding: CaseFinding | null): Conclusion {
  return { kind: 'with_operators', because, finding, nextSeconds: null }
}

function undecided(one: Asked, truth: Extract<ChargeTruth, { kind: keyof typeof reasonOf }>): Conclusion {
  const because = reasonOf[truth.kind]
  const held = truth.kind === 'no_answer' && truth.afterMs !== undefined ? truth.afterMs / 1000 : 0
  if (one.state === 'with_operators') {
    if (held > 0) return { kind: 'postponed', nextSeconds: Math.max(held, longestPostponedSeconds) }
    const later = askLaterSeconds[one.questions - 1 - askAgainSeconds.length] ?? null
    return { kind: 'with_operators', because, finding: null, nextSeconds: later === null ? null : Math.max(later, held) }
  }
  const soon = Math.min(Math.max(held, 1), longestPostponedSeconds)
  if (held > 0 && one.ageSeconds + soon <= machineSeconds) return { kind: 'postponed', nextSeconds: soon }
  // An ended charge that proves nothing does not change within seconds.
  const next = truth.kind === 'not_proven' ? Infinity : (askAgainSeconds[one.questions - 1] ?? Infinity)
  if (one.ageSeconds + next <= machineSeconds) return { kind: 'ask_again', nextSeconds: next }
  return { kind: 'with_operators', because, finding: null, nextSeconds: Math.max(askLaterSeconds[0], held) }
}

/** What a payer, a merchant and a mail see of a case. */
export type PublicCase = { state: CaseState; finding: CaseFinding | null }

/**
 * What a payer sees. A case whose number belongs to another payment looks exactly like one whose number is known to no one: otherwise
 * numbers of other payments could be guessed here.
 */
export function publicCaseOf({
  state,
  finding,
  escalatedBecause,
  decisionMessage,
}: Pick<SupportCase, 'state' | 'finding' | 'escalatedBecause' | 'decisionMessage'>): PublicCase {
  // Also after operators closed it: only a message of theirs is news.
  const isQuiet = state === 'with_operators' || (state === 'closed' && decisionMessage === null)
  if (isQuiet && escalatedBecause === 'number_of_another') return { state: 'answered', finding }
  return { state, finding }
}
