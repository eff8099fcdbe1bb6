/** A wallet's transactions: the lines of its ledger account, each with the payment that caused it. */
import { z } from 'zod'
import type { Owner } from '../identity/merchant.ts'
import { readWallet } from '../ledger/account.sql.ts'
import { listWalletLines, type WalletLine } from '../ledger/transfer.sql.ts'
import { findPaymentLabels, type PaymentLabel } from '../payments/payment.sql.ts'
import { maskPhone } from '../payments/phone.ts'
import type { Db } from '../platform/db.ts'
import { toWire } from '../platform/ids.ts'
import { toPage, type Cursors, type Page } from '../platform/page.ts'

export type TransactionQuery = {
  limit: number
  cursor?: string
  direction: 'credit' | 'debit' | 'all'
  type?: Transaction['type']
  createdFrom?: string
  createdTo?: string
  minAmount?: number
  maxAmount?: number
  paymentId?: string
  pageId?: string
}

type Transaction = {
  line: WalletLine
  type: 'payment' | 'payout' | 'payout_reversal' | 'adjustment' | 'fee'
  payment: PaymentLabel | undefined
}

/** What a merchant calls a line of its wallet. Only payments move a wallet so far; each kind of transfer that will gets its line here. */
const lineKinds: Record<Transaction['type'], WalletLine['kind'][]> = {
  payment: ['payment'],
  payout: [],
  payout_reversal: [],
  adjustment: [],
  fee: [],
}

export const transactionSchema = z
  .object({
    id: z.string().meta({ example: 'txn_06g2v1d1p5fz9b7q4w5w1y2k3m' }),
    type: z.enum(['payment', 'payout', 'payout_reversal', 'adjustment', 'fee']),
    direction: z.enum(['credit', 'debit']),
    amount: z.int().meta({ description: 'TZS.' }),
    currency: z.literal('TZS'),
    balance_after: z.int().meta({ description: 'TZS in the wallet after this transaction.' }),
    reference: z.string().nullable(),
    payment_page_id: z.string().nullable(),
    payout_id: z.string().nullable(),
    network: z.enum(['mpesa', 'airtel', 'mixx', 'halotel']).nullable(),
    customer: z.object({ name: z.string(), phone_masked: z.string() }).nullable(),
    description: z.string().nullable(),
    created_at: z.string(),
  })
  .meta({ id: 'Transaction' })

export function transactionToJson({ line, type, payment }: Transaction): z.infer<typeof transactionSchema> {
  return {
    id: toWire('txn', line.transferId),
    type,
    direction: line.direction,
    amount: line.amount,
    currency: 'TZS',
    balance_after: line.balanceAfter,
    reference: line.paymentId && toWire('pay', line.paymentId),
    payment_page_id: payment ? toWire('page', payment.pageId) : null,
    payout_id: null,
    network: payment?.network ?? null,
    customer: payment ? { name: payment.customerName, phone_masked: maskPhone(payment.phoneNumber) } : null,
    description: null,
    created_at: line.createdAt.toISOString(),
  }
}

/** One page, newest first by the account's own sequence, so that nothing shifts between two pages. */
export async function listTransactions(
  deps: { db: Db; cursors: Cursors },
  owner: Owner,
  query: TransactionQuery,
): Promise<Page<Transaction>> {
  const { db, cursors } = deps
  const { merchant, environment } = owner
  const scope = `transactions ${merchant.id} ${environment}`
  const [beforeSeq] = query.cursor === undefined ? [null] : cursors.decode(scope, query.cursor)
  const { accountId } = await readWallet(db, { merchantId: merchant.id, home: merchant.home, environment })
  if (accountId === null) return { items: [], hasMore: false, nextCursor: null }
  const lines = await listWalletLines(
    db,
    { home: merchant.home, accountId },
    {
      direction: query.direction,
      kinds: query.type === undefined ? null : lineKinds[query.type],
      beforeSeq: beforeSeq === null ? null : Number(beforeSeq),
      createdFrom: query.createdFrom ?? null,
      createdTo: query.createdTo ?? null,
      minAmount: query.minAmount ?? null,
      maxAmount: query.maxAmount ?? null,
      paymentId: query.paymentId ?? null,
      pageId: query.pageId ?? null,
    },
    query.limit + 1,
  )
  const page = toPage(lines, query.limit, (last) => cursors.encode(scope, [last.seq]))
  const payments = await findPaymentLabels(
    db,
    merchant,
    page.items.flatMap((line) => line.paymentId ?? []),
  )
  const items = page.items.map((line): Transaction => ({
    line,
    type: 'payment',
    payment: line.paymentId === null ? undefined : payments.get(line.paymentId),
  }))
  return { ...page, items }
}
