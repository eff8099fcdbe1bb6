/** The periods of a summary: whole days in East Africa Time, by name or by their first and last day. */
import { z } from 'zod'
import { calendarDay } from '../../platform/http/text.ts'
import { invalidFields, type Refusal } from '../../platform/refusal.ts'
import type { Day } from './wallet-day.sql.ts'

export const dayMs = 86_400_000
/** East Africa Time, which has no daylight saving time. */
const offsetMs = 3 * 3_600_000

export const maxPeriodDays = 366
const defaultPeriod = 'last_30_days'

export const periodNames = ['today', 'last_7_days', 'last_30_days', 'last_90_days', 'this_month', 'last_month'] as const
type PeriodName = (typeof periodNames)[number]

export const periodQuery = {
  period: z
    .enum(periodNames)
    .optional()
    .meta({ description: `Default: \`${defaultPeriod}\`, today included. Not with \`from\` and \`to\`.` }),
  from: calendarDay.optional().meta({ description: 'First day in East Africa Time (UTC+3).', example: '2026-09-01' }),
  to: calendarDay
    .optional()
    .meta({ description: `Last day, included. At most ${maxPeriodDays} days with the first.`, example: '2026-09-30' }),
}

/** Both days are included. */
export type Period = { from: Day; to: Day }

export function dayOf(moment: Date): Day {
  return new Date(moment.getTime() + offsetMs).toISOString().slice(0, 'yyyy-mm-dd'.length)
}

export function startOf(day: Day): Date {
  return new Date(Date.parse(day) - offsetMs)
}

export function dayBy(day: Day, days: number): Day {
  return new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 'yyyy-mm-dd'.length)
}

export function lengthOf({ from, to }: Period): number {
  return (Date.parse(to) - Date.parse(from)) / dayMs + 1
}

export function daysOf(period: Period): Day[] {
  return Array.from({ length: lengthOf(period) }, (_, index) => dayBy(period.from, index))
}

function named(name: PeriodName, today: Day): Period {
  const firstOfMonth = `${today.slice(0, 'yyyy-mm'.length)}-01`
  const periods: Record<PeriodName, () => Period> = {
    today: () => ({ from: today, to: today }),
    last_7_days: () => ({ from: dayBy(today, -6), to: today }),
    last_30_days: () => ({ from: dayBy(today, -29), to: today }),
    last_90_days: () => ({ from: dayBy(today, -89), to: today }),
    this_month: () => ({ from: firstOfMonth, to: today }),
    last_month: () => {
      const last = dayBy(firstOfMonth, -1)
      return { from: `${last.slice(0, 'yyyy-mm'.length)}-01`, to: last }
    },
  }
  return periods[name]()
}

export type PeriodQuery = { period?: PeriodName | undefined; from?: Day | undefined; to?: Day | undefined }

function wrong(field: keyof PeriodQuery, message: string): Refusal {
  return invalidFields([{ field, code: 'invalid', message }])
}

/** Refuses with 400 a period that is not clear, ends before it starts, or is too long. */
export function readPeriod({ period, from, to }: PeriodQuery, today: Day): Period {
  if (from === undefined && to === undefined) return named(period ?? defaultPeriod, today)
  if (period !== undefined) throw wrong('period', 'Send either period, or from and to.')
  if (from === undefined || to === undefined) {
    throw wrong(from === undefined ? 'from' : 'to', 'Send from and to together.')
  }
  if (to < from) throw wrong('to', 'Use a day that is not before from.')
  if (lengthOf({ from, to }) > maxPeriodDays) {
    throw wrong('to', `A period has at most ${maxPeriodDays} days.`)
  }
  return { from, to }
}

/** The same number of days directly before. */
export function before(period: Period): Period {
  return { from: dayBy(period.from, -lengthOf(period)), to: dayBy(period.from, -1) }
}
