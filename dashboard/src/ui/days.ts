/** Calendar days and months in Dar es Salaam, `2026-09-30`, for filters and statements: from midnight to midnight there. */
import { timeZone } from './format.ts'

const writtenDay = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })

const dayMs = 86_400_000

export function today(): string {
  return writtenDay.format(new Date())
}

export function dayOf(moment: string): string {
  return writtenDay.format(new Date(moment))
}

/** This many days after today, or before, if negative. */
export function dayFromToday(days: number): string {
  return writtenDay.format(new Date(Date.now() + days * dayMs))
}

/** This many days after a day, or before, if negative. */
export function dayBy(day: string, days: number): string {
  return new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 'yyyy-mm-dd'.length)
}

export function isDay(text: unknown): text is string {
  return typeof text === 'string' && /^20\d\d-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))
}

function midnight(day: string): Date {
  return new Date(`${day}T00:00:00+03:00`)
}

/** The last second of a day, for the API. */
export function lastSecondOf(day: string): string {
  return new Date(midnight(day).getTime() + dayMs - 1000).toISOString()
}

/** For the API: from the start of the first day to the end of the last day, exclusive. */
export function dayRange(from: string | undefined, to: string | undefined): { created_from?: string; created_to?: string } {
  return {
    ...(from !== undefined && { created_from: midnight(from).toISOString() }),
    ...(to !== undefined && { created_to: new Date(midnight(to).getTime() + dayMs).toISOString() }),
  }
}

/** The current month in Dar es Salaam, `2026-09`. */
export function thisMonth(): string {
  return today().slice(0, 'yyyy-mm'.length)
}

/** This many months later; earlier, if negative. */
export function monthBy(month: string, count: number): string {
  const [year, number] = month.split('-').map(Number) as [number, number]
  return new Date(Date.UTC(year, number - 1 + count)).toISOString().slice(0, 'yyyy-mm'.length)
}

/** The newest first, back to `first`, and the shown month if it is older. */
export function monthsToPick(shown: string, first: string): string[] {
  const now = thisMonth()
  const months = [now]
  while (months.at(-1)! > first) months.push(monthBy(months.at(-1)!, -1))
  return months.includes(shown) ? months : [...months, shown]
}
