/** The page that takes no payment: why, and the way to the payment that is the reason. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { nameForPayers } from '../../../domain/merchant.ts'
import type { Config } from '../../../config/config.ts'
import type { OpenPage } from '../../../collect/pages/page.sql.ts'
import { findPaidPayment } from '../../../collect/payment-requests/payment-request.sql.ts'
import { needsConfirmation } from '../../../collect/payments/payment.ts'
import type { ClosedState } from '../../../domain/page.ts'
import type { Db } from '../../../platform/db/db.ts'
import { helpFor } from './brand-and-help.ts'
import { noticeOf, rememberedOn, type BrowserDeps } from './browser-payments.ts'
import { sendPage } from './form-body.ts'
import { money } from './format.ts'
import type { Html } from './html.ts'
import { messagesOf, type Language } from './messages.ts'
import { receiptPath } from './payment-screen.ts'
import { noticeHtml } from './screen.ts'

type ClosedPageDeps = BrowserDeps & { db: Db; config: Pick<Config, 'support'> }

type Link = { href: string; label: string }
type OwnNotice = Link & { text: string }

type Reason = { notice: OwnNotice | undefined; isOpen: boolean; link: Link | undefined; help: Html }

/** Why the page takes no payment, below what this browser paid here. `isOpen`: the browser's own payment is open, and says all that counts now. */
function closedHtml(page: OpenPage, state: ClosedState, language: Language, { notice, isOpen, link, help }: Reason): Html {
  const t = messagesOf[language]
  const merchantName = nameForPayers(page.merchantName, language)
  const facts = { amount: money(page.amount ?? 0), title: page.title, merchant: merchantName }
  const [title, text] =
    state === 'expired' && page.kind === 'request'
      ? [t.requestExpiredTitle, t.requestExpiredText(merchantName)]
      : [t.closedTitle[state], t.closedText(facts)[state]]
  const shown = { language, link, help, isTest: page.environment === 'test' }
  const ownWords = state === 'inactive' ? page.inactiveMessage : undefined
  if (!notice) return noticeHtml({ ...shown, title, text, ownWords })
  // Only a cancelled request still says why it is closed: its payer should not approve the payment.
  if (isOpen && state !== 'cancelled') return noticeHtml({ ...shown, title: t.closedTitle.busy, text: notice.text, ownWords })
  return noticeHtml({ ...shown, title, text, ownWords, first: notice.text })
}

/** The way on for a payer without a payment here: for a paid request its receipt, while a payment is in progress the page again. */
async function linkOf(
  deps: ClosedPageDeps,
  page: OpenPage,
  { state, language }: { state: ClosedState; language: Language },
): Promise<Link | undefined> {
  const t = messagesOf[language]
  // The link of a request cannot be guessed; the one of an invoice can, so only its payer gets the receipt.
  const paid = state === 'paid' && page.kind === 'request' ? await findPaidPayment(deps.db, page) : undefined
  if (paid) return { href: receiptPath(paid, language), label: t.alreadyPaidLink }
  return state === 'busy' ? { href: `/pay/${page.slug}?lang=${language}`, label: t.checkAgain } : undefined
}

/** An invoice has one place: it is paid, or its payment is in progress. */
function shownStateOf(page: OpenPage, state: ClosedState): ClosedState {
  if (state !== 'sold_out' || page.type !== 'invoice') return state
  return page.paidCount > 0 ? 'paid' : 'busy'
}

/** What this browser paid here before, also when the page takes no other payment. */
async function ownNotice(
  deps: ClosedPageDeps,
  request: FastifyRequest,
  page: OpenPage,
  language: Language,
): Promise<{ isOpen: boolean; notice: OwnNotice | undefined }> {
  const { open, ended } = await rememberedOn(deps, request, page)
  // A payment that waits for its confirmation was not sent, and on a closed page it cannot be.
  const sent = open && needsConfirmation(open) ? undefined : open
  return { isOpen: sent !== undefined, notice: noticeOf({ open: sent, ended }, language, { canPay: false }) }
}

export async function sendClosed(
  deps: ClosedPageDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  page: OpenPage,
  { state, language }: { state: ClosedState; language: Language },
): Promise<FastifyReply> {
  const shown = shownStateOf(page, state)
  const { isOpen, notice } = await ownNotice(deps, request, page, language)
  const link = notice ?? (await linkOf(deps, page, { state: shown, language }))
  const help = await helpFor(deps, page, language)
  return sendPage(reply, 409, closedHtml(page, shown, language, { notice, isOpen, link, help }))
}
