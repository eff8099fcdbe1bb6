/** `malipo recipients create|list|delete`: the names and numbers that a wallet pays again and again. */
import type { Recipient } from '@malipo/sdk'
import { given, idOf, keyOption, needs, required, textOf, type Command } from './command.ts'
import { openMalipo } from './config.ts'
import { limitOption, showList, showOne } from './list.ts'
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

export const recipientCommands: Record<string, Command> = {
  'recipients create': {
    summary: 'Save a name and a number that you pay again and again',
    about: `Nothing is sent to the number. ${needs('payouts:write')}`,
    options: {
      name: { type: 'string', value: 'name', isRequired: true, about: 'The name of the person or business' },
      phone: { type: 'string', value: 'number', isRequired: true, about: 'Its mobile money number' },
      key: keyOption,
    },
    run: showOne(rowsOf, ({ values, settings }, options) => {
      const { name, phone } = required({ name: textOf(values, 'name'), phone: textOf(values, 'phone') })
      return openMalipo(settings).recipients.create({ name, phone_number: phone }, options)
    }),
  },
  'recipients list': {
    summary: 'Show saved recipients, newest first',
    about: needs('payouts:read'),
    options: {
      limit: limitOption,
      search: { type: 'string', value: 'text', about: 'Part of the name, or digits of the number' },
    },
    run: showList({
      items: ({ values, settings, signal }, { limit }) =>
        openMalipo(settings).recipients.list({ limit, ...given({ q: textOf(values, 'search') }) }, { signal }),
      partsOf: (recipient) => [
        recipient.id,
        recipient.phone_number,
        recipient.name,
        recipient.last_paid_at === null ? '' : `last paid ${dayAndTime(new Date(recipient.last_paid_at))}`,
      ],
      none: { text: 'There are no recipients. "malipo recipients create" saves one.', code: 'no_recipients' },
    }),
  },
  'recipients delete': {
    summary: 'Delete a saved recipient',
    word: '<rcp_…>',
    about: `Payouts to its number stay. ${needs('payouts:write')}`,
    async run(call) {
      const id = idOf(call, 'rcp', 'A recipient has an id')
      const deleted = await openMalipo(call.settings).recipients.delete(id, { signal: call.signal })
      call.out.line(`Deleted ${id}.`, deleted)
      return 0
    },
  },
}
