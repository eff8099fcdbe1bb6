/** Finds an app of the signed-in person; another person's app is reported as missing. */
import type { Db } from '../platform/db/db.ts'
import { fromWire } from '../platform/ids.ts'
import { notFound } from '../platform/refusal.ts'
import { findApp } from './app.sql.ts'
import type { App } from './app.ts'

/** `wireId` is the app id as sent; refuses with 404 unless it is an app of this user. */
export async function findOwnApp(deps: { db: Db }, userId: string, wireId: string): Promise<App> {
  const id = fromWire('app', wireId)
  const app = id === undefined ? undefined : await findApp(deps.db, userId, id)
  if (!app) throw notFound()
  return app
}
