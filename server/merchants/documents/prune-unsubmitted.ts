/** Removes documents and their bytes. Invariant: a file without a row is on the list of objects to remove from the store. */
import type { Db, Tx } from '../../platform/db/db.ts'
import { firstIdOf, toWire } from '../../platform/ids.ts'
import { keysOf, type Document } from './document.ts'
import { deleteDocuments, findDocumentsAfter, noteUnfinished } from './document.sql.ts'

/** Removes these documents; the sweep of the store removes their bytes. */
export async function removeDocuments(tx: Tx, documents: readonly Document[]): Promise<void> {
  const keys = documents.flatMap((document) =>
    document.state === 'uploaded' && document.uploadId !== null ? Object.values(keysOf(document, document.uploadId)) : [],
  )
  await noteUnfinished(tx, keys)
  await deleteDocuments(
    tx,
    documents.map(({ id }) => id),
  )
}

export type Removal = { removed: number; position: string | null; hasMore: boolean }

/** Checks once each document that was requested this many days ago, and removes it unless it was ever submitted. Continues after `position`. */
export async function pruneUnsubmitted(
  deps: { db: Db; nowMs: number; everSubmitted(merchantIds: string[]): Promise<Set<string>> },
  wanted: { olderThanDays: number; position: string | null; limit: number },
): Promise<Removal> {
  const { olderThanDays, position, limit } = wanted
  const before = firstIdOf(deps.nowMs - olderThanDays * 86_400_000)
  const documents = await findDocumentsAfter(deps.db, position, before, limit)
  const last = documents.at(-1)
  if (!last) return { removed: 0, position, hasMore: false }
  const submitted = await deps.everSubmitted([...new Set(documents.map(({ merchantId }) => merchantId))])
  const unsubmitted = documents.filter(({ id }) => !submitted.has(toWire('doc', id)))
  await deps.db.tx((tx) => removeDocuments(tx, unsubmitted))
  return { removed: unsubmitted.length, position: last.id, hasMore: documents.length === limit }
}
