/** `malipo payments create|list|show`: payments that your server makes, and all others of the test environment. */
import type { CreatedPayment, MerchantPayment } from '@malipo/sdk'
import { keyOf, keyOption, textOf, UsageError, wholeNumberOf, type Call, type Command } from './command.ts'
import { openMalipo } from './config.ts'
import { limitOption, readLimit, showList } from './list.ts'
import { columns, dayAndTime, money } from './output.ts'

const statuses = ['pending', 'processing', 'completed', 'failed', 'voided', 'expired'] as const

function createdRows(payment: CreatedPayment): string {
  return columns([
    ['Payment', payment.reference],
    ['Code', payment.short_code],
    ['Status', payment.status],
    ['Amount', money(payment.amount, payment.currency)],
    ['Payer', payment.phone_masked],
    ['Description', payment.description],
    ['Your reference', payment.merchant_reference],
    ['Payer confirms at', payment.next_step?.url],
  ])
}

function rowsOf(payment: MerchantPayment): string {
  const { customer, failure, payment_page: page } = payment
  return columns([
    ['Payment', payment.reference],
    ['Code', payment.short_code],
    ['Receipt', payment.network_receipt],
    ['Status', failure ? `${payment.status}: ${failure.message}` : payment.status],
    ['Amount', money(payment.amount, payment.currency)],
    ['Refunded', payment.refunded_amount === 0 ? null : money(payment.refunded_amount, payment.currency)],
    ['Payer', [customer.name, customer.phone_masked].filter(Boolean).join(', ')],
    ['Page', page && `${page.title} (${page.slug})`],
    ['Request', payment.payment_request_id],
    ['Description', payment.description],
    ['Your reference', payment.merchant_reference],
  ])
}

async function runCreate({ values, settings, out, signal }: Call): Promise<number> {
  const amount = wholeNumberOf(values, 'amount')
  const [phone, description] = [textOf(values, 'phone'), textOf(values, 'description')]
  if (amount === undefined || phone === undefined || description === undefined)
    throw new UsageError('Give --amount, --phone and --description.')
  const reference = textOf(values, 'reference')
  const made = await openMalipo(settings).payments.create(
    {
      amount,
      phone_number: phone,
      description,
      ...(reference !== undefined && { merchant_reference: reference }),
    },
    { signal, ...keyOf(values) },
  )
  out.line(createdRows(made), made)
  return 0
}

async function runList({ values, settings, out, signal }: Call): Promise<number> {
  const limit = readLimit(values)
  const wanted = textOf(values, 'status')
  const status = statuses.find((one) => one === wanted)
  if (wanted !== undefined && status === undefined) throw new UsageError(`--status is one of ${statuses.join(', ')}.`)
  const [reference, request, search] = [textOf(values, 'reference'), textOf(values, 'request'), textOf(values, 'search')]
  const query = {
    limit: Math.min(limit, 100),
    ...(status !== undefined && { status }),
    ...(reference !== undefined && { merchant_reference: reference }),
    ...(request !== undefined && { payment_request_id: request }),
    ...(search !== undefined && { q: search }),
  }
  const shown = await showList(openMalipo(settings).payments.list(query, { signal }), limit, out, (payment) => [
    dayAndTime(new Date(payment.created_at)),
    payment.reference,
    payment.status,
    money(payment.amount, payment.currency),
    payment.merchant_reference ?? payment.description ?? payment.payment_page?.title ?? '',
  ])
  if (shown === 0) out.notice('There are no such payments.', { kind: 'notice', code: 'no_payments' })
  return 0
}

async function runShow({ words, settings, out, signal }: Call): Promise<number> {
  const reference = words[0]!
  if (!/^pay_\w+$/.test(reference))
    throw new UsageError(`A payment has a reference that begins with pay_, not ${JSON.stringify(reference)}.`)
  const payment = await openMalipo(settings).payments.get(reference, { signal })
  out.line(rowsOf(payment), payment)
  return 0
}

const needs = 'Needs a key with the scope'

export const paymentsCreate: Command = {
  summary: 'Send a payment request to a phone, without a page',
  usage: '--amount <amount> --phone <number> --description <text> [--reference <text>] [--key <key>]',
  about: `The last three digits of the number decide the outcome, as in "malipo simulate": 789 pays. ${needs} payments:write.`,
  options: {
    amount: { type: 'string', value: 'amount', about: 'In TZS' },
    phone: { type: 'string', value: 'number', about: "The payer's number" },
    description: { type: 'string', value: 'text', about: 'What the payer pays for; the payer sees it' },
    reference: { type: 'string', value: 'text', about: 'Your own order number' },
    key: keyOption,
  },
  words: 0,
  run: runCreate,
}

export const paymentsList: Command = {
  summary: 'Show payments in every status, newest first',
  usage: '[--limit <count>] [--status <status>] [--reference <text>] [--request <preq_…>] [--search <text>]',
  about: `${needs} payments:read.`,
  options: {
    limit: limitOption,
    status: { type: 'string', value: 'status', about: statuses.join(', ') },
    reference: { type: 'string', value: 'text', about: 'Your own order number' },
    request: { type: 'string', value: 'preq_…', about: 'The payment request that they were made for' },
    search: { type: 'string', value: 'text', about: 'Part of a code, receipt, name, number or order number' },
  },
  words: 0,
  run: runList,
}

export const paymentsShow: Command = {
  summary: 'Show a payment',
  usage: '<pay_…>',
  about: `${needs} payments:read.`,
  options: {},
  words: 1,
  run: runShow,
}
