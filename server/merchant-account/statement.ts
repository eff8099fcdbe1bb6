/**
 * The statement of a month: the balance of a wallet at its start and its end, and the lines in between. Invariant: opening plus credits
 * minus debits is closing, and a month opens with the closing balance of the previous month.
 */
import { currencySchema } from '../domain/currency.ts'
import { lineDirectionSchema, transactionTypeSchema, type LineDirection } from '../domain/wallet.ts'
import { environmentSchema } from '../domain/environment.ts'
import { z } from 'zod'
import type { Owner } from '../identity/merchant.ts'
import { readWallet } from '../ledger/account.sql.ts'
import { balanceAfter, seqBefore, totalLines } from '../ledger/transfer.sql.ts'
import type { Db } from '../platform/db/db.ts'
import { invalidFields } from '../platform/refusal.ts'
import { outOfOrderMs, pagesOf, typeOf, type Transaction } from './list-transactions.ts'

export const monthSchema = z
  .string()
  .regex(/^20\d\d-(0[1-9]|1[0-2])$/, 'Use the format 2026-01.')
  .meta({ description: 'A month in East Africa Time (UTC+3).', example: '2026-01' })

export const statementSchema = z
  .object({
    month: monthSchema,
    environment: environmentSchema,
    currency: currencySchema,
    from: z.iso.datetime().meta({ description: 'Start of the month.' }),
    to: z.iso.datetime().meta({ description: 'End of the month, exclusive.' }),
    is_final: z
      .boolean()
      .meta({ description: 'False until the month is over, and for one more minute in which its last lines may still arrive.' }),
    as_of: z.iso.datetime(),
    opening_balance: z.int().meta({ description: 'TZS.' }),
    closing_balance: z.int().meta({ description: 'TZS. Until the month is over: the current balance of the wallet.' }),
    total_credits: z.int(),
    total_debits: z.int(),
    totals: z.array(
      z.object({
        type: transactionTypeSchema,
        direction: lineDirectionSchema,
        count: z.int(),
        amount: z.int().meta({ description: 'TZS.' }),
      }),
    ),
    transaction_count: z.int(),
  })
  .meta({ id: 'Statement' })

type StatementDeps = { db: Db }

/** East Africa Time, which has no daylight saving time. */
const offsetMs = 3 * 3_600_000

function monthOf(month: string): { from: Date; to: Date } {
  const [year, number] = month.split('-').map(Number) as [number, number]
  return { from: new Date(Date.UTC(year, number - 1) - offsetMs), to: new Date(Date.UTC(year, number) - offsetMs) }
}

type Bounds = { month: string; from: Date; to: Date; asOf: Date; accountId: string | null; afterSeq: number; toSeq: number }

/** Refuses with 400 a month that has not started. */
async function boundsOf(db: Db, { merchant, environment }: Owner, month: string): Promise<Bounds> {
  const { from, to } = monthOf(month)
  const { accountId, asOf } = await readWallet(db, { merchantId: merchant.id, home: merchant.home, environment })
  if (from > asOf)
    throw invalidFields([{ field: 'month', code: 'invalid', message: 'This month has not started yet. Choose an earlier one.' }])
  if (accountId === null) return { month, from, to, asOf, accountId, afterSeq: 0, toSeq: 0 }
  const account = { home: merchant.home, accountId }
  const [afterSeq, toSeq] = await Promise.all([seqBefore(db, account, from), seqBefore(db, account, to)])
  return { month, from, to, asOf, accountId, afterSeq, toSeq }
}

export async function readStatement(
  { db }: StatementDeps,
  owner: Owner,
  month: string,
): Promise<z.infer<typeof statementSchema>> {
  const { from, to, asOf, accountId, afterSeq, toSeq } = await boundsOf(db, owner, month)
  const account = { home: owner.merchant.home, accountId: accountId ?? '' }
  const [opening, closing, lines] =
    accountId === null
      ? [0, 0, []]
      : await Promise.all([
          balanceAfter(db, account, afterSeq),
          balanceAfter(db, account, toSeq),
          totalLines(db, account, { afterSeq, toSeq }),
        ])
  const totals: z.infer<typeof statementSchema>['totals'] = []
  for (const { kind, direction, count, amount } of lines) {
    const type = typeOf(kind)
    const total = totals.find((one) => one.type === type && one.direction === direction)
    if (total) Object.assign(total, { count: total.count + count, amount: total.amount + amount })
    else totals.push({ type, direction, count, amount })
  }
  const sumOf = (direction: LineDirection): number =>
    totals.filter((total) => total.direction === direction).reduce((sum, { amount }) => sum + amount, 0)
  return {
    month,
    environment: owner.environment,
    currency: 'TZS',
    from: from.toISOString(),
    to: to.toISOString(),
    is_final: to.getTime() + outOfOrderMs <= asOf.getTime(),
    as_of: asOf.toISOString(),
    opening_balance: opening,
    closing_balance: closing,
    total_credits: sumOf('credit'),
    total_debits: sumOf('debit'),
    totals,
    transaction_count: toSeq - afterSeq,
  }
}

/** The lines in the sums of the statement, newest first. */
export async function exportStatement({ db }: StatementDeps, owner: Owner, month: string): Promise<AsyncIterable<Transaction[]>> {
  const { accountId, afterSeq, toSeq } = await boundsOf(db, owner, month)
  if (accountId === null) return (async function* () {})()
  return pagesOf(db, owner, { accountId, afterSeq, beforeSeq: toSeq + 1 }, { direction: 'all' })
}
