/**
 * Moves all sealed values to the current envelope key, and the hashes of national identity numbers to the current server secret,
 * and renews the codes of orders and of the audit log under the current integrity key. It may be stopped and restarted at any
 * time: finished work is not repeated, and it holds no locks meanwhile.
 */
import { renewAuditCodes } from '../../base/audit/entry-codes.ts'
import type { Config } from '../../config/config.ts'
import { orderTables } from '../../pay-out/payouts/order-mac.sql.ts'
import type { Db } from '../../platform/db/db.ts'
import { hasRightMac, ordersOf, renewMacs, type OrderTable } from '../../platform/db/order-table.sql.ts'
import type { RecordMac } from '../../platform/crypto/record-mac.ts'
import { readValues, replaceValues, type SealedColumn } from '../../platform/db/sealed-column.sql.ts'
import { sealedPrefix, type Sealer } from '../../platform/crypto/secrets.ts'
import { secondFactorColumns } from '../../accounts/identity/prove-second-factor.ts'
import { mailColumns } from '../../base/mail/mail.ts'
import { contextOfNationalId, hashOfNationalId, nationalIdColumns } from '../../merchants/onboarding/kyc.ts'
import { endpointColumns } from '../../merchants/webhooks/endpoint.ts'
import { readMarks, replaceMarks } from '../../merchants/onboarding/kyc.sql.ts'

/** Every column with sealed values: a rotation of the envelope keys must move all of them. A test compares this list with the schema. */
export const sealedColumns: readonly SealedColumn[] = [
  ...endpointColumns,
  ...secondFactorColumns,
  ...nationalIdColumns,
  ...mailColumns,
]

export type RewrapDeps = { db: Db; sealer: Sealer; recordMac: RecordMac; config: Pick<Config, 'keys'> }

/** The result for one column; `unreadable` names the rows whose value no key of the ring opens. */
export type Rewrapped = { name: string; rewrapped: number; unreadable: string[] }

const batchSize = 500
const beforeAll = '00000000-0000-0000-0000-000000000000'

async function rewrapColumn({ db, sealer, config }: RewrapDeps, column: SealedColumn): Promise<Rewrapped> {
  const result: Rewrapped = { name: `${column.table}.${column.column}`, rewrapped: 0, unreadable: [] }
  const exceptPrefix = sealedPrefix(config.keys.envelope.currentId)
  for (let after = beforeAll; ;) {
    const values = await readValues(db, column, { exceptPrefix, after, limit: batchSize })
    if (values.length === 0) return result
    const changes = values.flatMap((value) => {
      try {
        return [{ ...value, rewrapped: sealer.rewrap(value.sealed, column.contextOf(value.id)) }]
      } catch {
        result.unreadable.push(value.id)
        return []
      }
    })
    result.rewrapped += await replaceValues(db, column, changes)
    after = values.at(-1)!.id
  }
}

/** Finds the hashes that differ under the current secret; only counts them unless `isReplacing`. */
export async function renewMarks({ db, sealer, config }: RewrapDeps, isReplacing: boolean): Promise<Rewrapped> {
  const result: Rewrapped = { name: 'identity_papers.national_id_hash', rewrapped: 0, unreadable: [] }
  for (let after = beforeAll; ;) {
    const papers = await readMarks(db, after, batchSize)
    if (papers.length === 0) return result
    const changes = papers.flatMap(({ userId, sealedNationalId, nationalIdHash }) => {
      try {
        const renewed = hashOfNationalId(config.keys, sealer.open(sealedNationalId, contextOfNationalId(userId)))
        return renewed.equals(nationalIdHash) ? [] : [{ userId, nationalIdHash, renewed }]
      } catch {
        result.unreadable.push(userId)
        return []
      }
    })
    result.rewrapped += isReplacing ? await replaceMarks(db, changes) : changes.length
    after = papers.at(-1)!.userId
  }
}

/** Renews the codes that are under an older key. A code that does not match its order stays, and is reported. */
async function renewOrderMacs({ db, recordMac }: RewrapDeps, table: OrderTable): Promise<Rewrapped> {
  const result: Rewrapped = { name: table.name, rewrapped: 0, unreadable: [] }
  for await (const orders of ordersOf(db, table, null)) {
    const old = orders.filter(({ mac }) => mac !== null && !recordMac.isCurrent(mac))
    result.unreadable.push(...old.filter((order) => !hasRightMac(recordMac, table, order)).map(({ id }) => id))
    result.rewrapped += await renewMacs(db, recordMac, table, old, old)
  }
  return result
}

/** Returns the counts of each column. */
export async function rewrapValues(deps: RewrapDeps): Promise<Rewrapped[]> {
  const results: Rewrapped[] = []
  for (const column of sealedColumns) results.push(await rewrapColumn(deps, column))
  results.push(await renewMarks(deps, true))
  for (const table of orderTables) results.push(await renewOrderMacs(deps, table))
  const { renewed, wrong } = await renewAuditCodes(deps.db, deps.recordMac)
  results.push({ name: 'audit_head.keyed_after_mac', rewrapped: renewed, unreadable: wrong })
  return results
}
