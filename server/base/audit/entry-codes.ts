/**
 * Codes of the audit log's entries, under keys that the database does not have. Invariant: an attacker who can write every table but has
 * no key cannot add an entry, or change one and recompute the chain. An attacker who can also change the schema cannot get a code for an
 * entry other than the one the process wrote: the code covers the facts from the process, in addition to the hash that the database
 * computed.
 *
 * The hash covers all earlier entries. `audit_head` names an entry up to which one code covers the log: entries from before codes
 * existed, or with codes under replaced keys.
 */
import type { Db, Runner } from '../../platform/db/db.ts'
import type { RecordMac } from '../../platform/crypto/record-mac.ts'
import { appendAudit, codeParts, entryKind, type Origin } from './audit.ts'
import { checkChain, moveKeyedAfter, readCodedEntries, readKeyedAfter, type CodedEntry, type KeyedAfter } from './audit.sql.ts'

const atOnce = 1_000
const faultsAtMost = 20

/** The whole chain is computed again in one statement. */
const chainTimeoutMs = 15 * 60_000

/** `isOfUpgrade`: an upgrade from a version without codes can cause it. */
type Fault = { what: string; isOfUpgrade: boolean }

/** An entry that a valid code covers. */
type Proven = { seq: number; hash: string }

const codeOfPoint = (macs: RecordMac, { seq, hash }: Proven): string => macs.make('audit keyed after', [seq, hash])

const isEntryRight = (macs: RecordMac, entry: CodedEntry): boolean =>
  entry.mac !== null && macs.isRight(entry.mac, entryKind, codeParts(entry, entry, entry))

/** The fault of the point up to which one code covers the log; undefined if there is none. */
function faultOfPoint(macs: RecordMac, { seq, hash, mac, isOfEntry }: KeyedAfter): Fault | undefined {
  if (seq === 0) return undefined
  if (mac === null && isOfEntry) {
    const what = `the audit log up to entry ${seq} was written without codes, and no operator has confirmed it: malipo-ops keys confirm-audit after an upgrade from a version without codes, else docs/runbooks/data-breach.md`
    return { what, isOfUpgrade: true }
  }
  const isRight = isOfEntry && mac !== null && macs.isRight(mac, 'audit keyed after', [seq, hash])
  return isRight ? undefined : { what: `the audit log up to entry ${seq} has no valid code`, isOfUpgrade: false }
}

/** The entries after `afterSeq`, of at most `limit` entries, that have no valid code; `last` is undefined if there are no entries. */
export async function findWrongCodes(
  db: Runner,
  macs: RecordMac,
  afterSeq: number,
  limit: number,
): Promise<{ wrong: number[]; last: number | undefined }> {
  const { seq } = await readKeyedAfter(db)
  const entries = await readCodedEntries(db, Math.max(seq, afterSeq), limit)
  return { wrong: entries.filter((entry) => !isEntryRight(macs, entry)).map((entry) => entry.seq), last: entries.at(-1)?.seq }
}

/** The first of `limit` entries from `fromSeq` on that no valid code covers; undefined if there is none. */
export async function findFirstWithoutCode(
  db: Runner,
  macs: RecordMac,
  fromSeq: number,
  limit: number,
): Promise<number | undefined> {
  const point = await readKeyedAfter(db)
  if (point.seq >= fromSeq && faultOfPoint(macs, point) !== undefined) return fromSeq
  return (await findWrongCodes(db, macs, fromSeq - 1, limit)).wrong[0]
}

/** The faults in the codes of the newest entries, or of all: the first 20. */
export async function findCodeFaults(db: Runner, macs: RecordMac, newest?: number): Promise<string[]> {
  const point = await readKeyedAfter(db)
  const fault = faultOfPoint(macs, point)
  const faults = fault === undefined ? [] : [fault.what]
  for (let after = newest === undefined ? 0 : point.headSeq - newest; ;) {
    const { wrong, last } = await findWrongCodes(db, macs, after, atOnce)
    faults.push(...wrong.map(faultOfEntry))
    if (last === undefined || faults.length >= faultsAtMost) return faults.slice(0, faultsAtMost)
    after = last
  }
}

export const faultOfEntry = (seq: number): string => `entry ${seq} of the audit log has no valid code`

type Codes = { faults: Fault[]; last: Proven; isOtherKeyNeeded: boolean }

/** Checks all codes up to the head. `last` is the last entry that was read: it must be the same as the head. */
async function checkCodes(db: Runner, macs: RecordMac, point: KeyedAfter): Promise<Codes> {
  const fault = faultOfPoint(macs, point)
  const faults = fault === undefined ? [] : [fault]
  let last: Proven = point
  let isOtherKeyNeeded = point.mac !== null && !macs.isCurrent(point.mac)
  for (let isEnd = false; !isEnd;) {
    const entries = (await readCodedEntries(db, last.seq, atOnce)).filter(({ seq }) => seq <= point.headSeq)
    for (const entry of entries) {
      if (!isEntryRight(macs, entry)) faults.push({ what: faultOfEntry(entry.seq), isOfUpgrade: entry.mac === null })
      isOtherKeyNeeded ||= entry.mac !== null && !macs.isCurrent(entry.mac)
    }
    last = entries.at(-1) ?? last
    isEnd = entries.length < atOnce
  }
  if (last.seq !== point.headSeq || last.hash !== point.headHash) {
    const what = `the head of the audit log is not its entry ${last.seq}`
    faults.push({ what, isOfUpgrade: false })
  }
  return { faults, last, isOtherKeyNeeded }
}

const pointAt = (macs: RecordMac, { seq, hash }: Proven): Proven & { mac: string } => ({
  seq,
  hash,
  mac: codeOfPoint(macs, { seq, hash }),
})

/**
 * Moves the codes to the key in use, if any needs another one: signs the last entry after its own code was verified. Does nothing if a
 * code is wrong, or if the head is a different entry: returns the faults, so that a forged entry never becomes valid.
 */
export async function renewAuditCodes(db: Runner, macs: RecordMac): Promise<{ renewed: number; wrong: string[] }> {
  const point = await readKeyedAfter(db)
  const { faults, last, isOtherKeyNeeded } = await checkCodes(db, macs, point)
  if (faults.length > 0) return { renewed: 0, wrong: faults.slice(0, faultsAtMost).map(({ what }) => what) }
  return { renewed: isOtherKeyNeeded && (await moveKeyedAfter(db, point.seq, pointAt(macs, last))) ? 1 : 0, wrong: [] }
}

/** `upTo`: the last entry that was confirmed; undefined if none was. `refused`: faults that an upgrade cannot cause. */
export type Confirmed = { upTo: number | undefined; refused: string[] }

/**
 * Accepts entries without a code as they are: for use after the upgrade to a version with codes, when no process of the previous version
 * runs any more. Confirms nothing if a code is wrong or the chain is broken, or if there is nothing to confirm.
 */
export async function confirmAuditLog(db: Db, macs: RecordMac, origin: Origin): Promise<Confirmed> {
  const { point, codes, brokenAt } = await db.snapshot(async (tx) => {
    const read = await readKeyedAfter(tx)
    const chain = await checkChain(tx, read.headSeq)
    return { point: read, codes: await checkCodes(tx, macs, read), brokenAt: chain.fromSeq > 1 ? 1 : chain.brokenAt }
  }, chainTimeoutMs)
  const refused = codes.faults.filter(({ isOfUpgrade }) => !isOfUpgrade).map(({ what }) => what)
  if (brokenAt !== null) refused.push(`the audit log is broken at entry ${brokenAt}`)
  if (refused.length > 0 || codes.faults.length === 0) return { upTo: undefined, refused: refused.slice(0, faultsAtMost) }
  const upTo = codes.last.seq
  return db.tx(async (tx) => {
    if (!(await moveKeyedAfter(tx, point.seq, pointAt(macs, codes.last)))) return { upTo: undefined, refused: [] }
    await appendAudit(tx, origin, { action: 'audit.confirmed', object: 'audit_log', after: { up_to_seq: upTo } })
    return { upTo, refused: [] }
  })
}
