/** Creates a developer app for the signed-in person. */
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import type { Environment } from '../../domain/environment.ts'
import type { WhoActs } from '../identity/authenticate.ts'
import { lockMerchant } from '../identity/merchant.sql.ts'
import { confirmAccess } from '../members/access.ts'
import type { Db, Tx } from '../../platform/db/db.ts'
import { newId, toWire } from '../../platform/ids.ts'
import { must, requireRoom } from '../../platform/refusal.ts'
import { caps } from '../../config/limits.ts'
import { countApps, findApp, insertApp } from './app.sql.ts'
import type { App } from './app.ts'

export type NewApp = {
  name: string
  description: string | null
  environment: Environment
  merchantId: string
}

/** Refuses an app above the cap with 409 `too_many_objects`. */
export async function createApp(deps: { db: Db }, who: WhoActs, app: NewApp, origin: Origin): Promise<App> {
  return deps.db.tx(async (tx) => {
    await lockMerchant(tx, app.merchantId)
    await confirmAccess(tx, who, { merchant: { id: app.merchantId }, environment: app.environment }, 'apps.write')
    requireRoom('apps', await countApps(tx, app.merchantId), caps.apps.most, ['Delete one first.', 'Futa programu moja kwanza.'])
    return insertNewApp(tx, who.userId, app, origin)
  })
}

/** The same in the caller's transaction. */
export async function insertNewApp(tx: Tx, userId: string, app: NewApp, origin: Origin): Promise<App> {
  const id = newId()
  await insertApp(tx, { ...app, id })
  const created = must(await findApp(tx, userId, id), 'an app can be read in the transaction that created it')
  const { environment, merchantId } = created
  await appendAudit(tx, origin, { action: 'app.created', object: toWire('app', id), merchantId, after: { environment } })
  return created
}
