/** Changes the name and description of an app; its owner and environment never change. */
import type { Db } from '../platform/db/db.ts'
import { updateApp } from './app.sql.ts'
import type { App } from './app.ts'
import { lockOwnApp } from './find-own.ts'

export async function changeApp(
  deps: { db: Db },
  userId: string,
  id: string,
  changes: { name?: string; description?: string | null },
): Promise<App> {
  return deps.db.tx(async (tx) => {
    const app = await lockOwnApp(tx, userId, id)
    const { name = app.name, description = app.description } = changes
    await updateApp(tx, id, { name, description })
    return { ...app, name, description }
  })
}
