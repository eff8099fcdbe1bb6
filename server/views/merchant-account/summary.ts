/**
 * A wallet summary: its balance, the payments of a period by day, page and network, how many succeeded, and the open setup steps. Invariant:
 * a day's volume is the sum of the ledger's credits for payments on that day in East Africa, so the days add up to the statement, except
 * for payments that tested a webhook: they are no takings. Closed days are read as stored sums, so the cost does not grow with the history.
 */
import { currencySchema } from '../../domain/currency.ts'
import { environmentSchema } from '../../domain/environment.ts'
import { networkSchema } from '../../domain/network.ts'
import { z } from 'zod'
import { isAnyKeyUsed } from '../../accounts/developers/key.sql.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { readWallet } from '../../money/ledger/account.sql.ts'
import { seqBefore } from '../../money/ledger/transfer.sql.ts'
import { hasPages } from '../../collect/pages/page.sql.ts'
import { countOutcomes } from '../../collect/payments/owner-payment.sql.ts'
import type { Db } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { countEndpoints } from '../../merchants/webhooks/endpoint.sql.ts'
import { outOfOrderMs } from './list-transactions.ts'
import { before, dayBy, dayOf, daysOf, lengthOf, readPeriod, startOf, type Period, type PeriodQuery } from './period.ts'
import { findSummedUntil, sumTakings, type Day, type Taking } from './wallet-day.sql.ts'

/** Success rates are counted payment by payment, so a longer period has none. */
const maxRatedDays = 92
const shownPages = 10

export const amounts = { volume: z.int().meta({ description: 'TZS.' }), count: z.int() }

const successSchema = {
  success_rate: z
    .number()
    .nullable()
    .meta({
      description: `Share of the payments started in the period that succeeded, among those that have ended, 0 to 1. Null if none has ended, and for a period of more than ${maxRatedDays} days.`,
    }),
}

const periodSchema = z.object({ ...amounts, ...successSchema })

const namedPeriodSchema = z.object({
  from: z.iso.date().meta({ description: 'First day in East Africa Time (UTC+3).' }),
  to: z.iso.date().meta({ description: 'Last day, included.' }),
  ...amounts,
  ...successSchema,
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
    period: namedPeriodSchema.meta({ description: 'The requested period.' }),
    previous_period: namedPeriodSchema.meta({ description: 'The same number of days directly before it, for comparison.' }),
    days: z.array(z.object({ date: z.iso.date(), ...amounts })).meta({
      description: 'The days of the period in East Africa Time (UTC+3), oldest first, including days without payments.',
    }),
    by_page: z
      .array(
        z.object({
          kind: z.enum(['page', 'request', 'direct', 'other']).meta({
            description:
              '`page`: a payment page; `request`: all payment requests together; `direct`: payments that your server requested; `other`: all further pages together.',
          }),
          payment_page: z
            .object({ id: z.string(), title: z.string() })
            .nullable()
            .meta({ description: 'Null unless `kind` is `page`.' }),
          ...amounts,
        }),
      )
      .meta({
        description: `The volume of the period by page, the highest first: at most ${shownPages} lines, and one for all others.`,
      }),
    by_network: z
      .array(
        z.object({ network: networkSchema.nullable().meta({ description: 'Null if the network is not known.' }), ...amounts }),
      )
      .meta({ description: 'The volume of the period by mobile network, the highest first.' }),
    setup: z.object({
      has_payment_page: z.boolean(),
      has_test_payment: z.boolean().meta({ description: 'Whether the test wallet was ever credited.' }),
      has_live_payment: z.boolean().meta({ description: 'Whether the live wallet was ever credited.' }),
      has_used_key: z
        .boolean()
        .meta({ description: 'Whether a request with one of its API keys was accepted, in either environment.' }),
      webhooks: z.object({
        enabled: z.int(),
        disabled: z.int().meta({ description: 'Webhooks that we disabled because deliveries failed.' }),
        failing: z.int().meta({ description: 'Enabled webhooks whose last attempt failed.' }),
      }),
    }),
  })
  .meta({ id: 'MerchantSummary' })

type Summary = z.infer<typeof summarySchema>

type Amounts = { volume: number; count: number }
type Wallet = { accountId: string | null; asOf: Date }

/** What a period and the one before it brought. */
export type Takings = { byDay: Map<Day, Amounts>; lines: Taking[] }

export async function readTakings(db: Db, owner: Owner, { accountId, asOf }: Wallet, period: Period): Promise<Takings> {
  const from = before(period).from
  const summedUntil = (await findSummedUntil(db)) ?? dayBy(from, -1)
  const unstoredFrom = summedUntil < from ? from : dayBy(summedUntil, 1)
  const account = { home: owner.merchant.home, accountId: accountId ?? '' }
  const isAllStored = accountId === null || unstoredFrom > period.to || startOf(unstoredFrom) > asOf
  const afterSeq = isAllStored ? 0 : await seqBefore(db, account, new Date(startOf(unstoredFrom).getTime() - outOfOrderMs))
  const lines = await sumTakings(
    db,
    owner,
    { from, shareFrom: period.from, to: period.to },
    { accountId: isAllStored ? null : accountId, afterSeq, after: dayBy(unstoredFrom, -1) },
    shownPages,
  )
  const byDay = new Map(
    lines.flatMap(({ day, amount, payments }) => (day === null ? [] : [[day, { volume: amount, count: payments }]])),
  )
  return { byDay, lines }
}

function amountsOf({ byDay }: Takings, period: Period): Amounts {
  const sum = { volume: 0, count: 0 }
  for (const day of daysOf(period)) {
    sum.volume += byDay.get(day)?.volume ?? 0
    sum.count += byDay.get(day)?.count ?? 0
  }
  return sum
}

/** The pages with the highest volume, and the rest of `total` in one line. */
function byPage({ lines }: Takings, total: Amounts): Summary['by_page'] {
  const pages = lines.flatMap(({ pageId, pageKind, title, amount, payments }): Summary['by_page'] => {
    if (pageKind === null) return []
    const page = pageId === null ? null : { id: toWire('page', pageId), title: title ?? '' }
    return [{ kind: pageKind, payment_page: page, volume: amount, count: payments }]
  })
  const volume = pages.reduce((left, line) => left - line.volume, total.volume)
  const count = pages.reduce((left, line) => left - line.count, total.count)
  return count > 0 ? [...pages, { kind: 'other', payment_page: null, volume, count }] : pages
}

function byNetwork({ lines }: Takings): Summary['by_network'] {
  return lines
    .filter(({ by }) => by === 'network')
    .map(({ network, amount, payments }) => ({ network, volume: amount, count: payments }))
}

async function rateOf(db: Db, owner: Owner, period: Period, asOf: Date): Promise<number | null> {
  if (lengthOf(period) > maxRatedDays) return null
  const end = startOf(dayBy(period.to, 1))
  const { completed, ended } = await countOutcomes(db, owner, { from: startOf(period.from), to: end < asOf ? end : asOf })
  return ended === 0 ? null : completed / ended
}

export async function readSummary({ db }: { db: Db }, owner: Owner, query: PeriodQuery): Promise<Summary> {
  const { merchant, environment } = owner
  const { home } = merchant
  const wallet = await readWallet(db, { merchantId: merchant.id, home, environment })
  const { balance, reserved, lines, asOf } = wallet
  const today = dayOf(asOf)
  const period = readPeriod(query, today)
  const recent = readPeriod({}, today)
  const isRecent = period.from === recent.from && period.to === recent.to
  const summed = async (of: Period) => {
    const [takings, rate, rateBefore] = await Promise.all([
      readTakings(db, owner, wallet, of),
      rateOf(db, owner, of, asOf),
      rateOf(db, owner, before(of), asOf),
    ])
    return {
      takings,
      now: { ...amountsOf(takings, of), success_rate: rate },
      before: { ...amountsOf(takings, before(of)), success_rate: rateBefore },
    }
  }
  const other = environment === 'test' ? 'live' : 'test'
  const [last30, chosen, hasPaymentPage, webhooks, inOther, hasUsedKey] = await Promise.all([
    summed(recent),
    isRecent ? undefined : summed(period),
    hasPages(db, owner),
    countEndpoints(db, { merchantId: merchant.id, environment }),
    readWallet(db, { merchantId: merchant.id, home, environment: other }),
    isAnyKeyUsed(db, merchant.id),
  ])
  const shown = chosen ?? last30
  return {
    environment,
    currency: 'TZS',
    as_of: asOf.toISOString(),
    available: balance,
    reserved,
    today: amountsOf(last30.takings, { from: today, to: today }),
    last_30_days: last30.now,
    previous_30_days: last30.before,
    period: { ...period, ...shown.now },
    previous_period: { ...before(period), ...shown.before },
    days: daysOf(period).map((date) => ({ date, ...(shown.takings.byDay.get(date) ?? { volume: 0, count: 0 }) })),
    by_page: byPage(shown.takings, shown.now),
    by_network: byNetwork(shown.takings),
    setup: {
      has_payment_page: hasPaymentPage,
      has_test_payment: (environment === 'test' ? lines : inOther.lines) > 0,
      has_live_payment: (environment === 'live' ? lines : inOther.lines) > 0,
      has_used_key: hasUsedKey,
      webhooks,
    },
  }
}
