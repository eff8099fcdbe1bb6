/** The MAC that binds an order to its payout, so that the sent order is the requested one. */
import type { RecordMac } from '../../platform/crypto/record-mac.ts'

export type PayoutOrder = {
  home: number
  id: string
  /** Null: a system payout. */
  merchantId: string | null
  environment: string
  amount: number
  fee: number
  phoneNumber: string
  recipientName: string
  provider: string
  idempotencyKey: string
  requestBody: string
}

export const payoutOrderKind = 'payout order'

const partsOf = (order: PayoutOrder) =>
  [
    order.home,
    order.id,
    order.merchantId,
    order.environment,
    order.amount,
    order.fee,
    order.phoneNumber,
    order.recipientName,
    order.provider,
    order.idempotencyKey,
    order.requestBody,
  ] as const

export function payoutOrderMac(macs: RecordMac, order: PayoutOrder): string {
  return macs.make(payoutOrderKind, partsOf(order))
}

/** Whether a claimed order is the requested one, as far as this can be checked. */
export function isPayoutOrderRight(
  macs: RecordMac,
  order: PayoutOrder & { orderMac: string | null; isConsistentWithoutMac: boolean },
): boolean {
  return order.orderMac === null ? order.isConsistentWithoutMac : macs.isRight(order.orderMac, payoutOrderKind, partsOf(order))
}
