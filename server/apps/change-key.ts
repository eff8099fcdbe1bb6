/** Changes the name of a key and the addresses that may use it; what it may do never changes. */
import { appendAudit, type Origin } from '../audit/audit.ts'
import type { Db } from '../platform/db.ts'
import { toWire } from '../platform/ids.ts'
import { notFound } from '../platform/refusal.ts'
import { lockKey, updateKey } from './key.sql.ts'
import type { Key } from './key.ts'

export async function changeKey(
  deps: { db: Db },
  userId: string,
  id: string,
  changes: { keyName?: string; allowedIps?: string[] },
  origin: Origin,
): Promise<Key> {
  return deps.db.tx(async (tx) => {
    const key = await lockKey(tx, userId, id)
    if (!key) throw notFound()
    const { keyName = key.keyName, allowedIps = key.allowedIps } = changes
    const isRenamed = keyName !== key.keyName
    const isMoved = allowedIps.join() !== key.allowedIps.join()
    if (!isRenamed && !isMoved) return key
    await updateKey(tx, id, { keyName, allowedIps })
    await appendAudit(tx, origin, {
      action: 'key.changed',
      object: toWire('key', id),
      // What people call their keys can name them, and nothing is ever taken out of the log.
      before: isMoved ? { allowed_ips: key.allowedIps } : {},
      after: { ...(isRenamed && { renamed: true }), ...(isMoved && { allowed_ips: allowedIps }) },
    })
    return { ...key, keyName, allowedIps }
  })
}
