/** The page of one payment: what the payer does next and how it ended. Everybody with its address may read it. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../../config/config.ts'
import { promptLife } from '../../../config/payments.ts'
import type { ProviderName } from '../../../domain/provider.ts'
import type { OpenPage } from '../../../collect/pages/page.sql.ts'
import { returnUrl } from '../../../collect/pages/return-url.ts'
import { confirmationProof } from '../../../collect/payments/checkout-token.ts'
import { needsConfirmation } from '../../../collect/payments/payment.ts'
import type { PaymentView } from '../../../collect/payments/payment.sql.ts'
import type { Db } from '../../../platform/db/db.ts'
import { networkOf, type Limit } from '../../../platform/http/limits.ts'
import { toWire } from '../../../platform/ids.ts'
import { brandAndHelp } from './brand-and-help.ts'
import { findPayment, isStartedBy, type BrowserDeps } from './browser-payments.ts'
import { confirmCookie, newFormKey, readConfirmCookie } from './cookies.ts'
import { Missing } from './error-pages.ts'
import { sendPage } from './form-body.ts'
import { readKept, type KeptDeps } from './kept-answer.ts'
import { readLanguage } from './language-of-request.ts'
import { anyLimits, messagesOf, type Language } from './messages.ts'
import { problemShape, type Problem } from './payment-form.ts'
import { paymentHtml } from './payment-screen.ts'
import type { Prompt } from './prompt-picture.ts'
import { refundsOf } from './show-receipt.ts'

export type ShowPaymentDeps = BrowserDeps &
  KeptDeps & {
    db: Db
    config: Pick<Config, 'keys' | 'mode' | 'cell' | 'payments' | 'providers' | 'support'>
    limits: Record<'unknownPage' | 'unknownReference', Limit>
    readPageOfPayment(slug: string): Promise<OpenPage | undefined>
  }

export type PaymentRequest = FastifyRequest<{
  Params: { slug: string; reference: string }
  Querystring: Record<string, unknown>
}>

type Shown = { page: OpenPage; payment: PaymentView; language: Language }

/** What the phone shows of a payment, by its provider and network. On an unknown network: only what is true of all. */
function promptOf({ config }: Pick<ShowPaymentDeps, 'config'>, { environment, provider, network }: PaymentView): Prompt {
  const names = config.providers[environment].promptNames[provider as ProviderName]
  const seconds = promptLife(config, network)
  if (network !== null) return { name: names[network], seconds }
  const [name, ...others] = new Set(Object.values(names))
  return { name: others.length === 0 ? name : undefined, seconds }
}

/** The page of a payment, with the button if it waits for the payer's confirmation. */
export async function sendPayment(
  deps: ShowPaymentDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { page, payment, language, problem }: Shown & { problem?: Problem | undefined },
): Promise<FastifyReply> {
  const { api: apiUrl, checkout: checkoutUrl } = deps.config.urls
  const reference = toWire('pay', payment.id)
  const isToConfirm = needsConfirmation(payment)
  const browserKey = readConfirmCookie(request.headers.cookie) ?? newFormKey()
  if (isToConfirm) void reply.header('set-cookie', confirmCookie(browserKey, page.slug, reference, checkoutUrl))
  const screen = {
    payment,
    language,
    nowMs: deps.clock.now(),
    successMessage: page.successMessage,
    prompt: promptOf(deps, payment),
    statusUrl: `${apiUrl}/v1/payments/${reference}/status`,
    checkoutUrl,
    refreshes: (request.query as { auto?: unknown }).auto !== '0',
    isPayer: isStartedBy(deps, request, reference),
    isDirect: page.kind === 'direct',
    refunds: await refundsOf(deps, payment),
    returnUrl: returnUrl(page.redirectUrl, reference, deps.config.mode),
    problem: problem && messagesOf[language].errors({ ...anyLimits, waitSeconds: problem.waitSeconds })[problem.code],
    confirmation: isToConfirm ? { proof: confirmationProof(deps, payment.id, browserKey) } : undefined,
    ...(await brandAndHelp(deps, reply, payment, { language, payment, extra: 'wait' })),
  }
  return sendPage(reply, reply.statusCode, paymentHtml(screen))
}

/**
 * The payment of an address, its page and the language of its payer. Guesses count towards the limits `unknownPage` and
 * `unknownReference`, for each network of callers; the browser that started the payment never waits for them.
 */
export async function readPayment(
  deps: ShowPaymentDeps,
  request: PaymentRequest,
  reply: FastifyReply,
  chosen: unknown,
): Promise<Shown> {
  const { slug, reference } = request.params
  const network = networkOf(request.ip)
  if (!isStartedBy(deps, request, reference)) await deps.limits.unknownPage.delay(network)
  const [page, payment] = await Promise.all([deps.readPageOfPayment(slug), findPayment(deps, reference)])
  const language = readLanguage(request, chosen, payment ? payment.payerLanguage : page?.language)
  if (page && payment?.pageSlug === page.slug) return { page, payment, language }
  if (!page) {
    await deps.limits.unknownPage.note(network)
    throw new Missing('page')
  }
  await deps.limits.unknownReference.take(network, reply)
  throw new Missing('payment', language)
}

export async function showPayment(deps: ShowPaymentDeps, request: PaymentRequest, reply: FastifyReply): Promise<FastifyReply> {
  const found = await readPayment(deps, request, reply, request.query['lang'])
  return sendPayment(deps, request, reply, { ...found, problem: readKept(deps, request, problemShape) })
}
