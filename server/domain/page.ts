/** The types, kinds and states of a payment page, and why its payers must confirm. */
import { z } from 'zod'

export const pageTypes = ['wallet_topup', 'payment', 'invoice', 'donation', 'event', 'contribution'] as const
export const pageTypeSchema = z.enum(pageTypes)
export type PageType = (typeof pageTypes)[number]

/**
 * Every payment has a page. `request` (the page of one payment request) and `direct` (the page of the payments that a server makes) are
 * never shown as pages.
 */
export const pageKinds = ['page', 'webhook_tests', 'request', 'direct'] as const
export type PageKind = (typeof pageKinds)[number]

/** What brings money: tests of webhooks do not. */
export const takingKinds = ['page', 'request', 'direct'] as const
export type TakingKind = (typeof takingKinds)[number]

/** What `metadata.channel` of a payment request says that was made at the till, and so of its payments. */
export const tillChannel = 'till'

/** `paid`, `cancelled` and `busy` (a payment is in progress) are states of the page of a payment request. */
export const pageStateSchema = z.enum(['open', 'inactive', 'expired', 'sold_out', 'paid', 'cancelled', 'busy'])
export type PageState = z.infer<typeof pageStateSchema>

export const confirmingReasonSchema = z.enum(['pace', 'network', 'ordered'])
export type ConfirmingReason = z.infer<typeof confirmingReasonSchema>
