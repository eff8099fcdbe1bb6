/** What is true of the money of a payout now, by its status: its history also has what was undone later. */
import type { PayoutWithTimeline } from '../../api/operations.ts'

type Status = PayoutWithTimeline['status']

const hasReturned: readonly Status[] = ['failed', 'reversed', 'cancelled']
const isInFlight: readonly Status[] = ['pending', 'processing']

/** The keys of the texts about a review. A provider that contradicts itself holds all payouts of the wallet. */
export function reviewTextsOf({ status, under_review: review }: Pick<PayoutWithTimeline, 'status' | 'under_review'>) {
  const text = isInFlight.includes(status) ? 'underReviewText' : 'underReviewEnded'
  return review?.reason === 'payout_contradicts' ? ([text, 'payoutsWait'] as const) : ([text] as const)
}

/** The last line that returned the money; undefined unless the wallet has it. */
export function returnOf({ status, timeline }: Pick<PayoutWithTimeline, 'status' | 'timeline'>) {
  if (!hasReturned.includes(status)) return undefined
  return timeline.flatMap((entry) => (entry.type === 'transaction' && entry.kind === 'payout_reversal' ? [entry] : [])).at(-1)
}
