/** The MAC that binds a charge to its payment and protects the payer's input from changes. */
import type { RecordMac } from '../../platform/crypto/record-mac.ts'

export type ChargeOrder = {
  home: number
  id: string
  merchantId: string
  environment: string
  pageId: string
  amount: number
  phoneNumber: string
  customerName: string | null
  customerEmail: string | null
  provider: string
  idempotencyKey: string
  requestBody: string
}

export const chargeOrderKind = 'charge order'

const partsOf = (order: ChargeOrder) =>
  [
    order.home,
    order.id,
    order.merchantId,
    order.environment,
    order.pageId,
    order.amount,
    order.phoneNumber,
    order.customerName,
    order.customerEmail,
    order.provider,
    order.idempotencyKey,
    order.requestBody,
  ] as const

export function chargeOrderMac(macs: RecordMac, order: ChargeOrder): string {
  return macs.make(chargeOrderKind, partsOf(order))
}
