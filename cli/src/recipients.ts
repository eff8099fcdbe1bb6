/** `malipo recipients create|list|delete`: the names and numbers that a wallet pays again and again. */
import type { Recipient } from '@malipo/sdk'
import { keyOf, keyOption, textOf, UsageError, type Call, type Command } from './command.ts'
import { openMalipo } from './config.ts'
import { limitOption, readLimit, showList } from './list.ts'
import { columns, dayAndTime } from './output.ts'

function rowsOf(recipient: Recipient): string {
  return columns([
    ['Recipient', recipient.id],
    ['Name', recipient.name],
    ['Number', recipient.phone_number],
    ['Network', recipient.network],
    ['Last paid', recipient.last_paid_at && dayAndTime(new Date(recipient.last_paid_at))],
  ])
}

async function runCreate({ values, settings, out, signal }: Call): Promise<number> {
  const name = textOf(values, 'name')
  const phone = textOf(values, 'phone')
  if (name === undefined || phone === undefined) throw new UsageError('Give --name and --phone.')
  const saved = await openMalipo(settings).recipients.create({ name, phone_number: phone }, { signal, ...keyOf(values) })
  out.line(rowsOf(saved), saved)
  return 0
}

async function runList({ values, settings, out, signal }: Call): Promise<number> {
  const limit = readLimit(values)
  const search = textOf(values, 'search')
  const query = { limit: Math.min(limit, 100), ...(search !== undefined && { q: search }) }
  const shown = await showList(openMalipo(settings).recipients.list(query, { signal }), limit, out, (recipient) => [
    recipient.id,
    recipient.phone_number,
    recipient.name,
    recipient.last_paid_at === null ? '' : `last paid ${dayAndTime(new Date(recipient.last_paid_at))}`,
  ])
  if (shown === 0)
    out.notice('There are no recipients. "malipo recipients create" saves one.', { kind: 'notice', code: 'no_recipients' })
  return 0
}

async function runDelete({ words, settings, out, signal }: Call): Promise<number> {
  const id = words[0]!
  if (!/^rcp_\w+$/.test(id)) throw new UsageError(`A recipient has an id that begins with rcp_, not ${JSON.stringify(id)}.`)
  const deleted = await openMalipo(settings).recipients.delete(id, { signal })
  out.line(`Deleted ${id}.`, deleted)
  return 0
}

const needs = 'Needs a key with the scope'

export const recipientsCreate: Command = {
  summary: 'Save a name and a number that you pay again and again',
  usage: '--name <name> --phone <number> [--key <key>]',
  about: `Nothing is sent to the number. ${needs} payouts:write.`,
  options: {
    name: { type: 'string', value: 'name', about: 'The name of the person or business' },
    phone: { type: 'string', value: 'number', about: 'Its mobile money number' },
    key: keyOption,
  },
  words: 0,
  run: runCreate,
}

export const recipientsList: Command = {
  summary: 'Show saved recipients, newest first',
  usage: '[--limit <count>] [--search <text>]',
  about: `${needs} payouts:read.`,
  options: {
    limit: limitOption,
    search: { type: 'string', value: 'text', about: 'Part of the name, or digits of the number' },
  },
  words: 0,
  run: runList,
}

export const recipientsDelete: Command = {
  summary: 'Delete a saved recipient',
  usage: '<rcp_…>',
  about: `Payouts to its number stay. ${needs} payouts:write.`,
  options: {},
  words: 1,
  run: runDelete,
}
