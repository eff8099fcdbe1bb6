/**
 * Codes of the audit log's entries, under keys that the database does not have. Invariant: whoever can write every table, and has no key,
 * cannot add an entry, or change one and compute the chain anew.
 *
 * A code covers an entry's hash, and so all entries before it. `audit_head` names an entry up to which one code answers for all: entries from
 * before there were codes, or with codes under keys that have been replaced.
 */
import type { Db, Runner } from '../platform/db.ts'
import type { RecordMac } from '../platform/record-mac.ts'
import { appendAudit, entryKind, type Origin } from './audit.ts'
import { moveKeyedAfter, readCodedEntries, readKeyedAfter, type CodedEntry, type KeyedAfter } from './audit.sql.ts'

const atOnce = 1_000
const faultsAtMost = 20

const codeOfPoint = (macs: RecordMac, { seq, hash }: { seq: number; hash: string }): string =>
  macs.make('audit keyed after', [seq, hash])

const isEntryRight = (macs: RecordMac, { seq, hash, mac }: CodedEntry): boolean =>
  mac !== null && macs.isRight(mac, entryKind, [seq, hash])

/** What is wrong with the point up to which one code answers; undefined where nothing is. */
function faultOfPoint(macs: RecordMac, { seq, hash, mac, isOfEntry }: KeyedAfter): string | undefined {
  if (seq === 0) return undefined
  if (mac === null) {
    return `the audit log up to entry ${seq} was written without codes, and no operator has confirmed it: npm run ops -- keys confirm-audit after an upgrade from a version without codes, else docs/runbooks/data-breach.md`
  }
  const isRight = isOfEntry && macs.isRight(mac, 'audit keyed after', [seq, hash])
  return isRight ? undefined : `the audit log up to entry ${seq} does not have the code that fits it`
}

/** The entries after `afterSeq` of at most `limit` that have no code that fits them; `last` is undefined where there are none. */
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

/** What is wrong with the codes of the newest entries, or of all: the first 20 faults. */
export async function findCodeFaults(db: Runner, macs: RecordMac, newest?: number): Promise<string[]> {
  const point = await readKeyedAfter(db)
  const fault = faultOfPoint(macs, point)
  const faults = fault === undefined ? [] : [fault]
  for (let after = newest === undefined ? 0 : point.headSeq - newest; ;) {
    const { wrong, last } = await findWrongCodes(db, macs, after, atOnce)
    faults.push(...wrong.map(faultOfEntry))
    if (last === undefined || faults.length >= faultsAtMost) return faults.slice(0, faultsAtMost)
    after = last
  }
}

export const faultOfEntry = (seq: number): string => `entry ${seq} of the audit log does not have the code that fits it`

/** Lets one code under the key in use answer for all entries so far. Answers whether it did. */
async function answerForAll(db: Runner, macs: RecordMac, { seq, headSeq, headHash }: KeyedAfter): Promise<boolean> {
  const next = { seq: headSeq, hash: headHash }
  return moveKeyedAfter(db, seq, { ...next, mac: codeOfPoint(macs, next) })
}

/**
 * Moves the codes to the key in use, if any needs another one. Not where a code is wrong: answers with what is, so that nothing forged passes
 * for right afterwards.
 */
export async function renewAuditCodes(db: Runner, macs: RecordMac): Promise<{ renewed: number; wrong: string[] }> {
  const point = await readKeyedAfter(db)
  const wrong = await findCodeFaults(db, macs)
  if (wrong.length > 0) return { renewed: 0, wrong }
  const isNeeded = (point.mac !== null && !macs.isCurrent(point.mac)) || (await needsOtherKey(db, macs, point.seq))
  return { renewed: isNeeded && (await answerForAll(db, macs, point)) ? 1 : 0, wrong: [] }
}

/**
 * Takes the audit log as it is, whatever is wrong with its codes: after the upgrade to a version with codes, when no process of the version
 * before runs any more. Answers with the number of the last entry that it took.
 */
export async function confirmAuditLog(db: Db, macs: RecordMac, origin: Origin): Promise<number> {
  const point = await readKeyedAfter(db)
  await answerForAll(db, macs, point)
  await appendAudit(db, origin, { action: 'audit.confirmed', object: 'audit_log', after: { up_to_seq: point.headSeq } })
  return point.headSeq
}

async function needsOtherKey(db: Runner, macs: RecordMac, afterSeq: number): Promise<boolean> {
  for (let after = afterSeq; ;) {
    const entries = await readCodedEntries(db, after, atOnce)
    if (entries.length === 0) return false
    if (entries.some(({ mac }) => mac !== null && !macs.isCurrent(mac))) return true
    after = entries.at(-1)!.seq
  }
}
