/** A list of the API: `for await` iterates over all its pages, `page()` reads one. No request is sent before one of them is used. */
import type { CallOptions, Transport } from './transport.js'

export type Page<Item> = { data: Item[]; has_more: boolean; next_cursor: string | null }

type ListQuery = { cursor?: string }

export class Listing<Item> implements AsyncIterable<Item> {
  readonly #read: (cursor: string | undefined) => Promise<Page<Item>>
  readonly #cursor: string | undefined

  constructor(transport: Transport, path: string, query: ListQuery, options: CallOptions) {
    this.#cursor = query.cursor
    this.#read = (cursor) => transport.call({ ...options, method: 'GET', path, query: { ...query, cursor } })
  }

  /** The page at the list's `cursor`, or the first page without one. Use its `next_cursor` for the next page. */
  page(): Promise<Page<Item>> {
    return this.#read(this.#cursor)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    let cursor = this.#cursor
    for (;;) {
      const page = await this.#read(cursor)
      yield* page.data
      if (!page.has_more || page.next_cursor === null) return
      cursor = page.next_cursor
    }
  }
}
