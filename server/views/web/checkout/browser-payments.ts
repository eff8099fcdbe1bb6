/**
 * The payments that a payer's browser started, by its cookies. Invariants: a form of this browser makes one payment, and only the browser
 * that started a payment may change it or see what was typed.
 */
import type { FastifyRequest } from 'fastify'
import type { Config } from '../../../config/config.ts'
import type { OpenPage } from '../../../collect/pages/page.sql.ts'
import { provenPayment } from '../../../collect/payments/checkout-token.ts'
import type { PaymentView } from '../../../collect/payments/payment.sql.ts'
import type { StatusReader } from '../../../collect/payments/read-status.ts'
import type { Clock } from '../../../platform/clock.ts'
import { toWire } from '../../../platform/ids.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { formCookie, newFormKey, readFormMemory, readTokenCookie, readTried, triedCookie } from './cookies.ts'
import { dateTime, money } from './format.ts'
import type { FormView } from './form-screen.ts'
import { messagesOf, type Language } from './messages.ts'
import { isOpenPhase, isUndone, paymentPath, phaseOf, receiptPath } from './payment-screen.ts'

type ReadDeps = { statuses: Pick<StatusReader, 'read'> }

export type BrowserDeps = ReadDeps & { clock: Clock; config: Pick<Config, 'urls'> }

export async function findPayment({ statuses }: ReadDeps, reference: string): Promise<PaymentView | undefined> {
  try {
    return await statuses.read(reference)
  } catch (error) {
    if (error instanceof Refusal && error.httpStatus === 404) return undefined
    throw error
  }
}

/** Whether this browser started the payment of the reference, whether or not it exists. */
export function isStartedBy(deps: { config: Pick<Config, 'keys'> }, request: FastifyRequest, reference: string): boolean {
  return provenPayment(deps, reference, readTokenCookie(request.headers.cookie) ?? '') !== undefined
}

/** The payment of this address, if it belongs to the page and this browser started it. */
export async function findOwnPayment(
  deps: ReadDeps & { config: Pick<Config, 'keys'> },
  request: FastifyRequest<{ Params: { slug: string; reference: string } }>,
): Promise<PaymentView | undefined> {
  const { slug, reference } = request.params
  if (!isStartedBy(deps, request, reference)) return undefined
  const payment = await findPayment(deps, reference)
  return payment?.pageSlug === slug ? payment : undefined
}

/** The payments of these references on this page, in the same order. */
export async function paymentsOfPage(deps: ReadDeps, page: OpenPage, references: string[]): Promise<PaymentView[]> {
  const found = await Promise.all(references.map((reference) => findPayment(deps, reference)))
  return found.filter((payment) => payment?.pageSlug === page.slug) as PaymentView[]
}

/** An unconfirmed payment past its time is over even before a worker has ended it: nothing was sent, and nothing will be. */
export function isOver({ clock }: { clock: Clock }, payment: PaymentView): boolean {
  return !isOpenPhase(phaseOf(payment, clock.now()))
}

type Remembered = {
  /** The idempotency key of the browser's form. */
  key: string
  cookies: string[]
  /** This browser's open payment. The form of the newest one is kept, so that it cannot become two payments. */
  open?: PaymentView
  /** Ended payments, newest first. */
  ended: PaymentView[]
}

/** The earlier payments of this browser on this page. */
export async function rememberedOn(deps: BrowserDeps, request: FastifyRequest, page: OpenPage): Promise<Remembered> {
  const { cookie } = request.headers
  const { checkout: checkoutUrl } = deps.config.urls
  const memory = readFormMemory(cookie)
  const tried = await paymentsOfPage(deps, page, readTried(cookie))
  const made = memory?.reference === undefined ? [] : await paymentsOfPage(deps, page, [memory.reference])
  const [newest] = made
  if (memory && newest && !isOver(deps, newest)) return { key: memory.key, cookies: [], open: newest, ended: tried }
  const ended = [...made, ...tried]
  const key = memory?.reference === undefined ? (memory?.key ?? newFormKey()) : newFormKey()
  const cookies = [formCookie({ key, reference: undefined }, page.slug, checkoutUrl)]
  if (made.length > 0) cookies.push(triedCookie(ended.map(wireReference), page.slug, checkoutUrl))
  // An ended payment is open again while money that arrived for it is under review.
  return { key, cookies, open: tried.find((payment) => !isOver(deps, payment)), ended }
}

const isPaid = (payment: PaymentView): boolean => payment.status === 'completed' && !isUndone(payment)

const wireReference = ({ id }: PaymentView): string => toWire('pay', id)

/** The references of the payments that have succeeded. */
export function paidOf(payments: PaymentView[]): string[] {
  return payments.filter(isPaid).map(wireReference)
}

/**
 * The most important notice before paying: an open payment, then paid ones, then payments that may still succeed. `canPay`: the page takes
 * another payment.
 */
export function noticeOf(
  { open, ended }: Pick<Remembered, 'open' | 'ended'>,
  language: Language,
  { canPay = true } = {},
): FormView['notice'] {
  const t = messagesOf[language]
  if (open) return { text: t.openPayment, href: paymentPath(open, language), label: t.openPaymentLink }
  const paid = ended.find(isPaid)
  if (paid) {
    const text = t.alreadyPaid(money(paid.amountReceived ?? paid.amount), dateTime(paid.completedAt!, language))
    return { text: canPay ? `${text} ${t.payAgainIfMeant}` : text, href: receiptPath(paid, language), label: t.alreadyPaidLink }
  }
  const undone = ended.find(isUndone)
  if (undone) return { text: t.takenBackBefore, href: paymentPath(undone, language), label: t.openPaymentLink }
  const expired = ended.find(({ status }) => status === 'expired')
  return expired && { text: t.expiredBefore, href: paymentPath(expired, language), label: t.expiredBeforeLink }
}
