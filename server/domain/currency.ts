/** The one currency: Tanzanian shillings, always in whole units. */
import { z } from 'zod'

export const currencySchema = z.literal('TZS')
export type Currency = z.infer<typeof currencySchema>
