/**
 * Keyset pages: an opaque cursor with the position of the next page. A MAC binds it to the list and its owner, so a forged
 * cursor, or one of another owner's list, is refused and never reaches a query.
 */
import { hmacSha256 } from '../crypto/keyed.ts'
import { Refusal } from '../refusal.ts'
import { isMadeUnder, type RotatingKey } from '../crypto/rotating-key.ts'

export type Page<Item> = { items: Item[]; hasMore: boolean; nextCursor: string | null }

export type Cursors = {
  /** `scope` names the list and its owner, `position` the last row shown. */
  encode(scope: string, position: readonly (string | number)[]): string
  /** The position in a cursor; empty for the first page, which has no cursor. */
  decode(scope: string, cursor: string | undefined): (string | number)[]
}

const macBytes = 12

export function createCursors(keys: RotatingKey): Cursors {
  const mac = (key: Buffer, scope: string, payload: string) =>
    hmacSha256(key).update(`${scope}\n${payload}`).digest().subarray(0, macBytes)
  return {
    encode(scope, position) {
      const payload = Buffer.from(JSON.stringify(position)).toString('base64url')
      return `${payload}.${mac(keys[0], scope, payload).toString('base64url')}`
    },
    decode(scope, cursor) {
      if (cursor === undefined) return []
      const [payload = '', given = '', ...rest] = cursor.split('.')
      const givenMac = Buffer.from(given, 'base64url')
      const isOurs = rest.length === 0 && isMadeUnder(keys, givenMac, (key) => mac(key, scope, payload))
      if (!isOurs)
        throw new Refusal(400, 'cursor_invalid', 'This cursor does not belong to this list. Start again without it.', {
          param: 'cursor',
        })
      return JSON.parse(Buffer.from(payload, 'base64url').toString()) as (string | number)[]
    },
  }
}

/** Cuts a list into a page; the list was read with one row more than the limit. */
export function toPage<Item>(rows: Item[], limit: number, cursorOf: (last: Item) => string): Page<Item> {
  const items = rows.slice(0, limit)
  const hasMore = rows.length > limit
  return { items, hasMore, nextCursor: hasMore ? cursorOf(items.at(-1)!) : null }
}

/** The last row that a page showed; lists by time are ordered by (created_at, id), newest first. */
type Position = { createdAt: string; id: string }

/** The requested part of a list: rows after `after`, created from `createdFrom` on and before `createdTo`. */
export type ListRange = { limit: number; after?: Position; createdFrom?: string; createdTo?: string }

type ListQuery = { limit: number; cursor?: string; created_from?: string; created_to?: string }

/** The range that a query of a list by time requests; `scope` names the list and its owner. */
export function rangeOf(cursors: Cursors, scope: string, query: ListQuery): ListRange {
  const [createdAt, id] = cursors.decode(scope, query.cursor)
  return {
    limit: query.limit,
    after: createdAt === undefined ? undefined : { createdAt: String(createdAt), id: String(id) },
    createdFrom: query.created_from,
    createdTo: query.created_to,
  }
}

/** A page of a list by time, from rows that were read with one row more than `limit`. */
export function pageByTime<Item extends { createdAt: Date; id: string }>(
  cursors: Cursors,
  scope: string,
  rows: Item[],
  limit: number,
): Page<Item> {
  return toPage(rows, limit, (last) => cursors.encode(scope, [last.createdAt.toISOString(), last.id]))
}

type Listed<Json> = { data: Json[]; has_more: boolean; next_cursor: string | null }

export function answerPage<Item, Json>({ items, hasMore, nextCursor }: Page<Item>, toJson: (item: Item) => Json): Listed<Json> {
  return { data: items.map((item) => toJson(item)), has_more: hasMore, next_cursor: nextCursor }
}

/** The answer of a list that has one page. */
export function answerAll<Json>(data: Json[]): Listed<Json> {
  return { data, has_more: false, next_cursor: null }
}
