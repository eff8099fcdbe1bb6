/**
 * Figures for decisions: when payers pay, this week beside the last one, and why payments fail. Invariant: weeks are sums of the ledger, as
 * in the summary; hours and reasons read a limited number of payments.
 */
import { z } from 'zod'
import { environmentSchema } from '../../domain/environment.ts'
import { failures } from '../../domain/failure.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { countPatterns, type LostReason } from '../../collect/payments/payment-patterns.sql.ts'
import { readWallet } from '../../money/ledger/account.sql.ts'
import type { Db } from '../../platform/db/db.ts'
import { dayBy, dayOf, daysOf, readPeriod, startOf, type PeriodQuery } from './period.ts'
import { amounts, readTakings, type Takings } from './summary.ts'

export const maxPatternPayments = 20_000

const dayAmounts = z.object({ date: z.iso.date(), ...amounts })

export const patternsSchema = z
  .object({
    environment: environmentSchema,
    as_of: z.iso.datetime(),
    period: z.object({ from: z.iso.date(), to: z.iso.date() }),
    counted_after: z.iso
      .datetime()
      .nullable()
      .meta({
        description: `Set if more than ${maxPatternPayments.toLocaleString('en')} payments started in the period: \`hours\` and \`reasons\` count only payments after this time.`,
      }),
    hours: z
      .array(
        z.object({
          weekday: z.int().min(1).max(7).meta({ description: '1 is Monday.' }),
          hour: z.int().min(0).max(23).meta({ description: 'In East Africa Time (UTC+3).' }),
          ...amounts,
        }),
      )
      .meta({
        description: 'The completed payments by the weekday and hour in which they started; hours without any are omitted.',
      }),
    this_week: z.array(dayAmounts).meta({ description: 'What was credited on each day, Monday to today.' }),
    last_week: z.array(dayAmounts).meta({ description: 'All seven days of the week before.' }),
    reasons: z
      .array(
        z.object({
          code: z.string().meta({ description: 'A `failure.code`, or `voided` or `expired`.' }),
          reason: z.string(),
          reason_sw: z.string().meta({ description: 'The same in Swahili.' }),
          count: z.int(),
        }),
      )
      .meta({ description: 'The payments that ended without money, by reason, the most frequent first.' }),
  })
  .meta({ id: 'MerchantPatterns' })

type Patterns = z.infer<typeof patternsSchema>

const otherReasons = {
  voided: { en: 'The payment was cancelled.', sw: 'Malipo yalighairiwa.' },
  expired: { en: 'No answer came before the time was over.', sw: 'Hakuna jibu lililokuja kabla ya muda kuisha.' },
}

function wordsOf(code: LostReason): { en: string; sw: string } {
  return code === 'voided' || code === 'expired' ? otherReasons[code] : failures[code].reason
}

const daysIn = ({ byDay }: Takings, from: string, to: string): Patterns['this_week'] =>
  daysOf({ from, to }).map((date) => ({ date, ...(byDay.get(date) ?? { volume: 0, count: 0 }) }))

export async function readPatterns({ db }: { db: Db }, owner: Owner, query: PeriodQuery): Promise<Patterns> {
  const { merchant, environment } = owner
  const wallet = await readWallet(db, { merchantId: merchant.id, home: merchant.home, environment })
  const { asOf } = wallet
  const today = dayOf(asOf)
  const period = readPeriod(query, today)
  const monday = dayBy(today, -((new Date(today).getUTCDay() + 6) % 7))
  const end = startOf(dayBy(period.to, 1))
  const [lines, takings] = await Promise.all([
    countPatterns(db, owner, { from: startOf(period.from), to: end, among: maxPatternPayments }),
    // Seven days and those before: both weeks.
    readTakings(db, owner, wallet, { from: monday, to: dayBy(monday, 6) }),
  ])
  return {
    environment,
    as_of: asOf.toISOString(),
    period,
    counted_after: lines.find(({ by }) => by === 'edge')?.after?.toISOString() ?? null,
    hours: lines.flatMap(({ weekday, hour, payments, amount }) =>
      weekday === null || hour === null ? [] : [{ weekday, hour, volume: amount, count: payments }],
    ),
    this_week: daysIn(takings, monday, today),
    last_week: daysIn(takings, dayBy(monday, -7), dayBy(monday, -1)),
    reasons: lines.flatMap(({ reason, payments }) => {
      if (reason === null) return []
      const { en, sw } = wordsOf(reason)
      return [{ code: reason, reason: en, reason_sw: sw, count: payments }]
    }),
  }
}
