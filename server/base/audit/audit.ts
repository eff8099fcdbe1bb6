/**
 * The audit log: who did what to which object, from where, with before and after. Invariant: an entry is written in the same transaction
 * as the action, so neither exists without the other, and it never contains a secret or the content of a document.
 */
import assert from 'node:assert/strict'
import type { Db, Runner, Tx } from '../../platform/db/db.ts'
import type { MacPart } from '../../platform/crypto/record-mac.ts'
import type { Log } from '../../platform/process/log.ts'
import { insertEntry, readAuditHead, lockChainEnd } from './audit.sql.ts'

/** The actor and the request: part of every entry, decision and correction. */
export type Origin = {
  /** `usr_…`, `ops` for the operator's command line, `system` for the service itself. */
  actor: string
  requestId: string
  ip: string | null
}

export const byCommandLine: Origin = { actor: 'ops', requestId: 'ops', ip: null }
export const bySystem: Origin = { actor: 'system', requestId: 'system', ip: null }

type Facts = Record<string, string | number | boolean | null | readonly string[]>

export type AuditEntry = {
  /** The action, as `object.verb_in_the_past`: `business.verified`. */
  action: string
  /** The wire id of the object of the action. */
  object: string
  /** Only the changed facts, redacted: no secret, no full personal number. */
  before?: Facts
  after?: Facts
  /** The merchant whose business this is about, which reads the entry in its list of activity; none for what only operators read. */
  merchantId?: string
}

/** The kind of record that the code of an entry is made for, in addition to the key. */
export const entryKind = 'audit entry'

/** The content of an entry: as the process has it, or as its row has it. */
type EntryContent = {
  action: string
  object: string
  before?: object | null
  after?: object | null
  merchantId?: string | null
}

/** The same text for the process and for the database: `jsonb` keeps no order of names. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value ?? null, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  )
}

/** The content that the code of an entry covers: its number, the hash that the database computed, and all facts from the process. */
export function codeParts(
  place: { seq: number; hash: string },
  { actor, requestId, ip }: Origin,
  content: EntryContent,
): MacPart[] {
  const { action, object, before, after, merchantId } = content
  const changes = [canonicalJson(before), canonicalJson(after)]
  return [place.seq, place.hash, actor, action, object, ...changes, requestId, ip, merchantId ?? null]
}

/**
 * Appends an entry, with a code under a key that the database does not have. Entries queue for the end of the chain until their
 * transactions end, so this is the last statement of a transaction, and no hot path writes one.
 */
export async function appendAudit(runner: Tx | Pick<Db, 'tx'>, origin: Origin, entry: AuditEntry): Promise<void> {
  if (!('kind' in runner)) return runner.tx((tx) => appendAudit(tx, origin, entry))
  assert(runner.recordMac, 'The audit log is written through connections that know the integrity keys.')
  const place = await lockChainEnd(runner, origin, entry)
  const mac = runner.recordMac.make(entryKind, codeParts({ seq: place.seq, hash: place.hash.toString('hex') }, origin, entry))
  return insertEntry(runner, origin, entry, place, mac)
}

/**
 * Writes the end of the chain to the log: an operator who keeps the logs elsewhere can prove that the chain was not cut or
 * rewritten.
 */
export async function logAuditHead(deps: { db: Runner; log: Log }): Promise<void> {
  const { seq, hash } = await readAuditHead(deps.db)
  deps.log.info('audit.head_logged', { seq, hash: hash.toString('hex') })
}
