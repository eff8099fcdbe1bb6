/**
 * Other forms in which public integrations have seen the same facts. Invariant: a drifted answer or event says the same as the documented
 * one; only its form differs.
 */
import { z } from 'zod'

export const driftSchema = z.enum([
  /** Amounts as text with cents. */
  'text-amounts',
  'lower-case-currency',
  /** Phones of payers without their middle digits. */
  'masked-payers',
  /** Snippe's lists under another name and without a total, or as the records alone. */
  'named-lists',
  'bare-lists',
  /** The event of ClickPesa in `eventType`. */
  'event-type',
])

export type Drift = readonly z.infer<typeof driftSchema>[]

const amounts = new Set(['value', 'amount', 'collectedAmount', 'fee', 'fee_amount'])
const phones = new Set(['phone', 'paymentPhoneNumber', 'customerPhoneNumber'])

function driftedList(content: object, drift: Drift): unknown {
  if (!('items' in content)) return content
  if (drift.includes('bare-lists')) return content.items
  const items = content.items as { object?: string }[]
  return drift.includes('named-lists') ? { [items[0]?.object === 'payout' ? 'payouts' : 'payments']: items } : content
}

/** The same answer or event in these forms. A text that is no JSON stays as it is. */
export function drifted(body: string, drift: Drift): string {
  if (drift.length === 0 || !/^[[{].*[\]}]$/s.test(body)) return body
  const changed = (key: string, value: unknown): unknown => {
    if (drift.includes('text-amounts') && amounts.has(key) && typeof value === 'number') return `${value}.00`
    if (drift.includes('lower-case-currency') && value === 'TZS') return 'tzs'
    if (drift.includes('masked-payers') && phones.has(key) && typeof value === 'string')
      return value.replace(/\d{4}(?=\d{3}$)/, '****')
    if (key === 'data' && typeof value === 'object' && value !== null) return driftedList(value, drift)
    return value
  }
  const document = JSON.parse(body, changed) as Record<string, unknown>
  if (!drift.includes('event-type') || !('event' in document)) return JSON.stringify(document)
  const { event, ...rest } = document
  return JSON.stringify({ eventType: event, ...rest })
}
