/** A wallet's transactions: the lines of its ledger account, each with the payment that caused it. */
import { currencySchema } from '../../domain/currency.ts'
import { lineDirectionSchema, transactionTypeSchema, type TransactionType, type WantedDirection } from '../../domain/wallet.ts'
import { networkSchema } from '../../domain/network.ts'
import { shortCodeSchema } from '../../domain/payment.ts'
import { z } from 'zod'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { readWallet } from '../../money/ledger/account.sql.ts'
import { listCorrectionIds, listWalletLines, seqBefore, type WalletLine } from '../../money/ledger/transfer.sql.ts'
import { findPaymentLabels, type PaymentLabel } from '../../collect/payments/payment.sql.ts'
import { findPayoutLabels, listRefundIds, type PayoutLabel } from '../../pay-out/payouts/payout.sql.ts'
import { maskPhone } from '../../domain/phone.ts'
import type { Db } from '../../platform/db/db.ts'
import { answerOf } from '../../platform/http/answer.ts'
import { toWire } from '../../platform/ids.ts'
import { toPage, type Cursors, type Page } from '../../platform/http/page.ts'

export type TransactionFilter = {
  direction: WantedDirection
  type?: Transaction['type']
  createdFrom?: string
  createdTo?: string
  minAmount?: number
  maxAmount?: number
  /** Only lines of these payments, with the corrections of their credit, and of their refunds. */
  paymentIds?: string[]
  pageId?: string
  payoutId?: string
}

type TransactionQuery = TransactionFilter & { limit: number; cursor?: string }

export type Transaction = {
  line: WalletLine
  type: TransactionType
  payment: PaymentLabel | undefined
  payout: PayoutLabel | undefined
}

/** The merchant's names for the lines of a wallet, by the kinds of transfer that touch it. */
export const lineKinds: Record<Transaction['type'], WalletLine['kind'][]> = {
  payment: ['payment'],
  payout: ['payout'],
  payout_reversal: ['payout_reversal'],
  refund: ['refund'],
  refund_reversal: ['refund_reversal'],
  adjustment: [
    'suspense_release',
    'payout_again',
    'refund_again',
    'payout_raised',
    'payout_lowered',
    'receivable_repaid',
    'break_debited',
    'credit_reversed',
    'credit_added',
  ],
  fee: ['payout_fee', 'refund_fee'],
}

/** The type of a line; a kind without a type is an adjustment. */
export function typeOf(kind: WalletLine['kind']): TransactionType {
  const types = Object.keys(lineKinds) as TransactionType[]
  return types.find((type) => lineKinds[type].includes(kind)) ?? 'adjustment'
}

export const transactionSchema = z
  .object({
    id: z.string().meta({ example: 'txn_06g2v1d1p5fz9b7q4w5w1y2k3m' }),
    type: transactionTypeSchema,
    direction: lineDirectionSchema,
    amount: z.int().meta({ description: 'TZS.' }),
    currency: currencySchema,
    balance_after: z.int().meta({ description: 'TZS in the wallet after this transaction.' }),
    reference: z.string().nullable().meta({ description: 'The reference of the payment, or your own reference of the payout.' }),
    payment_page_id: z.string().nullable().meta({ description: 'Null also for a payment that your server requested.' }),
    payout_id: z.string().nullable().meta({ description: 'Null for a refund.' }),
    refund_id: z.string().nullable(),
    network: networkSchema.nullable(),
    customer: z.object({ name: z.string().nullable(), phone_masked: z.string() }).nullable(),
    recipient_name: z.string().nullable().meta({ description: 'Of a payout, also one of a batch.' }),
    description: z.string().nullable(),
    created_at: z.iso.datetime(),
    short_code: shortCodeSchema.nullable(),
    network_receipt: z.string().nullable().meta({ description: 'The number in the network’s message to the payer.' }),
    merchant_reference: z.string().nullable().meta({
      description: 'Your own order number of the payment, also on lines of its refunds, or your own reference of the payout.',
    }),
    metadata: z.record(z.string(), z.string()).meta({ description: 'Your own data of the payment or the payout.' }),
  })
  .meta({ id: 'Transaction' })

export function transactionToJson({ line, type, payment, payout }: Transaction): z.infer<typeof transactionSchema> {
  const paymentId = line.paymentId ?? payout?.refundOf
  return answerOf(transactionSchema, line, {
    id: toWire('txn', line.transferId),
    type,
    currency: 'TZS',
    reference: paymentId ? toWire('pay', paymentId) : (payout?.reference ?? null),
    payment_page_id: payment?.pageId ? toWire('page', payment.pageId) : null,
    payout_id: payout && !payout.refundOf ? toWire('po', payout.id) : null,
    refund_id: payout?.refundOf ? toWire('rf', payout.id) : null,
    network: payment?.network ?? payout?.network ?? null,
    customer: payment ? { name: payment.customerName, phone_masked: maskPhone(payment.phoneNumber) } : null,
    recipient_name: payout && !payout.refundOf ? payout.recipientName : null,
    description: payout ? (payout.narration ?? payout.recipientName) : null,
    short_code: payment?.shortCode ?? null,
    network_receipt: payment?.networkReceipt ?? null,
    merchant_reference: payment ? payment.merchantReference : (payout?.reference ?? null),
    metadata: (payment ?? payout)?.metadata ?? {},
  })
}

export const transactionColumns = [
  'id',
  'type',
  'direction',
  'amount',
  'currency',
  'balance_after',
  'reference',
  'payment_page_id',
  'payout_id',
  'network',
  'customer_name',
  'customer_phone_masked',
  'description',
  'created_at',
  'refund_id',
  'short_code',
  'network_receipt',
  'merchant_reference',
  'metadata',
  'recipient_name',
] as const

/** A transaction as a line of CSV: the same facts, with the customer in two columns. */
export function transactionToCells(transaction: Transaction): (string | number | null)[] {
  const { customer, metadata, ...fields } = transactionToJson(transaction)
  const cells = {
    ...fields,
    customer_name: customer?.name ?? null,
    customer_phone_masked: customer?.phone_masked ?? null,
    metadata: JSON.stringify(metadata),
  }
  return transactionColumns.map((column) => cells[column])
}

type ReadDeps = { db: Db; cursors: Cursors }

/** The lines of one wallet that a query selects, and how far they were shown. */
type Selection = { accountId: string | null; asOf: Date; scope: string; beforeSeq: number | null; afterSeq: number | null }

/** Lines are in the order of time, except for the time that each waited for its account, which is much less than this. */
export const outOfOrderMs = 60_000

async function select(
  { db, cursors }: ReadDeps,
  { merchant, environment }: Owner,
  query: TransactionFilter & { cursor?: string },
): Promise<Selection> {
  const scope = `transactions ${merchant.id} ${environment}`
  const [shown] = cursors.decode(scope, query.cursor)
  const { accountId, asOf } = await readWallet(db, { merchantId: merchant.id, home: merchant.home, environment })
  const selection = { accountId, asOf, scope, beforeSeq: shown === undefined ? null : Number(shown), afterSeq: null }
  if (accountId === null) return selection
  // The place of a time is looked up once, so that a list of last year does not start with a scan of this year.
  const account = { home: merchant.home, accountId }
  const border = (text: string | undefined, shiftMs: number): Promise<number> | null =>
    text === undefined ? null : seqBefore(db, account, new Date(Date.parse(text) + shiftMs))
  const [afterSeq, toSeq] = await Promise.all([border(query.createdFrom, -outOfOrderMs), border(query.createdTo, outOfOrderMs)])
  const beforeSeq = toSeq === null ? selection.beforeSeq : Math.min(selection.beforeSeq ?? Number.MAX_SAFE_INTEGER, toSeq + 1)
  return { ...selection, beforeSeq, afterSeq }
}

async function readTransactions(
  db: Db,
  owner: Owner,
  account: { accountId: string; beforeSeq: number | null; afterSeq: number | null },
  query: TransactionFilter,
  limit: number,
): Promise<Transaction[]> {
  const { merchant } = owner
  const { paymentIds: ids } = query
  const wanted = ids && {
    ids,
    refundIds: await listRefundIds(db, owner, ids),
    correctionIds: await listCorrectionIds(db, { home: merchant.home, ids }),
  }
  const lines = await listWalletLines(
    db,
    { home: merchant.home, accountId: account.accountId },
    {
      direction: query.direction,
      kinds: query.type === undefined ? null : lineKinds[query.type],
      beforeSeq: account.beforeSeq,
      afterSeq: account.afterSeq,
      createdFrom: query.createdFrom ?? null,
      createdTo: query.createdTo ?? null,
      minAmount: query.minAmount ?? null,
      maxAmount: query.maxAmount ?? null,
      payments: wanted ?? null,
      pageId: query.pageId ?? null,
      payoutId: query.payoutId ?? null,
    },
    limit,
  )
  const payouts = await findPayoutLabels(
    db,
    merchant,
    lines.flatMap((line) => line.payoutId ?? []),
  )
  const about = lines.map((line) => {
    const payout = line.payoutId === null ? undefined : payouts.get(line.payoutId)
    return { line, payout, paymentId: line.paymentId ?? payout?.refundOf ?? undefined }
  })
  const payments = await findPaymentLabels(
    db,
    merchant,
    about.flatMap(({ paymentId }) => paymentId ?? []),
  )
  return about.map(({ line, payout, paymentId }) => ({
    line,
    type: typeOf(line.kind),
    payout,
    payment: paymentId === undefined ? undefined : payments.get(paymentId),
  }))
}

/** One page, newest first by the account's own sequence, so that nothing shifts between two pages. */
export async function listTransactions(deps: ReadDeps, owner: Owner, query: TransactionQuery): Promise<Page<Transaction>> {
  const { accountId, scope, beforeSeq, afterSeq } = await select(deps, owner, query)
  if (accountId === null) return { items: [], hasMore: false, nextCursor: null }
  const rows = await readTransactions(deps.db, owner, { accountId, beforeSeq, afterSeq }, query, query.limit + 1)
  return toPage(rows, query.limit, (last) => deps.cursors.encode(scope, [last.line.seq]))
}

const exportPageLines = 500

/**
 * The whole list, newest first, read page by page; lines added meanwhile are not included. `asOf`: when the export started. Refuses a
 * cursor of another list before anything is read.
 */
export async function exportTransactions(
  deps: ReadDeps,
  owner: Owner,
  query: TransactionFilter & { cursor?: string },
): Promise<{ asOf: Date; pages: AsyncIterable<Transaction[]> }> {
  const { accountId, asOf, beforeSeq, afterSeq } = await select(deps, owner, query)
  return { asOf, pages: accountId === null ? noPages() : pagesOf(deps.db, owner, { accountId, beforeSeq, afterSeq }, query) }
}

async function* noPages(): AsyncGenerator<Transaction[]> {}

/** The lines of one wallet between two places of its sequence, newest first, page by page. */
export async function* pagesOf(
  db: Db,
  owner: Owner,
  { accountId, beforeSeq, afterSeq }: { accountId: string; beforeSeq: number | null; afterSeq: number | null },
  query: TransactionFilter,
): AsyncGenerator<Transaction[]> {
  let before = beforeSeq
  for (let isMore = true; isMore;) {
    const rows = await readTransactions(db, owner, { accountId, beforeSeq: before, afterSeq }, query, exportPageLines)
    isMore = rows.length === exportPageLines
    before = rows.at(-1)?.line.seq ?? before
    yield rows
  }
}
