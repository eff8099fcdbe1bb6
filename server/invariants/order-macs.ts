/** The promise about orders to providers: it needs a key, so it is checked here and not in the database. */
import { orderTables } from '../payouts/order-mac.sql.ts'
import type { Runner } from '../platform/db.ts'
import { isOrderRight, ordersOf, type OrderTable, type StoredOrder } from '../platform/order-table.sql.ts'
import type { RecordMac } from '../platform/record-mac.ts'
import type { Scope } from './scope.sql.ts'
import type { Violation } from './verify.ts'

const promise =
  'An order to a provider, and the payment or payout that it is for, are what they were when the order was made, or were erased by the service.'

function faultOf(macs: RecordMac, table: OrderTable, order: StoredOrder): string | undefined {
  if (isOrderRight(macs, table, order)) return undefined
  if (order.mac !== null) return 'does not have the code that fits it'
  return order.isOld ? 'does not name the amount and the phone of what it is for' : 'has no code'
}

/** Of each table. */
const rowsAtMost = 20

/**
 * Finds orders that were changed outside the service, or whose payment or payout was; with `since` among those of payments and payouts
 * that have changed since then.
 */
export async function verifyOrders(db: Runner, scope: Scope, macs: RecordMac): Promise<Violation[]> {
  const found: Violation[] = []
  for (const table of orderTables) {
    let wrong = 0
    for await (const orders of ordersOf(db, table, scope.since)) {
      for (const order of orders) {
        const fault = faultOf(macs, table, order)
        if (fault === undefined || (wrong += 1) > rowsAtMost) continue
        const what = `the ${table.kind} of ${order.id} ${fault}`
        found.push({
          invariant: 'orders',
          promise,
          severity: 'money',
          what,
          home: order.home,
          merchantId: order.parts[2] === null ? null : String(order.parts[2]),
          environment: null,
        })
      }
    }
  }
  return found
}
