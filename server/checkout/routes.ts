/**
 * The hosted checkout: form, payment, receipt, on a host of their own. Every answer is a whole page in the payer's language that works
 * without script; the payment itself is the payments slice's, called in this process.
 */
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Networks } from '../networks/read-networks.ts'
import type { OpenPage } from '../pages/page.sql.ts'
import { openPageState, type PageState } from '../pages/page.ts'
import type { PaymentView } from '../payments/payment.sql.ts'
import type { StatusReader } from '../payments/read-status.ts'
import { cancelPayment } from '../payments/cancel-payment.ts'
import { provenPayment } from '../payments/checkout-token.ts'
import { languageOf } from '../payments/payer-language.ts'
import { resendPrompt } from '../payments/resend-prompt.ts'
import { startCheckout, type CheckoutDeps } from '../payments/start-checkout.ts'
import type { Clock } from '../platform/clock.ts'
import { isUnavailable } from '../platform/db.ts'
import type { Http } from '../platform/http.ts'
import { toWire } from '../platform/ids.ts'
import { networkOf, type Limit } from '../platform/limits.ts'
import { Refusal } from '../platform/refusal.ts'
import { formCookie, newFormKey, readFormMemory, readTokenCookie, tokenCookie } from './cookies.ts'
import { formHtml, type FormView } from './form-screen.ts'
import { dateTime, money } from './format.ts'
import type { Html } from './html.ts'
import { contentSecurityPolicy } from './look.ts'
import { messagesOf, type Language } from './messages.ts'
import { problemsOf, readForm, readRequest, type Problem, type SentForm } from './payment-form.ts'
import { paymentHtml, paymentPath, receiptHtml, receiptPath } from './payment-screen.ts'
import { noticeHtml } from './screen.ts'

export type CheckoutRouteDeps = CheckoutDeps & {
  clock: Clock
  statuses: StatusReader
  networks: Pick<Networks, 'view'>
  limits: Record<'checkout' | 'status' | 'unknownReference', Limit>
  readPage(slug: string): Promise<OpenPage | undefined>
}

const formLimitBytes = 8 * 1024
// Most of a page is the same constant style and script; below this size compressing costs more than it saves.
const compressFromBytes = 1024

const anyQuery = z.object({ lang: z.unknown().optional(), auto: z.unknown().optional() })
const slugParams = z.object({ slug: z.string() })

function compressed(text: string, accepted: string): { bytes: Buffer; encoding: string } | undefined {
  if (/\bbr\b/.test(accepted)) {
    return { bytes: brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }), encoding: 'br' }
  }
  if (/\bgzip\b/.test(accepted)) return { bytes: gzipSync(text), encoding: 'gzip' }
  return undefined
}

function send(reply: FastifyReply, status: number, page: Html): FastifyReply {
  return reply.code(status).type('text/html; charset=utf-8').send(page.text)
}

/** Undefined instead of a refusal, where an unknown reference is only a thing not to show. */
async function find<Found>(reading: Promise<Found>): Promise<Found | undefined> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof Refusal && error.httpStatus === 404) return undefined
    throw error
  }
}

function closedHtml(page: OpenPage, state: Exclude<PageState, 'open'>, language: Language): Html {
  const t = messagesOf[language]
  const [title, text] = {
    inactive: [t.closedTitle, t.inactiveText],
    expired: [t.closedTitle, t.endedText],
    sold_out: [t.soldOutTitle, t.soldOutText],
  }[state] as [string, string]
  const ownWords = state === 'inactive' ? page.inactiveMessage : undefined
  return noticeHtml({ language, title, text, ownWords, isTest: page.environment === 'test' })
}

const closedStates: Record<string, Exclude<PageState, 'open'>> = {
  page_inactive: 'inactive',
  page_expired: 'expired',
  page_sold_out: 'sold_out',
}

export async function checkoutRoutes(http: Http, deps: CheckoutRouteDeps): Promise<void> {
  const { api: apiUrl, checkout: checkoutUrl } = deps.config.urls
  const policy = contentSecurityPolicy(apiUrl)

  const readLanguage = (request: FastifyRequest, chosen: unknown, page?: Pick<OpenPage, 'language'>): Language =>
    languageOf({ chosen, page: page?.language, acceptLanguage: request.headers['accept-language'] })

  const sendNotFound = (
    request: FastifyRequest,
    reply: FastifyReply,
    text: 'notFoundText' | 'receiptNotFoundText',
  ): FastifyReply => {
    const language = readLanguage(request, (request.query as { lang?: unknown }).lang)
    const t = messagesOf[language]
    return send(reply, 404, noticeHtml({ language, title: t.notFoundTitle, text: t[text] }))
  }

  /** What this browser did on this page before: an unfinished payment keeps its form, a completed one is mentioned. */
  async function remembered(
    request: FastifyRequest,
    page: OpenPage,
    language: Language,
  ): Promise<{ key: string; keep: boolean; notice?: FormView['notice'] }> {
    const memory = readFormMemory(request.headers.cookie)
    if (!memory) return { key: newFormKey(), keep: true }
    if (memory.reference === undefined) return { key: memory.key, keep: true }
    const payment = await find(deps.statuses.read(memory.reference))
    if (payment?.pageSlug !== page.slug) return { key: newFormKey(), keep: true }
    const t = messagesOf[language]
    switch (payment.status) {
      case 'pending':
      case 'processing':
        return {
          key: memory.key,
          keep: false,
          notice: { text: t.openPayment, href: paymentPath(payment, language), label: t.openPaymentLink },
        }
      case 'completed':
        return {
          key: newFormKey(),
          keep: false,
          notice: {
            text: t.alreadyPaid(money(payment.amount), dateTime(payment.completedAt!, language)),
            href: receiptPath(payment, language),
            label: t.alreadyPaidLink,
          },
        }
      case 'failed':
      case 'voided':
      case 'expired':
        return { key: newFormKey(), keep: true }
    }
  }

  /** The payment, if the browser that asks is the one that started it. */
  const provenBy = (request: FastifyRequest, reference: string): string | undefined =>
    provenPayment(deps, reference, readTokenCookie(request.headers.cookie) ?? '')

  const payerActions = {
    resend: (id: string) => resendPrompt(deps, id),
    cancel: (id: string, requestId: string) => cancelPayment(deps, id, requestId),
  }

  await http.register(async (scope: Http) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'buffer', bodyLimit: formLimitBytes },
      (_request, bytes: Buffer, done) => {
        try {
          done(null, readForm(bytes))
        } catch (error) {
          done(error as Error)
        }
      },
    )

    scope.addHook('onSend', async (request, reply, payload) => {
      void reply.headers({
        'content-security-policy': policy,
        'cache-control': 'no-store',
        'x-robots-tag': 'noindex',
        'referrer-policy': 'no-referrer',
      })
      if (typeof payload !== 'string' || payload.length < compressFromBytes) return payload
      void reply.header('vary', 'accept-encoding')
      const smaller = compressed(payload, String(request.headers['accept-encoding'] ?? ''))
      if (!smaller) return payload
      void reply.header('content-encoding', smaller.encoding)
      return smaller.bytes
    })

    scope.setErrorHandler((error, request, reply) => {
      const { statusCode } = error as { statusCode?: number }
      const status = error instanceof Refusal ? error.httpStatus : isUnavailable(error) ? 503 : (statusCode ?? 500)
      if (status === 404) return sendNotFound(request, reply, 'notFoundText')
      if (status >= 500 && !(error instanceof Refusal)) {
        deps.log.error('a page could not be shown', error, { request_id: request.id, status })
      }
      if (error instanceof Refusal && error.detail.retryAfterSeconds !== undefined) {
        void reply.header('retry-after', error.detail.retryAfterSeconds)
      }
      const language = readLanguage(request, (request.query as { lang?: unknown }).lang)
      const t = messagesOf[language]
      const [title, text] =
        status === 503 || status === 429
          ? [t.busyTitle, t.busyText]
          : status >= 500
            ? [t.brokenTitle, t.brokenText]
            : [t.notUnderstoodTitle, t.notUnderstoodText]
      const link = { href: `?lang=${language}`, label: t.openAgain }
      return send(reply, status, noticeHtml({ language, title, text, link, requestId: request.id }))
    })

    scope.get('/pay/:slug', { schema: { params: slugParams, querystring: anyQuery } }, async (request, reply) => {
      const page = await deps.readPage(request.params.slug)
      if (!page) return sendNotFound(request, reply, 'notFoundText')
      const language = readLanguage(request, request.query.lang, page)
      const state = openPageState(page)
      if (state !== 'open') return send(reply, 409, closedHtml(page, state, language))
      const { key, keep, notice } = await remembered(request, page, language)
      if (keep) void reply.header('set-cookie', formCookie({ key, reference: undefined }, page.slug, checkoutUrl))
      return send(
        reply,
        200,
        formHtml({ page, language, idempotencyKey: key, networks: deps.networks.view(page.environment), notice }),
      )
    })

    scope.post('/pay/:slug', { schema: { params: slugParams, querystring: anyQuery } }, async (request, reply) => {
      const form = (request.body as SentForm | undefined) ?? readForm(new Uint8Array())
      const page = await deps.readPage(request.params.slug)
      if (!page) return sendNotFound(request, reply, 'notFoundText')
      const language = readLanguage(request, form.language, page)

      const sendForm = (status: number, problems: Problem[]): FastifyReply => {
        // A key that is no good any more is replaced; any other stays, so that what may have been sent cannot be sent twice.
        const isSpent = problems.some(({ code }) => code === 'key_reused' || code === 'form_stale')
        const idempotencyKey = isSpent ? newFormKey() : form.idempotencyKey
        return send(
          reply,
          status,
          formHtml({
            page,
            language,
            idempotencyKey,
            typed: form.typed,
            problems,
            networks: deps.networks.view(page.environment),
          }),
        )
      }

      const reading = readRequest(page, form)
      if (reading.kind === 'broken') return sendForm(422, reading.problems)
      try {
        await deps.limits.checkout.take(networkOf(request.ip), reply)
        const checkout = await startCheckout(deps, page, { ...reading.request, language }, request.id)
        const { reference, checkoutToken } = checkout
        return reply
          .code(303)
          .header('location', `/pay/${page.slug}/${reference}?lang=${language}`)
          .header('set-cookie', [
            formCookie({ key: form.idempotencyKey, reference }, page.slug, checkoutUrl),
            tokenCookie(checkoutToken, page.slug, reference, checkoutUrl),
          ])
          .send()
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        const closed = closedStates[error.code]
        if (closed) return send(reply, 409, closedHtml(page, closed, language))
        const problems = problemsOf(error, form.typed)
        if (!problems) throw error
        if (error.detail.retryAfterSeconds !== undefined) void reply.header('retry-after', error.detail.retryAfterSeconds)
        return sendForm(error.httpStatus === 400 ? 422 : error.httpStatus, problems)
      }
    })

    scope.get(
      '/pay/:slug/:reference',
      { schema: { params: z.object({ slug: z.string(), reference: z.string() }), querystring: anyQuery } },
      async (request, reply) => {
        const { slug, reference } = request.params
        const [page, payment] = await Promise.all([deps.readPage(slug), find(deps.statuses.read(reference))])
        const language = readLanguage(request, request.query.lang, payment ? { language: payment.payerLanguage } : page)
        const t = messagesOf[language]
        if (!page) return sendNotFound(request, reply, 'notFoundText')
        if (payment?.pageSlug !== page.slug) {
          await deps.limits.unknownReference.take(networkOf(request.ip), reply)
          return send(reply, 404, noticeHtml({ language, title: t.notFoundTitle, text: t.paymentNotFoundText }))
        }
        return send(
          reply,
          200,
          paymentHtml({
            payment,
            language,
            nowMs: deps.clock.now(),
            successMessage: page.successMessage,
            statusUrl: `${apiUrl}/v1/payments/${toWire('pay', payment.id)}/status`,
            refreshes: request.query.auto !== '0',
            isPayer: provenBy(request, reference) !== undefined,
          }),
        )
      },
    )

    for (const [name, act] of Object.entries(payerActions)) {
      scope.post(
        `/pay/:slug/:reference/${name}`,
        { schema: { params: z.object({ slug: z.string(), reference: z.string() }), querystring: anyQuery } },
        async (request, reply) => {
          const { slug, reference } = request.params
          const { language } = (request.body as SentForm | undefined) ?? readForm(new Uint8Array())
          const id = provenBy(request, reference)
          const payment = id === undefined ? undefined : await find(deps.statuses.read(reference))
          if (id === undefined || payment?.pageSlug !== slug) {
            await deps.limits.unknownReference.take(networkOf(request.ip), reply)
            return sendNotFound(request, reply, 'notFoundText')
          }
          await deps.limits.status.take(id, reply)
          try {
            await act(id, request.id)
          } catch (error) {
            // Too early, or over already: the payment's own page shows how it stands, and from when there is another prompt.
            if (!(error instanceof Refusal) || (error.httpStatus !== 429 && error.httpStatus !== 409)) throw error
          }
          return reply
            .code(303)
            .header('location', paymentPath(payment, readLanguage(request, language)))
            .send()
        },
      )
    }

    scope.get(
      '/r/:reference',
      { schema: { params: z.object({ reference: z.string() }), querystring: anyQuery } },
      async (request, reply) => {
        const payment: PaymentView | undefined = await find(deps.statuses.read(request.params.reference))
        if (!payment) await deps.limits.unknownReference.take(networkOf(request.ip), reply)
        if (payment?.status !== 'completed') return sendNotFound(request, reply, 'receiptNotFoundText')
        const language = readLanguage(request, request.query.lang, { language: payment.payerLanguage })
        return send(reply, 200, receiptHtml(payment, language))
      },
    )

    // Not the server's own handler, which answers in JSON: people come here.
    scope.route({
      method: ['GET', 'POST'],
      url: '/*',
      handler: (request, reply) => sendNotFound(request, reply, 'notFoundText'),
    })
  })
}
