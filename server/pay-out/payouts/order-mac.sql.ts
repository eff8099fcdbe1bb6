/** The MACs of payout orders: reads them with the fields that they cover, and writes new ones. */
import { chargeOrders } from '../../collect/payments/order-mac.sql.ts'
import { sql } from '../../platform/db/db.ts'
import {
  newMacColumns,
  nextOrders,
  type OrderTable,
  type PersonalOrderTable,
  type StoredOrder,
} from '../../platform/db/order-table.sql.ts'
import { recordset } from '../../platform/db/recordset.ts'
import { payoutOrderKind, payoutReleaseKind } from './order-mac.ts'

/** In the order of `partsOf` (order-mac.ts). */
const parts = sql`json_build_array(p.home, p.id, p.merchant_id, p.environment, p.amount, p.fee, p.phone_number, p.recipient_name,
  c.provider, c.idempotency_key, c.request_body)`

const stored = sql`
  select p.home, p.id, c.order_mac as mac, ${parts} as parts
  from payouts p
  join provider_payouts c on c.home = p.home and c.payout_id = p.id`

export const payoutOrders: PersonalOrderTable = {
  kind: payoutOrderKind,
  name: 'provider_payouts.order_mac',

  read: (db, after, limit, since) => db.rows<StoredOrder>(sql`${stored} ${nextOrders(sql`c.payout_id`, after, limit, since)}`),

  async readOne(db, { home, id }) {
    return db.maybeOne<StoredOrder>(sql`${stored} where p.home = ${home} and p.id = ${id}`)
  },

  readOf: (db, phoneNumber) => db.rows<StoredOrder>(sql`${stored} where p.phone_number = ${phoneNumber} order by p.home, p.id`),

  async replace(db, changes) {
    return db.rowCount(sql`
      update provider_payouts c set order_mac = n.mac
      from ${recordset(changes, 'n', newMacColumns)}
      where c.home = n.home and c.payout_id = n.id and c.order_mac = n.was
      returning c.home`)
  },

  count: (db) =>
    db.rows<{ keyId: string; count: number }>(sql`
    select split_part(order_mac, '.', 1) as key_id, count(*)::integer as count from provider_payouts where order_mac is not null group by 1 order by 1`),
}

/** Codes, and what waits to leave without one. */
const released = sql`
  select p.home, p.id, c.approval_mac as mac, json_build_array(p.home, p.id, p.merchant_id, p.amount, p.approval, p.approval_by) as parts
  from (select * from payouts where approval in ('none', 'approved')) p
  join provider_payouts c on c.home = p.home and c.payout_id = p.id
    and (c.approval_mac is not null or p.status = 'pending')`

const payoutReleases: OrderTable = {
  kind: payoutReleaseKind,
  name: 'provider_payouts.approval_mac',
  read: (db, after, limit, since) => db.rows<StoredOrder>(sql`${released} ${nextOrders(sql`c.payout_id`, after, limit, since)}`),
  async replace(db, changes) {
    return db.rowCount(sql`
      update provider_payouts c set approval_mac = n.mac
      from ${recordset(changes, 'n', newMacColumns)}
      where c.home = n.home and c.payout_id = n.id and c.approval_mac = n.was
      returning c.home`)
  },

  count: (db) =>
    db.rows<{ keyId: string; count: number }>(sql`
    select split_part(approval_mac, '.', 1) as key_id, count(*)::integer as count from provider_payouts where approval_mac is not null group by 1 order by 1`),
}

export const orderTables: readonly OrderTable[] = [chargeOrders, payoutOrders, payoutReleases]
