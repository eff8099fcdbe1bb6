/** `malipo requests create|list|show|cancel`: links on which one customer pays one order. */
import type { PaymentRequest } from '@malipo/sdk'
import { keyOf, keyOption, textOf, UsageError, wholeNumberOf, type Call, type Command } from './command.ts'
import { openMalipo } from './config.ts'
import { limitOption, readLimit, showList } from './list.ts'
import { columns, dayAndTime, money } from './output.ts'

const statuses = ['open', 'paid', 'expired', 'cancelled'] as const

const amountOf = ({ amount, currency }: PaymentRequest): string => money(amount, currency)

function rowsOf(request: PaymentRequest): string {
  return columns([
    ['Request', request.id],
    ['Status', request.status],
    ['Amount', amountOf(request)],
    ['Title', request.title],
    ['Your reference', request.merchant_reference],
    ['Payment', request.payment],
    ['Link', request.url],
  ])
}

function idOf({ words }: Call): string {
  const id = words[0]!
  if (!/^preq_\w+$/.test(id))
    throw new UsageError(`A payment request has an id that begins with preq_, not ${JSON.stringify(id)}.`)
  return id
}

async function runCreate({ values, settings, out, signal }: Call): Promise<number> {
  const amount = wholeNumberOf(values, 'amount')
  const title = textOf(values, 'title')
  if (amount === undefined || title === undefined) throw new UsageError('Give --amount and --title.')
  const reference = textOf(values, 'reference')
  const phone = textOf(values, 'phone')
  const made = await openMalipo(settings).paymentRequests.create(
    {
      amount,
      title,
      ...(reference !== undefined && { merchant_reference: reference }),
      ...(phone !== undefined && { customer: { phone_number: phone } }),
    },
    { signal, ...keyOf(values) },
  )
  out.line(rowsOf(made), made)
  return 0
}

async function runList({ values, settings, out, signal }: Call): Promise<number> {
  const limit = readLimit(values)
  const wanted = textOf(values, 'status')
  const status = statuses.find((one) => one === wanted)
  if (wanted !== undefined && status === undefined) throw new UsageError(`--status is one of ${statuses.join(', ')}.`)
  const reference = textOf(values, 'reference')
  const query = {
    limit: Math.min(limit, 100),
    ...(status !== undefined && { status }),
    ...(reference !== undefined && { merchant_reference: reference }),
  }
  const shown = await showList(openMalipo(settings).paymentRequests.list(query, { signal }), limit, out, (request) => [
    dayAndTime(new Date(request.created_at)),
    request.id,
    request.status,
    amountOf(request),
    request.title,
  ])
  if (shown === 0)
    out.notice('There are no payment requests. "malipo requests create" makes one.', { kind: 'notice', code: 'no_requests' })
  return 0
}

async function runShow(call: Call): Promise<number> {
  const request = await openMalipo(call.settings).paymentRequests.get(idOf(call), { signal: call.signal })
  call.out.line(rowsOf(request), request)
  return 0
}

async function runCancel(call: Call): Promise<number> {
  const request = await openMalipo(call.settings).paymentRequests.cancel(idOf(call), { signal: call.signal })
  call.out.line(rowsOf(request), request)
  return 0
}

const needs = 'Needs a key with the scope'

export const requestsCreate: Command = {
  summary: 'Make a link on which one customer pays one order',
  usage: '--amount <amount> --title <title> [--reference <text>] [--phone <number>] [--key <key>]',
  about: `${needs} pages:write.`,
  options: {
    amount: { type: 'string', value: 'amount', about: 'In TZS' },
    title: { type: 'string', value: 'title', about: 'What the customer pays for' },
    reference: { type: 'string', value: 'text', about: 'Your own order number' },
    phone: { type: 'string', value: 'number', about: "The customer's number, which fills the form" },
    key: keyOption,
  },
  words: 0,
  run: runCreate,
}

export const requestsList: Command = {
  summary: 'Show payment requests, newest first',
  usage: '[--limit <count>] [--status <status>] [--reference <text>]',
  about: `${needs} pages:read.`,
  options: {
    limit: limitOption,
    status: { type: 'string', value: 'status', about: statuses.join(', ') },
    reference: { type: 'string', value: 'text', about: 'Your own order number' },
  },
  words: 0,
  run: runList,
}

export const requestsShow: Command = {
  summary: 'Show a payment request',
  usage: '<preq_…>',
  about: `${needs} pages:read.`,
  options: {},
  words: 1,
  run: runShow,
}

export const requestsCancel: Command = {
  summary: 'Cancel a payment request',
  usage: '<preq_…>',
  about: `No payment starts on it afterwards. One that is in progress may still complete. ${needs} pages:write.`,
  options: {},
  words: 1,
  run: runCancel,
}
