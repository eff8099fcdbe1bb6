/** Months of the statement, in Dar es Salaam: `2026-09`. */
import { today } from '../../ui/days.ts'

export function thisMonth(): string {
  return today().slice(0, 'yyyy-mm'.length)
}

/** This many months later; earlier, if negative. */
export function monthBy(month: string, count: number): string {
  const [year, number] = month.split('-').map(Number) as [number, number]
  return new Date(Date.UTC(year, number - 1 + count)).toISOString().slice(0, 'yyyy-mm'.length)
}

/** The newest first, `count` months back, and the shown month if it is older. */
export function monthsToPick(shown: string, count: number): string[] {
  const now = thisMonth()
  const months = Array.from({ length: count }, (_, back) => monthBy(now, -back))
  return months.includes(shown) ? months : [...months, shown]
}
