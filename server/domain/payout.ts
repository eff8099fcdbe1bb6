/** The statuses of a payout, the states of its order at the provider, its approval and its purpose. */
import { z } from 'zod'
import { amountWarningCode } from './currency.ts'
import { approvalFailures } from './approval.ts'

export const payoutStatuses = ['pending', 'processing', 'completed', 'failed', 'reversed', 'cancelled'] as const
export const payoutStatusSchema = z.enum(payoutStatuses)
export type PayoutStatus = (typeof payoutStatuses)[number]

/** The states in which the provider has not been sent the order. */
export const unsentOrderStates = ['queued', 'unsent', 'deferred'] as const
export type UnsentOrderState = (typeof unsentOrderStates)[number]

export const payoutOrderStates = [
  'queued',
  'claimed',
  'unsent',
  'deferred',
  'unknown',
  'accepted',
  'rejected',
  'withdrawn',
] as const
export const payoutOrderStateSchema = z.enum(payoutOrderStates)
export type PayoutOrderState = (typeof payoutOrderStates)[number]

export const approvals = ['none', 'required', 'approved', 'refused'] as const
export const approvalSchema = z.enum(approvals)
export type Approval = (typeof approvals)[number]

/** `refund`: of a payment, by its merchant, to the phone that paid. `return_to_payer`: by the service, of the money of a break. */
export const payoutPurposes = ['merchant', 'refund', 'return_to_payer'] as const
export const payoutPurposeSchema = z.enum(payoutPurposes)
export type PayoutPurpose = (typeof payoutPurposes)[number]

/** `provider`: it is sent to a phone. `outside`: a refund that its merchant gave back by its own means; the wallet pays nothing. */
export const payoutMethods = ['provider', 'outside'] as const
export const payoutMethodSchema = z.enum(payoutMethods)
export type PayoutMethod = (typeof payoutMethods)[number]

/** A refund that was cancelled or came back is `failed`. */
const refundStatuses = ['pending', 'processing', 'completed', 'failed'] as const
export const refundStatusSchema = z.enum(refundStatuses)
export type RefundStatus = (typeof refundStatuses)[number]

/** How much of a payment was refunded. */
const refundStates = ['none', 'partial', 'full'] as const
export const refundStateSchema = z.enum(refundStates)
export type RefundState = (typeof refundStates)[number]

/** What the owner of a payout should check. It does not stop the payout. */
/** Those that a payout's row lists; a double is a column of its own, and the amount is looked at for the answer of a key alone. */
export const listedPayoutWarnings = ['recipient_name_differs', 'rest_below_minimum'] as const
export const payoutWarnings = [...listedPayoutWarnings, 'possible_duplicate', amountWarningCode] as const
export const payoutWarningSchema = z.enum(payoutWarnings)
export type PayoutWarning = (typeof payoutWarnings)[number]

const providerFailures = ['recipient_not_found', 'recipient_limit', 'network_unavailable', 'provider_error'] as const
/** Why a payout failed at its provider. */
export type ProviderFailure = (typeof providerFailures)[number]
export const isProviderFailure = (code: string): boolean => (providerFailures as readonly string[]).includes(code)

export const payoutFailureCodes = [...providerFailures, ...approvalFailures] as const
/** Why a payout failed, or was cancelled because members did not approve it. */
export type PayoutFailureCode = (typeof payoutFailureCodes)[number]
