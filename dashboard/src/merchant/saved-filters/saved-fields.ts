/** A filter as it is saved, and as it stands in the address. The text of a search is not saved: it may name a payer. */
import type { Operations } from '../../api/operations.ts'
import type { PaymentsFilter } from '../payments/filter.ts'
import type { PayoutsFilter } from '../payouts/filter.ts'

type Saved = Operations['PUT /v1/merchant/saved-filters/payments']['body']['filter']
type SavedOfPayouts = Operations['PUT /v1/merchant/saved-filters/payouts']['body']['filter']

/** Of one of the lists: that of payouts has fewer fields. */
export type AnyFilter = Omit<PaymentsFilter, 'status'> & { status?: PaymentsFilter['status'] | PayoutsFilter['status'] }
export type AnySaved = Omit<Saved, 'status'> & { status?: Saved['status'] | SavedOfPayouts['status'] }

export function toSaved({ q: _q, page, min, max, ...same }: AnyFilter): AnySaved {
  return {
    ...same,
    ...(page !== undefined && { payment_page_id: page }),
    ...(min !== undefined && { min_amount: min }),
    ...(max !== undefined && { max_amount: max }),
  }
}

export function toAddress({ payment_page_id: page, min_amount: min, max_amount: max, ...same }: AnySaved): AnyFilter {
  return {
    ...same,
    ...(page !== undefined && { page }),
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
  }
}

const sorted = (filter: AnySaved): string =>
  JSON.stringify(Object.entries(filter).toSorted(([one], [other]) => (one < other ? -1 : 1)))

/** Whether a saved filter is the one that is set. */
export const isSet = (saved: AnySaved, filter: AnyFilter): boolean => sorted(saved) === sorted(toSaved(filter))
