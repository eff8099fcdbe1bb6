/**
 * Polls for new events. Invariant: every event is returned once. An event is dated when its transaction begins and is visible
 * when that ends, so a later event may be visible first: each poll also reads a period before the newest known event, and skips
 * events that were already returned. It uses only the times of the events, so the clock of this machine does not matter.
 */
import type { CallOptions, ListEventsQuery, Listing, WebhookEvent } from '@malipo/sdk'

/** Longer than a transaction of the service may take. */
const overlapMs = 60_000

const perPage = 100

const timeOf = (event: WebhookEvent): number => Date.parse(event.created_at)

export type ListEvents = (params: ListEventsQuery, options: CallOptions) => Listing<WebhookEvent>

export class EventFeed {
  readonly #list: ListEvents
  readonly #seen = new Map<string, number>()
  #fromMs: number | undefined

  constructor(list: ListEvents, since?: Date) {
    this.#list = list
    this.#fromMs = since?.getTime()
  }

  /** Treats all events up to now as known. */
  async skipPast(options: CallOptions): Promise<void> {
    const { data } = await this.#list({ limit: 1 }, options).page()
    if (!data[0]) return
    this.#fromMs = timeOf(data[0]) - overlapMs
    await this.next(options)
  }

  /** The new events, oldest first. If it throws, no event counts as returned. */
  async next(options: CallOptions): Promise<WebhookEvent[]> {
    const found: WebhookEvent[] = []
    const from = this.#fromMs === undefined ? {} : { created_from: new Date(this.#fromMs).toISOString() }
    for await (const event of this.#list({ limit: perPage, ...from }, options)) {
      if (!this.#seen.has(event.id)) found.push(event)
    }
    for (const event of found) {
      this.#seen.set(event.id, timeOf(event))
      this.#fromMs = Math.max(this.#fromMs ?? 0, timeOf(event) - overlapMs)
    }
    // Events before the period of the next poll cannot be returned twice.
    for (const [id, ms] of this.#seen) if (ms < this.#fromMs!) this.#seen.delete(id)
    return found.reverse()
  }
}
