/** The filter of the payments, in the address and in the form of the API. */
import type { Operations } from '../../api/operations.ts'
import { networks } from '../../ui/networks.ts'
import { amount, oneOf, readSearch, shaped, type SearchOf } from '../../ui/search.ts'
import { commonQueryOf, readCommon, type CommonFilter } from '../list-filter.ts'

type Query = Operations['GET /v1/merchant/payments']['query']

/** In the order of the filter. */
export const statuses = [
  'completed',
  'processing',
  'pending',
  'failed',
  'voided',
  'expired',
] as const satisfies readonly Query['status'][]

/** `page`: the id of a payment page. `min` and `max`: TZS. */
const own = { status: oneOf(statuses), network: oneOf(networks), page: shaped(/^page_\w+$/), min: amount, max: amount }
const readOwn = readSearch(own)

export type PaymentsFilter = CommonFilter & SearchOf<typeof own>
export type PaymentsSearch = PaymentsFilter & { cursor?: string }

export const readPaymentsSearch = (search: Record<string, unknown>): PaymentsSearch => ({
  ...readCommon(search),
  ...readOwn(search),
})

export function queryOf({ status, network, page, min, max, ...common }: PaymentsFilter): Query {
  return {
    ...commonQueryOf(common),
    ...(status !== undefined && { status }),
    ...(network !== undefined && { network }),
    ...(page !== undefined && { payment_page_id: page }),
    ...(min !== undefined && { min_amount: min }),
    ...(max !== undefined && { max_amount: max }),
  }
}
