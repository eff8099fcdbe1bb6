/** The receipt of a payment, for everyone with its address. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../../config/config.ts'
import { listPaidRefunds, type PaidRefund } from '../../../pay-out/payouts/payout.sql.ts'
import type { PaymentView } from '../../../collect/payments/payment.sql.ts'
import type { StatusReader } from '../../../collect/payments/read-status.ts'
import type { Db } from '../../../platform/db/db.ts'
import { networkOf, type Limit } from '../../../platform/http/limits.ts'
import { brandAndHelp } from './brand-and-help.ts'
import { findPayment } from './browser-payments.ts'
import { Missing } from './error-pages.ts'
import { sendPage } from './form-body.ts'
import { readLanguage } from './language-of-request.ts'
import { receiptHtml } from './payment-screen.ts'

/** The newest refunds are listed, with the sum of all. */
const refundsShown = 20

/** What the payer was given back. */
export async function refundsOf({ db }: { db: Db }, payment: PaymentView): Promise<PaidRefund[]> {
  return payment.refundedAmount === 0 ? [] : listPaidRefunds(db, payment, refundsShown)
}

export type ReceiptDeps = {
  db: Db
  config: Pick<Config, 'support' | 'urls' | 'cell'>
  statuses: StatusReader
  limits: Record<'unknownReference', Limit>
}

/** The completed payment of a receipt. Guesses count towards the limit `unknownReference`, for each network of callers. */
export async function readPaid(
  deps: Pick<ReceiptDeps, 'statuses' | 'limits'>,
  request: FastifyRequest<{ Params: { reference: string } }>,
  reply: FastifyReply,
): Promise<PaymentView> {
  const payment = await findPayment(deps, request.params.reference)
  if (!payment) await deps.limits.unknownReference.take(networkOf(request.ip), reply)
  if (payment?.status !== 'completed') throw new Missing('receipt')
  return payment
}

export async function showReceipt(
  deps: ReceiptDeps,
  request: FastifyRequest<{ Params: { reference: string }; Querystring: Record<string, unknown> }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const payment = await readPaid(deps, request, reply)
  const language = readLanguage(request, request.query['lang'], payment.payerLanguage)
  const refunds = await refundsOf(deps, payment)
  const shown = await brandAndHelp(deps, reply, payment, { language, payment, extra: 'receipt' })
  return sendPage(reply, 200, receiptHtml(payment, refunds, language, deps.config.urls.checkout, shown))
}
