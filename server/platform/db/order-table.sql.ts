/** A table of orders to providers, each with the code that binds it to what it is for: how the codes are checked, and made anew. */
import { sql, type Runner, type Sql } from './db.ts'
import type { MacPart, RecordMac } from '../crypto/record-mac.ts'

export type StoredOrder = {
  home: number
  id: string
  /** Null: it has none. */
  mac: string | null
  /** What the code covers, in its order. */
  parts: MacPart[]
  /** Its bytes name the amount and the phone of what it is for, or it was erased: all that can be said of one without a code. */
  isConsistent: boolean
  /** It is from the first day of the database. */
  isOld: boolean
}

export type OrderTable = {
  /** What the code is made under, beside the key. */
  kind: string
  /** `table.column`, for reports. */
  name: string
  /** The next orders by home and id; with `since` only those whose payment or payout has changed since then. */
  read(db: Runner, after: { home: number; id: string }, limit: number, since: Date | null): Promise<StoredOrder[]>
  readOne(db: Runner, key: { home: number; id: string }): Promise<StoredOrder | undefined>
  /** Those of one phone number, or of the pseudonym that took its place. */
  readOf(db: Runner, phoneNumber: string): Promise<StoredOrder[]>
  /** Replaces codes; `mac` is the new one. A code that has changed meanwhile stays. Answers how many it replaced. */
  replace(db: Runner, changes: { home: number; id: string; was: string; mac: string }[]): Promise<number>
  /** How many codes there are under each key. */
  count(db: Runner): Promise<{ keyId: string; count: number }[]>
}

/** Of the first day of the database, on which an order without a code is accepted if its bytes are consistent. */
export const isFromBeforeCodes = (createdAt: Sql): Sql => sql`${createdAt} < (
  select m.timestamp::timestamptz + interval '1 day' from kysely_migration m where m.name = '0013-payouts')`

/** All that can be said of an order without a code: its bytes name the amount and the phone, unless the service has erased it. */
export const isOrderConsistent = (of: { amount: Sql; phone: Sql; body: Sql }): Sql => sql`case when ${of.body} = '{}'
  then exists (select from erasures e where e.pseudonym = ${of.phone})
  else position(${of.amount}::text in ${of.body}) > 0 and position(ltrim(${of.phone}, '+') in ${of.body}) > 0 end`

const atOnce = 1_000

/** Where the reading of all orders begins. */
export const beforeAllOrders = { home: -1, id: '00000000-0000-0000-0000-000000000000' }

/** All orders, a batch at a time. */
export async function* ordersOf(db: Runner, table: OrderTable, since: Date | null): AsyncGenerator<StoredOrder[]> {
  for (let after = beforeAllOrders; ;) {
    const orders = await table.read(db, after, atOnce, since)
    if (orders.length === 0) return
    yield orders
    after = orders.at(-1)!
  }
}

/** Whether the code of an order is there and fits. */
export function hasRightMac(macs: RecordMac, { kind }: OrderTable, { mac, parts }: StoredOrder): boolean {
  return mac !== null && macs.isRight(mac, kind, parts)
}

/** Whether an order is the one that was made, as far as can be said of one without a code. */
export function isOrderRight(macs: RecordMac, table: OrderTable, order: StoredOrder): boolean {
  return order.mac === null ? order.isOld && order.isConsistent : hasRightMac(macs, table, order)
}

/**
 * Makes the codes of orders anew after the service itself has changed what they cover. `before` is how they were: one that was wrong then
 * stays wrong, so that nothing forged passes for right afterwards.
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
