/**
 * Writes the end of the audit chain to the log at regular intervals: an operator who keeps the logs elsewhere can prove that the chain
 * was not cut or rewritten.
 */
import type { Runner } from '../platform/db/db.ts'
import type { Log } from '../platform/process/log.ts'
import { readAuditHead } from './audit.sql.ts'

export async function logAuditHead(deps: { db: Runner; log: Log }): Promise<void> {
  const { seq, hash } = await readAuditHead(deps.db)
  deps.log.info('audit.head_logged', { seq, hash: hash.toString('hex') })
}
