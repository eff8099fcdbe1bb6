/** The states of a support case, what can be proven about its payment, why operators get it, and how they decide. */
import { z } from 'zod'

export const caseStates = ['open', 'asking', 'answered', 'with_operators', 'closed'] as const
export const caseStateSchema = z.enum(caseStates)
export type CaseState = (typeof caseStates)[number]

/** The states that a case can have once its payment was credited after its last answer. */
export type LateState = Extract<CaseState, 'answered' | 'with_operators'>

/** What is proven about the payment of a case. */
export const caseFindings = [
  /** The payment was credited to the merchant. */
  'received',
  /** The provider says that the charge ended without money, or there never was a charge. */
  'no_money',
] as const
export const caseFindingSchema = z.enum(caseFindings)
export type CaseFinding = (typeof caseFindings)[number]

export const caseReasons = [
  /** The provider says that the charge has not ended. */
  'still_open',
  /** The provider has no such charge, which proves nothing. */
  'not_found',
  /** The provider's answer is no proof, such as an expired charge. */
  'not_proven',
  'no_answer',
  /** Proven money differs from the payment's amount and waits for operators. */
  'money_held',
  /** The payment was credited, and its receipt has another number than the payer's message. */
  'number_differs',
  /** The number is that of another payment. Payers never see this. */
  'number_of_another',
  'payer_disagrees',
] as const
export const caseReasonSchema = z.enum(caseReasons)
export type CaseReason = (typeof caseReasons)[number]

/** How operators close a case; the payer reads it. */
export const caseDecisions = ['received', 'no_money', 'other'] as const
export const caseDecisionSchema = z.enum(caseDecisions)
export type CaseDecision = (typeof caseDecisions)[number]

/** What a provider answered about a case. */
export const caseAnswers = [
  'found',
  'not_found',
  'indeterminate',
  /** Our own books were enough. */
  'not_asked',
] as const
export const caseAnswerSchema = z.enum(caseAnswers)
export type CaseAnswerKind = (typeof caseAnswers)[number]
