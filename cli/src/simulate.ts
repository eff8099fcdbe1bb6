/** `malipo simulate`: makes a payment of the test environment with the chosen outcome. */
import { textOf, wholeNumberOf, type Call, type Command } from './command.ts'
import { openMalipo } from './config.ts'
import { columns, paymentRows } from './output.ts'
import { outcomes, readOutcome, startTestPayment, usualAmount } from './test-payment.ts'

async function run({ values, settings, out, signal }: Call): Promise<number> {
  const outcome = readOutcome(textOf(values, 'outcome') ?? 'completed')
  const [amount, slug] = [wholeNumberOf(values, 'amount'), textOf(values, 'page')]
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
  out.notice(`It was to end as ${outcome} and ended as ${ended}.`, { kind: 'notice', code: 'ended_otherwise', outcome, ended })
  return 1
}

export const simulate: Command = {
  summary: 'Make a payment in the test environment that succeeds, or fails as you say',
  usage: '[--outcome <outcome>] [--amount <tzs>] [--page <slug>] [--no-wait]',
  about: `Pays a page of yours, or one called "Malipo CLI" that is made when it is not there (scopes pages:read, pages:write), waits for the
end and prints it. No money moves. Exit code 1 when it ended otherwise.

Outcomes: ${outcomes.join(', ')}.`,
  options: {
    outcome: { type: 'string', value: 'outcome', about: 'How it ends; completed unless said otherwise' },
    amount: { type: 'string', value: 'tzs', about: `Shillings; ${usualAmount}, or the price of the page, unless said otherwise` },
    page: { type: 'string', value: 'slug', about: 'The payment page to pay' },
    wait: { type: 'boolean', about: 'Wait for the end: as it does anyway' },
    'no-wait': { type: 'boolean', about: 'Start it, print its reference and end' },
  },
  words: 0,
  run,
}
