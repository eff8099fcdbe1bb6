/** `malipo events list`, `malipo events resend`: lists the events of the last 30 days, and resends one. */
import type { Malipo, WebhookEvent } from '@malipo/sdk'
import { CommandError, idOf, needs, textOf, type Call, type Command } from './command.ts'
import { localSecret, openMalipo } from './config.ts'
import { attemptColumns, readTarget, sendOnce, wasTaken } from './forward.ts'
import { limitOption, showList } from './list.ts'
import { readMoment } from './moment.ts'
import { dayAndTime, eventColumns, subjectOf } from './output.ts'

async function findEvent(malipo: Malipo, id: string, signal: AbortSignal): Promise<WebhookEvent> {
  for await (const event of malipo.events.list({ limit: 100 }, { signal })) if (event.id === id) return event
  throw new CommandError(`There is no event ${id} in the last 30 days of this test environment: "malipo events list" shows them.`)
}

async function resendHere(call: Call, id: string, to: string): Promise<number> {
  const { settings, out, signal } = call
  const url = readTarget(to)
  const event = await findEvent(openMalipo(settings), id, signal)
  const attempt = await sendOnce(url, event, await localSecret(settings), signal)
  const { status, error, ms } = attempt
  const outcome = wasTaken(attempt) ? 'succeeded' : 'failed'
  out.line(attemptColumns(event, attempt), { kind: 'delivery', event_id: id, outcome, status, error, duration_ms: ms })
  return wasTaken(attempt) ? 0 : 1
}

async function runResend(call: Call): Promise<number> {
  const { values, settings, out, signal } = call
  const id = idOf(call, 'evt', 'An event has an id')
  const to = textOf(values, 'forward-to')
  if (to !== undefined) return resendHere(call, id, to)
  const resent = await openMalipo(settings).events.resend(id, { signal })
  out.line(resent.deliveries.map(({ url }) => `${id} will be sent to ${url}.`).join('\n'), resent)
  return 0
}

export const eventCommands: Record<string, Command> = {
  'events list': {
    summary: 'Show the events of the last 30 days, newest first',
    about: needs('transactions:read'),
    options: {
      limit: limitOption,
      since: { type: 'string', value: 'age', about: 'None older than this: 30s, 10m, 2h, 7d, or a time' },
    },
    run: showList({
      items({ values, settings, signal }, { limit }) {
        const since = textOf(values, 'since')
        const from = since === undefined ? {} : { created_from: readMoment(since).toISOString() }
        return openMalipo(settings).events.list({ limit, ...from }, { signal })
      },
      partsOf: (event) => [dayAndTime(new Date(event.created_at)), eventColumns(event), subjectOf(event)],
      none: { text: 'There are no events. "malipo trigger payment.completed" makes one.', code: 'no_events' },
    }),
  },
  'events resend': {
    summary: "Send an event again, to this machine or to the app's webhook",
    word: '<evt_…>',
    about: `With --forward-to the event is posted to that address, signed with the local secret of "malipo listen"; exit code 1 when it is
not accepted. Without it the service sends the event again to the webhook of the key's app.`,
    options: {
      'forward-to': { type: 'string', value: 'url', about: 'The address to post it to, as in http://localhost:4000/hooks' },
    },
    run: runResend,
  },
}
