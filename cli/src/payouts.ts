/** `malipo payouts create|list|show|cancel|batch|batch-show`: money from the wallet to phones, one by one or as a file. */
import { readFile } from 'node:fs/promises'
import type { Payout, PayoutBatch } from '@malipo/sdk'
import { CommandError, keyOf, keyOption, textOf, UsageError, wholeNumberOf, type Call, type Command } from './command.ts'
import { openMalipo } from './config.ts'
import { limitOption, readLimit, showList } from './list.ts'
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
    ['Your reference', payout.reference],
    ...payout.warnings.map(({ message }): [string, string] => ['Warning', message]),
  ])
}

function idOf({ words }: Call, prefix: 'po' | 'pb'): string {
  const id = words[0]!
  if (!new RegExp(`^${prefix}_\\w+$`).test(id))
    throw new UsageError(`Give an id that begins with ${prefix}_, not ${JSON.stringify(id)}.`)
  return id
}

async function runCreate(call: Call): Promise<number> {
  const { values, settings, out, signal } = call
  const amount = wholeNumberOf(values, 'amount')
  const [phone, name, reference] = [textOf(values, 'phone'), textOf(values, 'name'), textOf(values, 'reference')]
  if (amount === undefined || phone === undefined || name === undefined)
    throw new UsageError('Give --amount, --phone and --name.')
  const made = await openMalipo(settings).payouts.create(
    { amount, phone_number: phone, recipient_name: name, ...(reference !== undefined && { reference }) },
    { signal, ...keyOf(values) },
  )
  out.line(rowsOf(made), made)
  return 0
}

async function runList({ values, settings, out, signal }: Call): Promise<number> {
  const limit = readLimit(values)
  const shown = await showList(
    openMalipo(settings).payouts.list({ limit: Math.min(limit, 100) }, { signal }),
    limit,
    out,
    (payout) => [dayAndTime(new Date(payout.created_at)), payout.id, payout.status, tzs(payout.amount), payout.recipient_name],
  )
  if (shown === 0) out.notice('There are no payouts.', { kind: 'notice', code: 'no_payouts' })
  return 0
}

async function runShow(call: Call): Promise<number> {
  const payout = await openMalipo(call.settings).payouts.get(idOf(call, 'po'), { signal: call.signal })
  call.out.line(rowsOf(payout), payout)
  return 0
}

async function runCancel(call: Call): Promise<number> {
  const payout = await openMalipo(call.settings).payouts.cancel(idOf(call, 'po'), { signal: call.signal })
  call.out.line(rowsOf(payout), payout)
  return 0
}

function batchRowsOf(batch: PayoutBatch): string {
  const { progress, failure } = batch
  return columns([
    ['Batch', batch.id],
    ['Status', failure ? `${batch.status}: ${failure.message}` : batch.status],
    ['Rows', `${batch.rows}, ${batch.rows_invalid} with errors, ${batch.rows_with_warnings} with warnings`],
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
  const title = textOf(values, 'title')
  const batch = await openMalipo(settings).payoutBatches.createFromCsv(content, {
    signal,
    ...keyOf(values),
    ...(title !== undefined && { title }),
  })
  out.line(batchRowsOf(batch), batch)
  await showErrors(call, file, batch)
  out.notice(
    batch.rows_invalid > 0
      ? 'Mend the rows in the dashboard, or mend the file and send it again.'
      : 'Nothing is paid yet: a person approves it in the dashboard.',
    { kind: 'notice', code: batch.rows_invalid > 0 ? 'rows_invalid' : 'not_approved' },
  )
  return batch.rows_invalid > 0 ? 1 : 0
}

async function runBatchShow(call: Call): Promise<number> {
  const batch = await openMalipo(call.settings).payoutBatches.get(idOf(call, 'pb'), { signal: call.signal })
  call.out.line(batchRowsOf(batch), batch)
  return 0
}

const needs = 'Needs a key with the scope'

export const payoutsCreate: Command = {
  summary: 'Pay money from the wallet to a phone',
  usage: '--amount <amount> --phone <number> --name <name> [--reference <text>] [--key <key>]',
  about: `The approval rule of the wallet holds here, too. ${needs} payouts:write.`,
  options: {
    amount: { type: 'string', value: 'amount', about: 'In TZS' },
    phone: { type: 'string', value: 'number', about: 'The mobile money number of the recipient' },
    name: { type: 'string', value: 'name', about: 'The name of the recipient' },
    reference: { type: 'string', value: 'text', about: 'Your own reference' },
    key: keyOption,
  },
  words: 0,
  run: runCreate,
}

export const payoutsList: Command = {
  summary: 'Show payouts, newest first',
  usage: '[--limit <count>]',
  about: `${needs} payouts:read.`,
  options: { limit: limitOption },
  words: 0,
  run: runList,
}

export const payoutsShow: Command = {
  summary: 'Show a payout',
  usage: '<po_…>',
  about: `${needs} payouts:read.`,
  options: {},
  words: 1,
  run: runShow,
}

export const payoutsCancel: Command = {
  summary: 'Cancel a payout that was not sent yet',
  usage: '<po_…>',
  about: `Returns the amount and the fee to the wallet. ${needs} payouts:write.`,
  options: {},
  words: 1,
  run: runCancel,
}

export const payoutsBatch: Command = {
  summary: 'Send a CSV file of payouts, for a person to approve',
  usage: '<file.csv> [--title <text>] [--key <key>]',
  about: `The first line names the columns: amount, phone_number, recipient_name, narration, reference. Each error is shown with its line; then the exit code is 1. ${needs} payouts:write.`,
  options: { title: { type: 'string', value: 'text', about: 'For your own overview' }, key: keyOption },
  words: 1,
  run: runBatch,
}

export const payoutsBatchShow: Command = {
  summary: 'Show a batch of payouts and its progress',
  usage: '<pb_…>',
  about: `${needs} payouts:read.`,
  options: {},
  words: 1,
  run: runBatchShow,
}
