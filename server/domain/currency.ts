/** The one currency: Tanzanian shillings, always in whole units. */
import { z } from 'zod'

export const currencySchema = z.literal('TZS')
/** In a request, where another currency has its own error code. */
export const sentCurrency = z
  .unknown()
  .optional()
  .meta({ type: 'string', enum: ['TZS'], description: 'Optional. If sent, it must be `TZS`.' })
export type Currency = z.infer<typeof currencySchema>
