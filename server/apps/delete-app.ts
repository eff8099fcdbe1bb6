/** Deletes an app. Invariant: with it, and in the same transaction, all its keys stop working. */
import type { Db } from '../platform/db.ts'
import { notFound } from '../platform/refusal.ts'
import { lockApp, markAppDeleted } from './app.sql.ts'
import type { App } from './app.ts'
import { revokeKeysOfApp } from './key.sql.ts'

export async function deleteApp(deps: { db: Db }, userId: string, id: string): Promise<App> {
  return deps.db.tx(async (tx) => {
    const app = await lockApp(tx, userId, id)
    if (!app) throw notFound()
    await revokeKeysOfApp(tx, id)
    return { ...app, deletedAt: await markAppDeleted(tx, id) }
  })
}
