/** The statuses of a payment, the states of its charge at the provider, and the reasons of a failed one. */
import { z } from 'zod'

export const paymentStatuses = ['pending', 'processing', 'completed', 'failed', 'voided', 'expired'] as const
export const paymentStatusSchema = z.enum(paymentStatuses)
export type PaymentStatus = (typeof paymentStatuses)[number]

export const chargeStates = ['claimed', 'unsent', 'deferred', 'unknown', 'accepted', 'rejected'] as const
export const chargeStateSchema = z.enum(chargeStates)
export type ChargeState = (typeof chargeStates)[number]

/** The codes of the API contract (section 6.1). */
export const failureCodes = [
  'insufficient_funds',
  'wrong_pin',
  'declined_by_payer',
  'prompt_timeout',
  'payer_not_found',
  'payer_limit',
  'payer_busy',
  'network_unavailable',
  'provider_error',
] as const
/** Why a charge failed. */
export type FailureCode = (typeof failureCodes)[number]
