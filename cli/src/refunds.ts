/** `malipo refunds create|list|show|cancel`: money of a payment back to the phone that paid. */
import type { Refund } from '@malipo/sdk'
import { keyOf, keyOption, textOf, UsageError, wholeNumberOf, type Call, type Command } from './command.ts'
import { openMalipo } from './config.ts'
import { showList } from './list.ts'
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
  ])
}

function idOf({ words }: Call, prefix: 'pay' | 'rf'): string {
  const id = words[0]!
  if (!new RegExp(`^${prefix}_\\w+$`).test(id))
    throw new UsageError(`Give an id that begins with ${prefix}_, not ${JSON.stringify(id)}.`)
  return id
}

async function runCreate(call: Call): Promise<number> {
  const { values, settings, out, signal } = call
  const amount = wholeNumberOf(values, 'amount')
  const reason = textOf(values, 'reason')
  const reference = textOf(values, 'reference')
  const made = await openMalipo(settings).refunds.create(
    idOf(call, 'pay'),
    {
      ...(amount !== undefined && { amount }),
      ...(reason !== undefined && { reason }),
      ...(reference !== undefined && { merchant_reference: reference }),
    },
    { signal, ...keyOf(values) },
  )
  out.line(rowsOf(made), made)
  return 0
}

async function runList(call: Call): Promise<number> {
  const { settings, out, signal } = call
  const refunds = openMalipo(settings).refunds.list(idOf(call, 'pay'), {}, { signal })
  const shown = await showList(refunds, Infinity, out, (refund) => [
    dayAndTime(new Date(refund.created_at)),
    refund.id,
    refund.status,
    tzs(refund.amount),
  ])
  if (shown === 0) out.notice('This payment has no refunds.', { kind: 'notice', code: 'no_refunds' })
  return 0
}

async function runShow(call: Call): Promise<number> {
  const refund = await openMalipo(call.settings).refunds.get(idOf(call, 'rf'), { signal: call.signal })
  call.out.line(rowsOf(refund), refund)
  return 0
}

async function runCancel(call: Call): Promise<number> {
  const refund = await openMalipo(call.settings).refunds.cancel(idOf(call, 'rf'), { signal: call.signal })
  call.out.line(rowsOf(refund), refund)
  return 0
}

const needs = 'Needs a key with the scope'

export const refundsCreate: Command = {
  summary: 'Refund a payment to the phone that paid',
  usage: '<pay_…> [--amount <amount>] [--reason <text>] [--reference <text>] [--key <key>]',
  about: `Without --amount: what is left of the payment. ${needs} payouts:write.`,
  options: {
    amount: { type: 'string', value: 'amount', about: 'In TZS' },
    reason: { type: 'string', value: 'text', about: 'Your own note; the payer does not see it' },
    reference: { type: 'string', value: 'text', about: 'Your own reference' },
    key: keyOption,
  },
  words: 1,
  run: runCreate,
}

export const refundsList: Command = {
  summary: 'Show the refunds of a payment, newest first',
  usage: '<pay_…>',
  about: `${needs} payouts:read.`,
  options: {},
  words: 1,
  run: runList,
}

export const refundsShow: Command = {
  summary: 'Show a refund',
  usage: '<rf_…>',
  about: `${needs} payouts:read.`,
  options: {},
  words: 1,
  run: runShow,
}

export const refundsCancel: Command = {
  summary: 'Cancel a refund that was not sent yet',
  usage: '<rf_…>',
  about: `Returns the amount and the fee to the wallet. ${needs} payouts:write.`,
  options: {},
  words: 1,
  run: runCancel,
}
