/**
 * Copies documents back into the store after the database has recovered. Invariant: only the bytes that a row names come back. A copy
 * without a row was erased, or its upload is later than the restored moment.
 */
import { rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { listStored } from '../../merchants/documents/list-stored.ts'
import type { Runner } from '../../platform/db/db.ts'
import { changeOwner, copyFile, ignoreMissing, type Owner } from './copy-files.ts'

/** Returns the number of copied files, and the ids of the documents with a file that is neither in the store `to` nor, undamaged, in `from`. */
export async function restoreDocuments(
  db: Runner,
  from: string,
  to: string,
  owner: Owner,
): Promise<{ copied: number; missing: string[] }> {
  let copied = 0
  const missing = new Set<string>()
  for await (const { documentId, key, sha256 } of listStored(db)) {
    if (await stat(join(to, key)).catch(ignoreMissing)) continue
    const draft = join(to, `${key}.part`)
    const copy = await copyFile(from, to, key, owner, `${key}.part`)
    // The copy may have made them, as root.
    for (let folder = dirname(draft); folder.length >= to.length; folder = dirname(folder)) await changeOwner(folder, owner)
    if (copy?.sha256 === sha256.toString('hex')) {
      await rename(draft, join(to, key))
      copied += 1
    } else {
      await rm(draft, { force: true })
      missing.add(documentId)
    }
  }
  return { copied, missing: [...missing] }
}
