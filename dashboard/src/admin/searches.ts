/** What the addresses of the screens may have behind the `?`: filters, and the place in a list. */
import type { Payout, WaitingReview } from '../api/operations.ts'
import { networks } from '../ui/networks.ts'
import { day, oneOf, readSearch, text, type SearchOf } from '../ui/search.ts'

export type Environment = Payout['environment']
const environment = oneOf<Environment>(['test', 'live'])

export const placeInList = readSearch({ cursor: text })

const audit = { actor: text, action: text, object: text, from: day, to: day }
export type AuditFilter = SearchOf<typeof audit>
export const auditSearch = readSearch({ ...audit, cursor: text })

const breaks = { status: oneOf(['proposed', 'resolved']), environment }
export type BreakFilter = SearchOf<typeof breaks>
export const breaksSearch = readSearch({ ...breaks, cursor: text })

const payouts = { which: oneOf(['unfinished', 'all']), environment }
export type PayoutFilter = SearchOf<typeof payouts>
export const payoutsSearch = readSearch({ ...payouts, cursor: text })

/** Without a status: waiting cases. */
const reviews = {
  kind: oneOf<WaitingReview['kind']>(['person', 'business']),
  status: oneOf(['verified', 'rejected']),
  claimed: oneOf(['me', 'none']),
  overdue: (given: unknown): true | undefined => (String(given) === 'true' ? true : undefined),
}
export type ReviewFilter = SearchOf<typeof reviews>
export const reviewsSearch = readSearch({ ...reviews, cursor: text })

/** Without `which`: the payments with an unknown outcome. */
const stuck = {
  which: oneOf(['all']),
  network: oneOf(networks),
  environment,
  minutes: (given: unknown): number | undefined => oneOf([5, 30, 60, 1440])(Number(given)),
}
export type StuckFilter = SearchOf<typeof stuck>
export const stuckSearch = readSearch({ ...stuck, cursor: text })

/** `like`: the cases that one row of the queue stands for. */
const cases = { state: oneOf(['answered', 'closed']), environment, like: text }
export type CaseFilter = SearchOf<typeof cases>
export const casesSearch = readSearch({ ...cases, cursor: text })
