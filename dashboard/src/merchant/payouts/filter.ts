/** The filter of the payouts, in the address and in the form of the API. */
import type { Operations, Payout } from '../../api/operations.ts'
import { commonQueryOf, readCommon, type CommonFilter } from '../list-filter.ts'
import { payoutStatuses } from '../payout-statuses.ts'

type Query = Operations['GET /v1/merchant/payouts']['query']

export type PayoutsFilter = CommonFilter & { status?: Payout['status'] }

export function readPayoutsSearch(search: Record<string, unknown>): PayoutsFilter & { cursor?: string } {
  const known = payoutStatuses.find((one) => one === search['status'])
  return { ...readCommon(search), ...(known && { status: known }) }
}

export function queryOf({ status, ...common }: PayoutsFilter): Query {
  return { ...commonQueryOf(common), ...(status && { status }) }
}
