/** Fields in which callers keep their own data with our objects; we store them and return them. */
import { z } from 'zod'
import { lineOfText } from './text.ts'

/** A merchant's own order number. */
export const merchantReference = lineOfText(64).meta({ example: 'ORDER-1001' })

export const metadata = z
  .record(z.string().regex(/^[A-Za-z0-9_-]{1,40}$/, 'Use 1 to 40 of A–Z, a–z, 0–9, _ and -.'), z.string().max(500))
  .refine((record) => Object.keys(record).length <= 20, 'At most 20 entries.')
  .meta({ maxProperties: 20, example: { order_id: '1001' } })
