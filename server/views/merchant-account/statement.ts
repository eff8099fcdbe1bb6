/**
 * The statement of a month: the balance of a wallet at its start and its end, and the lines in between. Invariant: opening plus credits
 * minus debits is closing, and a month opens with the closing balance of the previous month.
 */
import { currencySchema } from '../../domain/currency.ts'
import { lineDirectionSchema, transactionTypeSchema, type LineDirection } from '../../domain/wallet.ts'
import { environmentSchema } from '../../domain/environment.ts'
import { z } from 'zod'
import { findRegistration } from '../../accounts/identity/merchant.sql.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { readWallet } from '../../money/ledger/account.sql.ts'
import { balanceAfter, seqBefore, totalLines } from '../../money/ledger/transfer.sql.ts'
import type { Db, Runner } from '../../platform/db/db.ts'
import { invalidFields } from '../../platform/refusal.ts'
import { outOfOrderMs, pagesOf, typeOf, type Transaction } from './list-transactions.ts'

export const monthSchema = z
  .string()
  .regex(/^20\d\d-(0[1-9]|1[0-2])$/, 'Use the format 2026-01.')
  .meta({ description: 'A month in East Africa Time (UTC+3).', example: '2026-01' })

export const statementSchema = z
  .object({
    month: monthSchema,
    first_month: monthSchema.meta({ description: 'The month of the registration.' }),
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

const monthAt = (moment: Date): string => new Date(moment.getTime() + offsetMs).toISOString().slice(0, 7)

/** `to` is excluded. */
type Range = { from: Date; to: Date }
type Bounds = Range & { asOf: Date; accountId: string | null; afterSeq: number; toSeq: number }

async function boundsOf(db: Runner, { merchant, environment }: Owner, { from, to }: Range): Promise<Bounds> {
  const { accountId, asOf } = await readWallet(db, { merchantId: merchant.id, home: merchant.home, environment })
  if (accountId === null || from > asOf) return { from, to, asOf, accountId: null, afterSeq: 0, toSeq: 0 }
  const account = { home: merchant.home, accountId }
  const [afterSeq, toSeq] = await Promise.all([seqBefore(db, account, from), seqBefore(db, account, to)])
  return { from, to, asOf, accountId, afterSeq, toSeq }
}

/** Refuses with 400 a month that has not started. */
async function boundsOfMonth(db: Runner, owner: Owner, month: string): Promise<Bounds> {
  const bounds = await boundsOf(db, owner, monthOf(month))
  if (bounds.from > bounds.asOf)
    throw invalidFields([{ field: 'month', code: 'invalid', message: 'This month has not started yet. Choose an earlier one.' }])
  return bounds
}

type Totals = z.infer<typeof statementSchema>['totals']
export type Balances = { opening: number; closing: number; credits: number; debits: number; totals: Totals }

async function sumBounds(db: Runner, { merchant }: Owner, { accountId, afterSeq, toSeq }: Bounds): Promise<Balances> {
  if (accountId === null) return { opening: 0, closing: 0, credits: 0, debits: 0, totals: [] }
  const account = { home: merchant.home, accountId }
  const [opening, closing, lines] = await Promise.all([
    balanceAfter(db, account, afterSeq),
    balanceAfter(db, account, toSeq),
    totalLines(db, account, { afterSeq, toSeq }),
  ])
  const totals: Totals = []
  for (const { kind, direction, count, amount } of lines) {
    const type = typeOf(kind)
    const total = totals.find((one) => one.type === type && one.direction === direction)
    if (total) Object.assign(total, { count: total.count + count, amount: total.amount + amount })
    else totals.push({ type, direction, count, amount })
  }
  const sumOf = (direction: LineDirection): number =>
    totals.filter((total) => total.direction === direction).reduce((sum, { amount }) => sum + amount, 0)
  return { opening, closing, credits: sumOf('credit'), debits: sumOf('debit'), totals }
}

/** The balances and totals of any period, as of a statement. */
export async function readBalances(db: Runner, owner: Owner, range: Range): Promise<Balances> {
  return sumBounds(db, owner, await boundsOf(db, owner, range))
}

export async function readStatement(
  { db }: StatementDeps,
  owner: Owner,
  month: string,
): Promise<z.infer<typeof statementSchema>> {
  const bounds = await boundsOfMonth(db, owner, month)
  const { from, to, asOf, afterSeq, toSeq } = bounds
  const { opening, closing, credits, debits, totals } = await sumBounds(db, owner, bounds)
  return {
    month,
    first_month: monthAt(await findRegistration(db, owner.merchant.id)),
    environment: owner.environment,
    currency: 'TZS',
    from: from.toISOString(),
    to: to.toISOString(),
    is_final: to.getTime() + outOfOrderMs <= asOf.getTime(),
    as_of: asOf.toISOString(),
    opening_balance: opening,
    closing_balance: closing,
    total_credits: credits,
    total_debits: debits,
    totals,
    transaction_count: toSeq - afterSeq,
  }
}

/** The lines in the sums of the statement, newest first. */
export async function exportStatement({ db }: StatementDeps, owner: Owner, month: string): Promise<AsyncIterable<Transaction[]>> {
  const { accountId, afterSeq, toSeq } = await boundsOfMonth(db, owner, month)
  if (accountId === null) return (async function* () {})()
  return pagesOf(db, owner, { accountId, afterSeq, beforeSeq: toSeq + 1 }, { direction: 'all' })
}
