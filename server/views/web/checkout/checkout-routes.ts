/**
 * Every address of the hosted checkout, on a separate host, with the function that answers it. Every answer is a whole page in the payer's
 * language that works without script; the payments slice, called in this process, makes the payment.
 */
import { z } from 'zod'
import type { PublicPageDeps } from '../../../collect/pages/find-public-page.ts'
import type { Config } from '../../../config/config.ts'
import { anyQuery, type Http } from '../../../platform/http/http.ts'
import { addHeaders } from './answer-headers.ts'
import { caseRoutes, type CaseRouteDeps } from './case-routes.ts'
import { cancel, confirm, resend, type ChangePaymentDeps } from './change-payment.ts'
import { answerErrorsInHtml, Missing } from './error-pages.ts'
import { acceptForms, formLimitBytes, sendPage } from './form-body.ts'
import { languageOfAddress } from './language-of-request.ts'
import { openForm, openFormAgain } from './open-form.ts'
import { readForm } from './payment-form.ts'
import { privacyHtml } from './privacy-screen.ts'
import { showPayment } from './show-payment.ts'
import { showLogo, showQr, showReceiptQr } from './show-pictures.ts'
import { showReceipt } from './show-receipt.ts'
import { submitForm, type SubmitFormDeps } from './submit-form.ts'

export type CheckoutRouteDeps = SubmitFormDeps &
  ChangePaymentDeps &
  CaseRouteDeps &
  PublicPageDeps & { config: Pick<Config, 'privacy'> }

const slug = z.string()
const reference = z.string()

const ofPage = { schema: { params: z.object({ slug }), querystring: anyQuery } }
const ofPayment = { schema: { params: z.object({ slug, reference }), querystring: anyQuery } }

export async function checkoutRoutes(http: Http, deps: CheckoutRouteDeps): Promise<void> {
  await http.register(async (scope: Http) => {
    acceptForms(scope, readForm)
    addHeaders(scope, deps.config.urls.api)
    answerErrorsInHtml(scope, deps)
    addPages(scope, deps)
    await caseRoutes(scope, deps)
  })
}

function addPages(scope: Http, deps: CheckoutRouteDeps): void {
  scope.get('/privacy', { schema: { querystring: anyQuery } }, (request, reply) =>
    sendPage(reply, 200, privacyHtml(deps.config.privacy, languageOfAddress(request))),
  )
  scope.get('/logo/:name', { schema: { params: z.object({ name: z.string() }) } }, (request, reply) =>
    showLogo(deps, request, reply),
  )
  scope.get('/pay/:slug/qr.svg', { schema: { params: z.object({ slug }) } }, (request, reply) => showQr(deps, request, reply))

  scope.get('/pay/:slug', ofPage, (request, reply) => openForm(deps, request, reply))
  scope.post('/pay/:slug', { ...ofPage, bodyLimit: formLimitBytes }, (request, reply) => submitForm(deps, request, reply))

  const form = { ...ofPayment, bodyLimit: formLimitBytes }
  scope.get('/pay/:slug/:reference', ofPayment, (request, reply) => showPayment(deps, request, reply))
  scope.get('/pay/:slug/:reference/again', ofPayment, (request, reply) => openFormAgain(deps, request, reply))
  scope.post('/pay/:slug/:reference/confirm', form, (request, reply) => confirm(deps, request, reply))
  scope.post('/pay/:slug/:reference/resend', form, (request, reply) => resend(deps, request, reply))
  scope.post('/pay/:slug/:reference/cancel', form, (request, reply) => cancel(deps, request, reply))

  scope.get('/r/:reference', { schema: { params: z.object({ reference }), querystring: anyQuery } }, (request, reply) =>
    showReceipt(deps, request, reply),
  )
  scope.get('/r/:reference/qr.svg', { schema: { params: z.object({ reference }) } }, (request, reply) =>
    showReceiptQr(deps, request, reply),
  )
  // Replaces the server's handler, which answers in JSON, because these pages are for people.
  scope.route({
    method: ['GET', 'POST'],
    url: '/*',
    bodyLimit: formLimitBytes,
    handler: async () => {
      throw new Missing('page')
    },
  })
}
