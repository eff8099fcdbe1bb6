/** The filter of the payments, in the address and in the form of the API. */
import type { Operations } from '../../api/operations.ts'
import { dayRange, isDay } from '../../ui/days.ts'
import { networks } from '../../ui/networks.ts'
import { searchedText } from '../../ui/searched-text.ts'

type Query = Operations['GET /v1/merchant/payments']['query']

/** In the order of the filter. */
export const statuses = [
  'completed',
  'processing',
  'pending',
  'failed',
  'voided',
  'expired',
] as const satisfies readonly Query['status'][]

export type PaymentsFilter = {
  q?: string
  status?: (typeof statuses)[number]
  network?: (typeof networks)[number]
  /** The id of a payment page. */
  page?: string
  /** Days in Dar es Salaam, both included. */
  from?: string
  to?: string
  /** TZS. */
  min?: number
  max?: number
}

export type PaymentsSearch = PaymentsFilter & { cursor?: string }

function oneOf<Value extends string>(values: readonly Value[], text: unknown): Value | undefined {
  return values.find((value) => value === text)
}

function amountIn(text: unknown): number | undefined {
  const amount = Number(text)
  return text !== '' && text !== null && Number.isSafeInteger(amount) && amount >= 0 ? amount : undefined
}

/** An address can contain anything: invalid values are left out. A text of digits arrives as a number. */
export function readPaymentsSearch(search: Record<string, unknown>): PaymentsSearch {
  const { q, page, cursor } = search
  const all = {
    q: typeof q === 'number' || (typeof q === 'string' && q !== '') ? String(q).slice(0, 200) : undefined,
    status: oneOf(statuses, search['status']),
    network: oneOf(networks, search['network']),
    page: typeof page === 'string' && /^page_\w+$/.test(page) ? page : undefined,
    from: isDay(search['from']) ? search['from'] : undefined,
    to: isDay(search['to']) ? search['to'] : undefined,
    min: amountIn(search['min']),
    max: amountIn(search['max']),
    cursor: typeof cursor === 'string' ? cursor : undefined,
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

export function queryOf({ q, page, from, to, min, max, ...same }: PaymentsFilter): Query {
  const text = searchedText(q)
  return {
    ...same,
    ...(text !== undefined && { q: text }),
    ...(page !== undefined && { payment_page_id: page }),
    ...(min !== undefined && { min_amount: min }),
    ...(max !== undefined && { max_amount: max }),
    ...dayRange(from, to),
  }
}
