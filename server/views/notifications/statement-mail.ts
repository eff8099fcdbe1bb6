/**
 * The mail with the summary of a statement. Invariant: its lines add up to the closing balance, and it contains nothing of a payer.
 */
import type { Environment } from '../../domain/environment.ts'
import type { PayerLanguage } from '../../domain/language.ts'
import type { StatementFrequency } from '../../domain/statement-mail.ts'
import type { TransactionType } from '../../domain/wallet.ts'
import type { NewMail } from '../../base/mail/mail.ts'
import type { Balances } from '../merchant-account/statement.ts'
import { assert } from '../../platform/refusal.ts'
import { money } from '../web/checkout/format.ts'

type Messages = {
  test: string
  isTest: string
  subject(name: string, period: string): string
  hello(name: string): string
  title(name: string, period: string): string
  opening: string
  closing: string
  types: Record<TransactionType, string>
  nothing(balance: string): string
  missed(days: string): string
  more: string
  why: Record<StatementFrequency, string>
}

const messagesOf: Record<PayerLanguage, Messages> = {
  en: {
    test: 'TEST',
    isTest: 'TEST: this is the test wallet. It contains no real money.',
    subject: (name, period) => `Statement of ${name}: ${period}`,
    hello: (name) => `Hello ${name},`,
    title: (name, period) => `This is the statement of ${name} for ${period} (East Africa Time).`,
    opening: 'Opening balance',
    closing: 'Closing balance',
    types: {
      payment: 'Payments received',
      refund: 'Refunds',
      payout: 'Payouts',
      fee: 'Fees',
      refund_reversal: 'Refunds that came back',
      payout_reversal: 'Payouts that came back',
      adjustment: 'Adjustments',
    },
    nothing: (balance) => `No money moved. The balance is still ${balance}.`,
    missed: (days) => `No mail was sent for ${days}. The statement in the dashboard includes this time.`,
    more: 'The statement with every line, as PDF or CSV too, is in the dashboard:',
    why: {
      daily: 'You asked for this mail every day. Change or stop it at the top of the statement.',
      weekly: 'You asked for this mail every week. Change or stop it at the top of the statement.',
      monthly: 'You asked for this mail every month. Change or stop it at the top of the statement.',
    },
  },
  sw: {
    test: 'MAJARIBIO',
    isTest: 'MAJARIBIO: hii ni pochi ya majaribio. Haina fedha halisi.',
    subject: (name, period) => `Taarifa ya akaunti ya ${name}: ${period}`,
    hello: (name) => `Habari ${name},`,
    title: (name, period) => `Hii ni taarifa ya akaunti ya ${name}, ${period} (saa za Afrika Mashariki).`,
    opening: 'Salio la mwanzo',
    closing: 'Salio la mwisho',
    types: {
      payment: 'Malipo yaliyopokelewa',
      refund: 'Marejesho kwa walipaji',
      payout: 'Fedha zilizotolewa',
      fee: 'Makato',
      refund_reversal: 'Marejesho yaliyorudi kwako',
      payout_reversal: 'Fedha zilizotolewa zikarudi',
      adjustment: 'Marekebisho',
    },
    nothing: (balance) => `Hakuna fedha iliyoingia wala kutoka. Salio bado ni ${balance}.`,
    missed: (days) => `Hakuna barua pepe iliyotumwa kwa ${days}. Taarifa kwenye dashibodi ina siku hizo pia.`,
    more: 'Taarifa yenye kila mstari, pia kama PDF au CSV, iko kwenye dashibodi:',
    why: {
      daily: 'Uliomba barua pepe hii kila siku. Ibadilishe au isitishe juu ya taarifa.',
      weekly: 'Uliomba barua pepe hii kila wiki. Ibadilishe au isitishe juu ya taarifa.',
      monthly: 'Uliomba barua pepe hii kila mwezi. Ibadilishe au isitishe juu ya taarifa.',
    },
  },
}

/** These are always shown, the others only if they happened. */
const mainLines = [
  ['payment', 'credit'],
  ['refund', 'debit'],
  ['payout', 'debit'],
  ['fee', 'debit'],
] as const

/** Days are the same everywhere: they are written as in UTC. */
const dayFormats: Record<PayerLanguage, Intl.DateTimeFormat> = {
  sw: new Intl.DateTimeFormat('sw-TZ', { timeZone: 'UTC', day: 'numeric', month: 'long', year: 'numeric' }),
  en: new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'long', year: 'numeric' }),
}

function partsOf(day: string, language: PayerLanguage): Record<string, string> {
  const parts = dayFormats[language].formatToParts(new Date(`${day}T00:00:00Z`))
  return Object.fromEntries(parts.map(({ type, value }) => [type, value]))
}

function dayText(day: string, language: PayerLanguage): string {
  const { day: number, month, year } = partsOf(day, language)
  return `${number} ${month} ${year}`
}

function daysText(first: string, last: string, language: PayerLanguage): string {
  return first === last ? dayText(first, language) : `${dayText(first, language)} – ${dayText(last, language)}`
}

/** A name for a header line. */
function inSubject(name: string): string {
  return Array.from(name.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '))
    .slice(0, 100)
    .join('')
}

export type StatementSummary = {
  merchantName: string
  environment: Environment
  frequency: StatementFrequency
  language: PayerLanguage
  /** `2026-11-16`; the last day is included. */
  firstDay: string
  lastDay: string
  missedFrom: string | null
  missedTo: string | null
  balances: Balances
  /** Of the statement in the dashboard. */
  link: string
}

function linesOf({ balances, language }: StatementSummary): string[] {
  const t = messagesOf[language]
  const { totals, opening, closing, credits, debits } = balances
  assert(opening + credits - debits === closing, 'the lines of a statement add up to its closing balance')
  if (totals.length === 0) return [t.nothing(money(closing))]
  const main = mainLines.map(
    ([type, direction]) =>
      totals.find((one) => one.type === type && one.direction === direction) ?? { type, direction, count: 0, amount: 0 },
  )
  const others = totals.filter(({ type, direction }) => !mainLines.some((line) => line[0] === type && line[1] === direction))
  const lines = [...main, ...others].map(({ type, direction, count, amount }) => {
    const sign = amount === 0 ? '' : direction === 'credit' ? '+' : '−'
    return `${t.types[type]} (${count.toLocaleString('en')}): ${sign}${money(amount)}`
  })
  return [`${t.opening}: ${money(opening)}`, ...lines, `${t.closing}: ${money(closing)}`]
}

export function statementMail(reader: { email: string; fullName: string }, summary: StatementSummary): NewMail {
  const { merchantName, environment, frequency, language, firstDay, lastDay, missedFrom, missedTo, link } = summary
  const t = messagesOf[language]
  const { month, year } = partsOf(firstDay, language)
  const period = frequency === 'monthly' ? `${month} ${year}` : daysText(firstDay, lastDay, language)
  const isTest = environment === 'test'
  return {
    to: reader.email,
    kind: 'statement',
    isBulk: true,
    subject: `${isTest ? `${t.test}. ` : ''}${t.subject(inSubject(merchantName), period)}`,
    text: [
      t.hello(reader.fullName),
      ...(isTest ? [t.isTest] : []),
      t.title(merchantName, period),
      linesOf(summary).join('\n'),
      ...(missedFrom === null || missedTo === null ? [] : [t.missed(daysText(missedFrom, missedTo, language))]),
      `${t.more}\n${link}`,
      t.why[frequency],
      'Malipo',
    ].join('\n\n'),
  }
}
