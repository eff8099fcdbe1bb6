/** The page that takes no payment: why, and the way to the payment that is the reason. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { nameForPayers } from '../../../domain/merchant.ts'
import type { Config } from '../../../config/config.ts'
import type { OpenPage } from '../../../collect/pages/page.sql.ts'
import { findPaidPayment } from '../../../collect/payment-requests/payment-request.sql.ts'
import type { ClosedState } from '../../../domain/page.ts'
import type { Db } from '../../../platform/db/db.ts'
import { helpFor } from './brand-and-help.ts'
import { rememberedOn, type BrowserDeps } from './browser-payments.ts'
import { sendPage } from './form-body.ts'
import { money } from './format.ts'
import type { Html } from './html.ts'
import { messagesOf, type Language } from './messages.ts'
import { paymentPath, receiptPath } from './payment-screen.ts'
import { noticeHtml } from './screen.ts'

type ClosedPageDeps = BrowserDeps & { db: Db; config: Pick<Config, 'support'> }

type Link = { href: string; label: string }

function closedHtml(page: OpenPage, state: ClosedState, language: Language, { link, help }: { link?: Link; help: Html }): Html {
  const t = messagesOf[language]
  const merchantName = nameForPayers(page.merchantName, language)
  const facts = { amount: money(page.amount ?? 0), title: page.title, merchant: merchantName }
  const [title, text] =
    state === 'expired' && page.kind === 'request'
      ? [t.requestExpiredTitle, t.requestExpiredText(merchantName)]
      : [t.closedTitle[state], t.closedText(facts)[state]]
  const ownWords = state === 'inactive' ? page.inactiveMessage : undefined
  return noticeHtml({ language, title, text, ownWords, link, help, isTest: page.environment === 'test' })
}

/** The way to the payment that is the reason, if there is one. */
async function linkOf(
  deps: ClosedPageDeps,
  request: FastifyRequest,
  page: OpenPage,
  { state, language }: { state: ClosedState; language: Language },
): Promise<Link | undefined> {
  const t = messagesOf[language]
  if (state === 'paid') {
    const paid = await findPaidPayment(deps.db, page)
    return paid && { href: receiptPath(paid, language), label: t.alreadyPaidLink }
  }
  if (state !== 'busy') return undefined
  const { open } = await rememberedOn(deps, request, page)
  return open
    ? { href: paymentPath(open, language), label: t.openPaymentLink }
    : { href: `/pay/${page.slug}?lang=${language}`, label: t.checkAgain }
}

export async function sendClosed(
  deps: ClosedPageDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  page: OpenPage,
  { state, language }: { state: ClosedState; language: Language },
): Promise<FastifyReply> {
  const link = await linkOf(deps, request, page, { state, language })
  return sendPage(reply, 409, closedHtml(page, state, language, { link, help: await helpFor(deps, page, language) }))
}
