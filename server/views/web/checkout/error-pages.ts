/** Every refusal and failure of the checkout's host as a page in the payer's language, with the way back and where to get help. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Config } from '../../../config/config.ts'
import { isUnavailable } from '../../../platform/db/db.ts'
import type { Http } from '../../../platform/http/http.ts'
import { refusedRequest } from '../../../platform/http/http-errors.ts'
import type { SecurityLog } from '../../../platform/http/security-log.ts'
import type { Log } from '../../../platform/process/log.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { sendPage } from './form-body.ts'
import type { Html } from './html.ts'
import { pathOf, readKept, redirectWith, type KeptDeps } from './kept-answer.ts'
import { languageOfAddress, languageOfForm } from './language-of-request.ts'
import { messagesOf, type Language } from './messages.ts'
import { noticeHtml } from './screen.ts'
import { operatorHelpHtml } from './support-lines.ts'

/** A missing page, payment or receipt: the 404 of this host, with the sentence that the payer reads. */
export class Missing extends Refusal {
  readonly what: 'page' | 'payment' | 'receipt'
  /** Undefined: the language of the address. */
  readonly language: Language | undefined

  constructor(what: Missing['what'], language?: Language) {
    super(404, 'not_found', `This ${what} does not exist.`)
    this.what = what
    this.language = language
  }
}

const missingTexts = { page: 'notFoundText', payment: 'paymentNotFoundText', receipt: 'receiptNotFoundText' } as const

/** When the payer may try again, if the refusal says it. */
export function addRetryAfter(reply: FastifyReply, { detail }: Refusal): void {
  if (detail.retryAfterSeconds !== undefined) void reply.header('retry-after', detail.retryAfterSeconds)
}

/** Pages with a form. */
const formPaths = /^\/(?:pay|c)\/[\w/-]+$/

type ErrorPageDeps = KeptDeps & { config: Pick<Config, 'support'>; log: Log; security: SecurityLog }

/** The address of the page with the form, for an address that a form was posted to. */
function pathWithForm(request: FastifyRequest): string {
  return pathOf(request).replace(/\/(?:resend|cancel|confirm|disagree)$/, '')
}

/** What the page of an error needs. */
const stopped = z.object({ stopped: z.number(), requestId: z.string(), waitSeconds: z.number().optional() })

type Stopped = { status: number; requestId: string; waitSeconds: number | undefined; language: Language; link: string }

function stoppedHtml({ status, requestId, waitSeconds, language, link: href }: Stopped, support: Config['support']): Html {
  const t = messagesOf[language]
  const [title, text] =
    status === 429
      ? [t.tooManyTitle, t.tooManyText(waitSeconds)]
      : status === 503
        ? [t.busyTitle, t.busyText]
        : status >= 500
          ? [t.brokenTitle, t.brokenText]
          : [t.notUnderstoodTitle, t.notUnderstoodText]
  return noticeHtml({
    language,
    title,
    text,
    link: { href, label: t.openAgain },
    requestId,
    help: operatorHelpHtml(support, language),
  })
}

export function answerErrorsInHtml(scope: Http, deps: ErrorPageDeps): void {
  const { config, log, security } = deps
  scope.setErrorHandler((error, request, reply) => {
    if (error instanceof Refusal) security.note(error, refusedRequest(request))
    const { statusCode } = error as { statusCode?: number }
    const status = error instanceof Refusal ? error.httpStatus : isUnavailable(error) ? 503 : (statusCode ?? 500)
    const missing = error instanceof Missing ? error : undefined
    const language = missing?.language ?? languageOfForm(request)
    const t = messagesOf[language]
    // A payer knows no cells: what another one may have is not here.
    if (status === 404 || status === 421) {
      const text = t[missingTexts[missing?.what ?? 'page']]
      const help = operatorHelpHtml(config.support, language)
      return sendPage(reply, status, noticeHtml({ language, title: t.notFoundTitle, text, help }))
    }
    if (status >= 500 && !(error instanceof Refusal)) {
      log.error('checkout_page.failed', error, { request_id: request.id, status })
    }
    if (error instanceof Refusal) addRetryAfter(reply, error)
    const path = pathWithForm(request)
    const waitSeconds = error instanceof Refusal ? error.detail.retryAfterSeconds : undefined
    const answer = { stopped: status, requestId: request.id, waitSeconds }
    const isForm = request.method === 'POST' && formPaths.test(path)
    if (isForm && redirectWith(deps, request, reply, { path, language, answer })) return reply
    const link = `${path}?lang=${language}`
    return sendPage(reply, status, stoppedHtml({ status, requestId: request.id, waitSeconds, language, link }, config.support))
  })
  // A form that met an error: its page says so, as often as it is opened again.
  scope.addHook('preHandler', async (request, reply) => {
    const kept = request.method === 'GET' ? readKept(deps, request, stopped) : undefined
    if (!kept) return undefined
    const language = languageOfAddress(request)
    const link = `${pathOf(request)}?lang=${language}`
    const { stopped: status, requestId, waitSeconds } = kept
    return sendPage(reply, 200, stoppedHtml({ status, requestId, waitSeconds, language, link }, config.support))
  })
}
