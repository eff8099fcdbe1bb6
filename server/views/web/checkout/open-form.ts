/**
 * A payer opens a page: its form, empty, with the customer of a payment request, with the values of a payment that ended, or with those of
 * a form that was refused a moment ago.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../../config/config.ts'
import { z } from 'zod'
import { localPhone } from '../../../domain/phone.ts'
import type { Networks } from '../../../money/controls/read-networks.ts'
import { findPublicPage, type PublicPageDeps } from '../../../collect/pages/find-public-page.ts'
import { openPageState } from '../../../collect/pages/page.ts'
import type { OpenPage } from '../../../collect/pages/page.sql.ts'
import { findCustomer } from '../../../collect/payment-requests/payment-request.sql.ts'
import { findPayerEntries } from '../../../collect/payments/payer.sql.ts'
import type { Db } from '../../../platform/db/db.ts'
import { homeOfId } from '../../../platform/ids.ts'
import { brandAndHelp } from './brand-and-help.ts'
import { findOwnPayment, isOver, noticeOf, paidOf, rememberedOn, type BrowserDeps } from './browser-payments.ts'
import { sendClosed } from './closed-page.ts'
import { readCustomTyped, type CustomTyped } from './custom-fields.ts'
import { Missing } from './error-pages.ts'
import { sendPage } from './form-body.ts'
import { extraOf, formHtml, type FormView } from './form-screen.ts'
import { forgetKept, readKept, type KeptDeps } from './kept-answer.ts'
import { readLanguage } from './language-of-request.ts'
import type { Language } from './messages.ts'
import { fieldNames, problemShape, type Problem, type Typed } from './payment-form.ts'
import { paymentPath } from './payment-screen.ts'

export type OpenFormDeps = BrowserDeps &
  KeptDeps &
  PublicPageDeps & { db: Db; config: Pick<Config, 'keys' | 'support' | 'cell'>; networks: Pick<Networks, 'view'> }

type PageRequest = FastifyRequest<{ Params: { slug: string }; Querystring: Record<string, unknown> }>
type PaymentRequest = FastifyRequest<{ Params: { slug: string; reference: string }; Querystring: Record<string, unknown> }>

/** The page of an address; its limit is `unknownPage`, for each network of callers. */
export async function readPageOf(deps: PublicPageDeps, request: FastifyRequest<{ Params: { slug: string } }>): Promise<OpenPage> {
  const page = await findPublicPage(deps, request.params.slug, request.ip)
  if (!page) throw new Missing('page')
  return page
}

/** The form with the current state of the networks, the merchant's brand and where to get help. */
export async function sendForm(
  deps: Pick<OpenFormDeps, 'db' | 'config' | 'networks'>,
  reply: FastifyReply,
  status: number,
  view: Omit<FormView, 'networks' | 'brand' | 'help'> & { page: OpenPage },
): Promise<FastifyReply> {
  const networks = deps.networks.view(view.page.environment)
  const shown = await brandAndHelp(deps, reply, view.page, { language: view.language, extra: extraOf(view) })
  return sendPage(reply, status, formHtml({ ...view, networks, ...shown }))
}

/** What is known about a payer, as if the payer had typed it. */
function typedOf(known: {
  amount: string
  phoneNumber: string | null
  customerName: string | null
  customerEmail: string | null
}): Typed {
  return {
    amount: known.amount,
    phone_number: known.phoneNumber === null ? '' : localPhone(known.phoneNumber),
    network: '',
    customer_name: known.customerName ?? '',
    customer_email: known.customerEmail ?? '',
  }
}

/** The customer of a payment request. */
async function typedByMerchant({ db }: Pick<OpenFormDeps, 'db'>, page: OpenPage): Promise<Typed | undefined> {
  const customer = page.kind === 'request' ? await findCustomer(db, page) : undefined
  return customer && typedOf({ ...customer, amount: '', phoneNumber: customer.customerPhone })
}

async function sendFreshForm(
  deps: OpenFormDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  page: OpenPage,
  filled: { language: Language; query?: string; typed?: Typed; custom?: CustomTyped },
): Promise<FastifyReply> {
  const { language } = filled
  const state = openPageState(page)
  if (state !== 'open') return sendClosed(deps, request, reply, page, { state, language })
  const before = await rememberedOn(deps, request, page)
  if (before.cookies.length > 0) void reply.header('set-cookie', before.cookies)
  return sendForm(deps, reply, 200, {
    ...filled,
    typed: filled.typed ?? (await typedByMerchant(deps, page)),
    page,
    idempotencyKey: before.key,
    notice: noticeOf(before, language),
    seen: paidOf(before.ended),
  })
}

/** A form that was refused, as its cookie keeps it. */
export type RefusedForm = { key: string; typed: Typed; custom: CustomTyped; problems: Problem[] }

const refusedForm: z.ZodType<RefusedForm> = z.object({
  key: z.string(),
  typed: z.record(z.enum(fieldNames), z.string()),
  custom: z.record(z.string(), z.string()),
  problems: z.array(problemShape),
})

/** The form with everything that was typed, everything that is wrong, and what this browser paid before. */
export async function sendRefused(
  deps: OpenFormDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  page: OpenPage,
  { status, language, form }: { status: number; language: Language; form: RefusedForm },
): Promise<FastifyReply> {
  const before = await rememberedOn(deps, request, page)
  if (before.cookies.length > 0) void reply.header('set-cookie', before.cookies)
  const { typed, custom, problems } = form
  return sendForm(deps, reply, status, {
    page,
    language,
    typed,
    custom,
    problems,
    customProblems: readCustomTyped(page.customFields, custom).errors,
    // A payment that this form may have started already keeps its key: it cannot become two payments.
    idempotencyKey: form.key,
    notice: noticeOf(before, language),
    seen: paidOf(before.ended),
    query: '&form=again',
  })
}

/** The form of a page, or why it takes no payment. */
export async function openForm(deps: OpenFormDeps, request: PageRequest, reply: FastifyReply): Promise<FastifyReply> {
  const page = await readPageOf(deps, request)
  const language = readLanguage(request, request.query['lang'], page.language)
  forgetKept(deps, request, reply, `/pay/${page.slug}`)
  const form = openPageState(page) === 'open' ? readKept(deps, request, refusedForm) : undefined
  if (form) return sendRefused(deps, request, reply, page, { status: 200, language, form })
  return sendFreshForm(deps, request, reply, page, { language })
}

/** The form with the values of a payment that ended without money; `?number=other` leaves out its phone number. */
export async function openFormAgain(deps: OpenFormDeps, request: PaymentRequest, reply: FastifyReply): Promise<FastifyReply> {
  const page = await readPageOf(deps, request)
  const language = readLanguage(request, request.query['lang'], page.language)
  // Entered values are shown only to the browser that sent them, not to others with the link.
  const payment = await findOwnPayment(deps, request)
  if (!payment) return reply.redirect(`/pay/${page.slug}?lang=${language}`, 303)
  if (!isOver(deps, payment) || payment.status === 'completed') return reply.redirect(paymentPath(payment, language), 303)
  const entries = (await findPayerEntries(deps.db, { home: homeOfId(payment.id), id: payment.id }))!
  const isOther = request.query['number'] === 'other'
  const typed = typedOf({
    ...entries,
    amount: String(payment.amount),
    phoneNumber: isOther ? null : entries.phoneNumber,
  })
  const custom = Object.fromEntries((entries.customFields ?? []).map(({ key, value }) => [key, value]))
  return sendFreshForm(deps, request, reply, page, { language, query: isOther ? '&number=other' : '', typed, custom })
}
