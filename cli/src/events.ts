/** `malipo events list`, `malipo events resend`: lists the events of the last 30 days, and resends one. */
import type { Malipo, WebhookEvent } from '@malipo/sdk'
import { CommandError, textOf, UsageError, wholeNumberOf, type Call, type Command } from './command.ts'
import { localSecret, openMalipo } from './config.ts'
import { attemptColumns, readTarget, sendOnce, wasTaken } from './forward.ts'
import { readMoment } from './moment.ts'
import { dayAndTime, eventColumns, subjectOf } from './output.ts'

const usualCount = 20

async function runList({ values, settings, out, signal }: Call): Promise<number> {
  const count = wholeNumberOf(values, 'limit') ?? usualCount
  if (count === 0) throw new UsageError('--limit is 1 or more.')
  const since = textOf(values, 'since')
  const from = since === undefined ? {} : { created_from: readMoment(since).toISOString() }
  const malipo = openMalipo(settings)
  let shown = 0
  for await (const event of malipo.events.list({ limit: Math.min(count, 100), ...from }, { signal })) {
    out.line(`${dayAndTime(new Date(event.created_at))}  ${eventColumns(event)}  ${subjectOf(event)}`, event)
    shown += 1
    if (shown === count) break
  }
  if (shown === 0) {
    const text = 'There are no events. "malipo trigger payment.completed" makes one.'
    out.notice(text, { kind: 'notice', code: 'no_events' })
  }
  return 0
}

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
  const { values, words, settings, out, signal } = call
  const id = words[0]!
  if (!/^evt_\w+$/.test(id)) throw new UsageError(`An event has an id that begins with evt_, not ${JSON.stringify(id)}.`)
  const to = textOf(values, 'forward-to')
  if (to !== undefined) return resendHere(call, id, to)
  const resent = await openMalipo(settings).events.resend(id, { signal })
  out.line(resent.deliveries.map(({ url }) => `${id} will be sent to ${url}.`).join('\n'), resent)
  return 0
}

export const eventsList: Command = {
  summary: 'Show the events of the last 30 days, newest first',
  usage: '[--limit <count>] [--since <age>]',
  about: 'Needs a key with the scope transactions:read.',
  options: {
    limit: { type: 'string', value: 'count', about: `The maximum number; default ${usualCount}` },
    since: { type: 'string', value: 'age', about: 'None older than this: 30s, 10m, 2h, 7d, or a time' },
  },
  words: 0,
  run: runList,
}

export const eventsResend: Command = {
  summary: "Send an event again, to this machine or to the app's webhook",
  usage: '<evt_…> [--forward-to <url>]',
  about: `With --forward-to the event is posted to that address, signed with the local secret of "malipo listen"; exit code 1 when it is
not accepted. Without it the service sends the event again to the webhook of the key's app.`,
  options: {
    'forward-to': { type: 'string', value: 'url', about: 'The address to post it to, as in http://localhost:4000/hooks' },
  },
  words: 1,
  run: runResend,
}
