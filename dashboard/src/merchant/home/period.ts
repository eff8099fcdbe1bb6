/** The period of the start page, in the address: by name, or by its first and last day. The API knows its days. */
import type { Operations } from '../../api/operations.ts'
import { isDay } from '../../ui/days.ts'

export type PeriodName = NonNullable<Operations['GET /v1/merchant/summary']['query']['period']>

/** In the order of the choice. */
export const periodNames = [
  'today',
  'last_7_days',
  'last_30_days',
  'last_90_days',
  'this_month',
  'last_month',
] as const satisfies readonly PeriodName[]

export const usualPeriod = 'last_30_days'

/** Neither: the last 30 days. */
export type PeriodSearch = { period?: PeriodName } | { from: string; to: string }

export function readPeriod({ period, from, to }: Record<string, unknown>): PeriodSearch {
  if (isDay(from) && isDay(to)) return { from, to }
  const named = periodNames.find((name) => name === period && name !== usualPeriod)
  return named === undefined ? {} : { period: named }
}
