/**
 * What the filters of payments and payouts have in common: the search, the status and the days. A period is kept by its name, so that its
 * days move with the day; fixed days are kept as they are.
 */
import type { Operations } from '../api/operations.ts'
import { dayBy, dayRange, isDay, monthBy, today } from '../ui/days.ts'
import { searchedText } from '../ui/searched-text.ts'

export type FilteredList = 'payments' | 'payouts'

type Query = Operations['GET /v1/merchant/summary']['query']
export type Period = Exclude<NonNullable<Query['period']>, 'last_90_days'>

/** In the order of the choice. */
export const periods = ['today', 'last_7_days', 'last_30_days', 'this_month', 'last_month'] as const satisfies readonly Period[]

export type CommonFilter = {
  q?: string
  /** Not with days. */
  period?: Period
  /** Days in Dar es Salaam, both included. */
  from?: string
  to?: string
}

type Days = Pick<CommonFilter, 'from' | 'to'>

/** The days of a period, both included: those that the API has for its summary. */
export function daysOfPeriod(period: Period, day = today()): Required<Days> {
  const month = day.slice(0, 'yyyy-mm'.length)
  const days: Record<Period, Required<Days>> = {
    today: { from: day, to: day },
    last_7_days: { from: dayBy(day, -6), to: day },
    last_30_days: { from: dayBy(day, -29), to: day },
    this_month: { from: `${month}-01`, to: day },
    last_month: { from: `${monthBy(month, -1)}-01`, to: dayBy(`${month}-01`, -1) },
  }
  return days[period]
}

/** The days of a filter, as they are today. */
export const daysOf = ({ period, from, to }: CommonFilter): Days =>
  period ? daysOfPeriod(period) : { ...(from && { from }), ...(to && { to }) }

/** An address can contain anything: invalid values are left out. A text of digits arrives as a number. */
export function readCommon({ q, period, from, to, cursor }: Record<string, unknown>): CommonFilter & { cursor?: string } {
  const named = periods.find((one) => one === period)
  return {
    ...((typeof q === 'number' || (typeof q === 'string' && q !== '')) && { q: String(q).slice(0, 200) }),
    ...(named && { period: named }),
    ...(!named && isDay(from) && { from }),
    ...(!named && isDay(to) && { to }),
    ...(typeof cursor === 'string' && { cursor }),
  }
}

export function commonQueryOf(filter: CommonFilter): { q?: string; created_from?: string; created_to?: string } {
  const { from, to } = daysOf(filter)
  const q = searchedText(filter.q)
  return { ...(q !== undefined && { q }), ...dayRange(from, to) }
}
