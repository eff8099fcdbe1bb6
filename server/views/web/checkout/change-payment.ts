/** What a payer does with a payment that has started: confirm it, ask for the prompt again, or cancel it. Each leads back to its page. */
import type { FastifyReply } from 'fastify'
import { openPageState } from '../../../collect/pages/page.ts'
import { cancelPayment } from '../../../collect/payments/cancel-payment.ts'
import { isConfirmationProof } from '../../../collect/payments/checkout-token.ts'
import { confirmPayment } from '../../../collect/payments/confirm-payment.ts'
import { resendPrompt, resendUnknownRefusal } from '../../../collect/payments/resend-prompt.ts'
import { type CheckoutDeps } from '../../../collect/payments/start-checkout.ts'
import { closedStateOf, closedStates, type ClosedState } from '../../../domain/page.ts'
import { networkOf, type Limit } from '../../../platform/http/limits.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { findOwnPayment } from './browser-payments.ts'
import { sendClosed } from './closed-page.ts'
import { readConfirmCookie } from './cookies.ts'
import { addRetryAfter, Missing } from './error-pages.ts'
import { redirectWith, type KeptDeps } from './kept-answer.ts'
import { readLanguage } from './language-of-request.ts'
import { problemsOf, sentForm, type Problem, type Typed } from './payment-form.ts'
import { paymentPath } from './payment-screen.ts'
import { readPayment, sendPayment, type PaymentRequest, type ShowPaymentDeps } from './show-payment.ts'

export type ChangePaymentDeps = ShowPaymentDeps & KeptDeps & CheckoutDeps & { limits: Record<'checkout' | 'status', Limit> }

/** Counts towards the limits `status`, for each payment, and `checkout`, for each network of callers. */
export async function confirm(deps: ChangePaymentDeps, request: PaymentRequest, reply: FastifyReply): Promise<FastifyReply> {
  const form = sentForm(request)
  const found = await readPayment(deps, request, reply, form.language)
  const { page, payment, language } = found
  await deps.limits.status.take(payment.id, reply)
  await deps.limits.checkout.take(networkOf(request.ip), reply)
  const browserKey = readConfirmCookie(request.headers.cookie)
  const isOurPage =
    request.headers['sec-fetch-site'] === 'same-origin' ||
    (browserKey !== undefined && isConfirmationProof(deps, payment.id, browserKey, form.proof))
  const state = openPageState(page)
  const sendWhyClosed = (why: ClosedState): FastifyReply | Promise<FastifyReply> =>
    // No payer can open the page of the payments that a server makes.
    page.kind !== 'direct' && redirectWith(deps, request, reply, { path: `/pay/${page.slug}`, language, answer: null })
      ? reply
      : sendClosed(deps, request, reply, page, { state: why, language })
  // A confirmed payment already has its place on the page.
  if (state !== 'open' && !closedStates[state].isFull) return sendWhyClosed(state)
  try {
    if (isOurPage) await confirmPayment(deps, payment.id, request.ip, request.id)
  } catch (error) {
    const closed = error instanceof Refusal ? closedStateOf(error.code) : undefined
    if (closed) return sendWhyClosed(closed)
    const [problem] = error instanceof Refusal ? (problemsOf(error, form.typed) ?? []) : []
    if (!(error instanceof Refusal) || !problem) throw error
    addRetryAfter(reply, error)
    const path = `/pay/${page.slug}/${request.params.reference}`
    if (redirectWith(deps, request, reply, { path, language, answer: problem })) return reply
    return sendPayment(deps, request, reply.code(error.httpStatus), { ...found, problem })
  }
  return reply.code(303).header('location', paymentPath(payment, language)).send()
}

function problemOf(refusal: Refusal, typed: Typed): Problem | undefined {
  return refusal === resendUnknownRefusal ? { field: null, code: 'resend_unknown' } : problemsOf(refusal, typed)?.[0]
}

/** Only for the browser that started the payment. Counts towards the limit `status`, or `unknownReference` for any other caller. */
async function change(
  deps: ChangePaymentDeps,
  request: PaymentRequest,
  reply: FastifyReply,
  act: (paymentId: string) => Promise<unknown>,
): Promise<FastifyReply> {
  const { language: chosen, typed } = sentForm(request)
  const payment = await findOwnPayment(deps, request)
  if (!payment) {
    await deps.limits.unknownReference.take(networkOf(request.ip), reply)
    throw new Missing('page')
  }
  await deps.limits.status.take(payment.id, reply)
  const language = readLanguage(request, chosen)
  try {
    await act(payment.id)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    // Too early, or already over: the payment's page shows its status, and when the next prompt is possible.
    const isShown = error.httpStatus === 409 || error.code === 'rate_limited'
    const problem = isShown ? undefined : problemOf(error, typed)
    if (!isShown && !problem) throw error
    addRetryAfter(reply, error)
    const path = `/pay/${request.params.slug}/${request.params.reference}`
    if (problem && redirectWith(deps, request, reply, { path, language, answer: problem })) return reply
  }
  return reply.code(303).header('location', paymentPath(payment, language)).send()
}

export function resend(deps: ChangePaymentDeps, request: PaymentRequest, reply: FastifyReply): Promise<FastifyReply> {
  return change(deps, request, reply, (paymentId) => resendPrompt(deps, paymentId))
}

export function cancel(deps: ChangePaymentDeps, request: PaymentRequest, reply: FastifyReply): Promise<FastifyReply> {
  return change(deps, request, reply, (paymentId) => cancelPayment(deps, paymentId, request.id))
}
