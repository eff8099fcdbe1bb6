/** The one currency: Tanzanian shillings, always in whole units. */
import { z } from 'zod'
import type { Environment } from './environment.ts'

export const currencySchema = z.literal('TZS')
/** In a request, where another currency has its own error code. */
export const sentCurrency = z
  .unknown()
  .optional()
  .meta({ type: 'string', enum: ['TZS'], description: 'Optional. If sent, it must be `TZS`.', example: 'TZS' })
export type Currency = z.infer<typeof currencySchema>

/** `TSh 25,000`: as people in Tanzania read it, in both languages, never with decimals. */
export const shillings = (amount: number): string => `TSh ${amount.toLocaleString('en')}`

/** What to check about the amount of a new payment, link or payout; it stops nothing. */
export const amountWarningCode = 'amount_maybe_in_cents'
export const amountWarningSchema = z
  .object({ code: z.literal(amountWarningCode), message: z.string(), message_sw: z.string() })
  .meta({ id: 'AmountWarning' })
export type AmountWarning = z.infer<typeof amountWarningSchema>

/** From here on a whole hundred in test is more often an order of 10,000 TZS in cents than one of a million. */
const suspectFrom = 1_000_000

export const amountWarningsText = `In test only, for an amount of at least ${suspectFrom.toLocaleString('en')} TZS that is a multiple of 100: \`${amountWarningCode}\`. ISO 4217 gives TZS two decimals, so some commerce plugins send a hundred times the price; this API takes whole shillings.`

/** The warnings about the amount of an object that an integration has just made in this environment. */
export function amountWarnings(environment: Environment, amount: number): AmountWarning[] {
  if (environment !== 'test' || amount < suspectFrom || amount % 100 !== 0) return []
  return [
    {
      code: amountWarningCode,
      message: `Is this ${shillings(amount)}? If you meant ${shillings(amount / 100)}, send whole shillings, not cents.`,
      message_sw: `Je, ni ${shillings(amount)}? Kama ulimaanisha ${shillings(amount / 100)}, tuma shilingi kamili, si senti.`,
    },
  ]
}
