/** `malipo trigger`: causes an event in the same way as for real customers. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Malipo, PaymentStatus, WebhookEvent } from '@malipo/sdk'
import { CommandError, textOf, UsageError, wholeNumberOf, type Call, type Command } from './command.ts'
import { openMalipo } from './config.ts'
import { eventColumns } from './output.ts'
import { startTestPayment } from './test-payment.ts'

const known: readonly WebhookEvent['type'][] = ['payment.completed']

const withinMs = 30_000
const everyMs = 500
/** The event is dated slightly before the payment is completed. */
const reachBackMs = 60_000

async function findEvent(malipo: Malipo, payment: PaymentStatus, signal: AbortSignal): Promise<WebhookEvent> {
  const created_from = new Date(Date.parse(payment.completed_at!) - reachBackMs).toISOString()
  for (const deadline = performance.now() + withinMs; performance.now() < deadline; await sleep(everyMs, undefined, { signal })) {
    for await (const event of malipo.events.list({ limit: 100, created_from }, { signal })) {
      if (event.data.reference === payment.reference) return event
    }
  }
  throw new CommandError(`${payment.reference} is completed, but its event did not appear within ${withinMs / 1000} s.`)
}

async function run({ values, words, settings, out, signal }: Call): Promise<number> {
  const type = known.find((name) => name === words[0])
  if (!type) throw new UsageError(`There is no event type ${JSON.stringify(words[0])}. These are known: ${known.join(', ')}.`)
  const [amount, slug] = [wholeNumberOf(values, 'amount'), textOf(values, 'page')]
  const malipo = openMalipo(settings)
  const reference = await startTestPayment(malipo, { outcome: 'completed', amount, slug }, signal)
  const payment = await malipo.payments.waitUntilFinal(reference, { signal })
  if (payment.status !== 'completed') throw new CommandError(`${reference} should be completed but is ${payment.status}.`)
  const event = await findEvent(malipo, payment, signal)
  out.line(eventColumns(event), event)
  return 0
}

export const trigger: Command = {
  summary: 'Cause an event in the test environment',
  usage: '<event type> [--amount <tzs>] [--page <slug>]',
  about: `Makes a real payment of the test environment, waits for its event and prints the event's id. Known types: ${known.join(', ')}.
Needs the scopes pages:read, pages:write and transactions:read.`,
  options: {
    amount: { type: 'string', value: 'tzs', about: 'Shillings' },
    page: { type: 'string', value: 'slug', about: 'The payment page to pay' },
  },
  words: 1,
  run,
}
