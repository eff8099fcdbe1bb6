/** A payer sends the form of a page: the payment starts, or the form comes back with everything that is wrong. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { openPageState } from '../../../collect/pages/page.ts'
import type { PayerError } from '../../../collect/payments/checkout-rules.ts'
import { closedStateOf, startCheckout, type CheckoutDeps } from '../../../collect/payments/start-checkout.ts'
import { refusedRequest } from '../../../platform/http/http-errors.ts'
import { networkOf, type Limit } from '../../../platform/http/limits.ts'
import type { SecurityLog } from '../../../platform/http/security-log.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { isOver, noticeOf, paidOf, paymentsOfPage } from './browser-payments.ts'
import { sendClosed } from './closed-page.ts'
import { formCookie, newFormKey, readFormMemory, readTried, tokenCookies, triedCookie } from './cookies.ts'
import { addRetryAfter } from './error-pages.ts'
import { readLanguage } from './language-of-request.ts'
import { readPageOf, sendForm, type OpenFormDeps } from './open-form.ts'
import { problemsOf, readRequest, sentForm, type Problem } from './payment-form.ts'

export type SubmitFormDeps = OpenFormDeps & CheckoutDeps & { security: SecurityLog; limits: Record<'checkout', Limit> }

/** A checkout that passes the checks of the form counts towards the limit `checkout`, for each network of callers. */
export async function submitForm(
  deps: SubmitFormDeps,
  request: FastifyRequest<{ Params: { slug: string } }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const form = sentForm(request)
  const { checkout: checkoutUrl } = deps.config.urls
  const page = await readPageOf(deps, request)
  const language = readLanguage(request, form.language, page.language)
  const memory = readFormMemory(request.headers.cookie)
  // Payments that this browser started with other forms; the key finds the payment of its own form.
  const others = [
    ...(memory?.reference && memory.key !== form.idempotencyKey ? [memory.reference] : []),
    ...readTried(request.headers.cookie),
  ]
  const earlier = await paymentsOfPage(deps, page, others)

  const sendAgain = async (status: number, problems: Problem[], customProblems: PayerError[] = []): Promise<FastifyReply> => {
    // An invalid key is replaced; any other key stays, so that a payment that may have been sent cannot be sent twice.
    const isSpent = problems.some(({ code }) => code === 'key_reused' || code === 'form_stale')
    const idempotencyKey = isSpent ? newFormKey() : form.idempotencyKey
    const made = isSpent && memory?.reference !== undefined ? await paymentsOfPage(deps, page, [memory.reference]) : []
    const open = made.find((payment) => !isOver(deps, payment))
    const { typed, custom } = form
    const notice = noticeOf({ open, ended: earlier }, language)
    const seen = paidOf(earlier)
    return sendForm(deps, reply, status, {
      page,
      language,
      idempotencyKey,
      typed,
      custom,
      problems,
      customProblems,
      notice,
      seen,
    })
  }

  const reading = readRequest(page, form)
  if (reading.kind === 'broken') return sendAgain(422, reading.problems, reading.customProblems)
  // An earlier payment, which had failed when the form was shown, has succeeded since: the payer must know before paying twice.
  if (openPageState(page) !== 'paid' && paidOf(earlier).some((reference) => !form.seen.includes(reference))) {
    return sendAgain(409, [{ field: null, code: 'paid_meanwhile' }])
  }
  try {
    await deps.limits.checkout.take(networkOf(request.ip), reply)
    const checkout = await startCheckout(deps, page, { ...reading.request, language, address: request.ip }, request.id)
    const { reference, checkoutToken } = checkout
    return reply
      .code(303)
      .header('location', `/pay/${page.slug}/${reference}?lang=${language}`)
      .header('set-cookie', [
        formCookie({ key: form.idempotencyKey, reference }, page.slug, checkoutUrl),
        ...tokenCookies(checkoutToken, page.slug, reference, checkoutUrl),
        ...(others.length > 0 ? [triedCookie(others, page.slug, checkoutUrl)] : []),
      ])
      .send()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const closed = closedStateOf(error)
    if (closed) return sendClosed(deps, request, reply, page, { state: closed, language })
    const problems = problemsOf(error, form.typed)
    if (!problems) throw error
    deps.security.note(error, refusedRequest(request))
    addRetryAfter(reply, error)
    return sendAgain(error.httpStatus === 400 ? 422 : error.httpStatus, problems)
  }
}
