/** The filter of the payments, in the address and in the form of the API. */
import type { Operations } from '../../api/operations.ts'
import { networks } from '../../ui/networks.ts'
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

export type PaymentsFilter = CommonFilter & {
  status?: (typeof statuses)[number]
  network?: (typeof networks)[number]
  /** The id of a payment page. */
  page?: string
  /** TZS. */
  min?: number
  max?: number
}

export type PaymentsSearch = PaymentsFilter & { cursor?: string }

function oneOf<Value extends string>(values: readonly Value[], text: unknown): Value | undefined {
  return values.find((value) => value === text)
}

function amountIn(text: unknown): number | undefined {
  const amount = Number(text)
  return text !== '' && text !== null && Number.isSafeInteger(amount) && amount >= 0 ? amount : undefined
}

export function readPaymentsSearch(search: Record<string, unknown>): PaymentsSearch {
  const { page } = search
  const own = {
    status: oneOf(statuses, search['status']),
    network: oneOf(networks, search['network']),
    page: typeof page === 'string' && /^page_\w+$/.test(page) ? page : undefined,
    min: amountIn(search['min']),
    max: amountIn(search['max']),
  }
  return { ...readCommon(search), ...Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined)) }
}

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
