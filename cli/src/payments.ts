/** `malipo payments create|list|show`: payments that your server makes, and all others of the test environment. */
import type { CreatedPayment, MerchantPayment } from '@malipo/sdk'
import { amountOption, given, idOf, keyOption, needs, oneOf, required, textOf, typedAmountOf, type Command } from './command.ts'
import { openMalipo } from './config.ts'
import { limitOption, showList, showOne } from './list.ts'
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

export const paymentCommands: Record<string, Command> = {
  'payments create': {
    summary: 'Send a payment request to a phone, without a page',
    about: `The last three digits of the number decide the outcome, as in "malipo simulate": 789 pays. ${needs('payments:write')}`,
    options: {
      amount: { ...amountOption, isRequired: true },
      phone: { type: 'string', value: 'number', isRequired: true, about: "The payer's number" },
      description: { type: 'string', value: 'text', isRequired: true, about: 'What the payer pays for; the payer sees it' },
      reference: { type: 'string', value: 'text', about: 'Your own order number' },
      key: keyOption,
    },
    run: showOne(createdRows, ({ values, settings }, options) => {
      const { amount, phone, description } = required({
        amount: typedAmountOf(values),
        phone: textOf(values, 'phone'),
        description: textOf(values, 'description'),
      })
      const own = given({ merchant_reference: textOf(values, 'reference') })
      return openMalipo(settings).payments.create({ amount, phone_number: phone, description, ...own }, options)
    }),
  },
  'payments list': {
    summary: 'Show payments in every status, newest first',
    about: needs('payments:read'),
    options: {
      limit: limitOption,
      status: { type: 'string', value: 'status', about: statuses.join(', ') },
      reference: { type: 'string', value: 'text', about: 'Your own order number' },
      request: { type: 'string', value: 'preq_…', about: 'The payment request that they were made for' },
      search: { type: 'string', value: 'text', about: 'Part of a code, receipt, name, number or order number' },
    },
    run: showList({
      items({ values, settings, signal }, { limit }) {
        const query = given({
          status: oneOf(values, 'status', statuses),
          merchant_reference: textOf(values, 'reference'),
          payment_request_id: textOf(values, 'request'),
          q: textOf(values, 'search'),
        })
        return openMalipo(settings).payments.list({ limit, ...query }, { signal })
      },
      partsOf: (payment) => [
        dayAndTime(new Date(payment.created_at)),
        payment.reference,
        payment.status,
        money(payment.amount, payment.currency),
        payment.merchant_reference ?? payment.description ?? payment.payment_page?.title ?? '',
      ],
      none: { text: 'There are no such payments.', code: 'no_payments' },
    }),
  },
  'payments show': {
    summary: 'Show a payment',
    word: '<pay_…>',
    about: needs('payments:read'),
    run: showOne(rowsOf, (call, options) => {
      const reference = idOf(call, 'pay', 'A payment has a reference')
      return openMalipo(call.settings).payments.get(reference, options)
    }),
  },
}
