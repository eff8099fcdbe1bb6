/**
 * The MACs that bind an order to its payout, so that the sent order is the requested one, and that release it: nothing leaves that needs no
 * approval, or has all of them, only by the word of the database.
 */
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

export type ReleasedPayout = Pick<PayoutOrder, 'home' | 'id' | 'merchantId' | 'amount'> & {
  approval: string
  approvalBy: string | null
}

export const payoutReleaseKind = 'payout approval'

const releaseParts = ({ home, id, merchantId, amount, approval, approvalBy }: ReleasedPayout) => [
  home,
  id,
  merchantId,
  amount,
  approval,
  approvalBy,
]

/** Made when a payout may leave: with its request, if it needs no approval, or with the last approval. */
export function payoutReleaseMac(macs: RecordMac, payout: ReleasedPayout): string {
  return macs.make(payoutReleaseKind, releaseParts(payout))
}

/** Whether a claimed order was released. */
export function isPayoutReleased(macs: RecordMac, payout: ReleasedPayout & { approvalMac: string | null }): boolean {
  return payout.approvalMac !== null && macs.isRight(payout.approvalMac, payoutReleaseKind, releaseParts(payout))
}

/** Whether a claimed order is the requested one. */
export function isPayoutOrderRight(macs: RecordMac, order: PayoutOrder & { orderMac: string | null }): boolean {
  return order.orderMac !== null && macs.isRight(order.orderMac, payoutOrderKind, partsOf(order))
}
