/** The filter of the payouts, in the address and in the form of the API. */
import type { Operations, Payout } from '../../api/operations.ts'
import { dayRange, isDay } from '../../ui/days.ts'
import { payoutStatuses } from '../payout-statuses.ts'
import { searchedText } from '../../ui/searched-text.ts'

type Query = Operations['GET /v1/merchant/payouts']['query']

export type PayoutsFilter = {
  q?: string
  status?: Payout['status']
  /** Days in Dar es Salaam, both included. */
  from?: string
  to?: string
}

/** An address can contain anything: invalid values are left out. A text of digits arrives as a number. */
export function readPayoutsSearch({ q, status, from, to, cursor }: Record<string, unknown>): PayoutsFilter & { cursor?: string } {
  const known = payoutStatuses.find((one) => one === status)
  return {
    ...((typeof q === 'number' || (typeof q === 'string' && q !== '')) && { q: String(q).slice(0, 200) }),
    ...(known && { status: known }),
    ...(isDay(from) && { from }),
    ...(isDay(to) && { to }),
    ...(typeof cursor === 'string' && { cursor }),
  }
}

export function queryOf({ q, from, to, ...same }: PayoutsFilter): Query {
  const text = searchedText(q)
  return { ...same, ...(text !== undefined && { q: text }), ...dayRange(from, to) }
}
