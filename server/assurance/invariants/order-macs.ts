/** The promise about orders to providers: it needs a key, so it is checked here and not in the database. */
import { orderTables } from '../../pay-out/payouts/order-mac.sql.ts'
import type { Db, Runner } from '../../platform/db/db.ts'
import { beforeAllOrders, hasRightMac, ordersOf, type OrderTable, type StoredOrder } from '../../platform/db/order-table.sql.ts'
import type { RecordMac } from '../../platform/crypto/record-mac.ts'
import { replanForRows, stepTimeoutMs, type Violation } from './verify.ts'
import type { Cursor } from './scope.sql.ts'

const promise =
  'An order to a provider, and its payment or payout, have not changed since the order was created, except when the service erased personal data.'

function faultOf(macs: RecordMac, table: OrderTable, order: StoredOrder): string | undefined {
  if (hasRightMac(macs, table, order)) return undefined
  return order.mac === null ? 'has no code' : 'has a wrong code'
}

/** The maximum for each table. */
export const rowsAtMost = 20

function violationsAmong(macs: RecordMac, table: OrderTable, orders: StoredOrder[]): Violation[] {
  return orders.flatMap((order) => {
    const fault = faultOf(macs, table, order)
    if (fault === undefined) return []
    const merchantId = order.parts[2] === null ? null : String(order.parts[2])
    const what = `the ${table.kind} of ${order.id} ${fault}`
    return [{ invariant: 'orders', promise, severity: 'money', what, home: order.home, merchantId, environment: null }]
  })
}

/**
 * Finds orders that were changed outside the service, or whose payment or payout was; with `since`, only among the orders of payments and
 * payouts that have changed since then.
 */
export async function verifyOrders(db: Runner, { since }: { since: Date | null }, macs: RecordMac): Promise<Violation[]> {
  const found: Violation[] = []
  for (const table of orderTables) {
    const wrong: Violation[] = []
    for await (const orders of ordersOf(db, table, since)) {
      wrong.push(...violationsAmong(macs, table, orders).slice(0, rowsAtMost - wrong.length))
    }
    found.push(...wrong)
  }
  return found
}

/** One step of the full check of the orders of a table: those after `after`, at most `size`. Undefined at the end. */
export async function verifyOrderStep(
  db: Pick<Db, 'snapshot'>,
  table: OrderTable,
  after: Cursor,
  size: number,
  macs: RecordMac,
): Promise<{ violations: Violation[]; after: Cursor } | undefined> {
  const orders = await db.snapshot(async (tx) => {
    await replanForRows(tx)
    return table.read(tx, after.id === '' ? beforeAllOrders : after, size, null)
  }, stepTimeoutMs)
  const last = orders.at(-1)
  return (
    last && { violations: violationsAmong(macs, table, orders).slice(0, rowsAtMost), after: { home: last.home, id: last.id } }
  )
}
