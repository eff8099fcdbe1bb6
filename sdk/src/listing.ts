/** A list of the API: `for await` goes through all its pages, `page()` reads one. Nothing is asked before one of them is used. */
import type { CallOptions, Transport } from './transport.js'

export type Page<Item> = { data: Item[]; has_more: boolean; next_cursor: string | null }

type ListQuery = { cursor?: string }

export class Listing<Item> implements AsyncIterable<Item> {
  readonly #read: (cursor: string | undefined) => Promise<Page<Item>>
  readonly #cursor: string | undefined

  constructor(transport: Transport, path: string, query: ListQuery, options: CallOptions) {
    this.#cursor = query.cursor
    this.#read = (cursor) => transport.call({ ...options, method: 'GET', path, query: { ...query, cursor }, repeatable: true })
  }

  /** The page at the `cursor` that the list was made with: the first without one. Its `next_cursor` leads to the next. */
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
