/** Finds an app or a key of the signed-in person; another person's is reported as missing. */
import type { Db } from '../platform/db/db.ts'
import { fromWire } from '../platform/ids.ts'
import { notFound } from '../platform/refusal.ts'
import { findApp } from './app.sql.ts'
import type { App } from './app.ts'
import { findKey } from './key.sql.ts'
import type { Key } from './key.ts'

/** `wireId` is the app id as sent; refuses with 404 unless it is an app of this user. */
export async function findOwnApp(deps: { db: Db }, userId: string, wireId: string): Promise<App> {
  const id = fromWire('app', wireId)
  const app = id === undefined ? undefined : await findApp(deps.db, userId, id)
  if (!app) throw notFound()
  return app
}

/** `wireId` is the key id as sent; refuses with 404 unless it is a key of an app of this user. */
export async function findOwnKey(deps: { db: Db }, userId: string, wireId: string): Promise<Key> {
  const id = fromWire('key', wireId)
  const key = id === undefined ? undefined : await findKey(deps.db, userId, id)
  if (!key) throw notFound()
  return key
}
