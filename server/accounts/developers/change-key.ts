/** Changes the name of a key and the addresses that may use it; its scopes never change. */
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import type { WhoActs } from '../identity/authenticate.ts'
import type { Db } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import { mailAboutKey } from './key-mail.ts'
import { lockOwnKey, requireMaySee } from './find-own.ts'
import { updateKey } from './key.sql.ts'
import type { Key } from './key.ts'

/** Whether a list of addresses allows any that the previous list does not name; an empty list allows all. */
function isWider(before: string[], after: string[]): boolean {
  if (before.length === 0) return false
  return after.length === 0 || after.some((address) => !before.includes(address))
}

export async function changeKey(
  deps: { db: Db; sealer: Sealer },
  who: WhoActs,
  id: string,
  changes: { keyName?: string; allowedIps?: string[] },
  origin: Origin,
): Promise<Key> {
  return deps.db.tx(async (tx) => {
    const key = await lockOwnKey(tx, who, id)
    const { keyName = key.keyName, allowedIps = key.allowedIps } = changes
    const isRenamed = keyName !== key.keyName
    const isMoved = allowedIps.join() !== key.allowedIps.join()
    if (!isRenamed && !isMoved) return key
    const isWidened = isWider(key.allowedIps, allowedIps)
    if (key.environment === 'live' && isWidened) requireMaySee(key, key.scopes)
    await mailAboutKey(deps, tx, key.merchantId, key, isWidened ? 'key_widened' : 'key_changed')
    await updateKey(tx, id, { keyName, allowedIps })
    await appendAudit(tx, origin, {
      action: 'key.changed',
      object: toWire('key', id),
      merchantId: key.merchantId,
      // The name of a key can identify a person, and nothing is ever removed from the audit log.
      before: isMoved ? { allowed_ips: key.allowedIps } : {},
      after: { ...(isRenamed && { renamed: true }), ...(isMoved && { allowed_ips: allowedIps }) },
    })
    return { ...key, keyName, allowedIps }
  })
}
