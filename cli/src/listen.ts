/** `malipo listen`: shows the events of the test environment as they happen, and forwards them to a receiver without a public address. */
import { setTimeout as sleep } from 'node:timers/promises'
import { eventTypes, MalipoError, type EventType, type WebhookEvent } from '@malipo/sdk'
import { textOf, UsageError, type Call, type Command } from './command.ts'
import { localSecret, openMalipo } from './config.ts'
import { EventFeed } from './event-feed.ts'
import { createForwarder, readTarget, type Forwarder } from './forward.ts'
import { readMoment } from './moment.ts'
import { eventColumns, timeOfDay, type Output } from './output.ts'
import { isPassing } from './trouble.ts'

const everyMs = 1_000
const answerWithinMs = 10_000
const longestPauseMs = 30_000

/** Repeats the request until it succeeds. Throws only errors that a retry cannot fix. */
async function askPatiently<Answer>(ask: () => Promise<Answer>, call: Call): Promise<Answer> {
  const { out, signal, settings } = call
  for (let failures = 0; ;) {
    try {
      const answer = await ask()
      if (failures > 0) out.notice('Connected again.', { kind: 'notice', code: 'connected_again' })
      return answer
    } catch (error) {
      if (signal.aborted || !isPassing(error)) throw error
      failures += 1
      const asked = error instanceof MalipoError ? (error.retryAfterSeconds ?? 0) * 1000 : 0
      const pauseMs = Math.max(asked, Math.min(longestPauseMs, 1_000 * 2 ** (failures - 1)))
      const code = error instanceof MalipoError ? error.code : error.reason
      const what = error instanceof MalipoError ? `answers ${error.httpStatus} ${code}` : 'cannot be reached'
      out.notice(`${settings.baseUrl} ${what}: asking again in ${pauseMs / 1000} s. No event is lost.`, {
        kind: 'notice',
        code,
        again_in_ms: pauseMs,
      })
      await sleep(pauseMs, undefined, { signal })
    }
  }
}

function printEvent(out: Output, event: WebhookEvent): void {
  out.line(`${timeOfDay(new Date())}  ${eventColumns(event)}`, { kind: 'event', event })
}

/** `*` and the names in a list with commas. Events of types that are newer than this program are shown with `*` only. */
function readTypes(text: string): (type: string) => boolean {
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.find((name) => name !== '*' && !eventTypes.includes(name as EventType))
  if (unknown !== undefined) {
    throw new UsageError(
      `There is no event type ${JSON.stringify(unknown)}. These are known: ${eventTypes.join(', ')}, or * for all.`,
    )
  }
  return (type) => names.includes('*') || names.includes(type)
}

async function follow(
  feed: EventFeed,
  isWanted: (type: string) => boolean,
  isFromNow: boolean,
  forwarder: Forwarder | undefined,
  call: Call,
  ready: () => void,
): Promise<never> {
  const { out, signal } = call
  if (isFromNow) await askPatiently(() => feed.skipPast({ signal }), call)
  ready()
  for (;;) {
    const askedAt = performance.now()
    for (const event of await askPatiently(() => feed.next({ signal }), call)) {
      if (!isWanted(event.type)) continue
      if (forwarder) forwarder.take(event)
      else printEvent(out, event)
    }
    await sleep(Math.max(0, askedAt + everyMs - performance.now()), undefined, { signal })
  }
}

async function run(call: Call): Promise<number> {
  const { values, settings, out, signal } = call
  if (values['print-secret'] === true) {
    const secret = await localSecret(settings)
    out.line(secret, { kind: 'secret', secret })
    return 0
  }
  const to = textOf(values, 'forward-to')
  const url = to === undefined ? undefined : readTarget(to)
  const isWanted = readTypes(textOf(values, 'events') ?? 'payment.completed')
  const since = textOf(values, 'since')
  const sinceMoment = since === undefined ? undefined : readMoment(since)
  // The client's retries would be silent; retries here are reported.
  const malipo = openMalipo(settings, { maxRetries: 0, timeoutMs: answerWithinMs })
  const secret = url && (await localSecret(settings))
  const forwarder = url && createForwarder({ url, secret: secret!, out, signal })
  const feed = new EventFeed((params, options) => malipo.events.list(params, options), sinceMoment)
  const ready = (): void => {
    const target = url ? `; each goes to ${url.href}, signed with this secret:\n\n  ${secret}\n` : '.'
    out.line(`Listening for events of the test environment at ${settings.baseUrl}${target}${url ? '' : '\n'}Ctrl-C ends it.`, {
      kind: 'ready',
      base_url: settings.baseUrl,
      forward_to: url?.href ?? null,
      secret: secret ?? null,
    })
  }
  try {
    return await follow(feed, isWanted, sinceMoment === undefined, forwarder, call, ready)
  } catch (error) {
    if (!signal.aborted) throw error
    const left = forwarder?.pending() ?? 0
    const rest =
      left === 0 ? '' : ` ${left} not accepted yet: "malipo events list" shows them, "malipo events resend" sends them again.`
    out.notice(`Stopped.${rest}`, { kind: 'stopped', not_delivered: left })
    return 0
  }
}

export const listen: Command = {
  summary: 'Show events as they happen, and forward them to a server on this machine',
  usage: '[--forward-to <url>] [--events <types>] [--since <age>]',
  about: `Asks for the events of the test environment about once a second (scope transactions:read), so no public address is needed.
Each is forwarded exactly as a webhook is sent: the same body and headers, signed with a secret of this machine that is printed at
the start and stays the same. An event that the receiver does not accept is sent again, five times within half a minute.`,
  options: {
    'forward-to': { type: 'string', value: 'url', about: 'The address to post each event to, as in http://localhost:4000/hooks' },
    events: {
      type: 'string',
      value: 'types',
      about: 'The types of events, with commas, or "*" for all; default payment.completed, as for a webhook',
    },
    since: { type: 'string', value: 'age', about: 'Start with events of this age: 30s, 10m, 2h, 7d, or a time' },
    'print-secret': { type: 'boolean', about: 'Print the local webhook secret and exit' },
  },
  run,
}
