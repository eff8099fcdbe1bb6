/** `malipo trigger`: causes an event in the same way as for real customers. */
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EventType, Malipo, WebhookEvent } from '@malipo/sdk'
import { CommandError, textOf, UsageError, wholeNumberOf, type Call, type Command } from './command.ts'
import { openMalipo } from './config.ts'
import { eventColumns, subjectOf } from './output.ts'
import { startTestPayment, usualAmount, type Outcome } from './test-payment.ts'

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

const causes: Partial<Record<EventType, Cause>> = {
  'payment.completed': payment('completed'),
  'payment.failed': payment('declined_by_payer'),
  'payout.completed': payout('789'),
  'payout.failed': payout('089'),
  'payout.reversed': payout('309'),
}
const known = Object.keys(causes) as EventType[]

const withinMs = 60_000
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
  if (!type) throw new UsageError(`${JSON.stringify(words[0])} cannot be triggered. These can: ${known.join(', ')}.`)
  const [amount, slug] = [wholeNumberOf(values, 'amount'), textOf(values, 'page')]
  const malipo = openMalipo(settings)
  const subject = await causes[type]!(
    malipo,
    { ...(amount !== undefined && { amount }), ...(slug !== undefined && { slug }) },
    signal,
  )
  const event = await findEvent(malipo, type, subject, signal)
  out.line(eventColumns(event), event)
  return 0
}

export const trigger: Command = {
  summary: 'Cause an event in the test environment',
  usage: '<event type> [--amount <tzs>] [--page <slug>]',
  about: `Makes a real payment or payout of the test environment, waits for its event and prints the event's id.
Types: ${known.join(', ')}.
Needs the scopes pages:read, pages:write and transactions:read for payments, payouts:write and transactions:read for payouts, which
take their money from the test wallet: trigger a payment first.`,
  options: {
    amount: { type: 'string', value: 'tzs', about: 'Shillings' },
    page: { type: 'string', value: 'slug', about: 'The payment page to pay' },
  },
  words: 1,
  run,
}
