/**
 * The audit log: who did what to what, from where, with before and after. Invariant: an entry is written in the transaction of what
 * it tells of, so neither is there without the other, and it never holds a secret or what a document says.
 */
import type { Runner } from '../platform/db.ts'
import { insertEntry } from './audit.sql.ts'

/** Who acts, and in which request: what every entry, decision and correction carries. */
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
  /** What was done, as `object.verb_in_the_past`: `business.verified`. */
  action: string
  /** The wire id of what it was done to. */
  object: string
  /** Only what changed, redacted: no secret, no personal number in full. */
  before?: Facts
  after?: Facts
}

/**
 * Appends an entry. Entries queue for the end of the chain until their transactions end, so this is the last statement of a
 * transaction, and no hot path writes one.
 */
export async function appendAudit(runner: Runner, origin: Origin, entry: AuditEntry): Promise<void> {
  await insertEntry(runner, origin, entry)
}
