/** Which payments of the till are new since the last answer. */
import type { Till } from '../../api/operations.ts'

type TillPayment = Till['payments'][number]

/** After this time a payment is no news: it is neither spoken nor shown as new. */
const freshMs = 60_000

/** At a moment of the service's clock, in milliseconds. */
export function isFresh({ credited_at }: TillPayment, nowMs: number): boolean {
  return nowMs - Date.parse(credited_at) < freshMs
}

/**
 * The payments to announce, the oldest first. None of the first answer, and none that is old because the connection was away: money
 * from an hour ago is not announced as if the payer stood here now.
 */
export function arrivals(before: Till | undefined, now: Till): TillPayment[] {
  if (before === undefined) return []
  const known = new Set(before.payments.map(({ reference }) => reference))
  const end = now.payments.findIndex(({ reference }) => known.has(reference))
  const later = end === -1 ? now.payments : now.payments.slice(0, end)
  return later.filter((payment) => isFresh(payment, Date.parse(now.as_of))).toReversed()
}
