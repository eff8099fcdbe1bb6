/** Removes the leftovers of killed uploads: files on this machine, and objects in the store without a document. */
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/db.ts'
import type { DocumentStore } from './document-store.ts'
import { findUnfinished, postponeUnfinished, pruneUnfinished } from './document.sql.ts'
import { leaseSeconds, uploadFolder } from './receive-upload.ts'

/** Files that have not been written to for longer than an upload can take. */
export async function sweepFiles(deps: { clock: Clock; config: Pick<Config, 'documents' | 'dataDir'> }): Promise<void> {
  const folder = uploadFolder(deps.config)
  const oldestMs = deps.clock.now() - leaseSeconds(deps.config.documents) * 1000
  const names = await readdir(folder).catch((): string[] => [])
  for (const name of names) {
    const file = join(folder, name)
    const { mtimeMs } = (await stat(file).catch(() => undefined)) ?? {}
    if (mtimeMs !== undefined && mtimeMs < oldestMs) await rm(file, { force: true })
  }
}

/** A store that does not answer must not hold a round for longer. */
const mostFailures = 5

/**
 * Returns how many objects it removed. Removing one twice succeeds, so two workers may run at once. What the store does not remove is
 * tried again after the others, and reported.
 */
export async function sweepObjects(
  deps: { db: Db; config: Pick<Config, 'documents'>; documentStore: DocumentStore },
  limit: number,
): Promise<number> {
  const keys = await findUnfinished(deps.db, leaseSeconds(deps.config.documents), limit)
  const removed: string[] = []
  const failures = new Map<string, unknown>()
  for (const key of keys) {
    try {
      await deps.documentStore.remove(key)
      removed.push(key)
    } catch (error) {
      failures.set(key, error)
      if (failures.size === mostFailures) break
    }
  }
  if (removed.length > 0) await pruneUnfinished(deps.db, removed)
  if (failures.size > 0) {
    await postponeUnfinished(deps.db, [...failures.keys()])
    throw [...failures.values()][0]
  }
  return removed.length
}
