/** A payout batch and its rows, as the service has them and as merchants read them. */
import { z } from 'zod'
import type { ApprovalFailure } from '../../domain/approval.ts'
import { approvalSchema, type Approval, type PayoutFailureCode } from '../../domain/payout.ts'
import {
  batchItemStatusSchema,
  batchRowWarningSchema,
  batchStatusSchema,
  type BatchItemStatus,
  type BatchStatus,
} from '../../domain/payout-batch.ts'
import { environmentSchema, type Environment } from '../../domain/environment.ts'
import { failureSchema, moneyOutFailure } from '../../domain/failure.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { derivedMoneyId, toWire } from '../../platform/ids.ts'
import type { NumberedRow } from './batch-row.ts'
import { answerOf } from '../../platform/http/answer.ts'

export type Batch = {
  home: number
  id: string
  merchantId: string
  environment: Environment
  title: string | null
  status: BatchStatus
  /** What a decision names: a change of a row, and a stop of a batch that waits, make another one. */
  version: number
  /** Of the rows that were not removed. */
  rowCount: number
  invalidCount: number
  warnedCount: number
  /** TZS that the recipients get. */
  total: number
  /** TZS in addition; null while the provider is asked. */
  fees: number | null
  approval: Approval
  /** Why members did not approve it. */
  approvalFailure: ApprovalFailure | null
  requestedBy: string
  /** The person behind it: for a key, the one who made the key. */
  requestedByUser: string
  /** The others who have changed rows. */
  editedBy: string[]
  requestId: string
  createdAt: Date
  updatedAt: Date
  approvedAt: Date | null
  stoppedAt: Date | null
  finishedAt: Date | null
}

/** How many payouts of a batch are in each state, and TZS that have arrived. */
export type Progress = {
  waiting: number
  sent: number
  completed: number
  failed: number
  cancelled: number
  paidAmount: number
}

/** An earlier batch of the wallet that was made from the same rows. */
export type Twin = { id: string; createdAt: Date }

/** `leftOutCount`: rows of one of our own files that are removed because they are paid already, or may be. */
export type BatchView = Batch & { progress: Progress; twins: Twin[]; leftOutCount: number }

export type BatchItem = Omit<NumberedRow, 'network'> & {
  status: BatchItemStatus
  fee: number | null
  duplicateOf: number | null
  nameDiffers: boolean
  payoutId: string | null
  failureCode: PayoutFailureCode | null
  completedAt: Date | null
}

/** The id of the batch that a wallet makes under an idempotency key: after a restore the same request makes the same payouts again. */
export function batchIdOf({ merchant, environment }: Owner, idempotencyKey: string): string {
  return derivedMoneyId(merchant.home, ['payout batch', merchant.id, environment, idempotencyKey])
}

const time = z.iso.datetime()

export const batchSchema = z
  .object({
    id: z.string().meta({ example: 'pb_06g2v1d1p5fz9b7q4w5w1y2k3m' }),
    title: z.string().nullable(),
    status: batchStatusSchema.meta({
      description:
        'A `draft` moves no money. `waiting`: sent to the members who may approve it. Approved, it is `running` until every payout has ended: then it is `done`. A `stopped` batch sends no further rows.',
    }),
    version: z
      .int()
      .meta({ description: 'Send it with your decision: the decision counts only for the rows that you have read.' }),
    environment: environmentSchema,
    rows: z.int().meta({ description: 'Rows that were not removed.' }),
    rows_invalid: z.int().meta({ description: 'Rows with an error. A batch with such rows cannot be approved.' }),
    rows_with_warnings: z.int(),
    rows_left_out: z.int().meta({
      description:
        'Rows that came in our own file and were paid already or are under way (`already_paid`, `payout_under_way`). They are removed; in a draft they can be put back.',
    }),
    total: z.int().meta({ description: 'TZS that the recipients receive.' }),
    fees: z.int().nullable().meta({ description: 'TZS debited in addition. Null while the provider is asked for its fees.' }),
    total_debited: z.int().nullable(),
    warnings: z.array(
      z
        .object({ code: z.literal('same_file'), batch_id: z.string(), created_at: time })
        .meta({ description: '`same_file`: an earlier batch was made from the same rows.' }),
    ),
    progress: z.object({
      waiting: z.int().meta({ description: 'Payouts that were not sent yet.' }),
      sent: z.int().meta({ description: 'Payouts that were sent and have not ended.' }),
      completed: z.int(),
      failed: z.int().meta({ description: 'Payouts whose money is back in the wallet, also those that the network returned.' }),
      cancelled: z.int(),
      paid_amount: z.int().meta({ description: 'TZS that have arrived.' }),
    }),
    approval: approvalSchema,
    failure: failureSchema.nullable(),
    requested_by: z.string().meta({ description: 'The user or key that created it.' }),
    created_at: time,
    approved_at: time.nullable(),
    finished_at: time.nullable().meta({ description: 'When the last payout ended.' }),
    stopped_at: time.nullable(),
  })
  .meta({ id: 'PayoutBatch' })

export function batchToJson(batch: BatchView): z.infer<typeof batchSchema> {
  const { progress } = batch
  return answerOf(batchSchema, batch, {
    id: toWire('pb', batch.id),
    rows: batch.rowCount,
    rows_invalid: batch.invalidCount,
    rows_with_warnings: batch.warnedCount,
    rows_left_out: batch.leftOutCount,
    total_debited: batch.fees === null ? null : batch.total + batch.fees,
    warnings: batch.twins.map(({ id, createdAt }) => ({
      code: 'same_file',
      batch_id: toWire('pb', id),
      created_at: createdAt.toISOString(),
    })),
    progress: {
      waiting: progress.waiting,
      sent: progress.sent,
      completed: progress.completed,
      failed: progress.failed,
      cancelled: progress.cancelled,
      paid_amount: progress.paidAmount,
    },
    failure: moneyOutFailure(batch.approvalFailure),
  })
}

export const itemSchema = z
  .object({
    row: z.int().meta({ description: 'The place of the row, from 1.' }),
    line: z.int().nullable().meta({ description: 'The line of the file that it starts on. Null if it was sent as JSON.' }),
    status: batchItemStatusSchema.meta({
      description: '`invalid`, `ready` or `removed` in a draft; then the status of its payout.',
    }),
    amount: z.int().nullable(),
    phone_number: z.string().nullable(),
    recipient_name: z.string().nullable(),
    narration: z.string().nullable(),
    merchant_reference: z.string().nullable().meta({ description: 'Your own reference.' }),
    reference: z.string().nullable().meta({ description: 'The older name of `merchant_reference`, with the same value.' }),
    fee: z.int().nullable(),
    errors: z.array(
      z.object({ column: z.string().nullable(), code: z.string(), message: z.string(), value: z.string().nullable() }),
    ),
    warnings: z.array(
      z.object({
        code: batchRowWarningSchema,
        message: z.string(),
        row: z.int().nullable().meta({ description: 'Of `duplicate_row`: the first row with the same number and amount.' }),
        last_paid_name: z
          .string()
          .nullable()
          .meta({ description: 'Of `recipient_name_differs`: the name in the last completed payout.' }),
      }),
    ),
    payout_id: z.string().nullable(),
    failure: failureSchema.nullable(),
    completed_at: time.nullable(),
  })
  .meta({ id: 'PayoutBatchItem' })

type ItemJson = z.infer<typeof itemSchema>

function warningsOf({ duplicateOf, nameDiffers }: BatchItem, lastPaidName: string | null): ItemJson['warnings'] {
  const warnings: ItemJson['warnings'] = []
  if (duplicateOf !== null) {
    const message = `Row ${duplicateOf} pays the same amount to the same number.`
    warnings.push({ code: 'duplicate_row', message, row: duplicateOf, last_paid_name: null })
  }
  if (nameDiffers) {
    const message = 'This number was last paid under another name.'
    warnings.push({ code: 'recipient_name_differs', message, row: null, last_paid_name: lastPaidName })
  }
  return warnings
}

/** `names`: the names under which numbers were last paid. */
export function itemToJson(item: BatchItem, names: ReadonlyMap<string, string> = new Map()): ItemJson {
  return answerOf(itemSchema, item, {
    row: item.rowNumber,
    merchant_reference: item.reference,
    errors: item.errors,
    warnings: warningsOf(item, names.get(item.phoneNumber ?? '') ?? null),
    payout_id: item.payoutId === null ? null : toWire('po', item.payoutId),
    failure: moneyOutFailure(item.failureCode),
  })
}

export const resultColumns = [
  'row',
  'line',
  'status',
  'amount',
  'fee',
  'phone_number',
  'recipient_name',
  'narration',
  'reference',
  'payout_id',
  'completed_at',
  'problem',
]

/** A line of the result file: how the row ended, or what is wrong with it. */
export function itemToCells(item: BatchItem): (string | number | null)[] {
  const json = itemToJson(item)
  const problem = json.failure?.message ?? json.errors.map(({ column, message }) => `${column ?? 'row'}: ${message}`).join(' ')
  const { row, line, status, amount, fee, phone_number, recipient_name, narration, reference, payout_id, completed_at } = json
  return [row, line, status, amount, fee, phone_number, recipient_name, narration, reference, payout_id, completed_at, problem]
}
