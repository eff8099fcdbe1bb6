/** Reports for each keyring whether stored data still needs its other keys, and whether stored data needs a key that is missing. */
import { countKeysByPepper } from '../../accounts/developers/key.sql.ts'
import { countAuditCodes } from '../../base/audit/audit.sql.ts'
import { orderTables } from '../../pay-out/payouts/order-mac.sql.ts'
import { countByKey } from '../../platform/db/sealed-column.sql.ts'
import { renewMarks, sealedColumns, type RewrapDeps } from './rewrap-values.ts'

/** A count reads a whole table, which takes longer than a statement of a request may take. */
const countTimeoutMs = 15 * 60_000

export type KeyUse = { keyId: string; isInRing: boolean; isUsed: boolean; neededBy: string[] }

export type KeyStatus = {
  signing: { used: string; accepted: string[] }
  peppers: KeyUse[]
  envelope: KeyUse[]
  integrity: KeyUse[]
  /** The number of national identity hashes that are not under the current server secret. */
  oldMarks: number
  /** The number of identity numbers that no key opens. */
  unreadableMarks: number
}

function usesOf(ring: string[], needs: { keyId: string; what: string }[]): KeyUse[] {
  const missing = [...new Set(needs.map(({ keyId }) => keyId))].filter((id) => !ring.includes(id))
  return [...ring, ...missing].map((keyId) => ({
    keyId,
    isInRing: ring.includes(keyId),
    isUsed: keyId === ring[0],
    neededBy: needs.filter((need) => need.keyId === keyId).map(({ what }) => what),
  }))
}

export async function readKeyStatus(deps: RewrapDeps): Promise<KeyStatus> {
  const { db, config } = deps
  const { signing, peppers, envelope, integrity } = config.keys
  const keys = (await db.snapshot(countKeysByPepper, countTimeoutMs)).map(({ keyId, count, lastUsedAt }) => ({
    keyId,
    what: `${count} API keys, ${lastUsedAt ? `last used ${lastUsedAt.toISOString().slice(0, 16)}Z` : 'never used'}`,
  }))
  const values: { keyId: string; what: string }[] = []
  for (const column of sealedColumns) {
    const counts = await db.snapshot((tx) => countByKey(tx, column), countTimeoutMs)
    values.push(...counts.map(({ keyId, count }) => ({ keyId, what: `${count} in ${column.table}.${column.column}` })))
  }
  const codes: { keyId: string; what: string }[] = []
  for (const table of orderTables) {
    const counts = await db.snapshot((tx) => table.count(tx), countTimeoutMs)
    codes.push(...counts.map(({ keyId, count }) => ({ keyId, what: `${count} in ${table.name}` })))
  }
  const auditCodes = await db.snapshot(countAuditCodes, countTimeoutMs)
  codes.push(...auditCodes.map(({ keyId, count }) => ({ keyId, what: `${count} in audit_log.mac` })))
  const marks = await renewMarks(deps, false)
  const [used, ...accepted] = signing.map(({ id }) => id)
  return {
    signing: { used: used!, accepted },
    peppers: usesOf(
      peppers.map(({ id }) => id),
      keys,
    ),
    envelope: usesOf([...envelope.keys.keys()], values),
    integrity: usesOf(
      integrity.map(({ id }) => id),
      codes,
    ),
    oldMarks: marks.rewrapped,
    unreadableMarks: marks.unreadable.length,
  }
}
