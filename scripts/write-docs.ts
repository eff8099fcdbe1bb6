/**
 * Writes, in English and Swahili, the parts of the documentation that repeat the code: the error codes, the roles of members, the types of events, the numbers of the simulator, and the diagrams of
 * a payment and a payout. `node scripts/write-docs.ts` writes them; a test compares them with the code.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { networkNames } from '../server/domain/network.ts'
import { networkPrefixes, prefixesWithoutNetwork } from '../server/domain/phone.ts'
import type { PayoutStatus } from '../server/domain/payout.ts'
import type { PaymentStatus } from '../server/domain/payment.ts'
import { errorCodes } from '../server/views/description/error-codes.ts'
import type { Schema } from '../server/views/description/schema.ts'
import { endStatuses, transitions } from '../server/collect/payments/payment.ts'
import { readPayerPhone } from '../server/collect/payments/checkout-rules.ts'
import { payoutTransitions } from '../server/pay-out/payouts/payout.ts'
import { exampleApiUrl } from '../server/views/web/docs/site.ts'
import { eventSchemas } from '../server/merchants/webhooks/event.ts'
import { chargeScenarios, payoutScenarios } from '../simulator/scenarios.ts'
import { swahiliMarkdown, swahiliPicture } from './docs-in-swahili.ts'
import { limitsPage } from './limits-page.ts'
import { membersPage } from './members-page.ts'

const root = join(import.meta.dirname, '..')

const errorsPage = (): string => `# Errors

Every error has this shape. Branch on \`code\`: \`message\` (English) and \`message_sw\` (Swahili) are for people to read and may change. Both are in every error, also at each field of \`errors\`: show \`message_sw\` to people who read Swahili. With \`Accept: application/problem+json\` the same facts are returned as RFC 9457.

\`\`\`json
{
  "error": {
    "type": "invalid_request",
    "code": "validation_error",
    "message": "Some fields are invalid. See errors.",
    "message_sw": "${errorCodes.validation_error[2]}",
    "param": "title",
    "errors": [{ "field": "title", "code": "required", "message": "This field is required.", "message_sw": "Sehemu hii inahitajika." }],
    "request_id": "req_3f0c2f6a9d1e4b7c",
    "doc_url": "${exampleApiUrl}/docs/errors#validation_error"
  }
}
\`\`\`

Quote the \`request_id\` when you contact us: we find the request in our logs by it. Every answer also has it in the header \`X-Request-Id\`.

## What to do

| Status | Meaning | Try again? |
|---|---|---|
| 400, 422 | The request is invalid | Not unchanged |
| 401, 403 | Authentication or permission is missing | After you have changed that |
| 402 | The wallet does not have enough money | After it has been credited |
| 404 | The object does not exist, or is not yours: both look the same | No |
| 409 | Not possible in the current state | \`idempotency_in_progress\`: yes, after \`Retry-After\`. Otherwise read the object first |
| 429 | Too many requests or attempts | After \`Retry-After\` seconds |
| 500, 503, no answer at all | A fault of the service or of the connection | Yes, with the same [idempotency key](concepts/idempotency.md): the request may have been carried out |

## Codes

| Code | Meaning | \`message_sw\` |
|---|---|---|
${Object.entries(errorCodes)
  .map(([code, [en, , message]]) => `| \`${code}\` | ${en} | ${message} |`)
  .join('\n')}
`

/** The numbers that end a payment with this \`failure.code\`, or otherwise; other numbers cause faults before the end. */
const endings: Record<string, [status: PaymentStatus, failure: string]> = {
  '789': ['completed', ''],
  '019': ['failed', 'payer_limit'],
  '029': ['failed', 'payer_not_found'],
  '039': ['failed', 'declined_by_payer'],
  '049': ['failed', 'insufficient_funds'],
  '059': ['failed', 'wrong_pin'],
  '069': ['failed', 'provider_error'],
  '079': ['failed', 'prompt_timeout'],
  '279': ['voided', ''],
  '099': ['expired', ''],
}

function rowsOf(scenarios: Readonly<Record<string, { about: string }>>, digits: readonly string[]): string {
  return digits.map((number) => `| …${number} | ${scenarios[number]!.about} |`).join('\n')
}

const testNumbersPage = (): string => `# Test numbers

With a test key no phone rings. The last three digits of the phone number decide the outcome; you can choose the other digits (\`0754 000 789\`). Any other number asks for a
PIN on the simulated phone, which you answer [in the dashboard](/dashboard/me/test/try): every PIN pays except \`0000\`, which is wrong. If the service runs on your machine, its page \`/local\`
shows that phone too.

## Outcomes of a payment

| Number | Scenario | \`status\` | \`failure.code\` |
|---|---|---|---|
${Object.entries(endings)
  .map(
    ([digits, [status, failure]]) =>
      `| …${digits} | ${chargeScenarios[digits]!.about} | \`${status}\` | ${failure && `\`${failure}\``} |`,
  )
  .join('\n')}

## Faults during a payment

In this table "webhook" means the network's message to Malipo; your own program sees only its consequences. If the network sends no message, Malipo asks it: wait a minute.

| Number | Scenario |
|---|---|
${rowsOf(
  chargeScenarios,
  Object.keys(chargeScenarios).filter((digits) => !(digits in endings)),
)}

## Payouts

A payout to any other number arrives.

| Number | Scenario |
|---|---|
${rowsOf(payoutScenarios, Object.keys(payoutScenarios))}

## From the command line

[\`malipo simulate --outcome wrong_pin\`](../../cli/README.md) creates a page, pays it with that outcome, and prints the result.
`

/** A value that the schema allows. */
function exampleOf(schema: Schema, name = ''): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.example !== undefined) return schema.example
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf) return exampleOf(schema.anyOf[0]!, name)
  if (schema.properties) {
    return Object.fromEntries(Object.entries(schema.properties).map(([key, property]) => [key, exampleOf(property, key)]))
  }
  if (schema.format === 'date-time') return '2026-01-25T09:30:00.000Z'
  return schema.type === 'integer' ? 2500 : 'TZS'
}

/** The example of one type of event: its status and its times are those of the type. */
function exampleEvent(schema: (typeof eventSchemas)[number]): string {
  const { type } = schema.shape
  const envelope = { id: 'evt_01jz8e6c9kf0x9v4m2n7q5t3ab', type: type.value, created_at: '2026-01-25T09:30:00.000Z' }
  const data = exampleOf(z.toJSONSchema(z.object(schema.shape.data.shape)) as Schema) as Record<string, unknown>
  delete data['amount_received']
  const status = type.value.split('.')[1]!
  // The statuses of a batch are its own.
  if ('status' in data && type.value !== 'payout_batch.completed') data['status'] = status
  if ('failure' in data && status !== 'failed') data['failure'] = null
  if ('completed_at' in data && status !== 'completed' && status !== 'reversed') data['completed_at'] = null
  if ('reversed_at' in data && status !== 'reversed') data['reversed_at'] = null
  if (type.value.startsWith('payment.')) Object.assign(data, { merchant_reference: 'order-1042', metadata: { table: '7' } })
  else for (const own of ['payment_merchant_reference', 'merchant_reference', 'metadata']) delete data[own]
  if ('fee' in data) data['total_debited'] = (data['amount'] as number) + (data['fee'] as number)
  return JSON.stringify({ ...envelope, data }, null, 2)
}

const eventTypesPage = (): string => `# Types of events

Every webhook receives \`payment.completed\`, and the types that its \`events\` name: \`POST /developers/apps/{app_id}/webhook\` with
\`{"url": "…", "events": ["payment.completed", "payment.failed"]}\`. \`["*"]\` takes every type, including those that are added later. \`GET /v1/events?type=\` lists the events of one type.

One event is sent for each transition. The order is not promised: \`data\` is the state at that moment, with its time. A payment that failed and is paid late sends both.

Where you set them, events of payments, payouts and refunds have your \`merchant_reference\` and \`metadata\`. A refund has the order number of its payment as \`payment_merchant_reference\`.

${eventSchemas
  .map(
    (schema) => `## ${schema.shape.type.value}\n\n${schema.meta()!.description}\n\n\`\`\`json\n${exampleEvent(schema)}\n\`\`\`\n`,
  )
  .join('\n')}`

const font = 'font-family="system-ui, sans-serif"'

type Box = { x: number; y: number; label: string; lines: readonly string[] }

const boxWidth = 130
const boxHeight = 64

function boxOf({ x, y, label, lines }: Box): string {
  const words = lines.map(
    (line, index) =>
      `<text class="soft" x="${x + boxWidth / 2}" y="${y + 38 + index * 15}" fill="#4b5a54" font-size="11" text-anchor="middle" ${font}>${line}</text>`,
  )
  return `<rect class="box" x="${x}" y="${y}" width="${boxWidth}" height="${boxHeight}" rx="8" fill="#f3f6f4" stroke="#4b5a54"/>
<text x="${x + boxWidth / 2}" y="${y + 21}" fill="currentColor" font-size="14" font-weight="700" text-anchor="middle" ${font}>${label}</text>
${words.join('\n')}`
}

function arrow(from: readonly [number, number], to: readonly [number, number], kind: '' | 'good' | 'late' = ''): string {
  const angle = Math.atan2(to[1] - from[1], to[0] - from[0])
  const wing = (turn: number): string =>
    `${(to[0] - 9 * Math.cos(angle + turn)).toFixed(1)} ${(to[1] - 9 * Math.sin(angle + turn)).toFixed(1)}`
  const look = kind === '' ? 'class="line" stroke="#4b5a54"' : 'class="line good" stroke="#0a6148"'
  const dashes = kind === 'late' ? ' stroke-dasharray="5 4"' : ''
  return `<path ${look} fill="none" stroke-width="1.5"${dashes} d="M${from.join(' ')} L${to.join(' ')}"/>
<path ${look} fill="none" stroke-width="1.5" d="M${wing(0.4)} L${to.join(' ')} L${wing(-0.4)}"/>`
}

function drawing(width: number, height: number, parts: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<rect class="paper" width="${width}" height="${height}" fill="#fff"/>
${parts.join('\n')}
</svg>
`
}

const rightOf = (box: Box): [number, number] => [box.x + boxWidth, box.y + boxHeight / 2]
const leftOf = (box: Box): [number, number] => [box.x, box.y + boxHeight / 2]
const topOf = (box: Box): [number, number] => [box.x + boxWidth / 2, box.y]
const bottomOf = (box: Box): [number, number] => [box.x + boxWidth / 2, box.y + boxHeight]

/** The four final states are in one frame: one arrow leads to all of them. */
function paymentStates(): string {
  const boxes: Record<PaymentStatus, Box> = {
    pending: { x: 10, y: 34, label: 'pending', lines: ['the payer is asked'] },
    processing: { x: 10, y: 188, label: 'processing', lines: ['answered, or the', 'outcome is unknown'] },
    completed: { x: 250, y: 111, label: 'completed', lines: ['paid and credited', 'for good'] },
    failed: { x: 470, y: 27, label: 'failed', lines: ['not paid,', 'with the reason'] },
    voided: { x: 470, y: 111, label: 'voided', lines: ['cancelled by', 'the customer'] },
    expired: { x: 470, y: 195, label: 'expired', lines: ['no answer', 'in time'] },
  }
  const frame = { x: 230, y: 10, width: 390, height: 266 }
  const ends = [...endStatuses]
  const arrows = Object.entries(transitions).flatMap(([name, targets]) => {
    const from = boxes[name as PaymentStatus]
    const reachesAll = ends.every((end) => targets.includes(end))
    const toFrame = reachesAll ? [arrow(rightOf(from), [frame.x, from.y + boxHeight / 2])] : []
    const others = targets.filter((target) => !reachesAll || !endStatuses.has(target))
    return [
      ...toFrame,
      ...others.map((target) => {
        if (endStatuses.has(name as PaymentStatus)) return arrow(leftOf(from), rightOf(boxes[target]), 'late')
        return arrow(bottomOf(from), topOf(boxes[target]))
      }),
    ]
  })
  const border = `<rect class="line" x="${frame.x}" y="${frame.y}" width="${frame.width}" height="${frame.height}" rx="12" fill="none" stroke="#4b5a54" stroke-dasharray="2 4"/>
<text class="soft" x="${frame.x + 20}" y="${frame.y + 24}" fill="#4b5a54" font-size="12" ${font}>how a payment ends</text>
<text class="soft" x="${frame.x + 20}" y="${frame.y + 250}" fill="#4b5a54" font-size="12" ${font}>dashed: late, proven success</text>`
  return drawing(632, 288, [border, ...Object.values(boxes).map(boxOf), ...arrows])
}

function payoutStates(): string {
  const boxes: Record<PayoutStatus, Box> = {
    pending: { x: 10, y: 150, label: 'pending', lines: ['amount and fee', 'set aside'] },
    processing: { x: 190, y: 20, label: 'processing', lines: ['the network', 'may have it'] },
    completed: { x: 390, y: 20, label: 'completed', lines: ['it has arrived'] },
    failed: { x: 390, y: 120, label: 'failed', lines: ['all returned'] },
    cancelled: { x: 390, y: 220, label: 'cancelled', lines: ['all returned'] },
    reversed: { x: 590, y: 20, label: 'reversed', lines: ['brought back:', 'all returned'] },
  }
  const arrows = Object.entries(payoutTransitions).flatMap(([name, targets]) =>
    targets.map((target) => {
      const from = boxes[name as PayoutStatus]
      return arrow(name === 'pending' && target === 'processing' ? topOf(from) : rightOf(from), leftOf(boxes[target]))
    }),
  )
  return drawing(730, 300, [...Object.values(boxes).map(boxOf), ...arrows])
}

/** The messages between the participants, from top to bottom. */
function firstPayment(): string {
  const people = ['Payer', 'Your server', 'Malipo', 'Mobile network']
  const messages: [from: number, to: number, words: string][] = [
    [0, 1, 'wants to pay'],
    [1, 2, 'checkout: page, phone, key'],
    [2, 3, 'ask this phone to pay'],
    [3, 0, 'asks for the PIN'],
    [0, 3, 'PIN'],
    [3, 2, 'paid, signed'],
    [2, 1, 'webhook, signed'],
    [1, 2, '200, at once'],
  ]
  const lane = (index: number): number => 75 + index * 190
  const height = 70 + messages.length * 40
  const lanes = people.map(
    (
      name,
      index,
    ) => `<rect class="box" x="${lane(index) - 65}" y="10" width="130" height="34" rx="8" fill="#f3f6f4" stroke="#4b5a54"/>
<text x="${lane(index)}" y="32" fill="currentColor" font-size="14" font-weight="700" text-anchor="middle" ${font}>${name}</text>
<path class="line" stroke="#4b5a54" stroke-dasharray="2 5" d="M${lane(index)} 44 V${height - 10}"/>`,
  )
  const arrows = messages.map(([from, to, words], index) => {
    const y = 84 + index * 40
    const middle = (lane(from) + lane(to)) / 2
    // The label of an arrow across other lanes is placed at its start.
    const place = Math.abs(from - to) > 1 ? lane(0) + 100 : middle
    return `${arrow([lane(from), y], [lane(to), y], index >= 5 && index <= 6 ? 'good' : '')}
<text x="${place}" y="${y - 6}" fill="currentColor" font-size="12" text-anchor="middle" ${font}>${index + 1} ${words}</text>`
  })
  return drawing(720, height, [...lanes, ...arrows])
}

/** Numbers as people type them; the code says what each becomes. */
const typedNumbers = [
  '0754 123 456',
  '0754-123-456',
  '(0754) 123.456',
  '754123456',
  '255754123456',
  '+255 754 123 456',
  '00255754123456',
  '0732 123 456',
  '075412345',
  '022 212 3456',
  '+254 712 345 678',
]

function phoneRow(typed: string): string {
  const read = readPayerPhone(typed)
  if (read.kind === 'phone') return `| \`${typed}\` | \`${read.e164}\` |`
  return `| \`${typed}\` | [\`${read.error.code}\`](../errors.md#${read.error.code}) |`
}

const dialled = (prefixes: readonly string[]): string => prefixes.map((prefix) => `\`0${prefix}\``).join(' ')

const phoneNumbersPage = (): string => `# Phone numbers

Payments, payment requests, payouts and the payment page accept the same formats of a phone number. Spaces, dashes, dots and parentheses do not count.

## Accepted formats

| You send | A payment uses, or is refused with |
|---|---|
${typedNumbers.map(phoneRow).join('\n')}

## Networks by prefix

| Network | First digits |
|---|---|
${networkPrefixes.map(({ network, prefixes }) => `| ${networkNames[network]} (\`${network}\`) | ${dialled(prefixes)} |`).join('\n')}
| No mobile money here | ${dialled(prefixesWithoutNetwork)} |

The prefix is only a guess, because a customer keeps the number when changing the network. If you know the network, send it as \`network\`. The answer has the network that the provider names.
`

const pages: Record<string, () => string> = {
  'errors.md': errorsPage,
  'limits.md': limitsPage,
  'guides/event-types.md': eventTypesPage,
  'guides/test-numbers.md': testNumbersPage,
  'guides/phone-numbers.md': phoneNumbersPage,
  'guides/members.md': membersPage,
}

const pictures: Record<string, () => string> = {
  'pictures/payment-states.svg': paymentStates,
  'pictures/payout-states.svg': payoutStates,
  'pictures/first-payment.svg': firstPayment,
}

/** Each file that is written here, relative to the root of the repository. */
export const written: Record<string, () => string> = Object.fromEntries([
  ...Object.entries({ ...pages, ...pictures }).map(([name, text]) => [`docs/${name}`, text]),
  ...Object.entries(pages).map(([name, text]) => [`docs/sw/${name}`, () => swahiliMarkdown(text())]),
  ...Object.entries(pictures).map(([name, text]) => [`docs/sw/${name}`, () => swahiliPicture(text())]),
])

/** The test numbers whose outcome is guaranteed. */
export const promisedEndings = endings

if (import.meta.main) for (const [file, text] of Object.entries(written)) writeFileSync(join(root, file), text())
