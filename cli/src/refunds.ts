/** `malipo refunds create|list|all|show|cancel`: money of a payment back to the phone that paid. */
import type { Refund } from '@malipo/sdk'
import { amountOption, given, idOf, keyOption, needs, textOf, typedAmountOf, type Command } from './command.ts'
import { openMalipo } from './config.ts'
import { limitOption, showList, showOne } from './list.ts'
import { columns, dayAndTime, money } from './output.ts'

const tzs = (amount: number): string => money(amount, 'TZS')

function rowsOf(refund: Refund): string {
  return columns([
    ['Refund', refund.id],
    ['Status', refund.failure ? `${refund.status}: ${refund.failure.message}` : refund.status],
    ['Amount', tzs(refund.amount)],
    ['Fee', tzs(refund.fee)],
    ['Payment', refund.payment],
    ['Reason', refund.reason],
    ['Your reference', refund.merchant_reference],
    ...refund.warnings.map(({ message }): [string, string] => ['Warning', message]),
  ])
}

export const refundCommands: Record<string, Command> = {
  'refunds create': {
    summary: 'Refund a payment to the phone that paid',
    word: '<pay_…>',
    about: `Without --amount: what is left of the payment. ${needs('payouts:write')}`,
    options: {
      amount: amountOption,
      reason: { type: 'string', value: 'text', about: 'Your own note; the payer does not see it' },
      reference: { type: 'string', value: 'text', about: 'Your own reference' },
      key: keyOption,
    },
    run: showOne(rowsOf, (call, options) => {
      const refund = given({
        amount: typedAmountOf(call.values),
        reason: textOf(call.values, 'reason'),
        merchant_reference: textOf(call.values, 'reference'),
      })
      return openMalipo(call.settings).refunds.create(idOf(call, 'pay'), refund, options)
    }),
  },
  'refunds list': {
    summary: 'Show the refunds of a payment, newest first',
    word: '<pay_…>',
    about: needs('payouts:read'),
    run: showList({
      items: (call) => openMalipo(call.settings).refunds.list(idOf(call, 'pay'), {}, { signal: call.signal }),
      partsOf: ({ created_at, id, status, amount }) => [dayAndTime(new Date(created_at)), id, status, tzs(amount)],
      none: { text: 'This payment has no refunds.', code: 'no_refunds' },
      isWhole: true,
    }),
  },
  'refunds all': {
    summary: 'Show the refunds of all payments, newest first',
    about: needs('payouts:read'),
    options: { limit: limitOption },
    run: showList({
      items: (call, query) => openMalipo(call.settings).refunds.listAll(query, { signal: call.signal }),
      partsOf: ({ created_at, id, status, amount, payment }) => [
        dayAndTime(new Date(created_at)),
        id,
        status,
        tzs(amount),
        payment,
      ],
      none: { text: 'There are no refunds.', code: 'no_refunds' },
    }),
  },
  'refunds show': {
    summary: 'Show a refund',
    word: '<rf_…>',
    about: needs('payouts:read'),
    run: showOne(rowsOf, (call, options) => openMalipo(call.settings).refunds.get(idOf(call, 'rf'), options)),
  },
  'refunds cancel': {
    summary: 'Cancel a refund that was not sent yet',
    word: '<rf_…>',
    about: `Returns the amount and the fee to the wallet. ${needs('payouts:write')}`,
    run: showOne(rowsOf, (call, options) => openMalipo(call.settings).refunds.cancel(idOf(call, 'rf'), options)),
  },
}
