/** `malipo trigger`: causes an event in the same way as for real customers. */
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EventType, Malipo, WebhookEvent } from '@malipo/sdk'
import { CommandError, given, textOf, UsageError, typedAmountOf, type Call, type Command } from './command.ts'
import { openMalipo } from './config.ts'
import { eventColumns, subjectOf } from './output.ts'
import { closedAccount, startTestPayment, usualAmount, type Outcome } from './test-payment.ts'

type Wanted = { amount?: number; slug?: string }

/** Starts what causes the event; returns the id of its subject. */
type Cause = (malipo: Malipo, wanted: Wanted, signal: AbortSignal) => Promise<string>

const payment =
  (outcome: Outcome): Cause =>
  (malipo, wanted, signal) =>
    startTestPayment(malipo, { outcome, ...wanted }, signal)

/** The last three digits of the recipient's number decide the outcome of a payout of the test environment. */
const payout =
  (lastDigits: string): Cause =>
  async (malipo, { amount = usualAmount, slug }, signal) => {
    if (slug !== undefined) throw new UsageError('A payout has no page: leave out --page.')
    const phone_number = `+255754${String(randomInt(1_000)).padStart(3, '0')}${lastDigits}`
    const { id } = await malipo.payouts.create({ amount, phone_number, recipient_name: 'Malipo CLI' }, { signal })
    return id
  }

/** Pays at least twice the amount, so that the rest covers the fee, and refunds half of it. The payer's number decides the outcome. */
const refund =
  (lastDigits?: string): Cause =>
  async (malipo, { amount = usualAmount, slug }, signal) => {
    if (slug !== undefined) throw new UsageError('A refund is of a payment of its own: leave out --page.')
    const wanted = { outcome: 'completed', least: 2 * amount, ...(lastDigits !== undefined && { lastDigits }) } as const
    const reference = await startTestPayment(malipo, wanted, signal)
    const { status } = await malipo.payments.waitUntilFinal(reference, { signal })
    if (status !== 'completed') throw new CommandError(`${reference} is ${status}, so it cannot be refunded.`)
    const { id } = await malipo.refunds.create(reference, { amount }, { signal })
    return id
  }

const causes: Partial<Record<EventType, Cause>> = {
  'payment.completed': payment('completed'),
  'payment.failed': payment('declined_by_payer'),
  'payment.voided': payment('voided'),
  'payment.expired': payment('expired'),
  'payout.completed': payout('789'),
  'payout.failed': payout('089'),
  'payout.reversed': payout('309'),
  'refund.completed': refund(),
  'refund.failed': refund(closedAccount),
}
const known = Object.keys(causes) as EventType[]

/** Why the other types are not caused here. */
const reasons: Partial<Record<EventType, string>> = {
  'payout.cancelled': 'a test payout is sent at once, so there is nothing left to cancel',
  'payout_batch.completed': 'a person approves a batch in the dashboard',
  'business.verified': 'a reviewer decides about a business',
  'business.rejected': 'a reviewer decides about a business',
  'webhook.enabled': 'save the address of a webhook that was disabled',
}

/** A payment of the test environment expires within a minute. */
const withinMs = 120_000
const everyMs = 500
/** An event is dated when its transaction begins, by another clock. */
const reachBackMs = 600_000

async function findEvent(malipo: Malipo, type: EventType, subject: string, signal: AbortSignal): Promise<WebhookEvent> {
  const created_from = new Date(Date.now() - reachBackMs).toISOString()
  for (const deadline = performance.now() + withinMs; performance.now() < deadline; await sleep(everyMs, undefined, { signal })) {
    for await (const event of malipo.events.list({ limit: 100, type, created_from }, { signal })) {
      if (subjectOf(event) === subject) return event
    }
  }
  throw new CommandError(`${subject} was started, but its ${type} did not appear within ${withinMs / 1000} s.`)
}

async function run({ values, words, settings, out, signal }: Call): Promise<number> {
  const type = known.find((name) => name === words[0])
  if (!type) {
    const reason = reasons[words[0] as EventType]
    throw new UsageError(
      `${JSON.stringify(words[0])} cannot be triggered${reason === undefined ? '' : `: ${reason}`}. These can: ${known.join(', ')}.`,
    )
  }
  const [amount, slug] = [typedAmountOf(values), textOf(values, 'page')]
  const malipo = openMalipo(settings)
  const subject = await causes[type]!(malipo, given({ amount, slug }), signal)
  const event = await findEvent(malipo, type, subject, signal)
  out.line(eventColumns(event), event)
  return 0
}

export const trigger: Command = {
  summary: 'Cause an event in the test environment',
  word: '<event type>',
  about: `Makes a real payment, payout or refund of the test environment, waits for its event and prints the event's id.
Types: ${known.join(', ')}.
Needs the scope transactions:read; pages:read for payments and refunds; payouts:write for payouts and refunds. Payouts need a
verified account, and take their money from the test wallet (trigger a payment first).
Payments are made on one of your pages that accepts any amount. Without one, a page called "Malipo CLI" is created: that needs
pages:write and a verified account.

These types cannot be triggered:
${Object.entries(reasons)
  .map(([type, reason]) => `  ${type}: ${reason}`)
  .join('\n')}`,
  options: {
    amount: { type: 'string', value: 'tzs', about: 'Shillings; for a refund, the amount that goes back' },
    page: { type: 'string', value: 'slug', about: 'The payment page to pay' },
  },
  run,
}
