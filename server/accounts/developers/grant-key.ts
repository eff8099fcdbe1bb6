/** Grants the scopes of a key that wait, or keeps a key whose granter has left. Invariant: who grants a scope has every right that it gives. */
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import type { Config } from '../../config/config.ts'
import { refuseWaitingAccount } from '../identity/account-wait.ts'
import type { WhoActs } from '../identity/authenticate.ts'
import { requireRole } from '../members/access.ts'
import { permissionsOfKey } from '../members/permissions.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import type { Db } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { invalidState } from '../../platform/refusal.ts'
import { lockOwnKey } from './find-own.ts'
import { mailAboutKey } from './key-mail.ts'
import { endWait } from './key.sql.ts'
import type { Key } from './key.ts'

/**
 * Refuses with 403 `insufficient_role` a person without one of the rights, and with 409 a key that has ended, or payouts while those of the
 * person wait; a granted key is returned unchanged.
 */
export async function grantKey(
  deps: { db: Db; sealer: Sealer; config: Pick<Config, 'safeguards'> },
  who: WhoActs,
  id: string,
  origin: Origin,
): Promise<Key> {
  return deps.db.tx(async (tx) => {
    const key = await lockOwnKey(tx, who, id)
    const scopes = key.unkeptSince === null ? key.waitingScopes : key.scopes
    for (const permission of permissionsOfKey(scopes)) requireRole(key.role, permission, key.environment)
    if (key.status === 'revoked' || key.status === 'expired')
      throw invalidState(`A key that is ${key.status} grants nothing.`, 'Ufunguo uliofutwa au uliokwisha muda haupewi ruhusa.')
    if (scopes.length === 0) return key
    if (scopes.includes('payouts:write'))
      await refuseWaitingAccount({ ...deps, db: tx }, key.environment, who, 'let this key make payouts')
    const granted = await endWait(tx, id, who.userId)
    await mailAboutKey(deps, tx, key.merchantId, key, key.unkeptSince === null ? 'key_granted' : 'key_kept')
    await appendAudit(tx, origin, {
      action: 'key.granted',
      object: toWire('key', id),
      merchantId: key.merchantId,
      after: { scopes },
    })
    return granted
  })
}
