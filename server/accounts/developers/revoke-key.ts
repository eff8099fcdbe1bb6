/** Revokes a key. Invariant: a revoked key stays revoked and keeps its time of revocation. */
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import type { WhoActs } from '../identity/authenticate.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import type { Db } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { lockOwnKey } from './find-own.ts'
import { mailAboutKey } from './key-mail.ts'
import { markKeyRevoked } from './key.sql.ts'
import type { Key } from './key.ts'

/** Refuses with 404 a key that is not this user's; a key that is already revoked is returned unchanged. */
export async function revokeKey(deps: { db: Db; sealer: Sealer }, who: WhoActs, id: string, origin: Origin): Promise<Key> {
  return deps.db.tx(async (tx) => {
    const key = await lockOwnKey(tx, who, id)
    if (key.status === 'revoked') return key
    const revoked = await markKeyRevoked(tx, id)
    await mailAboutKey(deps, tx, key.merchantId, key, 'key_revoked')
    await appendAudit(tx, origin, {
      action: 'key.revoked',
      object: toWire('key', id),
      merchantId: key.merchantId,
      before: { status: key.status, last4: key.last4 },
    })
    return revoked
  })
}
