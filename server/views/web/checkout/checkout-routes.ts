/**
 * The hosted checkout: form, payment, receipt, on a separate host. Every answer is a whole page in the payer's language that
 * works without script; the payments slice, called in this process, makes the payment.
 */
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { findPublicPage } from '../../../collect/pages/find-public-page.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { PaymentRouteDeps } from '../../../collect/payments/routes.ts'
import type { Environment } from '../../../domain/environment.ts'
import type { ProviderName } from '../../../domain/provider.ts'
import type { Config } from '../../../config/config.ts'
import type { Networks } from '../../../money/controls/read-networks.ts'
import type { OpenPage } from '../../../collect/pages/page.sql.ts'
import { openPageState } from '../../../collect/pages/page.ts'
import { linkQrSvg, qrSizes } from '../../../collect/pages/qr.ts'
import { returnUrl } from '../../../collect/pages/return-url.ts'
import { pageUrl } from '../../../collect/pages/routes.ts'
import type { PayerError } from '../../../collect/payments/checkout-rules.ts'
import type { PaymentView } from '../../../collect/payments/payment.sql.ts'
import type { StatusReader } from '../../../collect/payments/read-status.ts'
import { listPaidRefunds } from '../../../pay-out/payouts/payout.sql.ts'
import { cancelPayment } from '../../../collect/payments/cancel-payment.ts'
import { confirmationProof, isConfirmationProof, provenPayment } from '../../../collect/payments/checkout-token.ts'
import { confirmPayment } from '../../../collect/payments/confirm-payment.ts'
import { languageOf } from '../../../collect/payments/payer-language.ts'
import { findCustomer, findPaidPayment } from '../../../collect/payment-requests/payment-request.sql.ts'
import { findPayerEntries } from '../../../collect/payments/payer.sql.ts'
import { endStatuses, needsConfirmation } from '../../../collect/payments/payment.ts'
import { localPhone } from '../../../domain/phone.ts'
import { resendPrompt } from '../../../collect/payments/resend-prompt.ts'
import { closedStateOf, startCheckout, type CheckoutDeps, type ClosedState } from '../../../collect/payments/start-checkout.ts'
import type { Clock } from '../../../platform/clock.ts'
import { isUnavailable } from '../../../platform/db/db.ts'
import { anyQuery, type Http } from '../../../platform/http/http.ts'
import { homeOfId, toWire } from '../../../platform/ids.ts'
import { networkOf } from '../../../platform/http/limits.ts'
import { refusedRequest } from '../../../platform/http/http-errors.ts'
import { Refusal } from '../../../platform/refusal.ts'
import type { SecurityLog } from '../../../platform/http/security-log.ts'
import {
  confirmCookie,
  formCookie,
  newFormKey,
  readConfirmCookie,
  readFormMemory,
  readTokenCookie,
  readTried,
  tokenCookies,
  triedCookie,
} from './cookies.ts'
import { brandCss, shownBrand, type ShownBrand } from './brand-look.ts'
import { findLogo } from '../../../merchants/brands/brand.sql.ts'
import { logoExtensions } from '../../../merchants/brands/brand.ts'
import type { CustomTyped } from './custom-fields.ts'
import { acceptForms, sendPage } from './form-body.ts'
import { formHtml, type FormView } from './form-screen.ts'
import { dateTime, money } from './format.ts'
import type { Html } from './html.ts'
import { contentSecurityPolicy } from './look.ts'
import { messagesOf, type Language } from './messages.ts'
import { problemsOf, readForm, readRequest, type Problem, type SentForm, type Typed } from './payment-form.ts'
import { paymentHtml, paymentPath, phaseOf, receiptHtml, receiptPath, type Prompt } from './payment-screen.ts'
import { findSupportContact } from '../../../collect/support-cases/support-contact.sql.ts'
import { caseRoutes, type CaseRouteDeps } from './case-routes.ts'
import { reportPath } from './case-screen.ts'
import { helpHtml, operatorHelpHtml } from './support-lines.ts'
import { privacyHtml } from './privacy-screen.ts'
import { noticeHtml } from './screen.ts'

export type CheckoutRouteDeps = CheckoutDeps &
  CaseRouteDeps & {
    config: Pick<Config, 'mode' | 'privacy' | 'support'>
    clock: Clock
    security: SecurityLog
    statuses: StatusReader
    networks: Pick<Networks, 'view'>
    limits: PaymentRouteDeps['limits'] & CaseRouteDeps['limits']
    readPage(slug: string): Promise<OpenPage | undefined>
    readPageOfPayment(slug: string): Promise<OpenPage | undefined>
  }

// Most of a page is the same constant style and script; below this size compression costs more than it saves.
const compressFromBytes = 1024

const slugParams = z.object({ slug: z.string() })
const paymentParams = z.object({ slug: z.string(), reference: z.string() })

function compressed(text: string, accepted: string): { bytes: Buffer; encoding: string } | undefined {
  if (/\bbr\b/.test(accepted)) {
    return { bytes: brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }), encoding: 'br' }
  }
  if (/\bgzip\b/.test(accepted)) return { bytes: gzipSync(text), encoding: 'gzip' }
  return undefined
}

/** The policy of one answer allows the rules of one merchant's colour. */
function allowBrand(reply: FastifyReply, apiUrl: string, brand: ShownBrand | undefined): ShownBrand | undefined {
  if (brand?.color) void reply.header('content-security-policy', contentSecurityPolicy(apiUrl, brandCss(brand.color)))
  return brand
}

/** Undefined instead of a refusal, where an unknown reference is simply not shown. */
async function find<Found>(reading: Promise<Found>): Promise<Found | undefined> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof Refusal && error.httpStatus === 404) return undefined
    throw error
  }
}

type Link = { href: string; label: string }

function closedHtml(page: OpenPage, state: ClosedState, language: Language, { link, help }: { link?: Link; help: Html }): Html {
  const t = messagesOf[language]
  const [title, text] = {
    inactive: [t.closedTitle, t.inactiveText],
    expired:
      page.kind === 'request' ? [t.requestExpiredTitle, t.requestExpiredText(page.merchantName)] : [t.closedTitle, t.endedText],
    sold_out: [t.soldOutTitle, t.soldOutText],
    paid: [t.requestPaidTitle, t.requestPaidText(money(page.amount ?? 0), page.title, page.merchantName)],
    cancelled: [t.requestCancelledTitle, t.requestCancelledText(page.merchantName)],
    busy: [t.requestBusyTitle, t.requestBusyText],
  }[state] as [string, string]
  const ownWords = state === 'inactive' ? page.inactiveMessage : undefined
  return noticeHtml({ language, title, text, ownWords, link, help, isTest: page.environment === 'test' })
}

export async function checkoutRoutes(http: Http, deps: CheckoutRouteDeps): Promise<void> {
  await http.register(async (scope: Http) => {
    checkoutPages(scope, deps)
    await caseRoutes(scope, deps)
  })
}

const readLanguage = (request: FastifyRequest, chosen: unknown, page?: Pick<OpenPage, 'language'>): Language =>
  languageOf({ chosen, page: page?.language, acceptLanguage: request.headers['accept-language'] })

/** What a form sent; all of it is empty without a body. */
const sentForm = (request: { body: unknown }): SentForm => (request.body as SentForm | undefined) ?? readForm(new Uint8Array())

/** When the payer may try again, if the refusal says it. */
function addRetryAfter(reply: FastifyReply, { detail }: Refusal): void {
  if (detail.retryAfterSeconds !== undefined) void reply.header('retry-after', detail.retryAfterSeconds)
}

function sendNotFound(
  request: FastifyRequest,
  reply: FastifyReply,
  { config }: Pick<CheckoutRouteDeps, 'config'>,
  text: 'notFoundText' | 'paymentNotFoundText' | 'receiptNotFoundText',
  language: Language = readLanguage(request, (request.query as { lang?: unknown }).lang),
): FastifyReply {
  const t = messagesOf[language]
  const help = operatorHelpHtml(config.support, language)
  return sendPage(reply, 404, noticeHtml({ language, title: t.notFoundTitle, text: t[text], help }))
}

/** What a page of a merchant shows beside its own content: its brand, which the answer's policy then allows, and where to get help. */
async function besides(
  deps: Pick<CheckoutRouteDeps, 'db' | 'config'>,
  reply: FastifyReply,
  page: { merchantId: string; merchantName: string; environment: Environment },
  { language, payment }: { language: Language; payment?: PaymentView },
): Promise<{ brand: ShownBrand | undefined; help: Html }> {
  const { db, config } = deps
  const [brand, help] = await Promise.all([
    shownBrand(db, page.merchantId, page.environment),
    helpFor(deps, page, language, payment),
  ])
  return { brand: allowBrand(reply, config.urls.api, brand), help }
}

/** Where to get help on a merchant's page; on the page of a payment that was sent, also how to report that money was taken. */
async function helpFor(
  { db, config }: Pick<CheckoutRouteDeps, 'db' | 'config'>,
  { merchantId, merchantName }: { merchantId: string; merchantName: string },
  language: Language,
  payment?: PaymentView,
): Promise<Html> {
  const contact = await findSupportContact(db, merchantId)
  const report = payment === undefined || payment.isUnconfirmed ? undefined : reportPath(payment, language)
  return helpHtml({ merchantName, contact, operators: config.support, reportPath: report }, language)
}

type Remembered = {
  key: string
  cookies: string[]
  /** This browser's open payment; its form is kept, so that it cannot become two payments. */
  open?: PaymentView
  /** Ended payments, newest first. */
  ended: PaymentView[]
}

const paidOf = (payments: PaymentView[]): string[] =>
  payments.filter(({ status }) => status === 'completed').map(({ id }) => toWire('pay', id))

/** The most important notice before paying: an open payment, then paid ones, then payments that may still succeed. */
function noticeOf({ open, ended }: Pick<Remembered, 'open' | 'ended'>, language: Language): FormView['notice'] {
  const t = messagesOf[language]
  if (open) return { text: t.openPayment, href: paymentPath(open, language), label: t.openPaymentLink }
  const paid = ended.find(({ status }) => status === 'completed')
  if (paid) {
    const text = t.alreadyPaid(money(paid.amountReceived ?? paid.amount), dateTime(paid.completedAt!, language))
    return { text, href: receiptPath(paid, language), label: t.alreadyPaidLink }
  }
  const expired = ended.find(({ status }) => status === 'expired')
  return expired && { text: t.expiredBefore, href: paymentPath(expired, language), label: t.expiredBeforeLink }
}

/** The payments that a browser started, by its cookies. */
function createMemory(deps: CheckoutRouteDeps) {
  const { checkout: checkoutUrl } = deps.config.urls

  /** The payments of these references on this page, in the same order. */
  async function paymentsOf(page: OpenPage, references: string[]): Promise<PaymentView[]> {
    const found = await Promise.all(references.map((reference) => find(deps.statuses.read(reference))))
    return found.filter((payment) => payment?.pageSlug === page.slug) as PaymentView[]
  }

  /** An unconfirmed payment past its time is over even before a worker has ended it: nothing was sent, and nothing will be. */
  const isOver = (payment: PaymentView): boolean =>
    endStatuses.has(payment.status) || phaseOf(payment, deps.clock.now()) === 'expired'

  /** The earlier payments of this browser on this page. */
  async function remembered(request: FastifyRequest, page: OpenPage): Promise<Remembered> {
    const { cookie } = request.headers
    const memory = readFormMemory(cookie)
    const tried = await paymentsOf(page, readTried(cookie))
    const made = memory?.reference === undefined ? [] : await paymentsOf(page, [memory.reference])
    const [newest] = made
    if (memory && newest && !isOver(newest)) return { key: memory.key, cookies: [], open: newest, ended: tried }
    const ended = [...made, ...tried]
    const key = memory?.reference === undefined ? (memory?.key ?? newFormKey()) : newFormKey()
    const cookies = [formCookie({ key, reference: undefined }, page.slug, checkoutUrl)]
    if (made.length > 0)
      cookies.push(
        triedCookie(
          ended.map(({ id }) => toWire('pay', id)),
          page.slug,
          checkoutUrl,
        ),
      )
    return { key, cookies, ended }
  }

  return { paymentsOf, isOver, remembered }
}

/** The page of one payment. */
function createPaymentScreen(deps: CheckoutRouteDeps) {
  const { api: apiUrl, checkout: checkoutUrl } = deps.config.urls

  /** The payment, if this browser started it. */
  const provenBy = (request: FastifyRequest, reference: string): string | undefined =>
    provenPayment(deps, reference, readTokenCookie(request.headers.cookie) ?? '')

  /** What the phone shows of a payment, by its provider and network. On an unknown network: only what is true of all. */
  function promptOf({ environment, provider, network }: PaymentView): Prompt {
    const { promptSeconds } = deps.config.payments
    const names = deps.config.providers[environment].promptNames[provider as ProviderName]
    if (network !== null) return { name: names[network], seconds: promptSeconds[network] }
    const [name, ...others] = new Set(Object.values(names))
    return { name: others.length === 0 ? name : undefined, seconds: Math.max(...Object.values(promptSeconds)) }
  }

  /** The page of a payment, with the button if it waits for the payer's confirmation. */
  async function sendPayment(
    request: FastifyRequest,
    reply: FastifyReply,
    { page, payment, language, problem }: { page: OpenPage; payment: PaymentView; language: Language; problem?: Problem['code'] },
  ): Promise<FastifyReply> {
    const reference = toWire('pay', payment.id)
    const isToConfirm = needsConfirmation(payment)
    const browserKey = readConfirmCookie(request.headers.cookie) ?? newFormKey()
    if (isToConfirm) void reply.header('set-cookie', confirmCookie(browserKey, page.slug, reference, checkoutUrl))
    const screen = {
      payment,
      language,
      nowMs: deps.clock.now(),
      successMessage: page.successMessage,
      prompt: promptOf(payment),
      statusUrl: `${apiUrl}/v1/payments/${reference}/status`,
      checkoutUrl,
      refreshes: (request.query as { auto?: unknown }).auto !== '0',
      isPayer: provenBy(request, reference) !== undefined,
      returnUrl: returnUrl(page.redirectUrl, reference, deps.config.mode),
      confirmation: isToConfirm
        ? {
            proof: confirmationProof(deps, payment.id, browserKey),
            problem: problem && messagesOf[language].errors({ least: '', most: '', fixed: '' })[problem],
          }
        : undefined,
      ...(await besides(deps, reply, payment, { language, payment })),
    }
    return sendPage(reply, reply.statusCode, paymentHtml(screen))
  }

  /** A payment of this page and the language of its payer; undefined when it does not exist, and then the answer is already sent. */
  async function readPayment(
    request: FastifyRequest<{ Params: { slug: string; reference: string }; Querystring: Record<string, unknown> }>,
    reply: FastifyReply,
    chosen: unknown,
  ): Promise<{ page: OpenPage; payment: PaymentView; language: Language } | undefined> {
    const { slug, reference } = request.params
    if (provenBy(request, reference) === undefined) await deps.limits.unknownPage.delay(networkOf(request.ip))
    const [page, payment] = await Promise.all([deps.readPageOfPayment(slug), find(deps.statuses.read(reference))])
    const language = readLanguage(request, chosen, payment ? { language: payment.payerLanguage } : page)
    if (page && payment?.pageSlug === page.slug) return { page, payment, language }
    if (!page) {
      await deps.limits.unknownPage.note(networkOf(request.ip))
      void sendNotFound(request, reply, deps, 'notFoundText')
      return undefined
    }
    await deps.limits.unknownReference.take(networkOf(request.ip), reply)
    void sendNotFound(request, reply, deps, 'paymentNotFoundText', language)
    return undefined
  }

  return { provenBy, sendPayment, readPayment }
}

/** Objects that the routes of this file share. */
type Shared = ReturnType<typeof createShared>

function createShared(deps: CheckoutRouteDeps) {
  const { api: apiUrl, checkout: checkoutUrl } = deps.config.urls
  const policy = contentSecurityPolicy(apiUrl)
  const { paymentsOf, isOver, remembered } = createMemory(deps)

  /** The page that takes no payment, with the way to the payment that is the reason. */
  async function sendClosed(
    request: FastifyRequest,
    reply: FastifyReply,
    page: OpenPage,
    { state, language }: { state: ClosedState; language: Language },
  ): Promise<FastifyReply> {
    const t = messagesOf[language]
    let link: Link | undefined
    if (state === 'paid') {
      const paid = await findPaidPayment(deps.db, page)
      link = paid && { href: receiptPath(paid, language), label: t.alreadyPaidLink }
    }
    if (state === 'busy') {
      const { open } = await remembered(request, page)
      link = open
        ? { href: paymentPath(open, language), label: t.openPaymentLink }
        : { href: `/pay/${page.slug}?lang=${language}`, label: t.checkAgain }
    }
    return sendPage(reply, 409, closedHtml(page, state, language, { link, help: await helpFor(deps, page, language) }))
  }

  /** The customer of a payment request, as if the payer had typed it. */
  async function typedOf(page: OpenPage): Promise<Typed | undefined> {
    const customer = page.kind === 'request' ? await findCustomer(deps.db, page) : undefined
    return (
      customer && {
        amount: '',
        phone_number: customer.customerPhone === null ? '' : localPhone(customer.customerPhone),
        network: '',
        customer_name: customer.customerName ?? '',
        customer_email: customer.customerEmail ?? '',
      }
    )
  }

  /** The form: empty, with the customer of a payment request, or with the values of an ended payment. */
  async function sendFreshForm(
    request: FastifyRequest,
    reply: FastifyReply,
    page: OpenPage,
    filled: { language: Language; query?: string; typed?: Typed; custom?: CustomTyped },
  ): Promise<FastifyReply> {
    const state = openPageState(page)
    if (state !== 'open') return sendClosed(request, reply, page, { state, language: filled.language })
    const before = await remembered(request, page)
    if (before.cookies.length > 0) void reply.header('set-cookie', before.cookies)
    const view = {
      ...filled,
      typed: filled.typed ?? (await typedOf(page)),
      page,
      idempotencyKey: before.key,
      networks: deps.networks.view(page.environment),
      notice: noticeOf(before, filled.language),
      seen: paidOf(before.ended),
      ...(await besides(deps, reply, page, filled)),
    }
    return sendPage(reply, 200, formHtml(view))
  }

  return { policy, checkoutUrl, paymentsOf, isOver, sendFreshForm, sendClosed, ...createPaymentScreen(deps) }
}

function checkoutPages(scope: Http, deps: CheckoutRouteDeps): void {
  const shared = createShared(deps)
  acceptForms(scope, readForm)
  addHeaders(scope, shared)
  answerErrorsInHtml(scope, deps)
  privacyRoute(scope, deps)
  formRoute(scope, deps, shared)
  formAgainRoute(scope, deps, shared)
  submitRoute(scope, deps, shared)
  qrRoute(scope, deps)
  logoRoute(scope, deps)
  paymentRoute(scope, shared)
  confirmRoute(scope, deps, shared)
  payerActionRoutes(scope, deps, shared)
  receiptRoute(scope, deps, shared)
  notFoundRoute(scope, deps)
}

function addHeaders(scope: Http, { policy }: Shared): void {
  // Before the route: one with a merchant's colour, and a logo, replace some of them.
  scope.addHook('onRequest', async (_request, reply) => {
    void reply.headers({
      'content-security-policy': policy,
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex',
      'referrer-policy': 'no-referrer',
    })
  })
  scope.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || payload.length < compressFromBytes) return payload
    void reply.header('vary', 'accept-encoding')
    const smaller = compressed(payload, String(request.headers['accept-encoding'] ?? ''))
    if (!smaller) return payload
    void reply.header('content-encoding', smaller.encoding)
    return smaller.bytes
  })
}

function answerErrorsInHtml(scope: Http, deps: CheckoutRouteDeps): void {
  scope.setErrorHandler((error, request, reply) => {
    if (error instanceof Refusal) deps.security.note(error, refusedRequest(request))
    const { statusCode } = error as { statusCode?: number }
    const status = error instanceof Refusal ? error.httpStatus : isUnavailable(error) ? 503 : (statusCode ?? 500)
    if (status === 404) return sendNotFound(request, reply, deps, 'notFoundText')
    if (status >= 500 && !(error instanceof Refusal)) {
      deps.log.error('checkout_page.failed', error, { request_id: request.id, status })
    }
    if (error instanceof Refusal) addRetryAfter(reply, error)
    const language = readLanguage(request, (request.query as { lang?: unknown }).lang)
    const t = messagesOf[language]
    const [title, text] =
      status === 429
        ? [t.tooManyTitle, t.tooManyText]
        : status === 503
          ? [t.busyTitle, t.busyText]
          : status >= 500
            ? [t.brokenTitle, t.brokenText]
            : [t.notUnderstoodTitle, t.notUnderstoodText]
    // The link opens the page with the form again, not the address that was posted to.
    const [path] = request.url.replace(/^\/+/, '/').split('?')
    const link = { href: `${path!.replace(/\/(?:resend|cancel|confirm|disagree)$/, '')}?lang=${language}`, label: t.openAgain }
    return sendPage(
      reply,
      status,
      noticeHtml({ language, title, text, link, requestId: request.id, help: operatorHelpHtml(deps.config.support, language) }),
    )
  })
}

function privacyRoute(scope: Http, deps: CheckoutRouteDeps): void {
  scope.get('/privacy', { schema: { querystring: anyQuery } }, (request, reply) =>
    sendPage(reply, 200, privacyHtml(deps.config.privacy, readLanguage(request, request.query['lang']))),
  )
}

function formRoute(scope: Http, deps: CheckoutRouteDeps, { sendFreshForm }: Shared): void {
  scope.get('/pay/:slug', { schema: { params: slugParams, querystring: anyQuery } }, async (request, reply) => {
    const page = await findPublicPage(deps, request.params.slug, request.ip)
    if (!page) return sendNotFound(request, reply, deps, 'notFoundText')
    return sendFreshForm(request, reply, page, { language: readLanguage(request, request.query['lang'], page) })
  })
}

function formAgainRoute(scope: Http, deps: CheckoutRouteDeps, { isOver, sendFreshForm, provenBy }: Shared): void {
  scope.get(
    '/pay/:slug/:reference/again',
    { schema: { params: paymentParams, querystring: anyQuery } },
    async (request, reply) => {
      const { slug, reference } = request.params
      const page = await findPublicPage(deps, slug, request.ip)
      if (!page) return sendNotFound(request, reply, deps, 'notFoundText')
      const language = readLanguage(request, request.query['lang'], page)
      const id = provenBy(request, reference)
      const payment = id === undefined ? undefined : await find(deps.statuses.read(reference))
      // Entered values are shown only to the browser that sent them, not to others with the link.
      if (payment?.pageSlug !== slug) return reply.redirect(`/pay/${page.slug}?lang=${language}`, 303)
      if (!isOver(payment) || payment.status === 'completed') return reply.redirect(paymentPath(payment, language), 303)
      const entries = (await findPayerEntries(deps.db, { home: homeOfId(payment.id), id: payment.id }))!
      const isOther = request.query['number'] === 'other'
      const typed = {
        amount: String(payment.amount),
        phone_number: isOther ? '' : localPhone(entries.phoneNumber),
        network: '',
        customer_name: entries.customerName ?? '',
        customer_email: entries.customerEmail ?? '',
      }
      const custom = Object.fromEntries((entries.customFields ?? []).map(({ key, value }) => [key, value]))
      return sendFreshForm(request, reply, page, { language, query: isOther ? '&number=other' : '', typed, custom })
    },
  )
}

function submitRoute(scope: Http, deps: CheckoutRouteDeps, { checkoutUrl, paymentsOf, isOver, sendClosed }: Shared): void {
  scope.post('/pay/:slug', { schema: { params: slugParams, querystring: anyQuery } }, async (request, reply) => {
    const form = sentForm(request)
    const page = await findPublicPage(deps, request.params.slug, request.ip)
    if (!page) return sendNotFound(request, reply, deps, 'notFoundText')
    const language = readLanguage(request, form.language, page)
    const memory = readFormMemory(request.headers.cookie)
    // Payments that this browser started with other forms; the key finds the payment of its own form.
    const others = [
      ...(memory?.reference && memory.key !== form.idempotencyKey ? [memory.reference] : []),
      ...readTried(request.headers.cookie),
    ]
    const earlier = await paymentsOf(page, others)

    const sendForm = async (status: number, problems: Problem[], customProblems: PayerError[] = []): Promise<FastifyReply> => {
      // An invalid key is replaced; any other key stays, so that a payment that may have been sent cannot be sent twice.
      const isSpent = problems.some(({ code }) => code === 'key_reused' || code === 'form_stale')
      const idempotencyKey = isSpent ? newFormKey() : form.idempotencyKey
      const open = isSpent && memory?.reference !== undefined ? await paymentsOf(page, [memory.reference]) : []
      const view = {
        page,
        language,
        idempotencyKey,
        typed: form.typed,
        custom: form.custom,
        problems,
        customProblems,
        networks: deps.networks.view(page.environment),
        notice: noticeOf({ open: open.find((payment) => !isOver(payment)), ended: earlier }, language),
        seen: paidOf(earlier),
        ...(await besides(deps, reply, page, { language })),
      }
      return sendPage(reply, status, formHtml(view))
    }

    const reading = readRequest(page, form)
    if (reading.kind === 'broken') return sendForm(422, reading.problems, reading.customProblems)
    // An earlier payment, which had failed when the form was shown, has succeeded since: the payer must know before paying twice.
    if (openPageState(page) !== 'paid' && paidOf(earlier).some((reference) => !form.seen.includes(reference))) {
      return sendForm(409, [{ field: null, code: 'paid_meanwhile' }])
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
      if (closed) return sendClosed(request, reply, page, { state: closed, language })
      const problems = problemsOf(error, form.typed)
      if (!problems) throw error
      deps.security.note(error, refusedRequest(request))
      addRetryAfter(reply, error)
      return sendForm(error.httpStatus === 400 ? 422 : error.httpStatus, problems)
    }
  })
}

function qrRoute(scope: Http, deps: CheckoutRouteDeps): void {
  scope.get('/pay/:slug/qr.svg', { schema: { params: slugParams } }, async (request, reply) => {
    const page = await findPublicPage(deps, request.params.slug, request.ip)
    if (!page) return sendNotFound(request, reply, deps, 'notFoundText')
    return reply.type('image/svg+xml; charset=utf-8').send(linkQrSvg(pageUrl(page, deps.config.urls), qrSizes.usual))
  })
}

/** The bytes never change under their name, so every cache may keep them. They need no cookie, and set none. */
function logoRoute(scope: Http, deps: CheckoutRouteDeps): void {
  scope.get('/logo/:name', { schema: { params: z.object({ name: z.string() }) } }, async (request, reply) => {
    // A hash cannot be guessed, so unknown names need no limit.
    const hash = /^([0-9a-f]{64})\.(?:png|jpg)$/.exec(request.params.name)?.[1]
    const found = hash === undefined ? undefined : await findLogo(deps.db, Buffer.from(hash, 'hex'))
    if (!found || !request.params.name.endsWith(logoExtensions[found.logoType])) {
      return sendNotFound(request, reply, deps, 'notFoundText')
    }
    return reply
      .header('content-security-policy', "default-src 'none'; sandbox")
      .header('cache-control', 'public, max-age=31536000, immutable')
      .header('cross-origin-resource-policy', 'same-site')
      .type(found.logoType)
      .send(found.logo)
  })
}

function paymentRoute(scope: Http, { sendPayment, readPayment }: Shared): void {
  scope.get('/pay/:slug/:reference', { schema: { params: paymentParams, querystring: anyQuery } }, async (request, reply) => {
    const found = await readPayment(request, reply, request.query['lang'])
    return found ? sendPayment(request, reply, found) : reply
  })
}

function confirmRoute(scope: Http, deps: CheckoutRouteDeps, { sendPayment, readPayment, sendClosed }: Shared): void {
  scope.post(
    '/pay/:slug/:reference/confirm',
    { schema: { params: paymentParams, querystring: anyQuery } },
    async (request, reply) => {
      const form = sentForm(request)
      const found = await readPayment(request, reply, form.language)
      if (!found) return reply
      const { page, payment, language } = found
      await deps.limits.status.take(payment.id, reply)
      await deps.limits.checkout.take(networkOf(request.ip), reply)
      const browserKey = readConfirmCookie(request.headers.cookie)
      const isOurPage =
        request.headers['sec-fetch-site'] === 'same-origin' ||
        (browserKey !== undefined && isConfirmationProof(deps, payment.id, browserKey, form.proof))
      const state = openPageState(page)
      // A confirmed payment already has its place on the page.
      const isFull = state === 'sold_out' || state === 'busy' || state === 'paid'
      if (state !== 'open' && !isFull) return sendClosed(request, reply, page, { state, language })
      try {
        if (isOurPage) await confirmPayment(deps, payment.id, request.ip, request.id)
      } catch (error) {
        const closed = error instanceof Refusal ? closedStateOf(error) : undefined
        if (closed) return sendClosed(request, reply, page, { state: closed, language })
        const [problem] = error instanceof Refusal ? (problemsOf(error, form.typed) ?? []) : []
        if (!(error instanceof Refusal) || !problem) throw error
        addRetryAfter(reply, error)
        return sendPayment(request, reply.code(error.httpStatus), { ...found, problem: problem.code })
      }
      return reply.code(303).header('location', paymentPath(payment, language)).send()
    },
  )
}

function payerActionRoutes(scope: Http, deps: CheckoutRouteDeps, { provenBy }: Shared): void {
  const payerActions = {
    resend: (id: string) => resendPrompt(deps, id),
    cancel: (id: string, requestId: string) => cancelPayment(deps, id, requestId),
  }
  for (const [name, act] of Object.entries(payerActions)) {
    scope.post(
      `/pay/:slug/:reference/${name}`,
      { schema: { params: paymentParams, querystring: anyQuery } },
      async (request, reply) => {
        const { slug, reference } = request.params
        const { language } = sentForm(request)
        const id = provenBy(request, reference)
        const payment = id === undefined ? undefined : await find(deps.statuses.read(reference))
        if (id === undefined || payment?.pageSlug !== slug) {
          await deps.limits.unknownReference.take(networkOf(request.ip), reply)
          return sendNotFound(request, reply, deps, 'notFoundText')
        }
        await deps.limits.status.take(id, reply)
        try {
          await act(id, request.id)
        } catch (error) {
          // Too early, or already over: the payment's page shows its status, and when the next prompt is possible.
          if (!(error instanceof Refusal) || (error.httpStatus !== 429 && error.httpStatus !== 409)) throw error
        }
        return reply
          .code(303)
          .header('location', paymentPath(payment, readLanguage(request, language)))
          .send()
      },
    )
  }
}

/** A receipt lists the newest refunds, and the sum of all. */
const refundsShown = 20

function receiptRoute(scope: Http, deps: CheckoutRouteDeps, { checkoutUrl }: Shared): void {
  scope.get(
    '/r/:reference',
    { schema: { params: z.object({ reference: z.string() }), querystring: anyQuery } },
    async (request, reply) => {
      const payment: PaymentView | undefined = await find(deps.statuses.read(request.params.reference))
      if (!payment) await deps.limits.unknownReference.take(networkOf(request.ip), reply)
      if (payment?.status !== 'completed') return sendNotFound(request, reply, deps, 'receiptNotFoundText')
      const language = readLanguage(request, request.query['lang'], { language: payment.payerLanguage })
      const refunds = payment.refundedAmount === 0 ? [] : await listPaidRefunds(deps.db, payment, refundsShown)
      const shown = await besides(deps, reply, payment, { language, payment })
      return sendPage(reply, 200, receiptHtml(payment, refunds, language, checkoutUrl, shown))
    },
  )
}

function notFoundRoute(scope: Http, deps: CheckoutRouteDeps): void {
  // Replaces the server's handler, which answers in JSON, because these pages are for people.
  scope.route({
    method: ['GET', 'POST'],
    url: '/*',
    handler: (request, reply) => sendNotFound(request, reply, deps, 'notFoundText'),
  })
}
