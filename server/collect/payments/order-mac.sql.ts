/** The MACs of charges: reads them with the fields that they cover, and writes new ones. */
import { sql } from '../../platform/db/db.ts'
import { newMacColumns, nextOrders, type PersonalOrderTable, type StoredOrder } from '../../platform/db/order-table.sql.ts'
import { recordset } from '../../platform/db/recordset.ts'
import { chargeOrderKind } from './order-mac.ts'

/** In the order of `partsOf` (order-mac.ts). */
const parts = sql`json_build_array(p.home, p.id, p.merchant_id, p.environment, p.page_id, p.amount, p.phone_number, p.customer_name,
  p.customer_email, c.provider, c.idempotency_key, c.request_body)`

const stored = sql`
  select p.home, p.id, c.order_mac as mac, ${parts} as parts
  from payments p
  join provider_charges c on c.home = p.home and c.payment_id = p.id`

export const chargeOrders: PersonalOrderTable = {
  kind: chargeOrderKind,
  name: 'provider_charges.order_mac',

  read: (db, after, limit, since) => db.rows<StoredOrder>(sql`${stored} ${nextOrders(sql`c.payment_id`, after, limit, since)}`),

  async readOne(db, { home, id }) {
    return db.maybeOne<StoredOrder>(sql`${stored} where p.home = ${home} and p.id = ${id}`)
  },

  readOf: (db, phoneNumber) => db.rows<StoredOrder>(sql`${stored} where p.phone_number = ${phoneNumber} order by p.home, p.id`),

  async replace(db, changes) {
    return db.rowCount(sql`
      update provider_charges c set order_mac = n.mac
      from ${recordset(changes, 'n', newMacColumns)}
      where c.home = n.home and c.payment_id = n.id and c.order_mac = n.was
      returning c.home`)
  },

  count: (db) =>
    db.rows<{ keyId: string; count: number }>(sql`
    select split_part(order_mac, '.', 1) as key_id, count(*)::integer as count from provider_charges where order_mac is not null group by 1 order by 1`),
}
