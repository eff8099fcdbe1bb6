/** The pages of a payer's report that money was taken: its form and its answer, on the checkout's host. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Config } from '../../../config/config.ts'
import { readPhone } from '../../../domain/phone.ts'
import { isMailAddress } from '../../../base/mail/mail.ts'
import type { PaymentView } from '../../../collect/payments/payment.sql.ts'
import type { StatusReader } from '../../../collect/payments/read-status.ts'
import type { Db } from '../../../platform/db/db.ts'
import { anyQuery, type Http } from '../../../platform/http/http.ts'
import { refusedRequest } from '../../../platform/http/http-errors.ts'
import { networkOf, type Limit } from '../../../platform/http/limits.ts'
import type { SecurityLog } from '../../../platform/http/security-log.ts'
import { lineOfText, mailAddress } from '../../../platform/http/text.ts'
import { fromWire, homeOfId } from '../../../platform/ids.ts'
import { notFound, Refusal } from '../../../platform/refusal.ts'
import { disagree, openCase, type OpenCaseDeps } from '../../../collect/support-cases/open-case.ts'
import { findCase } from '../../../collect/support-cases/support-case.sql.ts'
import { readSmsNumber } from '../../../collect/support-cases/read-sms.ts'
import type { Claim, SupportCase } from '../../../collect/support-cases/support-case.ts'
import { helpFor } from './brand-and-help.ts'
import { findPayment, isStartedBy } from './browser-payments.ts'
import {
  caseFields,
  caseFormHtml,
  caseHtml,
  casePath,
  type CaseProblem,
  type RefusedCase,
  type TypedCase,
} from './case-screen.ts'
import { acceptForms, formLimitBytes, readFields, sendPage } from './form-body.ts'
import { markCookie } from './cookies.ts'
import { addRetryAfter } from './error-pages.ts'
import { forgetKept, readKept, redirectWith, type KeptDeps } from './kept-answer.ts'
import { readLanguage } from './language-of-request.ts'
import { amountTyped, textTyped } from '../../../domain/typed.ts'

export type CaseRouteDeps = OpenCaseDeps &
  KeptDeps & {
    db: Db
    config: Pick<Config, 'support' | 'keys' | 'urls'>
    statuses: StatusReader
    security: SecurityLog
    limits: Record<'status' | 'unknownReference', Limit>
  }

const byReference = { schema: { params: z.object({ reference: z.string() }), querystring: anyQuery } }
const byCase = { schema: { params: z.object({ case: z.string() }), querystring: anyQuery } }

type SentCase = { typed: TypedCase; language: string }

function readSent(bytes: Uint8Array): SentCase {
  const { value } = readFields(bytes)
  return {
    typed: Object.fromEntries(caseFields.map((name) => [name, value(name)])) as TypedCase,
    language: value('lang'),
  }
}

/** A report that was refused, as its cookie keeps it. */
const refusedCase: z.ZodType<RefusedCase> = z.object({
  typed: z.record(z.enum(caseFields), z.string()),
  problems: z.array(z.enum(caseFields)),
  tooOften: z.object({ waitSeconds: z.number().optional() }).optional(),
})

const nothingTyped = readSent(new Uint8Array())

type Reading = { kind: 'read'; smsNumber: string; claim: Claim } | { kind: 'broken'; problems: CaseProblem[] }

/** What a payer typed; everything except the number may be missing. */
function readClaim(typed: TypedCase): Reading {
  const problems: CaseProblem[] = []
  function optional<Value>(name: CaseProblem, read: (text: string) => Value | undefined): Value | null {
    const text = textTyped(typed[name])
    if (text === '') return null
    const value = read(text)
    if (value === undefined) problems.push(name)
    return value ?? null
  }
  const line = (most: number) => (text: string) => lineOfText(most).safeParse(text).data
  const smsNumber = readSmsNumber(typed.sms_number)
  if (smsNumber === undefined) problems.push('sms_number')
  const claim: Claim = {
    email: optional('email', (text) => {
      const address = mailAddress.safeParse(text).data
      return address !== undefined && isMailAddress(address) ? address : undefined
    }),
    amount: optional('amount', (text) => {
      const amount = amountTyped(text)
      return amount !== null && amount > 0 && amount <= 1_000_000_000 ? amount : undefined
    }),
    phone: optional('phone', (text) => {
      const phone = readPhone(text)
      return phone.kind === 'invalid' ? undefined : phone.e164
    }),
    time: optional('time', line(60)),
    words: optional('words', line(300)),
  }
  return smsNumber === undefined || problems.length > 0
    ? { kind: 'broken', problems: caseFields.filter((name) => problems.includes(name)) }
    : { kind: 'read', smsNumber, claim }
}

/** Registers the pages in the scope of the checkout, whose headers and error pages they share. */
export async function caseRoutes(checkout: Http, deps: CaseRouteDeps): Promise<void> {
  await checkout.register(async (scope: Http) => {
    acceptForms(scope, readSent)
    formRoutes(scope, deps)
    pageRoutes(scope, deps)
  })
}

/** The payment of a reference. An unknown one counts towards the limit of guesses. */
async function readPayment(
  deps: CaseRouteDeps,
  request: FastifyRequest<{ Params: { reference: string } }>,
  reply: FastifyReply,
): Promise<PaymentView> {
  const payment = await findPayment(deps, request.params.reference)
  if (payment) return payment
  await deps.limits.unknownReference.take(networkOf(request.ip), reply)
  throw notFound()
}

function formRoutes(scope: Http, deps: CaseRouteDeps): void {
  const path = '/c/new/:reference'
  const formPath = ({ params }: { params: { reference: string } }): string => `/c/new/${params.reference}`

  scope.get(path, byReference, async (request, reply) => {
    const payment = await readPayment(deps, request, reply)
    const language = readLanguage(request, request.query['lang'], payment.payerLanguage)
    const help = await helpFor(deps, payment, language)
    const address = formPath(request)
    if (request.headers.cookie === undefined) void reply.header('set-cookie', markCookie(address, deps.config.urls.checkout))
    forgetKept(deps, request, reply, address)
    const shown = readKept(deps, request, refusedCase) ?? { typed: nothingTyped.typed, problems: [] }
    return sendPage(reply, 200, caseFormHtml({ payment, language, ...shown, help }))
  })

  scope.post(path, { ...byReference, bodyLimit: formLimitBytes }, async (request, reply) => {
    const { typed, language: chosen } = (request.body as SentCase | undefined) ?? nothingTyped
    const payment = await readPayment(deps, request, reply)
    await deps.limits.status.take(payment.id, reply)
    const language = readLanguage(request, chosen, payment.payerLanguage)
    const sendAgain = async (status: number, answer: RefusedCase): Promise<FastifyReply> => {
      if (redirectWith(deps, request, reply, { path: formPath(request), language, answer })) return reply
      return sendPage(reply, status, caseFormHtml({ payment, language, ...answer, help: await helpFor(deps, payment, language) }))
    }
    const reading = readClaim(typed)
    if (reading.kind === 'broken') return sendAgain(422, { typed, problems: reading.problems })
    const { smsNumber, claim } = reading
    const isPayer = isStartedBy(deps, request, request.params.reference)
    const sender = { requestId: request.id, address: request.ip, isPayer }
    let id: string
    try {
      id = await openCase(deps, payment, { smsNumber, claim, payerLanguage: language, ...sender }, reply)
    } catch (error) {
      if (!(error instanceof Refusal) || error.httpStatus !== 429) throw error
      deps.security.note(error, refusedRequest(request))
      addRetryAfter(reply, error)
      return sendAgain(429, { typed, problems: [], tooOften: { waitSeconds: error.detail.retryAfterSeconds } })
    }
    forgetKept(deps, request, reply, formPath(request))
    return reply.code(303).header('location', casePath(id, language)).send()
  })
}

/** The case of an address and its payment. An unknown one counts towards the limit of guesses. */
async function readCase(
  deps: CaseRouteDeps,
  request: FastifyRequest<{ Params: { case: string } }>,
  reply: FastifyReply,
): Promise<{ one: SupportCase; payment: PaymentView }> {
  const id = fromWire('case', request.params.case)
  const one = id === undefined ? undefined : await findCase(deps.db, { home: homeOfId(id), id })
  if (!one) {
    await deps.limits.unknownReference.take(networkOf(request.ip), reply)
    throw notFound()
  }
  return { one, payment: await deps.statuses.readById(one.paymentId) }
}

function pageRoutes(scope: Http, deps: CaseRouteDeps): void {
  scope.get('/c/:case', byCase, async (request, reply) => {
    const { one, payment } = await readCase(deps, request, reply)
    const language = readLanguage(request, request.query['lang'], one.payerLanguage)
    return sendPage(reply, 200, caseHtml({ one, payment, language, help: await helpFor(deps, payment, language) }))
  })

  scope.post('/c/:case/disagree', { ...byCase, bodyLimit: formLimitBytes }, async (request, reply) => {
    const { language: chosen } = (request.body as SentCase | undefined) ?? nothingTyped
    const { one, payment } = await readCase(deps, request, reply)
    await deps.limits.status.take(payment.id, reply)
    try {
      await disagree(deps, one.id)
    } catch (error) {
      // Already with operators, or decided: the page shows it.
      if (!(error instanceof Refusal) || error.httpStatus !== 409) throw error
    }
    const language = readLanguage(request, chosen, one.payerLanguage)
    return reply.code(303).header('location', casePath(one.id, language)).send()
  })
}
