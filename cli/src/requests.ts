/** `malipo requests create|list|show|cancel`: links on which one customer pays one order. */
import type { PaymentRequest } from '@malipo/sdk'
import {
  amountOption,
  given,
  idOf,
  keyOption,
  needs,
  oneOf,
  required,
  textOf,
  typedAmountOf,
  type Call,
  type Command,
} from './command.ts'
import { openMalipo } from './config.ts'
import { limitOption, showList, showOne } from './list.ts'
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

const requestId = (call: Call): string => idOf(call, 'preq', 'A payment request has an id')

export const requestCommands: Record<string, Command> = {
  'requests create': {
    summary: 'Make a link on which one customer pays one order',
    about: needs('pages:write'),
    options: {
      amount: { ...amountOption, isRequired: true },
      title: { type: 'string', value: 'title', isRequired: true, about: 'What the customer pays for' },
      reference: { type: 'string', value: 'text', about: 'Your own order number' },
      phone: { type: 'string', value: 'number', about: "The customer's number, which fills the form" },
      key: keyOption,
    },
    run: showOne(rowsOf, ({ values, settings }, options) => {
      const wanted = required({ amount: typedAmountOf(values), title: textOf(values, 'title') })
      const phone = textOf(values, 'phone')
      const more = given({
        merchant_reference: textOf(values, 'reference'),
        customer: phone === undefined ? undefined : { phone_number: phone },
      })
      return openMalipo(settings).paymentRequests.create({ ...wanted, ...more }, options)
    }),
  },
  'requests list': {
    summary: 'Show payment requests, newest first',
    about: needs('pages:read'),
    options: {
      limit: limitOption,
      status: { type: 'string', value: 'status', about: statuses.join(', ') },
      reference: { type: 'string', value: 'text', about: 'Your own order number' },
    },
    run: showList({
      items({ values, settings, signal }, { limit }) {
        const status = oneOf(values, 'status', statuses)
        const query = given({ status, merchant_reference: textOf(values, 'reference') })
        return openMalipo(settings).paymentRequests.list({ limit, ...query }, { signal })
      },
      partsOf: (request) => [
        dayAndTime(new Date(request.created_at)),
        request.id,
        request.status,
        amountOf(request),
        request.title,
      ],
      none: { text: 'There are no payment requests. "malipo requests create" makes one.', code: 'no_requests' },
    }),
  },
  'requests show': {
    summary: 'Show a payment request',
    word: '<preq_…>',
    about: needs('pages:read'),
    run: showOne(rowsOf, (call, options) => openMalipo(call.settings).paymentRequests.get(requestId(call), options)),
  },
  'requests cancel': {
    summary: 'Cancel a payment request',
    word: '<preq_…>',
    about: `No payment starts on it afterwards. One that is in progress may still complete. ${needs('pages:write')}`,
    run: showOne(rowsOf, (call, options) => openMalipo(call.settings).paymentRequests.cancel(requestId(call), options)),
  },
}
