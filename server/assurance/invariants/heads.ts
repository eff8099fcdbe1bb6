/**
 * Heads: the ends of the audit log and of the digests at a moment, with a code under a key that the database does not have, written where
 * the database owner cannot rewrite them. Invariant: a chain that was rewritten, with its head and its digests, does not match the
 * earlier heads.
 */
import { open } from 'node:fs/promises'
import type { Config } from '../../config/config.ts'
import type { Runner } from '../../platform/db/db.ts'
import { createJsonClient } from '../../platform/outbound/json-client.ts'
import type { Log } from '../../platform/process/log.ts'
import type { RecordMac } from '../../platform/crypto/record-mac.ts'
import { findWrongCodes } from '../../base/audit/entry-codes.ts'
import {
  findNotedRestore,
  keyOf,
  readHashes,
  readHeadNow,
  readKnown,
  type Digest,
  type HeadFacts,
  type Known,
} from './head.sql.ts'

export type Head = HeadFacts & { mac: string }

const kind = 'head'

const codeOf = (macs: RecordMac, { at, audit, days, spans }: HeadFacts): string =>
  macs.make(kind, [at, audit.seq, audit.hash, JSON.stringify([days, spans])])

export type WriteHeadsDeps = { db: Runner; recordMac: RecordMac; config: Pick<Config, 'heads'>; log: Log }

async function appendLine(file: string, line: string): Promise<void> {
  await using handle = await open(file, 'a+', 0o600)
  const { size } = await handle.stat()
  const last = size === 0 ? '\n' : (await handle.read(Buffer.alloc(1), 0, 1, size - 1)).buffer.toString()
  // A full disk may have cut the last line short: the new one must not become a part of it.
  await handle.appendFile(`${last === '\n' ? '' : '\n'}${line}\n`)
}

/** Posts the head; false if it was not accepted. */
async function post(url: string, line: string, log: Log): Promise<boolean> {
  const { origin, pathname, search } = new URL(url)
  const client = createJsonClient({ baseUrl: origin, timeoutMs: 10_000, maxResponseBytes: 64 * 1024, connections: 1 })
  const call = await client.call('POST', `${pathname}${search}`, { headers: { 'content-type': 'application/json' }, body: line })
  await client.close()
  const isTaken = call.kind === 'answered' && call.answer.status >= 200 && call.answer.status < 300
  if (!isTaken) log.error('books.head_not_stored', new Error('head_not_taken'), { alert: true, outcome: call.kind })
  return isTaken
}

/**
 * Appends the current head to the file and, if a URL is configured, posts it there. A head has the digests of the last hour that the heads
 * of this process do not have yet; one that was not stored everywhere does not count.
 */
export function createHeadWriter({ db, recordMac, config, log }: WriteHeadsDeps): () => Promise<void> {
  const { file, url } = config.heads
  let stored = new Set<string>()
  return async () => {
    const { at, audit, days, spans } = await readHeadNow(db)
    const isNew = (digest: Digest): boolean => !stored.has(JSON.stringify(digest))
    const facts = { at, audit, days: days.filter(isNew), spans: spans.filter(isNew) }
    const line = JSON.stringify({ ...facts, mac: codeOf(recordMac, facts) } satisfies Head)
    // The other place gets it although this disk is full.
    const [inFile, elsewhere] = await Promise.allSettled([
      appendLine(file, line),
      url === undefined ? true : post(url, line, log),
    ])
    for (const place of [inFile, elsewhere]) if (place.status === 'rejected') throw place.reason
    if (elsewhere.status === 'fulfilled' && elsewhere.value)
      stored = new Set([...days, ...spans].map((digest) => JSON.stringify(digest)))
  }
}

/** The lines that the file has now: a head that is appended while they are read may be ahead of what was read from the database. */
export async function openHeads(file: string): Promise<AsyncIterable<string>> {
  const handle = await open(file)
  const { size } = await handle.stat()
  return (async function* () {
    await using opened = handle
    if (size > 0) yield* opened.readLines({ end: size - 1 })
  })()
}

export type HeadsReport = {
  heads: number
  /** The parts that were rewritten since a head was written. */
  rewritten: string[]
  /** The number of heads under each key that is not configured: they were not compared. */
  underOtherKeys: Map<string, number>
  /** The number of lines that a full disk cut short. A head of the next hour has what is missing in them. */
  cutShort: number
  /** The first head that the database has not reached: it is at an earlier moment, as after a restore. */
  aheadSince: string | undefined
}

type Line = { head: Head } | { otherKey: string } | 'cut short' | 'forged'

const headStart = '{"at":"'

function readLine(macs: RecordMac, line: string): Line {
  try {
    const head = JSON.parse(line) as Head
    const { mac, at, audit, days, spans } = head
    if (macs.isRight(mac, kind, [at, audit.seq, audit.hash, JSON.stringify([days, spans])])) return { head }
    const otherKey = macs.otherKeyOf(mac)
    return otherKey === undefined ? 'forged' : { otherKey }
  } catch (error) {
    const isStart = line.startsWith(headStart) || headStart.startsWith(line)
    return error instanceof SyntaxError && isStart ? 'cut short' : 'forged'
  }
}

const headsAtOnce = 1_000

/** Compares heads with what is known of the database, and adds what it finds to the report. */
async function compareHeads(db: Runner, known: Known, heads: Head[], report: HeadsReport): Promise<void> {
  const hashes = await readHashes(
    db,
    heads.map(({ audit }) => audit.seq),
  )
  for (const { at, audit, days, spans } of heads) {
    const isAhead = audit.seq > known.seq
    if (isAhead) report.aheadSince ??= at
    else if (hashes.get(audit.seq) !== audit.hash)
      report.rewritten.push(
        `at ${at} entry ${audit.seq} of the audit log was ${audit.hash}, now it is ${hashes.get(audit.seq) ?? 'missing'}`,
      )
    for (const digest of [...days, ...spans]) {
      const now = known.digests.get(keyOf(digest))
      const isPruned = now === undefined && digest.from < (known.oldest[digest.what] ?? '')
      // A database at an earlier moment has not sealed this stretch yet.
      const isLater = now === undefined && digest.from > (known.newest[digest.what] ?? '')
      if (isPruned || now === digest.digest) continue
      if (isLater && (isAhead || report.aheadSince !== undefined)) continue
      report.rewritten.push(`at ${at} the digest of ${keyOf(digest)} was ${digest.digest}, now it is ${now ?? 'missing'}`)
    }
  }
  report.heads += heads.length
}

/** Compares the database with heads, oldest first, one per line. */
export async function verifyHeads(
  { db, recordMac }: { db: Runner; recordMac: RecordMac },
  lines: AsyncIterable<string> | Iterable<string>,
): Promise<HeadsReport> {
  const known = await readKnown(db)
  const report: HeadsReport = { heads: 0, rewritten: [], underOtherKeys: new Map(), cutShort: 0, aheadSince: undefined }
  const heads: Head[] = []
  let number = 0
  for await (const line of lines) {
    number += 1
    if (line === '') continue
    const read = readLine(recordMac, line)
    if (read === 'cut short') report.cutShort += 1
    else if (read === 'forged') report.rewritten.push(`line ${number} has no valid code`)
    else if ('otherKey' in read) report.underOtherKeys.set(read.otherKey, (report.underOtherKeys.get(read.otherKey) ?? 0) + 1)
    else if (heads.push(read.head) === headsAtOnce) await compareHeads(db, known, heads.splice(0), report)
  }
  await compareHeads(db, known, heads, report)
  return report
}

/**
 * Whether the audit log records a restore after this moment, in an entry with a valid code. Without one, a log that ends before a head was
 * cut, and not restored.
 */
export async function isRestoreNoted({ db, recordMac }: { db: Runner; recordMac: RecordMac }, since: string): Promise<boolean> {
  const seq = await findNotedRestore(db, since)
  return seq !== undefined && (await findWrongCodes(db, recordMac, seq - 1, 1)).wrong.length === 0
}
