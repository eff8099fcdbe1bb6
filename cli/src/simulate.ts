/** `malipo simulate`: makes a payment of the test environment with the chosen outcome. */
import { textOf, typedAmountOf, type Call, type Command } from './command.ts'
import { openMalipo } from './config.ts'
import { columns, paymentRows } from './output.ts'
import { outcomes, readOutcome, startTestPayment, usualAmount } from './test-payment.ts'

async function run({ values, settings, out, signal }: Call): Promise<number> {
  const outcome = readOutcome(textOf(values, 'outcome') ?? 'completed')
  const [amount, slug] = [typedAmountOf(values), textOf(values, 'page')]
  const malipo = openMalipo(settings)
  const reference = await startTestPayment(malipo, { outcome, amount, slug }, signal)
  if (values['no-wait'] === true) {
    const payment = await malipo.payments.status(reference, { signal })
    out.line(columns(paymentRows(payment)), payment)
    return 0
  }
  const payment = await malipo.payments.waitUntilFinal(reference, { signal })
  out.line(columns(paymentRows(payment)), payment)
  const ended = payment.failure?.code ?? payment.status
  if (ended === outcome) return 0
  out.notice(`The expected outcome was ${outcome}, but it ended as ${ended}.`, {
    kind: 'notice',
    code: 'ended_otherwise',
    outcome,
    ended,
  })
  return 1
}

export const simulate: Command = {
  summary: 'Make a payment with a chosen outcome in the test environment',
  usage: '[--outcome <outcome>] [--amount <tzs>] [--page <slug>] [--no-wait]',
  about: `Pays one of your pages that accepts any amount (scope pages:read), waits for the end and prints it. Without one, a page
called "Malipo CLI" is created: that needs pages:write and a verified account. No money moves. Exit code 1 for any other outcome.

Outcomes: ${outcomes.join(', ')}.`,
  options: {
    outcome: { type: 'string', value: 'outcome', about: 'The outcome; default completed' },
    amount: { type: 'string', value: 'tzs', about: `Shillings; default ${usualAmount}, or the price or limit of the page` },
    page: { type: 'string', value: 'slug', about: 'The payment page to pay' },
    wait: { type: 'boolean', about: 'Wait for the end (the default)' },
    'no-wait': { type: 'boolean', about: 'Start it, print its reference and exit' },
  },
  run,
}
