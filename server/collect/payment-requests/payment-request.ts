/** A payment request as its owner sees it. */
import { z } from 'zod'
import type { Config } from '../../config/config.ts'
import { currencySchema, type Currency } from '../../domain/currency.ts'
import { environmentSchema, type Environment } from '../../domain/environment.ts'
import { pageLanguageSchema, type PageLanguage } from '../../domain/language.ts'
import { requestStatusSchema, type RequestStatus } from '../../domain/payment-request.ts'
import { maskPhone } from '../../domain/phone.ts'
import { guarded, shown, type Sight } from '../../accounts/members/sight.ts'
import { pageUrl } from '../pages/routes.ts'
import { toWire } from '../../platform/ids.ts'
import { answerOf } from '../../platform/http/answer.ts'

export type PaymentRequest = {
  home: number
  id: string
  environment: Environment
  status: RequestStatus
  slug: string
  title: string
  description: string | null
  /** TZS. */
  amount: number
  currency: Currency
  merchantReference: string | null
  metadata: Record<string, string>
  customerName: string | null
  customerEmail: string | null
  /** E.164. */
  customerPhone: string | null
  expiresAt: Date | null
  redirectUrl: string | null
  successMessage: string | null
  language: PageLanguage
  /** More than one if a payment that had ended without success succeeded late, after another one. */
  paidCount: number
  /** The first completed payment. */
  paymentId: string | null
  paidAt: Date | null
  cancelledAt: Date | null
  createdAt: Date
}

const moment = z.iso.datetime()

export const requestSchema = z
  .object({
    id: z.string().meta({ example: 'preq_06g2v1d1p5fz9b7q4w5w1y2k3m' }),
    url: z.string().meta({ description: 'The page on which the customer pays. Send it to the customer.' }),
    status: requestStatusSchema.meta({
      description:
        '`open`: the customer can pay. `paid`: a payment has completed; this is final. `expired` and `cancelled`: no new payment can start, but one that was in progress may still complete, and then the status becomes `paid`.',
    }),
    payment: z.string().nullable().meta({ description: 'The reference of the payment that paid it. Null until it is paid.' }),
    paid_count: z.int().meta({
      description:
        'How many payments completed. More than 1 only if a payment that had failed or expired succeeded late, after the customer paid again: refund one of them.',
    }),
    paid_at: moment.nullable(),
    amount: z.int().meta({ description: 'TZS.' }),
    currency: currencySchema,
    title: z.string(),
    description: z.string().nullable(),
    merchant_reference: z.string().nullable().meta({ description: 'Your own order number. The customer does not see it.' }),
    metadata: z.record(z.string(), z.string()).meta({ description: 'Your own data. The customer does not see it.' }),
    customer: z
      .object({
        name: z.string().nullable(),
        email: z.string().nullable(),
        phone_number: guarded('PaymentRequest.customer.phone_number', z.string(), 'E.164.'),
        phone_masked: z.string().nullable().meta({ example: '0754 ••• 789' }),
      })
      .meta({ description: 'Fills the form of the customer, who can change it.' }),
    expires_at: moment.nullable(),
    redirect_url: z.string().nullable(),
    success_message: z.string().nullable(),
    language: pageLanguageSchema,
    environment: environmentSchema,
    cancelled_at: moment.nullable(),
    created_at: moment,
  })
  .meta({ id: 'PaymentRequest' })

export function requestToJson(
  request: PaymentRequest,
  sight: Sight,
  urls: Pick<Config['urls'], 'checkout'>,
): z.infer<typeof requestSchema> {
  return answerOf(requestSchema, request, {
    id: toWire('preq', request.id),
    url: pageUrl(request, urls),
    payment: request.paymentId && toWire('pay', request.paymentId),
    customer: {
      name: request.customerName,
      email: request.customerEmail,
      phone_number: shown(sight, 'PaymentRequest.customer.phone_number', request.customerPhone),
      phone_masked: request.customerPhone && maskPhone(request.customerPhone),
    },
  })
}
