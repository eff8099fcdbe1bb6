/**
 * One search over all objects of an owner: by any id, by the number of a payer or recipient, by a code, by a part of a name,
 * e-mail, reference, title or slug.
 */
import { z } from 'zod'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { findWalletLine } from '../../money/ledger/transfer.sql.ts'
import { findPage, findPagesByText } from '../../collect/pages/page.sql.ts'
import { slugShape, type PaymentPage } from '../../collect/pages/page.ts'
import { findByCode, refuseMistyped } from '../../collect/payments/find-by-code.ts'
import {
  findOwnerPayment,
  listOwnerPayments,
  type OwnerPayment,
  type OwnerPaymentFilter,
} from '../../collect/payments/owner-payment.sql.ts'
import { localPhone, maskPhone, readPhone } from '../../domain/phone.ts'
import type { Db } from '../../platform/db/db.ts'
import type { Payout } from '../../pay-out/payouts/payout.ts'
import { typedFilterOf } from '../../pay-out/payouts/list-payouts.ts'
import { findPayout, listPayouts } from '../../pay-out/payouts/payout.sql.ts'
import { refundToJson } from '../../pay-out/payouts/refund.ts'
import { answerOf } from '../../platform/http/answer.ts'
import { fromWire, toWire } from '../../platform/ids.ts'
import { findOwnEvent } from '../../merchants/webhooks/event.sql.ts'
import { eventToJson } from '../../merchants/webhooks/event.ts'

export const searchResultSchema = z
  .object({
    type: z.enum(['payment', 'refund', 'payout', 'payment_page', 'transaction', 'event']),
    id: z.string().meta({ description: 'The id. For a payment, its reference.' }),
    title: z.string().meta({ description: 'The name of the payer or recipient, or the title of the page.' }),
    detail: z.string().nullable().meta({
      description:
        'The masked number of the payer or the number of the recipient of a payout, with your own reference; the slug of the page or the type of the event.',
    }),
    status: z.string().nullable(),
    amount: z.int().nullable().meta({ description: 'TZS.' }),
    reference: z.string().nullable().meta({ description: 'The payment to which it belongs.' }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'SearchResult' })

type SearchResult = z.infer<typeof searchResultSchema>

/** How many of the newest payments, refunds, payouts and pages a text search reads; an id, a whole number or a whole slug finds any. */
export const searchedPerKind = 10_000
const resultsPerKind = 10

const withReference = (number: string, reference: string | null): string =>
  reference === null ? number : `${number} · ${reference}`

function paymentResult(payment: OwnerPayment): SearchResult {
  const reference = toWire('pay', payment.id)
  return answerOf(searchResultSchema, payment, {
    type: 'payment',
    id: reference,
    title: payment.customerName ?? maskPhone(payment.phoneNumber),
    detail: withReference(maskPhone(payment.phoneNumber), payment.merchantReference),
    reference,
  })
}

function refundResult(refund: Payout): SearchResult {
  const { id, payment, status, amount, created_at } = refundToJson(refund)
  const detail = withReference(maskPhone(refund.phoneNumber), refund.reference)
  return { type: 'refund', id, title: refund.recipientName, detail, status, amount, reference: payment, created_at }
}

function payoutResult(payout: Payout): SearchResult {
  return answerOf(searchResultSchema, payout, {
    type: 'payout',
    id: toWire('po', payout.id),
    title: payout.recipientName,
    detail: withReference(localPhone(payout.phoneNumber), payout.reference),
    reference: null,
  })
}

function pageResult(page: PaymentPage): SearchResult {
  return answerOf(searchResultSchema, page, {
    type: 'payment_page',
    id: toWire('page', page.id),
    detail: page.slug,
    status: page.active ? 'active' : 'inactive',
    reference: null,
  })
}

/** The object of an id, if it belongs to the owner. */
async function byId(db: Db, owner: Owner, text: string): Promise<SearchResult[] | undefined> {
  const paymentId = fromWire('pay', text)
  if (paymentId !== undefined) {
    const payment = await findOwnerPayment(db, owner, paymentId)
    return payment ? [paymentResult(payment)] : []
  }
  const refundId = fromWire('rf', text)
  if (refundId !== undefined) {
    const refund = await findPayout(db, owner, refundId, 'refund')
    return refund ? [refundResult(refund)] : []
  }
  const payoutId = fromWire('po', text)
  if (payoutId !== undefined) {
    const payout = await findPayout(db, owner, payoutId)
    return payout ? [payoutResult(payout)] : []
  }
  const pageId = fromWire('page', text)
  if (pageId !== undefined) {
    const page = await findPage(db, owner, { id: pageId })
    return page ? [pageResult(page)] : []
  }
  const transferId = fromWire('txn', text)
  if (transferId !== undefined) {
    const line = await findWalletLine(db, owner, transferId)
    const payment = line?.paymentId ? await findOwnerPayment(db, owner, line.paymentId) : undefined
    return line
      ? [
          answerOf(searchResultSchema, line, {
            type: 'transaction',
            id: text,
            title: payment?.customerName ?? line.direction,
            detail: payment ? maskPhone(payment.phoneNumber) : null,
            status: line.direction,
            reference: payment ? toWire('pay', payment.id) : null,
          }),
        ]
      : []
  }
  const eventId = fromWire('evt', text)
  if (eventId !== undefined) {
    const event = await findOwnEvent(db, owner, eventId)
    if (!event) return []
    const { type, created_at, data } = eventToJson(event)
    const amount = 'amount' in data ? data.amount : null
    const reference = 'reference' in data ? data.reference : 'payment' in data ? data.payment : null
    return [{ type: 'event', id: text, title: type, detail: type, status: null, amount, reference, created_at }]
  }
  return undefined
}

/** At most ten results of a kind, each kind newest first. */
export async function search(deps: { db: Db }, owner: Owner, typed: string): Promise<SearchResult[]> {
  const text = typed.trim()
  const named = await byId(deps.db, owner, text)
  if (named) return named
  const phone = readPhone(text)
  const codes = await findByCode(deps.db, text, { owner, limit: resultsPerKind })
  const typedPayout = typedFilterOf(text)
  const range = { among: searchedPerKind, limit: resultsPerKind }
  const list = (filter: OwnerPaymentFilter) => listOwnerPayments(deps.db, owner, filter, range)
  const [byCode, byReference, { payments }, { payouts }, { payouts: refunds }, pages, page] = await Promise.all([
    list({ ids: codes.map(({ id }) => id) }),
    list({ merchantReference: text }),
    list(phone.kind === 'invalid' ? { search: { text } } : { phoneNumber: phone.e164 }),
    listPayouts(deps.db, owner, typedPayout, range),
    listPayouts(deps.db, owner, { ...typedPayout, purpose: 'refund' }, range),
    findPagesByText(deps.db, owner, { text, ...range }),
    slugShape.test(text) ? findPage(deps.db, owner, { slug: text }) : undefined,
  ])
  const otherPages = pages.filter(({ id }) => id !== page?.id)
  const all = new Map([...byCode.payments, ...byReference.payments, ...payments].map((payment) => [payment.id, payment]))
  const found = [...all.values()].slice(0, resultsPerKind)
  if (found.length + payouts.length + refunds.length + pages.length === 0 && !page) refuseMistyped(text)
  return [
    ...found.map(paymentResult),
    ...refunds.map(refundResult),
    ...payouts.map(payoutResult),
    ...[...(page ? [page] : []), ...otherPages].map(pageResult),
  ]
}
