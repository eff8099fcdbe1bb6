/** All checks of the books: those that the database can make alone, and those that need a key that it must not have. */
import { orderTables } from '../../pay-out/payouts/order-mac.sql.ts'
import type { Runner } from '../../platform/db/db.ts'
import type { RecordMac } from '../../platform/crypto/record-mac.ts'
import { verifyAuditCodes, verifyAuditCodeStep } from './audit-codes.ts'
import { rowsAtMost, verifyOrders, verifyOrderStep } from './order-macs.ts'
import { verifySchema, type Clocks } from './verify-schema.ts'
import {
  inOrder,
  verifyNew,
  verifyParts,
  walkParts,
  type Part,
  type Progress,
  type Source,
  type Turns,
  type Violation,
} from './verify.ts'

export type VerifyAllDeps = { db: Runner & Source; recordMac: RecordMac; clocks: Clocks }

/** Everything, or with `since` the changes since then and what is checked every time. */
export async function verifyAll(
  { db, recordMac, clocks }: VerifyAllDeps,
  { since }: { since: Date | null } = { since: null },
  progress?: Progress,
): Promise<Violation[]> {
  if (since !== null) return (await verifyAllNew({ db, recordMac, clocks }, since, {})).violations
  const [longest, ...others] = walkParts(db)
  const found = await verifyParts(db, [longest!, ...orderParts({ db, recordMac }), ...others], progress)
  const codes = await verifyAuditCodes(db, { since }, recordMac)
  return [...inOrder([...found, ...codes]), ...(await verifySchema(db, clocks))]
}

const orderParts = ({ db, recordMac }: Pick<VerifyAllDeps, 'db' | 'recordMac'>): Part[] =>
  orderTables.map((table) => ({
    name: table.kind,
    size: 4_000,
    findingsAtMost: rowsAtMost,
    step: (after, size) => verifyOrderStep(db, table, after, size, recordMac),
  }))

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
  const violations = [...found.violations, ...codes, ...orders, ...(await verifySchema(db, clocks, { isUpgrading: true }))]
  return { violations, isRead: found.violations.length + orders.length === 0, turns: found.turns }
}

/** All parts of the full check. The schema is checked as a whole every five minutes. */
export function partsOfAll({ db, recordMac }: Pick<VerifyAllDeps, 'db' | 'recordMac'>): Part[] {
  return [
    ...walkParts(db),
    {
      name: 'audit codes',
      size: 1_000,
      findingsAtMost: rowsAtMost,
      step: (after, size) => verifyAuditCodeStep(db, after, size, recordMac),
    },
    ...orderParts({ db, recordMac }),
  ]
}
