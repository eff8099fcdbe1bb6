/** Changes the name and description of an app; its owner and environment never change. */
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import type { WhoActs } from '../identity/authenticate.ts'
import type { Db } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { updateApp } from './app.sql.ts'
import type { App } from './app.ts'
import { lockOwnApp } from './find-own.ts'

export async function changeApp(
  deps: { db: Db },
  who: WhoActs,
  id: string,
  changes: { name?: string; description?: string | null },
  origin: Origin,
): Promise<App> {
  return deps.db.tx(async (tx) => {
    const app = await lockOwnApp(tx, who, id)
    const { name = app.name, description = app.description } = changes
    const changed = [name !== app.name && 'name', description !== app.description && 'description'].filter((one) => one !== false)
    if (changed.length === 0) return app
    await updateApp(tx, id, { name, description })
    // Not the texts: they can identify a person, and nothing is ever removed from the audit log.
    await appendAudit(tx, origin, {
      action: 'app.changed',
      object: toWire('app', id),
      merchantId: app.merchantId,
      after: { changed },
    })
    return { ...app, name, description }
  })
}
