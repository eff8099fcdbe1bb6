/** Every check of the books: those that the database can make by itself, and those that need what it must not have. */
import type { Db, Runner } from '../platform/db.ts'
import type { RecordMac } from '../platform/record-mac.ts'
import { verifyOrders } from './order-macs.ts'
import type { Scope } from './scope.sql.ts'
import { verifySchema, type Clocks } from './verify-schema.ts'
import { verify, type Violation } from './verify.ts'

export type VerifyAllDeps = { db: Runner & Pick<Db, 'snapshot'>; recordMac: RecordMac; clocks: Clocks }

export async function verifyAll({ db, recordMac, clocks }: VerifyAllDeps, scope: Scope = { since: null }): Promise<Violation[]> {
  return [...(await verify(db, scope)), ...(await verifyOrders(db, scope, recordMac)), ...(await verifySchema(db, clocks))]
}
