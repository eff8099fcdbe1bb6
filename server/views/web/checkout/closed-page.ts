/** The page that takes no payment: why, and the way to the payment that is the reason. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { nameForPayers } from '../../../domain/merchant.ts'
import type { Config } from '../../../config/config.ts'
import type { OpenPage } from '../../../collect/pages/page.sql.ts'
import { findPaidPayment } from '../../../collect/payment-requests/payment-request.sql.ts'
import { needsConfirmation } from '../../../collect/payments/payment.ts'
import type { PaymentView } from '../../../collect/payments/payment.sql.ts'
import type { ClosedState } from '../../../domain/page.ts'
import type { Db } from '../../../platform/db/db.ts'
import { toWire } from '../../../platform/ids.ts'
import { helpFor } from './brand-and-help.ts'
import { findPayment, noticeOf, rememberedOn, type BrowserDeps } from './browser-payments.ts'
import { sendPage } from './form-body.ts'
import { money } from './format.ts'
import { messagesOf, type Language } from './messages.ts'
import { isUndone, receiptPath } from './payment-screen.ts'
import { noticeHtml } from './screen.ts'
import { refundsOf } from './show-receipt.ts'

type ClosedPageDeps = BrowserDeps & { db: Db; config: Pick<Config, 'support'> }

type Link = { href: string; label: string }
type OwnNotice = Link & { text: string }
type Words = { title: string; text: string; link?: Link }
/** What this browser paid or started on the page before. */
type Own = { isOpen: boolean; notice: OwnNotice | undefined; ended: PaymentView[] }

/** What the payment of a request or an invoice brought: `returned` TZS of it went back to the payer. */
type Brought = { payment: PaymentView; returned: number }

async function findBrought(deps: ClosedPageDeps, page: OpenPage): Promise<Brought | undefined> {
  const first = await findPaidPayment(deps.db, page)
  const payment = first && (await findPayment(deps, toWire('pay', first.id)))
  if (!payment) return undefined
  const [newest] = await refundsOf(deps, payment)
  return { payment, returned: newest?.total ?? 0 }
}

/** The title and the text of a page that is paid: only a payment that arrived whole, and stayed, means that nothing is to pay. */
function paidWords(page: OpenPage, { payment, returned }: Brought, language: Language): Words {
  const t = messagesOf[language]
  const received = payment.amountReceived ?? payment.amount
  const merchant = nameForPayers(page.merchantName, language)
  const facts = { amount: money(received), title: page.title, merchant }
  if (isUndone(payment)) return { title: t.takenBackTitle, text: t.takenBackText(merchant) }
  const title = t.closedTitle.paid
  if (returned > 0) return { title, text: t.paidAndReturned({ ...facts, returned: money(returned) }) }
  if (received < payment.amount) return { title, text: t.paidInPart({ ...facts, asked: money(payment.amount) }) }
  return { title, text: t.closedText(facts).paid }
}

/** Why the page takes no payment, and the way on: to the receipt of a paid request, or to the page again while a payment is in progress. */
async function wordsOf(
  deps: ClosedPageDeps,
  page: OpenPage,
  { state, language, own }: { state: ClosedState; language: Language; own: Own },
): Promise<Words> {
  const t = messagesOf[language]
  const merchant = nameForPayers(page.merchantName, language)
  if (state === 'expired' && page.kind === 'request')
    return { title: t.requestExpiredTitle, text: t.requestExpiredText(merchant) }
  const brought = state === 'paid' ? await findBrought(deps, page) : undefined
  if (brought) {
    const words = paidWords(page, brought, language)
    if (page.kind === 'request')
      return { ...words, link: { href: receiptPath(brought.payment, language), label: t.alreadyPaidLink } }
    // The link of a request cannot be guessed; the one of an invoice can, so only its payer learns what was paid.
    if (own.ended.some(({ id }) => id === brought.payment.id)) return words
    return { title: t.closedTitle.paid, text: t.invoiceClosedText(merchant) }
  }
  const facts = { amount: money(page.amount ?? 0), title: page.title, merchant }
  const words = { title: t.closedTitle[state], text: t.closedText(facts)[state] }
  return state === 'busy' ? { ...words, link: { href: `/pay/${page.slug}?lang=${language}`, label: t.checkAgain } } : words
}

/** An invoice has one place: it is paid, or its payment is in progress. */
function shownStateOf(page: OpenPage, state: ClosedState): ClosedState {
  if (state !== 'sold_out' || page.type !== 'invoice') return state
  return page.paidCount > 0 ? 'paid' : 'busy'
}

/** What this browser paid here before, also when the page takes no other payment. */
async function ownPayments(deps: ClosedPageDeps, request: FastifyRequest, page: OpenPage, language: Language): Promise<Own> {
  const { open, ended } = await rememberedOn(deps, request, page)
  // A payment that waits for its confirmation was not sent, and on a closed page it cannot be.
  const sent = open && needsConfirmation(open) ? undefined : open
  return { isOpen: sent !== undefined, notice: noticeOf({ open: sent, ended }, language, { canPay: false }), ended }
}

export async function sendClosed(
  deps: ClosedPageDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  page: OpenPage,
  { state, language }: { state: ClosedState; language: Language },
): Promise<FastifyReply> {
  const shown = shownStateOf(page, state)
  const t = messagesOf[language]
  const own = await ownPayments(deps, request, page, language)
  const words = await wordsOf(deps, page, { state: shown, language, own })
  const notice = {
    language,
    isTest: page.environment === 'test',
    ownWords: shown === 'inactive' ? page.inactiveMessage : undefined,
    help: await helpFor(deps, page, language),
  }
  if (!own.notice) return sendPage(reply, 409, noticeHtml({ ...notice, ...words }))
  const { text, ...link } = own.notice
  // An open payment says all that counts now, unless its payer should not approve it.
  const isUnwanted = shown === 'cancelled' || shown === 'paid'
  if (own.isOpen && !isUnwanted) return sendPage(reply, 409, noticeHtml({ ...notice, title: t.closedTitle.busy, text, link }))
  const first = own.isOpen ? t.openUnwanted : text
  // An expired payment matters less than the way on from this page.
  const way = text === t.expiredBefore ? (words.link ?? link) : link
  return sendPage(reply, 409, noticeHtml({ ...notice, ...words, first, link: way }))
}
