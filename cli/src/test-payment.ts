/**
 * Payments of the test environment. Invariant: it pays only pages that the test key itself can read, so no live page is ever
 * used. In the test environment the last three digits of the payer's number decide the outcome of a payment.
 */
import { randomInt } from 'node:crypto'
import type { Malipo, PaymentPage } from '@malipo/sdk'
import { CommandError, UsageError } from './command.ts'

const lastDigits = {
  completed: '789',
  payer_limit: '019',
  payer_not_found: '029',
  declined_by_payer: '039',
  insufficient_funds: '049',
  wrong_pin: '059',
  provider_error: '069',
  prompt_timeout: '079',
  voided: '279',
  expired: '099',
} as const

export type Outcome = keyof typeof lastDigits

export const outcomes = Object.keys(lastDigits) as Outcome[]

export const usualAmount = 5_000

const title = 'Malipo CLI'

export function readOutcome(text: string): Outcome {
  const outcome = outcomes.find((name) => name === text)
  if (outcome) return outcome
  throw new UsageError(`There is no outcome ${JSON.stringify(text)}. These are known: ${outcomes.join(', ')}.`)
}

/** Whether any payer can pay any amount from its minimum at any time, as on the page that each account has from its registration. */
function isOpen(page: PaymentPage): boolean {
  const isEndless = page.active && page.max_payments === null && page.expires_at === null
  const isAnyAmount = page.allow_custom_amount && page.max_amount === null
  return page.type === 'payment' && isEndless && isAnyAmount && !page.custom_fields.some(({ required }) => required)
}

/** Makes a page only where there is none: an account that is not verified yet may not. */
async function findOrMakePage(malipo: Malipo, amount: number, signal: AbortSignal): Promise<PaymentPage> {
  let other: PaymentPage | undefined
  for await (const page of malipo.paymentPages.list({ limit: 100 }, { signal })) {
    if (!isOpen(page)) continue
    if (page.min_amount <= amount) return page
    other ??= page
  }
  if (other) return other
  const description = 'Created by the command line for simulated payments. You may remove it.'
  return malipo.paymentPages.create({ type: 'payment', title, description, allow_custom_amount: true }, { signal })
}

/** Of a payer who pays and whose account is closed when the money is sent back. */
export const closedAccount = '419'

/** `least`: pays this or, where a page does not take so little, the lowest amount that it takes. */
export type TestPayment = { outcome: Outcome; amount?: number; least?: number; slug?: string; lastDigits?: string }

/** Starts one; returns its reference. */
export async function startTestPayment(malipo: Malipo, wanted: TestPayment, signal: AbortSignal): Promise<string> {
  const { outcome, slug, least } = wanted
  const page =
    slug === undefined
      ? await findOrMakePage(malipo, wanted.amount ?? least ?? usualAmount, signal)
      : await malipo.paymentPages.get(slug, { signal })
  if (page.environment !== 'test') throw new CommandError(`The page ${page.slug} does not belong to the test environment.`)
  // A page is paid at its price or within its limits, unless the user chooses another amount to see it refused.
  const usual = Math.max(least ?? page.amount ?? usualAmount, page.min_amount)
  const amount = wanted.amount ?? (page.allow_custom_amount ? Math.min(usual, page.max_amount ?? usual) : undefined)
  // A different number each time, because one phone accepts a limited number of prompts.
  const phone_number = `+255754${String(randomInt(1_000)).padStart(3, '0')}${wanted.lastDigits ?? lastDigits[outcome]}`
  const payer = { phone_number, customer_name: title, customer_email: 'cli@example.com' }
  const { reference } = await malipo.payments.checkout({ slug: page.slug, amount, ...payer }, { signal })
  return reference
}
