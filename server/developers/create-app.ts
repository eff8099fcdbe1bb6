/** Creates a developer app for the signed-in person. */
import { appendAudit, type Origin } from '../audit/audit.ts'
import type { Environment } from '../domain/environment.ts'
import type { Db, Tx } from '../platform/db/db.ts'
import { newId, toWire } from '../platform/ids.ts'
import { assert } from '../platform/refusal.ts'
import { findApp, insertApp } from './app.sql.ts'
import type { App } from './app.ts'

export type NewApp = {
  name: string
  description: string | null
  environment: Environment
  /** The business that it acts for; without one it acts for the person. */
  merchantId?: string
}

export async function createApp(deps: { db: Db }, userId: string, app: NewApp, origin: Origin): Promise<App> {
  return deps.db.tx(async (tx) => insertNewApp(tx, userId, app, origin))
}

/** The same in the caller's transaction. */
export async function insertNewApp(tx: Tx, userId: string, app: NewApp, origin: Origin): Promise<App> {
  const id = newId()
  // A personal merchant has the id of its user.
  await insertApp(tx, { ...app, id, merchantId: app.merchantId ?? userId })
  const created = await findApp(tx, userId, id)
  assert(created, 'an app can be read in the transaction that created it')
  const { environment } = created
  await appendAudit(tx, origin, { action: 'app.created', object: toWire('app', id), after: { environment } })
  return created
}
