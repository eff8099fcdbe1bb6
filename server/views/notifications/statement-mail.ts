/**
 * The mail with the summary of a statement. Invariant: its lines add up to the closing balance, and it contains nothing of a payer.
 */
import { shillings } from '../../domain/currency.ts'
import type { Environment } from '../../domain/environment.ts'
import type { PayerLanguage } from '../../domain/language.ts'
import type { StatementFrequency } from '../../domain/statement-mail.ts'
import { byLanguage } from '../../domain/texts.ts'
import type { NewMail } from '../../base/mail/mail.ts'
import type { Balances } from '../merchant-account/statement.ts'
import { assert } from '../../platform/refusal.ts'

const messagesOf = byLanguage({
  test: ['TEST', 'MAJARIBIO'],
  isTest: [
    'TEST: this is the test wallet. It contains no real money.',
    'MAJARIBIO: hii ni pochi ya majaribio. Haina fedha halisi.',
  ],
  subject: (name: string, period: string) => [`Statement of ${name}: ${period}`, `Taarifa ya akaunti ya ${name}: ${period}`],
  hello: (name: string) => [`Hello ${name},`, `Habari ${name},`],
  title: (name: string, period: string) => [
    `This is the statement of ${name} for ${period} (East Africa Time).`,
    `Hii ni taarifa ya akaunti ya ${name}, ${period} (saa za Afrika Mashariki).`,
  ],
  opening: ['Opening balance', 'Salio la mwanzo'],
  closing: ['Closing balance', 'Salio la mwisho'],
  types: {
    payment: ['Payments received', 'Malipo yaliyopokelewa'],
    refund: ['Refunds', 'Marejesho kwa walipaji'],
    payout: ['Payouts', 'Fedha zilizotolewa'],
    fee: ['Fees', 'Makato'],
    refund_reversal: ['Refunds that came back', 'Marejesho yaliyorudi kwako'],
    payout_reversal: ['Payouts that came back', 'Fedha zilizotolewa zikarudi'],
    adjustment: ['Adjustments', 'Marekebisho'],
  },
  nothing: (balance: string) => [
    `No money moved. The balance is still ${balance}.`,
    `Hakuna fedha iliyoingia wala kutoka. Salio bado ni ${balance}.`,
  ],
  missed: (days: string) => [
    `No mail was sent for ${days}. The statement in the dashboard includes this time.`,
    `Hakuna barua pepe iliyotumwa kwa ${days}. Taarifa kwenye dashibodi ina siku hizo pia.`,
  ],
  more: [
    'The statement with every line, as PDF or CSV too, is in the dashboard:',
    'Taarifa yenye kila mstari, pia kama PDF au CSV, iko kwenye dashibodi:',
  ],
  why: {
    daily: [
      'You asked for this mail every day. Change or stop it at the top of the statement.',
      'Uliomba barua pepe hii kila siku. Ibadilishe au isitishe juu ya taarifa.',
    ],
    weekly: [
      'You asked for this mail every week. Change or stop it at the top of the statement.',
      'Uliomba barua pepe hii kila wiki. Ibadilishe au isitishe juu ya taarifa.',
    ],
    monthly: [
      'You asked for this mail every month. Change or stop it at the top of the statement.',
      'Uliomba barua pepe hii kila mwezi. Ibadilishe au isitishe juu ya taarifa.',
    ],
  },
})

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
  if (totals.length === 0) return [t.nothing(shillings(closing))]
  const main = mainLines.map(
    ([type, direction]) =>
      totals.find((one) => one.type === type && one.direction === direction) ?? { type, direction, count: 0, amount: 0 },
  )
  const others = totals.filter(({ type, direction }) => !mainLines.some((line) => line[0] === type && line[1] === direction))
  const lines = [...main, ...others].map(({ type, direction, count, amount }) => {
    const sign = amount === 0 ? '' : direction === 'credit' ? '+' : '−'
    return `${t.types[type]} (${count.toLocaleString('en')}): ${sign}${shillings(amount)}`
  })
  return [`${t.opening}: ${shillings(opening)}`, ...lines, `${t.closing}: ${shillings(closing)}`]
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
