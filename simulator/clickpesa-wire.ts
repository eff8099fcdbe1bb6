/**
 * The wire format of ClickPesa's charges and payouts. Invariant: collected amounts are text in answers to creates and in webhooks,
 * whole numbers in queries. Field names are from its published pages; our own interpretations of open points are marked.
 */
import type { Charge } from './charge.ts'
import type { Payout } from './payout.ts'
import type { NetworkName } from './phones.ts'
import type { Switches } from './switches.ts'
import { isoTime } from './wire.ts'

const channels: Record<NetworkName, string> = {
  mpesa: 'M-PESA',
  airtel: 'AIRTEL-MONEY',
  mixx: 'TIGO-PESA',
  // Our interpretation: the pages name only the other three.
  halotel: 'HALOPESA',
}

// Our interpretation of the one published example, `MPESA TANZANIA`.
const payoutProviders: Record<NetworkName, string> = {
  mpesa: 'MPESA TANZANIA',
  airtel: 'AIRTEL MONEY TANZANIA',
  mixx: 'TIGO PESA TANZANIA',
  halotel: 'HALOPESA TANZANIA',
}

/** Requests contain no name with a phone: this is the registered name of the wallet. */
export const walletName = 'Neema Mushi'

export const decimal = (amount: number): string => `${amount}.00`

export const channelOf = (network: NetworkName | null): string => (network === null ? 'MOBILE MONEY' : channels[network])

export const payoutProviderOf = (network: NetworkName | null): string =>
  network === null ? 'MOBILE MONEY' : payoutProviders[network]

type Words = Pick<Switches, 'clickPesaPaidStatus' | 'clickPesaPendingStatus'>

/** SUCCESS and SETTLED both mean paid. There is no status for voided or expired, so both are FAILED: our interpretation. */
export function paymentStatus(status: Charge['status'], words: Words): string {
  if (status === 'completed') return words.clickPesaPaidStatus
  return status === 'pending' ? words.clickPesaPendingStatus : 'FAILED'
}

const payoutStatuses: Record<Payout['status'], string> = {
  pending: 'PROCESSING',
  completed: 'SUCCESS',
  // A failed payout is returned at once, and the status of a returned one is REFUNDED: our interpretation.
  failed: 'REFUNDED',
  reversed: 'REVERSED',
}

export const payoutStatus = (status: Payout['status']): string => payoutStatuses[status]

const changedAt = (record: Charge | Payout): string => isoTime(record.history.at(-1)?.at ?? record.createdAt)

export const createdPayment = (charge: Charge, clientId: string): Record<string, unknown> => ({
  id: charge.reference,
  status: 'PROCESSING',
  channel: channelOf(charge.network),
  orderReference: charge.orderReference,
  collectedAmount: decimal(charge.orderedAmount),
  collectedCurrency: 'TZS',
  createdAt: isoTime(charge.createdAt),
  clientId,
})

/** One item of a query. */
export const queriedPayment = (charge: Charge, clientId: string, words: Words): Record<string, unknown> => ({
  id: charge.reference,
  status: paymentStatus(charge.status, words),
  paymentReference: charge.externalReference,
  paymentPhoneNumber: charge.phone,
  orderReference: charge.orderReference,
  collectedAmount: charge.amount,
  collectedCurrency: 'TZS',
  message: messageOf(charge.status, charge.failureReason),
  channel: channelOf(charge.network),
  updatedAt: changedAt(charge),
  createdAt: isoTime(charge.createdAt),
  customer: { customerName: walletName, customerPhoneNumber: charge.phone, customerEmail: null },
  clientId,
})

/** One item of the list, which its page shows without the channel. */
export const listedPayment = (charge: Charge, words: Words): Record<string, unknown> => {
  const { channel: _channel, clientId: _clientId, ...shown } = queriedPayment(charge, '', words)
  return shown
}

export function messageOf(status: string, failureReason: string | null): string {
  if (status === 'completed') return 'success'
  return status === 'pending' ? 'Waiting for the customer' : (failureReason ?? 'failed')
}

/** A payout in an answer or a query; `amount` is the sum that leaves the account, fee included. */
export const shownPayout = (payout: Payout, clientId: string, status: string): Record<string, unknown> => ({
  updatedAt: changedAt(payout),
  createdAt: isoTime(payout.createdAt),
  id: payout.reference,
  orderReference: payout.orderReference,
  amount: decimal(payout.amount + payout.fees),
  currency: 'TZS',
  fee: decimal(payout.fees),
  status,
  channel: 'MOBILE MONEY',
  channelProvider: payoutProviderOf(payout.network),
  order: { amount: decimal(payout.amount), currency: 'TZS' },
  beneficiary: { accountNumber: payout.phone, accountName: payout.recipientName, amount: decimal(payout.amount) },
  ...(payout.failureReason === null ? {} : { notes: payout.failureReason }),
  clientId,
})

/** One item of the list; its page shows it without the order and without the recipient's amount. */
export const listedPayout = (payout: Payout): Record<string, unknown> => {
  const { order: _order, clientId: _clientId, ...shown } = shownPayout(payout, '', payoutStatus(payout.status))
  return { ...shown, beneficiary: { accountNumber: payout.phone, accountName: payout.recipientName } }
}
