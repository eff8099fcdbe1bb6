/** A table of orders to providers, each with a code that binds it to its payment or payout: checks the codes and renews them. */
import { sql, type Runner, type Sql } from './db.ts'
import type { MacPart, RecordMac } from '../crypto/record-mac.ts'

export type StoredOrder = {
  home: number
  id: string
  /** Null: the order has no code, so it is not one of the service. */
  mac: string | null
  /** The values that the code covers, in order. */
  parts: MacPart[]
}

export type OrderTable = {
  /** The kind of record that the code is made for. */
  kind: string
  /** `table.column`, for reports. */
  name: string
  /** The next orders by home and id; with `since`, only those whose payment or payout has changed since then. */
  read(db: Runner, after: { home: number; id: string }, limit: number, since: Date | null): Promise<StoredOrder[]>
  /** Replaces codes; `mac` is the new code. A code that has changed meanwhile stays. Returns how many were replaced. */
  replace(db: Runner, changes: { home: number; id: string; was: string; mac: string }[]): Promise<number>
  /** The number of codes under each key. */
  count(db: Runner): Promise<{ keyId: string; count: number }[]>
}

/** Its codes cover personal data, so they are renewed when a person is erased. */
export type PersonalOrderTable = OrderTable & {
  readOne(db: Runner, key: { home: number; id: string }): Promise<StoredOrder | undefined>
  /** The orders of one phone number, or of the pseudonym that replaced it. */
  readOf(db: Runner, phoneNumber: string): Promise<StoredOrder[]>
}

/**
 * `OrderTable.read` after the selection of its orders `c`, with their payments or payouts as `p`; `id` is the column of `c` that names
 * them. Both tables start at the same place: a merge would read the other one from its beginning in every batch.
 */
export const nextOrders = (id: Sql, after: { home: number; id: string }, limit: number, since: Date | null): Sql => sql`
  where (p.home, p.id) > (${after.home}::smallint, ${after.id}::uuid) and (c.home, ${id}) > (${after.home}::smallint, ${after.id}::uuid)
    and ${since === null ? sql`true` : sql`p.updated_at >= ${since}::timestamptz`}
  order by p.home, p.id limit ${limit}`

/** The columns of new codes, for `OrderTable.replace`. */
export const newMacColumns = { home: 'smallint', id: 'uuid', was: 'text', mac: 'text' } as const

const atOnce = 1_000

/** The position before the first order. */
export const beforeAllOrders = { home: -1, id: '00000000-0000-0000-0000-000000000000' }

/** All orders, one batch at a time. */
export async function* ordersOf(db: Runner, table: OrderTable, since: Date | null): AsyncGenerator<StoredOrder[]> {
  for (let after = beforeAllOrders; ;) {
    const orders = await table.read(db, after, atOnce, since)
    if (orders.length === 0) return
    yield orders
    after = orders.at(-1)!
  }
}

/** Whether an order is unchanged: it has a code, and the code matches. */
export function hasRightMac(macs: RecordMac, { kind }: OrderTable, { mac, parts }: StoredOrder): boolean {
  return mac !== null && macs.isRight(mac, kind, parts)
}

/**
 * Renews the codes of orders after the service itself has changed values that they cover. `before` is the state before that
 * change: a code that was wrong then stays wrong, so that a forged order does not become valid.
 */
export async function renewMacs(
  db: Runner,
  macs: RecordMac,
  table: OrderTable,
  before: StoredOrder[],
  now: StoredOrder[],
): Promise<number> {
  const wasRight = new Map(before.filter((order) => hasRightMac(macs, table, order)).map((order) => [order.id, order.mac!]))
  const changes = now.flatMap(({ home, id, parts }) => {
    const was = wasRight.get(id)
    return was === undefined ? [] : [{ home, id, was, mac: macs.make(table.kind, parts) }]
  })
  return changes.length === 0 ? 0 : table.replace(db, changes)
}
