/** The promise about the codes of the audit log: it needs a key, so it is checked here and not in the database. */
import { faultOfEntry, findCodeFaults, findWrongCodes } from '../../base/audit/entry-codes.ts'
import type { Runner } from '../../platform/db/db.ts'
import type { RecordMac } from '../../platform/crypto/record-mac.ts'
import type { Violation } from './verify.ts'
import { promises } from './verify.sql.ts'
import type { Cursor } from './scope.sql.ts'

const faultsAtMost = 20

/** The same number of entries as the incremental check reads of the chain. */
const newest = 1_000

const violationOf = (what: string): Violation => ({
  invariant: 'I11',
  ...promises['I11']!,
  what,
  home: null,
  merchantId: null,
  environment: null,
})

/** Entries of the audit log that the service has not written; with `since`, only among the newest entries. */
export async function verifyAuditCodes(db: Runner, { since }: { since: Date | null }, macs: RecordMac): Promise<Violation[]> {
  const faults = await findCodeFaults(db, macs, since === null ? undefined : newest)
  return faults.map(violationOf)
}

/** One step of the full check: the entries after `after`, at most `size`. Undefined at the end. */
export async function verifyAuditCodeStep(
  db: Runner,
  after: Cursor,
  size: number,
  macs: RecordMac,
): Promise<{ violations: Violation[]; after: Cursor } | undefined> {
  const { wrong, last } = await findWrongCodes(db, macs, Number(after.id), size)
  const violations = wrong.slice(0, faultsAtMost).map((seq) => violationOf(faultOfEntry(seq)))
  return last === undefined ? undefined : { violations, after: { home: 0, id: String(last) } }
}
