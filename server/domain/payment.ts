/** The statuses of a payment, the states of its charge at the provider, the reasons of a failed one, and its code for people. */
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

export const shortCodeSchema = z.string().meta({
  description:
    'The payment’s code for people, to read aloud; its last character checks the others. Two payments may have the same: programs use `reference`.',
  example: '7K3M-9QXA-7',
})
