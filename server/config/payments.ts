/** Settings of payments, of the pages they are made on, and of payouts. */
import { z } from 'zod'
import type { Network } from '../domain/network.ts'
import type { Mode } from './process.ts'
import { delays, perNetwork, seconds, type Frozen, type Given } from './values.ts'

export const paymentVariables = {
  // A charge without an answer is asked about for two days after it was sent: the end of its payment must be well before that.
  PAYMENT_EXPIRY_SECONDS: seconds.max(86_400, 'write at most 86400 seconds (a day)').default(3600),
  PAYMENT_CHECK_DELAYS_SECONDS: delays.default([20, 30, 60, 120, 300]),
  CHARGE_CLAIM_LEASE_SECONDS: seconds.default(30),
  PROMPT_SECONDS: perNetwork(seconds.max(600, 'write at most 600 seconds'), 90),
  PAYMENT_CONFIRM_ABOVE: z.coerce.number().int().min(0).default(1_000_000),
  REDIRECT_HOSTS: z.enum(['registered', 'any']).optional(),
  PAYOUT_APPROVAL_ABOVE: z.coerce.number().int().min(0).optional(),
}

export function paymentSettings(env: Given<typeof paymentVariables>, mode: Mode) {
  return {
    payments: {
      expirySeconds: env.PAYMENT_EXPIRY_SECONDS,
      /** How long a charge that was certainly not sent is retried. */
      unsentRetrySeconds: 60,
      /** The checkout's answer waits at most this long for the provider; the charge continues in the background. */
      answerWithinMs: 8_000,
      /** Seconds between status queries of a charge without news, by the number of queries made; the last value repeats. */
      checkDelaysSeconds: env.PAYMENT_CHECK_DELAYS_SECONDS,
      /** How long a claimed charge may be in flight before another process takes it over. */
      claimLeaseSeconds: env.CHARGE_CLAIM_LEASE_SECONDS,
      /** How long each network shows a prompt on the phone. */
      promptSeconds: env.PROMPT_SECONDS,
      /** TZS: above this amount the provider is queried before its webhook credits the payment. */
      confirmAbove: env.PAYMENT_CONFIRM_ABOVE,
    },
    pages: {
      /** Payers of live pages are redirected only to hosts that the merchant has proved to own. */
      registeredHostsOnly: (env.REDIRECT_HOSTS ?? (mode === 'local' ? 'any' : 'registered')) === 'registered',
    },
    payouts: {
      /** TZS: a larger payout waits for an operator. Undefined: no payout waits. */
      approvalAbove: env.PAYOUT_APPROVAL_ABOVE,
    },
  }
}

export type PaymentSettings = Frozen<ReturnType<typeof paymentSettings>>

/** Seconds that a prompt waits on a phone; on an unknown network the longest. */
export function promptLife({ payments }: Pick<PaymentSettings, 'payments'>, network: Network | null): number {
  return network === null ? Math.max(...Object.values(payments.promptSeconds)) : payments.promptSeconds[network]
}

/** Seconds until the next query to the provider, by the number of queries made. */
export function checkDelay({ payments }: Pick<PaymentSettings, 'payments'>, attempts: number): number {
  const delays = payments.checkDelaysSeconds
  return delays[Math.min(attempts, delays.length - 1)]!
}
