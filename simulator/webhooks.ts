/**
 * Sends events to the merchant's server and records each attempt. Invariant: at least once; a chain of attempts ends in `delivered`
 * or, after the last delay, `abandoned`.
 */
import { createHmac } from 'node:crypto'
import { Agent, request } from 'undici'
import type { Agenda } from './agenda.ts'
import type { Books, Task } from './books.sql.ts'
import { isClickPesa, type SimulatorConfig } from './config.ts'
import type { Holds } from './holds.ts'
import type { Switches } from './switches.ts'
import type { Attempt, WebhookEvent } from './webhook-event.ts'

type Deps = { books: Books; agenda: Agenda; switches: Switches; holds: Holds; config: SimulatorConfig; now: () => number }

type DeliveryPayload = { eventId: string; copy: string; attempt: number }

const kind = 'webhook-delivery'
/** Twice the replay window that is published. */
const staleByMs = 10 * 60_000

const digest = (secret: string, signed: string): string => createHmac('sha256', secret).update(signed).digest('hex')

/** The signature of every webhook: lowercase hex HMAC-SHA256 of `{timestamp}.{body}`; `timestamp` in unix seconds. */
export const sign = (secret: string, timestamp: number, body: string): string => digest(secret, `${timestamp}.${body}`)

/** The header of a signature. Its documentation and SDKs disagree about it: the first one is the documented one. */
const signatureHeaders: Record<
  Switches['webhookSignature'],
  (secret: string, timestamp: number, body: string) => Record<string, string>
> = {
  'timestamp.body': (secret, timestamp, body) => ({ 'x-webhook-signature': sign(secret, timestamp, body) }),
  body: (secret, _timestamp, body) => ({ 'x-webhook-signature': digest(secret, body) }),
  'x-snippe-signature': (secret, _timestamp, body) => ({ 'x-snippe-signature': `sha256=${digest(secret, body)}` }),
}

export class Webhooks {
  readonly #deps: Deps
  readonly #agent = new Agent({ connections: 64, connect: { timeout: 10_000 } })
  readonly #closing = new AbortController()
  #byHand = 0

  constructor(deps: Deps) {
    this.#deps = deps
    deps.agenda.on(kind, (task) => this.#deliver(task))
  }

  /**
   * Stores the event and, for each copy, a chain of attempts that begins after `delayMs`. Part of the transaction that makes the
   * event true.
   */
  publish(event: Omit<WebhookEvent, 'state' | 'attempts'>, copies: number, delayMs = 0): WebhookEvent {
    const { books, agenda, switches, now } = this.#deps
    const sent = event.url !== null && copies > 0
    const written: WebhookEvent = { ...event, state: sent ? 'pending' : 'not_sent', attempts: [] }
    books.saveEvent(written)
    if (sent) {
      for (let copy = 1; copy <= copies; copy++) {
        const payload: DeliveryPayload = { eventId: event.eventId, copy: String(copy), attempt: 1 }
        agenda.put(deliveryKey(payload), kind, now() + delayMs + (switches.webhookDelaysMs[0] ?? 0), payload)
      }
    }
    return written
  }

  /** One attempt now, outside any chain; waits for its outcome. The create response of a scenario may wait for it. */
  async sendNow(eventId: string): Promise<Attempt> {
    this.#byHand++
    return await this.#attempt(eventId, `by-hand-${this.#byHand}`, 1)
  }

  /** Makes the first attempt of an event's chain now and waits for its outcome; the chain continues from there. */
  async sendFirstNow(eventId: string): Promise<void> {
    const { agenda, now, switches } = this.#deps
    const payload: DeliveryPayload = { eventId, copy: '1', attempt: 1 }
    // Not due on the agenda for now, but still recorded in case this process dies before the outcome is written.
    agenda.put(deliveryKey(payload), kind, now() + switches.webhookTimeoutMs + 60_000, payload)
    await this.#chainAttempt(payload)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#agent.destroy()
  }

  async #deliver(task: Task): Promise<void> {
    await this.#chainAttempt(JSON.parse(task.payload) as DeliveryPayload)
  }

  async #chainAttempt(payload: DeliveryPayload): Promise<void> {
    const { books, agenda, switches, now } = this.#deps
    const attempt = await this.#attempt(payload.eventId, payload.copy, payload.attempt)
    // Stopped in the middle: the task stays in the books and runs again after the restart.
    if (this.#closing.signal.aborted) return
    books.tx(() => {
      agenda.drop(deliveryKey(payload))
      if (succeeded(attempt)) return
      const delay = switches.webhookDelaysMs[payload.attempt]
      if (delay !== undefined) {
        agenda.put(deliveryKey(payload), kind, now() + delay, { ...payload, attempt: payload.attempt + 1 })
        return
      }
      const event = books.event(payload.eventId)
      if (event?.state === 'pending') books.saveEvent({ ...event, state: 'abandoned' })
    })
  }

  async #attempt(eventId: string, copy: string, number: number): Promise<Attempt> {
    const { books, holds, now } = this.#deps
    await holds.pass('webhooks')
    const event = books.event(eventId)
    if (!event) throw new Error(`No event ${eventId} in the books`)
    const startedAt = now()
    const outcome = await this.#post(event, startedAt)
    const attempt: Attempt = { at: startedAt, ...outcome, durationMs: now() - startedAt, copy, attempt: number }
    if (this.#closing.signal.aborted) return attempt
    books.tx(() => {
      const current = books.event(eventId) ?? event
      books.saveEvent({
        ...current,
        state: succeeded(attempt) ? 'delivered' : current.state,
        attempts: [...current.attempts, attempt],
      })
    })
    return attempt
  }

  async #post(event: WebhookEvent, startedAt: number): Promise<Pick<Attempt, 'status' | 'error'>> {
    const { config, switches } = this.#deps
    if (event.url === null) return { status: null, error: 'no_url' }
    const { pathname, search } = new URL(event.url)
    try {
      const answer = await request(config.deliverTo === null ? event.url : new URL(pathname + search, config.deliverTo), {
        method: 'POST',
        dispatcher: this.#agent,
        signal: AbortSignal.any([this.#closing.signal, AbortSignal.timeout(switches.webhookTimeoutMs)]),
        headers: this.#headers(event, startedAt),
        body: event.body,
      })
      await answer.body.dump()
      return { status: answer.statusCode, error: null }
    } catch (error) {
      return { status: null, error: errorName(error) }
    }
  }

  #headers(event: WebhookEvent, startedAt: number): Record<string, string> {
    const { config, switches } = this.#deps
    if (isClickPesa(event.account)) return clickPesaHeaders
    const sentAt = switches.restampWebhooks ? startedAt : event.createdAt
    const timestamp = Math.floor((event.flaw === 'old-timestamp' ? event.createdAt - staleByMs : sentAt) / 1000)
    const { webhookSecret } = config.accounts[event.account]
    const secret = event.flaw === 'bad-signature' ? `not-${webhookSecret}` : webhookSecret
    return {
      'content-type': 'application/json',
      'user-agent': 'Snippe-Webhook/1.0',
      'x-webhook-event': event.type,
      'x-webhook-timestamp': String(timestamp),
      ...signatureHeaders[switches.webhookSignature](secret, timestamp, event.body),
    }
  }
}

/** ClickPesa's checksum is in the body. */
const clickPesaHeaders = { 'content-type': 'application/json' }

const deliveryKey = (payload: DeliveryPayload): string => `webhook:${payload.eventId}:${payload.copy}`

const succeeded = (attempt: Attempt): boolean => attempt.status !== null && attempt.status >= 200 && attempt.status < 300

function errorName(error: unknown): string {
  if (!(error instanceof Error)) return 'failed'
  if (error.name === 'TimeoutError') return 'timeout'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
