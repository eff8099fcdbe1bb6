/**
 * New events, asked for again and again. Invariant: every event comes once. An event is dated when its transaction begins and is seen
 * when that ends, so a later one may be seen first: each look reaches back behind the newest event known, and what is seen again is
 * left out. It goes by the times of the events alone, so the clock of this machine does not matter.
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

  /** Takes all that there is by now as known. */
  async skipPast(options: CallOptions): Promise<void> {
    const { data } = await this.#list({ limit: 1 }, options).page()
    if (!data[0]) return
    this.#fromMs = timeOf(data[0]) - overlapMs
    await this.next(options)
  }

  /** What has not come before, oldest first. When it throws, nothing counts as having come. */
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
    // What the next look does not reach back to cannot come twice.
    for (const [id, ms] of this.#seen) if (ms < this.#fromMs!) this.#seen.delete(id)
    return found.reverse()
  }
}
