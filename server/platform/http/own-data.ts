/** Fields in which callers keep their own data with our objects; we store them and return them. */
import { z } from 'zod'
import { invalidFields } from '../refusal.ts'
import { lineOfText } from './text.ts'

/** A merchant's own order number. */
export const merchantReference = lineOfText(64).meta({ example: 'ORDER-1001' })

/** PHP writes an empty list for a map without entries. */
const mapOf = (sent: unknown): unknown => (Array.isArray(sent) && sent.length === 0 ? {} : sent)

const dataUnder = (key: z.ZodString) =>
  z.preprocess(
    mapOf,
    z.record(key, z.string().max(500)).refine((record) => Object.keys(record).length <= 20, 'At most 20 entries.'),
  )

export const metadata = dataUnder(z.string().regex(/^[A-Za-z0-9_-]{1,40}$/, 'Use 1 to 40 of A–Z, a–z, 0–9, _ and -.')).meta({
  maxProperties: 20,
  example: { order_id: '1001' },
})

/** The same under any key. */
export const freeMetadata = dataUnder(z.string().min(1).max(40)).meta({ maxProperties: 20 })

/** Two names of one field of payouts. */
type ReferenceNames<Value> = { merchant_reference?: Value; reference?: Value }

export const twoReferences = 'Send `merchant_reference` or `reference`, its older name; both have different values.'

/** A merchant's own reference of a payout, under either name; null clears it. Refuses with 400 two that differ. */
export function referenceNamed<Value>(named: ReferenceNames<Value>): Value | undefined {
  const { merchant_reference: name, reference: alias } = named
  if (name && alias && name !== alias) {
    throw invalidFields([{ field: 'merchant_reference', code: 'invalid', message: twoReferences }])
  }
  return name ?? (alias === undefined ? name : alias)
}
