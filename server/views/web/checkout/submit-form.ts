/** A payer sends the form of a page: the payment starts, or the form comes back with everything that is wrong. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { openPageState } from '../../../collect/pages/page.ts'
import type { OpenPage } from '../../../collect/pages/page.sql.ts'
import { readPayerPhone } from '../../../collect/payments/checkout-rules.ts'
import { startCheckout, type CheckoutDeps } from '../../../collect/payments/start-checkout.ts'
import { closedStateOf, type ClosedState } from '../../../domain/page.ts'
import { networkSchema } from '../../../domain/network.ts'
import { refusedRequest } from '../../../platform/http/http-errors.ts'
import { networkOf, type Limit } from '../../../platform/http/limits.ts'
import type { SecurityLog } from '../../../platform/http/security-log.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { paidOf, paymentsOfPage } from './browser-payments.ts'
import { sendClosed } from './closed-page.ts'
import { forgetCookie, formCookie, newFormKey, readFormMemory, readTried, tokenCookies, triedCookie } from './cookies.ts'
import { addRetryAfter } from './error-pages.ts'
import { redirectWith } from './kept-answer.ts'
import { readLanguage } from './language-of-request.ts'
import { readPageOf, sendRefused, type OpenFormDeps, type RefusedForm } from './open-form.ts'
import { problemsOf, readRequest, sentForm, type Problem, type SentForm } from './payment-form.ts'

export type SubmitFormDeps = OpenFormDeps & CheckoutDeps & { security: SecurityLog; limits: Record<'checkout', Limit> }

/** A network that takes no payments is the reason, also in a form that has already made a payment with another number. */
async function causeInNetwork(
  { switches }: Pick<CheckoutDeps, 'switches'>,
  { environment }: Pick<OpenPage, 'environment'>,
  { typed }: SentForm,
): Promise<Refusal | undefined> {
  const phone = readPayerPhone(typed.phone_number)
  const chosen = networkSchema.safeParse(typed.network).data
  return switches.checkoutRefusal(environment, chosen ?? (phone.kind === 'phone' ? phone.network : null))
}

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

  const path = `/pay/${page.slug}`
  const typedForm = { key: form.idempotencyKey, typed: form.typed, custom: form.custom }
  const sendAgain = async (status: number, problems: Problem[]): Promise<FastifyReply> => {
    // An invalid key is replaced; any other key stays, so that a payment that may have been sent cannot be sent twice.
    const isSpent = problems.some(({ code }) => code === 'key_reused' || code === 'form_stale')
    const refused: RefusedForm = { ...typedForm, ...(isSpent && { key: newFormKey() }), problems }
    if (redirectWith(deps, request, reply, { path, language, answer: refused })) return reply
    return sendRefused(deps, request, reply, page, { status, language, form: refused })
  }
  const sendWhyClosed = (state: ClosedState): FastifyReply | Promise<FastifyReply> =>
    redirectWith(deps, request, reply, { path, language, answer: { ...typedForm, problems: [] } satisfies RefusedForm })
      ? reply
      : sendClosed(deps, request, reply, page, { state, language })

  const reading = readRequest(page, form)
  if (reading.kind === 'broken') return sendAgain(422, reading.problems)
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
        forgetCookie(path, checkoutUrl),
      ])
      .send()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const closed = closedStateOf(error.code)
    if (closed) return sendWhyClosed(closed)
    const cause = error.code === 'idempotency_key_reused' ? await causeInNetwork(deps, page, form) : undefined
    const problems = problemsOf(cause ?? error, form.typed)
    if (!problems) throw error
    deps.security.note(error, refusedRequest(request))
    addRetryAfter(reply, error)
    return sendAgain(error.httpStatus === 400 ? 422 : error.httpStatus, problems)
  }
}
