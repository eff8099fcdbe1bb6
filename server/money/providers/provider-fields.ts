/** Fields that every adapter reads in the same way. */
import { z } from 'zod'
import type { Network } from '../../domain/network.ts'
import type { JsonAnswer } from '../../platform/outbound/json-client.ts'
import type { ProviderStatus } from './provider.ts'

/** A text from a provider: no column of the database can hold NUL, and no JSON in it half a surrogate pair. */
export const word = z
  .string()
  .max(200)
  .refine((value) => !value.includes('\0') && value.isWellFormed())
export const name = word.min(1)
/** Providers write it in either case. */
export const currencyCode = word.transform((code) => code.toUpperCase())

/** Whole TZS, written as a number or as a plain number in text, with or without cents; cents other than zero are refused. */
export const wholeTzs = z.union([
  z.int().nonnegative(),
  z
    .string()
    .regex(/^\d{1,15}(\.0{1,2})?$/)
    .transform(Number),
])

/** A number that a network prints in its messages; anything else is no number that a person could search for. */
const printedNumber = /^[!-~]{5,64}$/

/** The receipt of a paid charge. Before the payer has paid there is none: a provider may name its own attempts in the same field. */
export function receiptOf(status: ProviderStatus, number: string | null | undefined): { networkReceipt?: string } {
  return status === 'completed' && number && printedNumber.test(number) ? { networkReceipt: number } : {}
}

const networkAliases: [RegExp, Network][] = [
  [/m-?pesa|vodacom/i, 'mpesa'],
  [/airtel/i, 'airtel'],
  [/mixx|tigo|yas/i, 'mixx'],
  [/halo/i, 'halotel'],
]

export function networkOf(channelName: string | null | undefined): Network | null {
  return (channelName && networkAliases.find(([pattern]) => pattern.test(channelName))?.[1]) || null
}

/**
 * How long a 429 asks us to wait, in ms, by a header in seconds. Clamped, because missing, zero and absurd values have been seen.
 */
export function waitOf(answer: JsonAnswer, header: string): number {
  const value = Number(answer.headers[header])
  return Number.isFinite(value) && value > 0 ? Math.min(value, 120) * 1000 : 5_000
}
