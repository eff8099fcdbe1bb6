/**
 * `npm run bench:local`: whole payments on a running `npm start`, through its own api, worker, database and simulated provider. Each of
 * 64 payers starts a payment on the demo page and waits until it is completed. Start the service with `RATE_LIMITS=off`, because all
 * payers have one address, and with `SIMULATOR_DELAY_MS=0`, or every payment waits for the pauses of the simulated person.
 *
 *   RATE_LIMITS=off SIMULATOR_DELAY_MS=0 npm start     in the first terminal
 *   npm run bench:local                                in the second one; --payers 64 --seconds 20
 */
import { randomInt, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readOptions } from '../scripts/read-options.ts'
import { openHttpClient, runWindow, type HttpClient } from './load.ts'

const { values: flags } = readOptions({
  options: { payers: { type: 'string', default: '64' }, seconds: { type: 'string', default: '20' } },
})
const payers = Number(flags.payers)
const warmUpMs = 5_000

type Demo = { base_url: string; page_slug: string }

function fail(sentence: string): never {
  console.error(sentence)
  process.exit(1)
}

function readDemo(): Demo {
  const folder = process.env['DATA_DIR'] ?? join(import.meta.dirname, '../data')
  try {
    return JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8')) as Demo
  } catch {
    return fail('Nothing runs here: run "RATE_LIMITS=off SIMULATOR_DELAY_MS=0 npm start" in another terminal first.')
  }
}

const demo = readDemo()
const lines = await Promise.all(Array.from({ length: payers }, () => openHttpClient(demo.base_url))).catch((error: Error) =>
  fail(`${demo.base_url} does not answer (${error.message}): run "RATE_LIMITS=off SIMULATOR_DELAY_MS=0 npm start" first.`),
)

async function send(
  line: HttpClient,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<{ reference: string; status: string }> {
  const headers: Record<string, string> = body ? { 'content-type': 'application/json' } : {}
  const answer = await line.send(method, path, headers, body && JSON.stringify(body))
  if (answer.status === 429) fail('The rate limits are on: start the service with RATE_LIMITS=off.')
  if (answer.status >= 300) fail(`${method} ${path} answered ${answer.status}: ${answer.body}`)
  return (JSON.parse(answer.body) as { data: { reference: string; status: string } }).data
}

/** A number that ends in 789 pays without a PIN. */
async function pay(payer: number): Promise<void> {
  const line = lines[payer]!
  const { reference } = await send(line, 'POST', '/v1/payments/checkout', {
    slug: demo.page_slug,
    phone_number: `0754${String(randomInt(1000)).padStart(3, '0')}789`,
    customer_name: 'Juma',
    customer_email: 'juma@example.com',
    idempotency_key: randomUUID(),
  })
  for (;;) {
    const { status } = await send(line, 'GET', `/v1/payments/${reference}/status?wait=20`)
    if (status === 'completed') return
    if (status !== 'pending' && status !== 'processing') fail(`${reference} ended as ${status}.`)
  }
}

await runWindow(payers, warmUpMs, pay)
const window = await runWindow(payers, Number(flags.seconds) * 1000, pay)
console.log(
  `${window.perSecond.toFixed(0)} whole payments a second by ${payers} payers at once; p50 ${window.p50Ms.toFixed(0)} ms, p99 ${window.p99Ms.toFixed(0)} ms`,
)
for (const line of lines) line.close()
