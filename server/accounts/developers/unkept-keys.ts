/**
 * Live keys whose granter has left, or has lost a right that they granted: owners keep or revoke them. Invariant: nothing stops silently;
 * without an answer, the key pays out no more after `pauseHours`.
 */
import type { MemberRole } from '../../domain/member.ts'
import { holdsScope } from '../members/permissions.ts'
import type { Tx } from '../../platform/db/db.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import { mailAboutKey } from './key-mail.ts'
import { lockKeysGrantedBy, markUnkept, type GrantedKey } from './key.sql.ts'

/** Who may do less now. `role`: undefined for a person who was removed. */
export type LostRights = { userId: string; merchantId: string; role: MemberRole | undefined }

function isUnheld(key: GrantedKey, { userId, role }: LostRights): boolean {
  const granted = key.scopes.filter(
    (scope) =>
      !key.waitingScopes.includes(scope) && userId === (key.grantedScopes.includes(scope) ? key.grantedBy : key.createdBy),
  )
  return granted.some((scope) => role === undefined || !holdsScope(role, scope))
}

/** Asks the owners about the keys of a person, in the transaction in which the person loses rights. */
export async function askAboutKeys(deps: { sealer: Sealer }, tx: Tx, lost: LostRights): Promise<void> {
  const keys = (await lockKeysGrantedBy(tx, lost)).filter((key) => isUnheld(key, lost))
  await markUnkept(
    tx,
    keys.map(({ id }) => id),
  )
  for (const key of keys) await mailAboutKey(deps, tx, lost.merchantId, key, 'key_unkept')
}
