/** Deletes an app. Invariant: all its keys stop working in the same transaction. */
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import type { WhoActs } from '../identity/authenticate.ts'
import { tellOwners } from '../members/mail-owners.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import type { Db, Tx } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { markAppDeleted } from './app.sql.ts'
import type { App } from './app.ts'
import { lockOwnApp } from './find-own.ts'
import { revokeKeysOfApp } from './key.sql.ts'

/** An app that the caller has locked, in the caller's transaction. */
export async function endApp(deps: { sealer: Sealer }, tx: Tx, app: App, origin: Origin): Promise<App> {
  const keysRevoked = await revokeKeysOfApp(tx, app.id)
  const deletedAt = await markAppDeleted(tx, app.id)
  if (app.environment === 'live') {
    await tellOwners(deps, tx, app.merchantId, {
      sw: `Programu ya mazingira halisi imefutwa, na funguo zake (${keysRevoked}) hazifanyi kazi tena.`,
      en: `A live app was deleted, and its keys (${keysRevoked}) no longer work.`,
    })
  }
  await appendAudit(tx, origin, {
    action: 'app.deleted',
    object: toWire('app', app.id),
    merchantId: app.merchantId,
    after: { keys_revoked: keysRevoked },
  })
  return { ...app, deletedAt }
}

export async function deleteApp(deps: { db: Db; sealer: Sealer }, who: WhoActs, id: string, origin: Origin): Promise<App> {
  return deps.db.tx(async (tx) => endApp(deps, tx, await lockOwnApp(tx, who, id), origin))
}
