/** Months as the statement counts them: those of Dar es Salaam, `2026-09`. */
import { today } from '../../ui/days.ts'

export function thisMonth(): string {
  return today().slice(0, 'yyyy-mm'.length)
}

/** So many months later; before, where negative. */
export function monthBy(month: string, count: number): string {
  const [year, number] = month.split('-').map(Number) as [number, number]
  return new Date(Date.UTC(year, number - 1 + count)).toISOString().slice(0, 'yyyy-mm'.length)
}

/** The newest first, back to `count` months ago, and the shown one where it is older. */
export function monthsToPick(shown: string, count: number): string[] {
  const now = thisMonth()
  const months = Array.from({ length: count }, (_, back) => monthBy(now, -back))
  return months.includes(shown) ? months : [...months, shown]
}
