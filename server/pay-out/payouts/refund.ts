/** A refund as its merchant sees it: a payout of purpose `refund`, with the same id under the prefix `rf`. */
import { z } from 'zod'
import { approversOfPayoutSchema } from '../../domain/approval.ts'
import { payoutBreakKindSchema } from '../../domain/break.ts'
import { currencySchema } from '../../domain/currency.ts'
import { failureSchema, moneyOutFailure, type MoneyOutFailureCode } from '../../domain/failure.ts'
import { holdSchema } from '../../domain/hold.ts'
import { environmentSchema } from '../../domain/environment.ts'
import {
  approvalSchema,
  payoutMethodSchema,
  refundStatusSchema,
  type PayoutStatus,
  type RefundStatus,
} from '../../domain/payout.ts'
import { toWire } from '../../platform/ids.ts'
import { assert } from '../../platform/refusal.ts'
import { holdOf, warningSchema, warningsToJson, type Payout } from './payout.ts'
import { answerOf } from '../../platform/http/answer.ts'

/** For the merchant, a refund that was cancelled or came back has failed: its money is in the wallet. */
export const refundStatusOf: Record<PayoutStatus, RefundStatus> = {
  pending: 'pending',
  processing: 'processing',
  completed: 'completed',
  failed: 'failed',
  reversed: 'failed',
  cancelled: 'failed',
}

export const refundSchema = z
  .object({
    id: z.string().meta({ example: 'rf_06g2v1d1p5fz9b7q4w5w1y2k3m' }),
    payment: z.string().meta({ description: 'The reference of the payment.', example: 'pay_06g2v1d1p5fz9b7q4w5w1y2k3m' }),
    method: payoutMethodSchema.meta({
      description: '`provider`: from the wallet to the phone that paid. `outside`: by the merchant’s own means.',
    }),
    amount: z.int().meta({ description: 'TZS that the payer receives.' }),
    fee: z.int().meta({ description: 'TZS debited in addition to the amount.' }),
    total_debited: z.int().meta({ description: '0 with `outside`.' }),
    currency: currencySchema,
    status: refundStatusSchema.meta({
      description: 'The wallet is debited when the refund is created. A failed refund has returned everything to the wallet.',
    }),
    reason: z.string().nullable().meta({ description: 'Your own note. The payer does not see it.' }),
    merchant_reference: z.string().nullable(),
    failure: failureSchema.nullable(),
    approval: approvalSchema.meta({ description: '`required`: the refund waits for the approval of `approval_by`.' }),
    approval_by: approversOfPayoutSchema.nullable().meta({
      description: '`members`: of your business. `operators`: of this service. Null: it needs no approval.',
    }),
    waits_until: z.iso.datetime().nullable().meta({
      description: 'The refund is sent only after this time, and can be cancelled until then. Null if it does not wait.',
    }),
    under_review: z.object({ since: z.iso.datetime(), reason: payoutBreakKindSchema }).nullable().meta({
      description: 'Set while the provider’s record of this refund does not match our books and operators are reviewing it.',
    }),
    warnings: z.array(warningSchema).meta({
      description:
        '`rest_below_minimum`: what is left of the payment after it is less than the minimum of a refund. `possible_duplicate`: a refund of the same payment with the same amount and `merchant_reference` (or none) was requested in the last 24 hours, and it has not failed. The refund is sent all the same.',
    }),
    hold: holdSchema.nullable().meta({ description: 'Why it is not sent yet, or why its end is not certain.' }),
    environment: environmentSchema,
    created_at: z.iso.datetime(),
    completed_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Refund' })

/** Why it failed; null: it has not. */
function failureCodeOf({ status, failureCode }: Payout): MoneyOutFailureCode | null {
  if (status === 'cancelled' && failureCode === null) return 'cancelled'
  return status === 'reversed' ? 'returned' : failureCode
}

export function refundToJson(refund: Payout): z.infer<typeof refundSchema> {
  assert(refund.refundOf, 'a refund has a payment')
  const status = refundStatusOf[refund.status]
  return answerOf(refundSchema, refund, {
    id: toWire('rf', refund.id),
    payment: toWire('pay', refund.refundOf),
    total_debited: refund.method === 'outside' ? 0 : refund.amount + refund.fee,
    status,
    merchant_reference: refund.reference,
    failure: moneyOutFailure(failureCodeOf(refund)),
    hold: holdOf(refund),
    warnings: warningsToJson(refund.warnings),
    under_review:
      refund.reviewSince === null || refund.reviewReason === null
        ? null
        : { since: refund.reviewSince.toISOString(), reason: refund.reviewReason },
    completed_at: status === 'completed' ? (refund.completedAt?.toISOString() ?? null) : null,
  })
}
