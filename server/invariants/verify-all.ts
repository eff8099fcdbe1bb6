/** All checks of the books: those that the database can make alone, and those that need a key that it must not have. */
import { orderTables } from '../payouts/order-mac.sql.ts'
import type { Db, Runner } from '../platform/db/db.ts'
import type { RecordMac } from '../platform/crypto/record-mac.ts'
import { verifyAuditCodes, verifyAuditCodeStep } from './audit-codes.ts'
import { verifyOrders, verifyOrderStep } from './order-macs.ts'
import type { Walked } from './scope.sql.ts'
import { verifySchema, type Clocks } from './verify-schema.ts'
import { verify, verifyNew, verifyStep, type Turns, type Violation } from './verify.ts'
import { walks, type Cursor } from './walks.sql.ts'

export type VerifyAllDeps = { db: Runner & Pick<Db, 'snapshot'>; recordMac: RecordMac; clocks: Clocks }

export async function verifyAll(
  { db, recordMac, clocks }: VerifyAllDeps,
  scope: { since: Date | null } = { since: null },
): Promise<Violation[]> {
  return [
    ...(await verify(db, scope)),
    ...(await verifyAuditCodes(db, scope, recordMac)),
    ...(await verifyOrders(db, scope, recordMac)),
    ...(await verifySchema(db, clocks)),
  ]
}

/**
 * Checks the rows changed since a moment, and the next turns of the rest. `isRead`: no broken promise was found among them, so the next
 * check may start after this one. The codes of the audit log and the schema are checked every time, without regard to changes.
 */
export async function verifyAllNew(
  { db, recordMac, clocks }: VerifyAllDeps,
  since: Date,
  turns: Turns,
): Promise<{ violations: Violation[]; isRead: boolean; turns: Turns }> {
  const found = await verifyNew(db, since, turns)
  const codes = await verifyAuditCodes(db, { since }, recordMac)
  const orders = await verifyOrders(db, { since }, recordMac)
  const violations = [...found.violations, ...codes, ...orders, ...(await verifySchema(db, clocks))]
  return { violations, isRead: found.violations.length + orders.length === 0, turns: found.turns }
}

/** One part of the full check that runs in steps of `size` rows. */
export type PartOfAll = {
  name: string
  size: number
  step(after: Cursor, size: number): Promise<{ violations: Violation[]; after: Cursor } | undefined>
}

/** All parts of the full check. The schema is checked as a whole every five minutes. */
export function partsOfAll({ db, recordMac }: Pick<VerifyAllDeps, 'db' | 'recordMac'>): PartOfAll[] {
  return [
    ...(Object.keys(walks) as Walked[]).map((walked) => ({
      name: walked as string,
      size: walks[walked].size,
      step: (after: Cursor, size: number) => verifyStep(db, walked, after, size),
    })),
    { name: 'audit codes', size: 1_000, step: (after: Cursor, size: number) => verifyAuditCodeStep(db, after, size, recordMac) },
    ...orderTables.map((table) => ({
      name: table.kind,
      size: 1_000,
      step: (after: Cursor, size: number) => verifyOrderStep(db, table, after, size, recordMac),
    })),
  ]
}
