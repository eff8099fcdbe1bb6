/** The rules of a checkout request beyond its shape: amount, phone and network, with the error texts of the API contract. Pure. */
import { shillings } from '../../domain/currency.ts'
import { ceilingAmount, type PaymentPage } from '../pages/page.ts'
import { Refusal, type FieldError } from '../../platform/refusal.ts'
import type { Network } from '../../domain/network.ts'
import { readPhone } from '../../domain/phone.ts'

/** An idempotency key belongs to the first body that was sent with it. */
export function idempotencyKeyReused(): Refusal {
  return new Refusal(
    422,
    'idempotency_key_reused',
    'This idempotency key was used with a different request. Use a new key for a new payment.',
    { param: 'idempotency_key', messageSw: 'Ombi hili limebadilika. Anza malipo upya.' },
  )
}

type PageAmounts = Pick<PaymentPage, 'amount' | 'allowCustomAmount' | 'minAmount' | 'maxAmount'>

export type PayerError = FieldError & { messageSw: string }

export type AmountReading = { kind: 'amount'; amount: number } | { kind: 'broken'; error: PayerError }

function broken(field: string, code: string, message: string, messageSw: string): { kind: 'broken'; error: PayerError } {
  return { kind: 'broken', error: { field, code, message, messageSw } }
}

/**
 * The amount to charge, in TZS. A page with its own amount needs no amount from the payer and refuses another one; a suggested amount is
 * not used as a default.
 */
export function readAmount(page: PageAmounts, sent: unknown): AmountReading {
  if (sent === undefined || sent === null) {
    if (!page.allowCustomAmount && page.amount !== null) return { kind: 'amount', amount: page.amount }
    return broken('amount', 'amount_required', 'Send the amount to pay.', 'Weka kiasi cha kulipa.')
  }
  // An infinite one was a whole number, of too many digits.
  if (typeof sent !== 'number' || !(Number.isSafeInteger(sent) || Math.abs(sent) === Infinity)) {
    return broken(
      'amount',
      'amount_invalid',
      'The amount must be a whole number of TZS, without decimals or quotes.',
      'Kiasi lazima kiwe namba kamili ya shilingi.',
    )
  }
  const least = page.minAmount
  const most = page.maxAmount ?? ceilingAmount
  if (sent < least)
    return broken('amount', 'amount_too_small', `The minimum is ${shillings(least)}.`, `Kiasi cha chini ni ${shillings(least)}.`)
  if (sent > most)
    return broken('amount', 'amount_too_large', `The maximum is ${shillings(most)}.`, `Kiasi cha juu ni ${shillings(most)}.`)
  if (!page.allowCustomAmount && sent !== page.amount) {
    return broken(
      'amount',
      'amount_mismatch',
      `The amount of this page is ${shillings(page.amount ?? 0)}. Send this amount, or leave it out.`,
      `Malipo haya ni ${shillings(page.amount ?? 0)}.`,
    )
  }
  return { kind: 'amount', amount: sent }
}

export type PayerPhone = { kind: 'phone'; e164: string; network: Network | null } | { kind: 'broken'; error: PayerError }

export function readPayerPhone(typed: string): PayerPhone {
  const reading = readPhone(typed)
  switch (reading.kind) {
    case 'mobile':
      return { kind: 'phone', e164: reading.e164, network: reading.network }
    case 'unsupported':
      return broken(
        'phone_number',
        'network_unsupported',
        `${reading.networkName} numbers cannot pay here. Use M-Pesa, Airtel Money, Mixx by Yas or HaloPesa.`,
        `Namba za ${reading.networkName} haziwezi kulipa hapa. Tumia M-Pesa, Airtel Money, Mixx by Yas au HaloPesa.`,
      )
    case 'invalid':
      return broken(
        'phone_number',
        'phone_invalid',
        'This is not a Tanzanian mobile number. Use one such as 0754 123 456.',
        'Hii si namba ya simu ya Tanzania, mfano 0754 123 456.',
      )
  }
}

/** The currency is optional; if it is sent, it must be TZS. */
export function readCurrency(sent: unknown): { kind: 'currency' } | { kind: 'broken'; error: PayerError } {
  if (sent === undefined || sent === null || sent === 'TZS') return { kind: 'currency' }
  return broken('currency', 'currency_unsupported', 'Payments are in TZS only.', 'Malipo ni kwa shilingi za Tanzania (TZS).')
}
