/** The rules of a payout and its transitions. The database holds the same transitions (payout_transitions); a test compares the two. */
import { z } from 'zod'
import { amountWarningsText, currencySchema, type Currency } from '../../domain/currency.ts'
import {
  approvalSchema,
  payoutStatusSchema,
  payoutWarningSchema,
  type Approval,
  type PayoutFailureCode,
  type PayoutMethod,
  type PayoutPurpose,
  type PayoutStatus,
  type PayoutWarning,
  type ProviderFailure,
} from '../../domain/payout.ts'
import { failureSchema, moneyOutFailure } from '../../domain/failure.ts'
import type { Pair } from '../../domain/texts.ts'
import { approversOfPayoutSchema, type ApproversOfPayout } from '../../domain/approval.ts'
import { payoutBreakKindSchema, type PayoutBreakKind } from '../../domain/break.ts'
import { holdSchema, reviewHold, type Hold } from '../../domain/hold.ts'
import { approvalHours } from '../../accounts/members/approval-rule.ts'
import { environmentSchema, type Environment } from '../../domain/environment.ts'
import { networkSchema, type Network } from '../../domain/network.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { derivedMoneyId, toWire } from '../../platform/ids.ts'
import { answerOf } from '../../platform/http/answer.ts'

export const payoutTransitions: Record<PayoutStatus, readonly PayoutStatus[]> = {
  pending: ['processing', 'completed', 'failed', 'cancelled'],
  processing: ['completed', 'failed'],
  // The network returned the money.
  completed: ['reversed'],
  // Only by operators, with the provider's proof: it paid a payout whose money had been returned.
  failed: ['completed'],
  reversed: ['completed'],
  cancelled: ['completed'],
}

export const isInFlight = (status: PayoutStatus): boolean => status === 'pending' || status === 'processing'

/** The states that return amount and fee to the wallet. */
export const returnsToWallet: ReadonlySet<PayoutStatus> = new Set(['failed', 'reversed', 'cancelled'])

/**
 * Seconds after a report that contradicts the end of a payout at which the provider is asked about it, until its own answer agrees: its
 * records may be behind its messages.
 */
export const confirmSeconds = [60, 360, 2_160, 23_760] as const

/** What merchants and operators read of a payout that the provider refuses already when it is asked for its fee. */
export function refusedQuoteText(code: ProviderFailure): Pair {
  const { message, message_sw: messageSw } = moneyOutFailure(code)!
  return [`The provider refuses this payout. ${message}`, `Mtoa huduma amekataa kutuma pesa hii. ${messageSw}`]
}

/** `booked`: debited from the merchant again, or owed by it. `written_off`: booked to loss, and the status does not change. */
export type LateSuccess = 'booked' | 'written_off'

export type Payout = {
  home: number
  id: string
  /** Null: a system payout. */
  merchantId: string | null
  purpose: PayoutPurpose
  method: PayoutMethod
  /** The break whose money a system payout returns. */
  breakId: string | null
  /** The payment that a refund returns. */
  refundOf: string | null
  /** The merchant's reason for a refund. */
  reason: string | null
  /** The batch and its row that it pays. */
  batchId: string | null
  batchRow: number | null
  environment: Environment
  status: PayoutStatus
  /** TZS that the recipient gets. */
  amount: number
  /** TZS that the wallet pays in addition. */
  fee: number
  currency: Currency
  /** E.164. */
  phoneNumber: string
  recipientName: string
  network: Network | null
  narration: string | null
  reference: string | null
  metadata: Record<string, string>
  warnings: PayoutWarning[]
  approval: Approval
  /** Who decides on the approval, or has decided last; null: it needs none. */
  approvalBy: ApproversOfPayout | null
  failureCode: PayoutFailureCode | null
  held: boolean
  /** The operators' decision when the provider had paid a payout whose money had been returned; null: this never happened. */
  lateSuccess: LateSuccess | null
  /** Until when it is not sent, because its recipient was new; null: it never waited. */
  waitsUntil: Date | null
  requestedBy: string
  requestId: string
  /** The trace in which it started; null for payouts from before traces were stored. */
  traceId: string | null
  createdAt: Date
  updatedAt: Date
  completedAt: Date | null
  reversedAt: Date | null
  /** When its oldest open break was opened, and the kind of that break. */
  reviewSince: Date | null
  reviewReason: PayoutBreakKind | null
}

/**
 * The id of the payout that a wallet (merchant and environment) requests under an idempotency key. The provider's own key is derived from
 * it: if a restored database has lost the payout, the same request gives the provider the same order again, and it pays once.
 */
export function payoutIdOf({ merchant, environment }: Owner, idempotencyKey: string): string {
  return derivedMoneyId(merchant.home, ['payout', merchant.id, environment, idempotencyKey])
}

/** As above, for a refund: a key belongs to one payment, and is apart from the keys of payouts. */
export function refundIdOf({ merchant, environment }: Owner, paymentId: string, idempotencyKey: string): string {
  return derivedMoneyId(merchant.home, ['refund', merchant.id, environment, paymentId, idempotencyKey])
}

/** The id of the payout of a row of a batch: a batch that is approved again after a restore gives the provider the same orders. */
export function batchPayoutIdOf(home: number, batchId: string, row: number): string {
  return derivedMoneyId(home, ['payout batch row', batchId, String(row)])
}

const warningMessages: Record<PayoutWarning, string> = {
  amount_maybe_in_cents: 'This amount is large for a test. Check that you send whole shillings, not cents.',
  rest_below_minimum:
    'What is left of the payment after this refund is less than the minimum of a refund, so it cannot be sent later. To return everything, refund what is left at once.',
  recipient_name_differs: 'You last paid this number under another name. Check that the number belongs to this recipient.',
  possible_duplicate:
    'The same amount was sent to the same number with the same reference in the last 24 hours. Check that this one is not a repeat; a request that is repeated with its idempotency key is paid once.',
}

export const warningSchema = z.object({ code: payoutWarningSchema, message: z.string() }).meta({ id: 'PayoutWarning' })

/** Leaves out what a newer version of the service has stored and this one does not know: two versions run during an upgrade. */
export function warningsToJson(warnings: readonly PayoutWarning[]): z.infer<typeof warningSchema>[] {
  return warnings.filter((code) => Object.hasOwn(warningMessages, code)).map((code) => ({ code, message: warningMessages[code] }))
}

/** When a merchant who is not verified may request money of this purpose and it is sent: in test, a refund always. */
export const verificationRules = (
  purpose: PayoutPurpose,
  config: { testWritesBeforeVerification: boolean },
): { testWritesBeforeVerification: boolean } => (purpose === 'refund' ? { testWritesBeforeVerification: true } : config)

export const payoutSchema = z
  .object({
    id: z.string().meta({ example: 'po_06g2v1d1p5fz9b7q4w5w1y2k3m' }),
    status: payoutStatusSchema.meta({
      description:
        'The wallet is debited when the payout is created. A payout that is `failed`, `cancelled` or `reversed` has returned everything to the wallet.',
    }),
    amount: z.int().meta({ description: 'TZS that the recipient receives.' }),
    fee: z.int().meta({ description: 'TZS debited in addition to the amount.' }),
    total_debited: z.int(),
    currency: currencySchema,
    phone_number: z.string().meta({ example: '+255754123789' }),
    recipient_name: z.string(),
    network: networkSchema.nullable(),
    narration: z.string().nullable(),
    merchant_reference: z.string().nullable().meta({ description: 'Your own reference.' }),
    reference: z.string().nullable().meta({ description: 'The older name of `merchant_reference`, with the same value.' }),
    metadata: z.record(z.string(), z.string()),
    warnings: z.array(warningSchema).meta({
      description:
        'What to check, found when the payout was requested. `recipient_name_differs`: the last completed payout of this wallet to the number had another name; case, accents, punctuation and the order of words make no difference. `possible_duplicate`: this wallet requested a payout of the same amount to the same number with the same `reference` (or none) in the last 24 hours, and it has not failed. The payout is sent all the same. ' +
        `In the answer of POST /v1/payouts: ${amountWarningsText}`,
    }),
    approval: approvalSchema.meta({ description: '`required`: the payout waits for the approval of `approval_by`.' }),
    approval_by: approversOfPayoutSchema.nullable().meta({
      description:
        '`members`: of your business, by its approval rule. `operators`: of this service; they decide after the members. Null: it needs no approval.',
    }),
    waits_until: z.iso.datetime().nullable().meta({
      description:
        'A first payout to a recipient is sent only after this time, and can be cancelled until then. Null if it does not wait.',
    }),
    failure: failureSchema.nullable(),
    under_review: z.object({ since: z.iso.datetime(), reason: payoutBreakKindSchema }).nullable().meta({
      description: 'Set while the provider’s record of this payout does not match our books and operators are reviewing it.',
    }),
    batch_id: z.string().nullable().meta({ description: 'The payout batch that it belongs to.' }),
    hold: holdSchema.nullable().meta({ description: 'Why it is not sent yet, or why its end is not certain.' }),
    environment: environmentSchema,
    created_at: z.iso.datetime(),
    completed_at: z.iso.datetime().nullable(),
    reversed_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Payout' })

/** Why a payout or refund waits. Members have a time to approve it; operators have none. */
export function holdOf(payout: Payout): Hold | null {
  const { status, approval, approvalBy, waitsUntil } = payout
  const review = reviewHold(payout)
  if (review || status !== 'pending') return review
  const since = payout.createdAt.toISOString()
  if (approval === 'required') {
    const until = approvalBy === 'members' ? new Date(payout.createdAt.getTime() + approvalHours * 3_600_000).toISOString() : null
    return { reason: 'approval', since, until, who_can_act: approvalBy }
  }
  return waitsUntil && { reason: 'new_recipient', since, until: waitsUntil.toISOString(), who_can_act: 'you' }
}

export function payoutToJson(payout: Payout): z.infer<typeof payoutSchema> {
  return answerOf(payoutSchema, payout, {
    id: toWire('po', payout.id),
    total_debited: payout.amount + payout.fee,
    warnings: warningsToJson(payout.warnings),
    merchant_reference: payout.reference,
    hold: holdOf(payout),
    failure: moneyOutFailure(payout.failureCode),
    under_review:
      payout.reviewSince === null || payout.reviewReason === null
        ? null
        : { since: payout.reviewSince.toISOString(), reason: payout.reviewReason },
    batch_id: payout.batchId === null ? null : toWire('pb', payout.batchId),
  })
}
