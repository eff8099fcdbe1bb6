/** What the addresses of the screens may have behind the `?`: filters, and the place in a list. */
import type { WebhookDeliveryAttempt } from '../api/operations.ts'
import { day, oneOf, readSearch, shaped, text, words, type SearchOf } from '../ui/search.ts'
import { isOffered, type EventType } from './app/event-types.ts'
import { payoutStatuses } from './payout-statuses.ts'

export const placeInList = readSearch({ cursor: text })

export const searchedList = readSearch({ q: words, cursor: text })

const outcome = oneOf<WebhookDeliveryAttempt['outcome']>(['succeeded', 'failed'])

/** The deliveries of an app; days in Dar es Salaam, both included. */
const deliveries = {
  outcome,
  type: (given: unknown): EventType | undefined => (isOffered(given) ? given : undefined),
  event: shaped(/^evt_\w+$/),
  from: day,
  to: day,
}
export type DeliveriesFilter = SearchOf<typeof deliveries>
export const deliveriesSearch = readSearch({ ...deliveries, cursor: text })

const requests = { outcome, app: shaped(/^app_\w+$/), key: shaped(/^key_\w+$/) }
export type RequestsFilter = SearchOf<typeof requests>
export const requestsSearch = readSearch({ ...requests, cursor: text })

/** Which rows of a batch are shown. `check`: those with warnings. */
export const rowFilters = ['all', 'check', 'invalid', 'ready', 'removed', ...payoutStatuses] as const
export type RowFilter = (typeof rowFilters)[number]
export const batchSearch = readSearch({ show: oneOf(rowFilters), cursor: text })

/** A saved recipient that is paid. */
export const payoutSearch = readSearch({ to: shaped(/^rcp_\w+$/) })

/** A month: `2026-09`. */
export const statementSearch = readSearch({ month: shaped(/^20\d\d-(0[1-9]|1[0-2])$/), cursor: text })

export const stepKeys = ['facts', 'documents', 'send'] as const
export type StepKey = (typeof stepKeys)[number]
export const verificationSearch = readSearch({ step: oneOf(stepKeys) })
