/** The types, kinds and states of a payment page, and why its payers must confirm. */
import { z } from 'zod'
import type { Pair } from './texts.ts'

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

/**
 * Why a page takes no payment, how a payer is refused then, and what the code of the refusal means. `paid`, `cancelled` and `busy` (a
 * payment is in progress) are states of the page of a payment request. `isFull`: a payer whose payment has a place on it may still confirm.
 */
export const closedStates = {
  inactive: {
    isFull: false,
    code: 'page_inactive',
    message: ['This page does not accept payments at the moment.', 'Ukurasa huu haupokei malipo kwa sasa.'],
    meaning: ['The page does not accept payments at the moment.', 'Ukurasa haupokei malipo kwa sasa.'],
  },
  expired: {
    isFull: false,
    code: 'page_expired',
    message: ['This page has expired.', 'Muda wa ukurasa huu umekwisha.'],
    meaning: ['The page has expired.', 'Muda wa ukurasa umekwisha.'],
  },
  sold_out: {
    isFull: true,
    code: 'page_sold_out',
    message: ['This page has no places left.', 'Nafasi zimekwisha.'],
    meaning: ['The page has no places left.', 'Nafasi za ukurasa zimekwisha.'],
  },
  paid: {
    isFull: true,
    code: 'request_paid',
    message: ['This payment request is already paid.', 'Ombi hili la malipo limeshalipwa.'],
    meaning: ['The payment request is already paid.', 'Ombi la malipo limeshalipwa.'],
  },
  cancelled: {
    isFull: false,
    code: 'request_cancelled',
    message: ['The merchant has cancelled this payment request.', 'Mfanyabiashara ameghairi ombi hili la malipo.'],
    meaning: ['The merchant has cancelled the payment request.', 'Mfanyabiashara ameghairi ombi la malipo.'],
  },
  busy: {
    isFull: true,
    code: 'request_busy',
    message: [
      'A payment for this request is in progress. Wait for its result before you pay again.',
      'Malipo ya ombi hili yanaendelea. Subiri matokeo yake kabla ya kulipa tena.',
    ],
    meaning: [
      'A payment for the payment request is in progress. Another one can start when it has ended without success.',
      'Malipo ya ombi hili yanaendelea. Mengine yanaweza kuanza hayo yakiisha bila kufanikiwa.',
    ],
  },
} as const satisfies Record<string, { isFull: boolean; code: string; message: Pair; meaning: Pair }>
export type ClosedState = keyof typeof closedStates
const closedNames = Object.keys(closedStates) as ClosedState[]
export const closedCodes = closedNames.map((state) => closedStates[state].code)
export type ClosedCode = (typeof closedCodes)[number]

/** The state that a refusal with this code reported; undefined for any other code. */
export const closedStateOf = (code: string): ClosedState | undefined =>
  closedNames.find((state) => closedStates[state].code === code)

export const pageStateSchema = z.enum(['open', ...closedNames])
export type PageState = z.infer<typeof pageStateSchema>

export const confirmingReasonSchema = z.enum(['pace', 'network', 'ordered'])
export type ConfirmingReason = z.infer<typeof confirmingReasonSchema>
