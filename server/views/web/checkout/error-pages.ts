/** Every refusal and failure of the checkout's host as a page in the payer's language, with the way back and where to get help. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../../config/config.ts'
import { isUnavailable } from '../../../platform/db/db.ts'
import type { Http } from '../../../platform/http/http.ts'
import { refusedRequest } from '../../../platform/http/http-errors.ts'
import type { SecurityLog } from '../../../platform/http/security-log.ts'
import type { Log } from '../../../platform/process/log.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { sendPage } from './form-body.ts'
import { languageOfAddress } from './language-of-request.ts'
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

/** The address of the page with the form, for an address that a form was posted to. */
function pathWithForm(request: FastifyRequest): string {
  const [path] = request.url.replace(/^\/+/, '/').split('?')
  return path!.replace(/\/(?:resend|cancel|confirm|disagree)$/, '')
}

export function answerErrorsInHtml(
  scope: Http,
  { config, log, security }: { config: Pick<Config, 'support'>; log: Log; security: SecurityLog },
): void {
  scope.setErrorHandler((error, request, reply) => {
    if (error instanceof Refusal) security.note(error, refusedRequest(request))
    const { statusCode } = error as { statusCode?: number }
    const status = error instanceof Refusal ? error.httpStatus : isUnavailable(error) ? 503 : (statusCode ?? 500)
    const missing = error instanceof Missing ? error : undefined
    const language = missing?.language ?? languageOfAddress(request)
    const t = messagesOf[language]
    const help = operatorHelpHtml(config.support, language)
    if (status === 404) {
      const text = t[missingTexts[missing?.what ?? 'page']]
      return sendPage(reply, 404, noticeHtml({ language, title: t.notFoundTitle, text, help }))
    }
    if (status >= 500 && !(error instanceof Refusal)) {
      log.error('checkout_page.failed', error, { request_id: request.id, status })
    }
    if (error instanceof Refusal) addRetryAfter(reply, error)
    const [title, text] =
      status === 429
        ? [t.tooManyTitle, t.tooManyText]
        : status === 503
          ? [t.busyTitle, t.busyText]
          : status >= 500
            ? [t.brokenTitle, t.brokenText]
            : [t.notUnderstoodTitle, t.notUnderstoodText]
    const link = { href: `${pathWithForm(request)}?lang=${language}`, label: t.openAgain }
    return sendPage(reply, status, noticeHtml({ language, title, text, link, requestId: request.id, help }))
  })
}
