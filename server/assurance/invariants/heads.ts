/**
 * Heads: the ends of the audit log and of the digests at a moment, with a code under a key that the database does not have, written where
 * the database owner cannot rewrite them. Invariant: a chain that was rewritten, with its head and its digests, does not match the
 * earlier heads.
 */
import { appendFile } from 'node:fs/promises'
import type { Config } from '../../config/config.ts'
import type { Runner } from '../../platform/db/db.ts'
import { createJsonClient } from '../../platform/outbound/json-client.ts'
import type { Log } from '../../platform/process/log.ts'
import type { RecordMac } from '../../platform/crypto/record-mac.ts'
import { findWrongCodes } from '../../base/audit/entry-codes.ts'
import { findNotedRestore, readHeadNow, readKnown, type Digest, type HeadFacts } from './head.sql.ts'

export type Head = HeadFacts & { mac: string }

const kind = 'head'

const codeOf = (macs: RecordMac, { at, audit, days, spans }: HeadFacts): string =>
  macs.make(kind, [at, audit.seq, audit.hash, JSON.stringify([days, spans])])

export type WriteHeadsDeps = { db: Runner; recordMac: RecordMac; config: Pick<Config, 'heads'>; log: Log }

/** Appends the current head to the file and, if a URL is configured, posts it there. */
export async function writeHead({ db, recordMac, config, log }: WriteHeadsDeps): Promise<void> {
  const facts = await readHeadNow(db)
  const line = JSON.stringify({ ...facts, mac: codeOf(recordMac, facts) } satisfies Head)
  await appendFile(config.heads.file, `${line}\n`, { mode: 0o600 })
  if (config.heads.url === undefined) return
  const { origin, pathname, search } = new URL(config.heads.url)
  const client = createJsonClient({ baseUrl: origin, timeoutMs: 10_000, maxResponseBytes: 64 * 1024, connections: 1 })
  const call = await client.call('POST', `${pathname}${search}`, { headers: { 'content-type': 'application/json' }, body: line })
  await client.close()
  const isTaken = call.kind === 'answered' && call.answer.status >= 200 && call.answer.status < 300
  // The next head contains the last hour's digests again.
  if (!isTaken) log.error('books.head_not_stored', new Error('head_not_taken'), { alert: true, outcome: call.kind })
}

export type HeadsReport = {
  heads: number
  /** The parts that were rewritten since a head was written. */
  rewritten: string[]
  /** The number of heads under each key that is not configured: they were not compared. */
  underOtherKeys: Map<string, number>
  /** The first head that the database has not reached: it is at an earlier moment, as after a restore. */
  aheadSince: string | undefined
}

/** A head with a valid code, or the id of the key that its code needs. */
function readHead(macs: RecordMac, line: string): Head | string | undefined {
  try {
    const head = JSON.parse(line) as Head
    const { mac, at, audit, days, spans } = head
    if (macs.isRight(mac, kind, [at, audit.seq, audit.hash, JSON.stringify([days, spans])])) return head
    return macs.otherKeyOf(mac)
  } catch {
    return undefined
  }
}

const keyOf = ({ what, from }: Digest): string => `${what} ${from}`

/** Compares the database with heads, oldest first, one per line. */
export async function verifyHeads(deps: { db: Runner; recordMac: RecordMac }, lines: string[]): Promise<HeadsReport> {
  const rewritten: string[] = []
  const underOtherKeys = new Map<string, number>()
  const heads = lines.flatMap((line, index) => {
    const head = readHead(deps.recordMac, line)
    if (typeof head === 'object') return [head]
    if (head === undefined) rewritten.push(`line ${index + 1} has no valid code`)
    else underOtherKeys.set(head, (underOtherKeys.get(head) ?? 0) + 1)
    return []
  })
  const known = await readKnown(
    deps.db,
    heads.map(({ audit }) => audit.seq),
  )
  const digests = new Map(known.digests.map((digest) => [keyOf(digest), digest.digest]))
  let aheadSince: string | undefined
  for (const { at, audit, days, spans } of heads) {
    const isAhead = audit.seq > known.seq
    if (isAhead) aheadSince ??= at
    else if (known.hashes.get(audit.seq) !== audit.hash)
      rewritten.push(
        `at ${at} entry ${audit.seq} of the audit log was ${audit.hash}, now it is ${known.hashes.get(audit.seq) ?? 'missing'}`,
      )
    for (const digest of [...days, ...spans]) {
      const now = digests.get(keyOf(digest))
      const isPruned = now === undefined && digest.from < (known.oldest[digest.what] ?? '')
      // A database at an earlier moment has not sealed this stretch yet.
      const isLater = now === undefined && digest.from > (known.newest[digest.what] ?? '')
      if (isPruned || now === digest.digest) continue
      if (isLater && (isAhead || aheadSince !== undefined)) continue
      rewritten.push(`at ${at} the digest of ${keyOf(digest)} was ${digest.digest}, now it is ${now ?? 'missing'}`)
    }
  }
  return { heads: heads.length, rewritten, underOtherKeys, aheadSince }
}

/**
 * Whether the audit log records a restore after this moment, in an entry with a valid code. Without one, a log that ends before a head was
 * cut, and not restored.
 */
export async function isRestoreNoted({ db, recordMac }: { db: Runner; recordMac: RecordMac }, since: string): Promise<boolean> {
  const seq = await findNotedRestore(db, since)
  return seq !== undefined && (await findWrongCodes(db, recordMac, seq - 1, 1)).wrong.length === 0
}
