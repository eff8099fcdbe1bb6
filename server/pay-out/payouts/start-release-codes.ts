/**
 * Makes the codes of what the version before has released, for an hour from the first worker of a version with codes. Invariant: it makes
 * none later, so that a change of the database alone can release no payout.
 */
import type { RecordMac } from '../../platform/crypto/record-mac.ts'
import type { Db } from '../../platform/db/db.ts'
import { payoutReleaseMac } from './order-mac.ts'
import { noteReleaseCodeStart, releasedWithoutCode, storeReleaseCodes } from './release-code.sql.ts'

/** Makes the codes of at most so many payouts; returns of how many. */
export async function startReleaseCodes({ db, recordMac }: { db: Db; recordMac: RecordMac }, limit: number): Promise<number> {
  await noteReleaseCodeStart(db)
  const released = await releasedWithoutCode(db, limit)
  const codes = released.map((payout) => ({ home: payout.home, id: payout.id, mac: payoutReleaseMac(recordMac, payout) }))
  if (codes.length > 0) await storeReleaseCodes(db, codes)
  return codes.length
}
