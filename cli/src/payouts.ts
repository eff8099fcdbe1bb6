/** `malipo payouts create|list|show|cancel|batch|batch-show`: money from the wallet to phones, one by one or as a file. */
import { readFile } from 'node:fs/promises'
import type { Payout, PayoutBatch } from '@malipo/sdk'
import {
  amountOption,
  CommandError,
  given,
  idOf,
  keyOf,
  keyOption,
  needs,
  required,
  textOf,
  typedAmountOf,
  type Call,
  type Command,
} from './command.ts'
import { openMalipo } from './config.ts'
import { limitOption, showList, showOne } from './list.ts'
import { columns, dayAndTime, money } from './output.ts'

const tzs = (amount: number): string => money(amount, 'TZS')

function statusOf({ status, approval, approval_by, failure }: Payout): string {
  if (failure) return `${status}: ${failure.message}`
  return approval === 'required' ? `${status}: waits for the approval of ${approval_by}` : status
}

function rowsOf(payout: Payout): string {
  return columns([
    ['Payout', payout.id],
    ['Status', statusOf(payout)],
    ['Amount', tzs(payout.amount)],
    ['Fee', tzs(payout.fee)],
    ['Recipient', `${payout.recipient_name}, ${payout.phone_number}`],
    ['Your reference', payout.merchant_reference],
    ...payout.warnings.map(({ message }): [string, string] => ['Warning', message]),
  ])
}

function batchRowsOf(batch: PayoutBatch): string {
  const { progress, failure } = batch
  return columns([
    ['Batch', batch.id],
    ['Status', failure ? `${batch.status}: ${failure.message}` : batch.status],
    ['Rows', `${batch.rows}, ${batch.rows_invalid} with errors, ${batch.rows_with_warnings} with warnings`],
    ['Left out', batch.rows_left_out > 0 ? `${batch.rows_left_out}, paid already or under way` : null],
    ['Total', tzs(batch.total)],
    ['Fees', batch.fees === null ? 'not known yet' : tzs(batch.fees)],
    [
      'Paid',
      batch.approved_at && `${progress.completed} of ${batch.rows}, ${tzs(progress.paid_amount)}; ${progress.failed} failed`,
    ],
    ...batch.warnings.map((warning): [string, string] => [
      'Warning',
      `The same rows were sent as ${warning.batch_id} on ${dayAndTime(new Date(warning.created_at))}.`,
    ]),
  ])
}

/** Each error of a row on a line of its own, as an editor can follow it: `file:line: column: message`. */
async function showErrors({ settings, out, signal }: Call, file: string, { id, rows_invalid }: PayoutBatch): Promise<void> {
  if (rows_invalid === 0) return
  for await (const item of openMalipo(settings).payoutBatches.items(id, { status: 'invalid', limit: 100 }, { signal })) {
    for (const error of item.errors) {
      const place = `${file}:${item.line ?? item.row}`
      out.line(`${place}: ${error.column ?? 'row'}: ${error.message}`, {
        kind: 'row_error',
        row: item.row,
        line: item.line,
        ...error,
      })
    }
  }
}

async function runBatch(call: Call): Promise<number> {
  const { words, values, settings, out, signal } = call
  const file = words[0]!
  const content = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${file} cannot be read: ${error.code === 'ENOENT' ? 'there is no such file' : error.message}.`)
  })
  const options = { signal, ...keyOf(values), ...given({ title: textOf(values, 'title') }) }
  const batch = await openMalipo(settings).payoutBatches.createFromCsv(content, options)
  out.line(batchRowsOf(batch), batch)
  await showErrors(call, file, batch)
  out.notice(
    batch.rows_invalid > 0
      ? 'Correct the rows in the dashboard, or correct the file and send it again.'
      : 'Nothing is paid yet: a person approves it in the dashboard.',
    { kind: 'notice', code: batch.rows_invalid > 0 ? 'rows_invalid' : 'not_approved' },
  )
  return batch.rows_invalid > 0 ? 1 : 0
}

export const payoutCommands: Record<string, Command> = {
  'payouts create': {
    summary: 'Pay money from the wallet to a phone',
    about: `The approval rule of the wallet holds here, too. ${needs('payouts:write')}`,
    options: {
      amount: { ...amountOption, isRequired: true },
      phone: { type: 'string', value: 'number', isRequired: true, about: 'The mobile money number of the recipient' },
      name: { type: 'string', value: 'name', isRequired: true, about: 'The name of the recipient' },
      reference: { type: 'string', value: 'text', about: 'Your own reference' },
      key: keyOption,
    },
    run: showOne(rowsOf, ({ values, settings }, options) => {
      const { amount, phone, name } = required({
        amount: typedAmountOf(values),
        phone: textOf(values, 'phone'),
        name: textOf(values, 'name'),
      })
      const own = given({ merchant_reference: textOf(values, 'reference') })
      return openMalipo(settings).payouts.create({ amount, phone_number: phone, recipient_name: name, ...own }, options)
    }),
  },
  'payouts list': {
    summary: 'Show payouts, newest first',
    about: needs('payouts:read'),
    options: { limit: limitOption },
    run: showList({
      items: ({ settings, signal }, query) => openMalipo(settings).payouts.list(query, { signal }),
      partsOf: ({ created_at, id, status, amount, recipient_name }) => [
        dayAndTime(new Date(created_at)),
        id,
        status,
        tzs(amount),
        recipient_name,
      ],
      none: { text: 'There are no payouts.', code: 'no_payouts' },
    }),
  },
  'payouts show': {
    summary: 'Show a payout',
    word: '<po_…>',
    about: needs('payouts:read'),
    run: showOne(rowsOf, (call, options) => openMalipo(call.settings).payouts.get(idOf(call, 'po'), options)),
  },
  'payouts cancel': {
    summary: 'Cancel a payout that was not sent yet',
    word: '<po_…>',
    about: `Returns the amount and the fee to the wallet. ${needs('payouts:write')}`,
    run: showOne(rowsOf, (call, options) => openMalipo(call.settings).payouts.cancel(idOf(call, 'po'), options)),
  },
  'payouts batch': {
    summary: 'Send a CSV file of payouts, for a person to approve',
    word: '<file.csv>',
    about: `The first line names the columns: amount, phone_number, recipient_name, narration, reference. Each error is shown with its line; then the exit code is 1. ${needs('payouts:write')}`,
    options: { title: { type: 'string', value: 'text', about: 'For your own overview' }, key: keyOption },
    run: runBatch,
  },
  'payouts batch-show': {
    summary: 'Show a batch of payouts and its progress',
    word: '<pb_…>',
    about: needs('payouts:read'),
    run: showOne(batchRowsOf, (call, options) => openMalipo(call.settings).payoutBatches.get(idOf(call, 'pb'), options)),
  },
}
