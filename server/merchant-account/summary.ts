/**
 * A wallet summary: its balance, the payments by day, how many succeeded, and the open setup steps. Invariant: a day's volume is the sum
 * of the ledger's credits for payments on that day in East Africa, so the days add up to the statement.
 */
import { currencySchema } from '../domain/currency.ts'
import { environmentSchema } from '../domain/environment.ts'
import { z } from 'zod'
import type { Owner } from '../identity/merchant.ts'
import { readWallet } from '../ledger/account.sql.ts'
import { seqBefore, totalCreditsByDay, type DayTotal } from '../ledger/transfer.sql.ts'
import { hasPages } from '../pages/page.sql.ts'
import { countOutcomes, type Outcomes } from '../payments/owner-payment.sql.ts'
import type { Db } from '../platform/db/db.ts'
import { countEndpoints } from '../webhooks/endpoint.sql.ts'
import { lineKinds, outOfOrderMs } from './list-transactions.ts'

const daysShown = 30

const amounts = { volume: z.int().meta({ description: 'TZS.' }), count: z.int() }

const periodSchema = z.object({
  ...amounts,
  success_rate: z.number().nullable().meta({
    description:
      'Share of the payments started in the period that succeeded, among those that have ended, 0 to 1. Null if none has ended.',
  }),
})

export const summarySchema = z
  .object({
    environment: environmentSchema,
    currency: currencySchema,
    as_of: z.iso.datetime(),
    available: z.int().meta({ description: 'TZS that can be paid out now.' }),
    reserved: z.int().meta({ description: 'TZS reserved for payouts in flight.' }),
    today: z.object(amounts),
    last_30_days: periodSchema.meta({ description: 'Today and the previous 29 days.' }),
    previous_30_days: periodSchema.meta({ description: 'The 30 days before that, for comparison.' }),
    days: z.array(z.object({ date: z.iso.date(), ...amounts })).meta({
      description: 'The last 30 days in East Africa Time (UTC+3), oldest first, including days without payments.',
    }),
    setup: z.object({
      has_payment_page: z.boolean(),
      webhooks: z.object({
        enabled: z.int(),
        disabled: z.int().meta({ description: 'Webhooks that we disabled because deliveries failed.' }),
        failing: z.int().meta({ description: 'Enabled webhooks whose last attempt failed.' }),
      }),
    }),
  })
  .meta({ id: 'MerchantSummary' })

type Summary = z.infer<typeof summarySchema>

const dayMs = 86_400_000
/** East Africa Time, which has no daylight saving time. */
const offsetMs = 3 * 3_600_000

/** The moment at which the day this many days ago started. */
function dayStart(now: Date, daysAgo: number): Date {
  const today = Math.floor((now.getTime() + offsetMs) / dayMs)
  return new Date((today - daysAgo) * dayMs - offsetMs)
}

function dateOf(start: Date): string {
  return new Date(start.getTime() + offsetMs).toISOString().slice(0, 10)
}

function sumOf(days: readonly DayTotal[]): { volume: number; count: number } {
  return { volume: days.reduce((sum, { amount }) => sum + amount, 0), count: days.reduce((sum, day) => sum + day.count, 0) }
}

function rateOf({ completed, ended }: Outcomes): number | null {
  return ended === 0 ? null : completed / ended
}

export async function readSummary({ db }: { db: Db }, owner: Owner): Promise<Summary> {
  const { merchant, environment } = owner
  const { home } = merchant
  const { accountId, balance, reserved, asOf } = await readWallet(db, { merchantId: merchant.id, home, environment })
  const [from, middle] = [dayStart(asOf, 2 * daysShown - 1), dayStart(asOf, daysShown - 1)]
  const creditsByDay = async (): Promise<DayTotal[]> => {
    if (accountId === null) return []
    const afterSeq = await seqBefore(db, { home, accountId }, new Date(from.getTime() - outOfOrderMs))
    return totalCreditsByDay(db, { home, accountId }, { afterSeq, from, kinds: lineKinds.payment })
  }
  const [credits, recent, before, hasPaymentPage, webhooks] = await Promise.all([
    creditsByDay(),
    countOutcomes(db, owner, { from: middle, to: asOf }),
    countOutcomes(db, owner, { from, to: middle }),
    hasPages(db, owner),
    countEndpoints(db, { merchantId: merchant.id, environment }),
  ])
  const byDate = new Map(credits.map((day) => [day.date, day]))
  const days = Array.from({ length: 2 * daysShown }, (_, index) => {
    const date = dateOf(dayStart(asOf, 2 * daysShown - 1 - index))
    return byDate.get(date) ?? { date, count: 0, amount: 0 }
  })
  const shown = days.slice(daysShown)
  return {
    environment,
    currency: 'TZS',
    as_of: asOf.toISOString(),
    available: balance,
    reserved,
    today: sumOf(shown.slice(-1)),
    last_30_days: { ...sumOf(shown), success_rate: rateOf(recent) },
    previous_30_days: { ...sumOf(days.slice(0, daysShown)), success_rate: rateOf(before) },
    days: shown.map(({ date, amount, count }) => ({ date, volume: amount, count })),
    setup: { has_payment_page: hasPaymentPage, webhooks },
  }
}
