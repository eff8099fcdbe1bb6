/**
 * Copies documents back into the store after the database has recovered. Invariant: only the bytes that a row names come back. A copy
 * without a row was erased, or its upload is later than the restored moment. The folder gets the id that the database has: it is its folder now.
 */
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { findFolder } from '../../merchants/documents/document.sql.ts'
import { folderIdFile, writeFolderId } from '../../merchants/documents/folder-id.ts'
import { listStored } from '../../merchants/documents/list-stored.ts'
import type { Runner } from '../../platform/db/db.ts'
import { changeOwner, copyFile, hashOf, ignoreMissing, type Owner } from './copy-files.ts'

/** Returns the number of copied files, and the ids of the documents with a file that is undamaged neither in the store `to` nor in `from`. */
export async function restoreDocuments(
  db: Runner,
  from: string,
  to: string,
  owner: Owner,
): Promise<{ copied: number; missing: string[] }> {
  let copied = 0
  const missing = new Set<string>()
  for await (const { documentId, key, sha256 } of listStored(db)) {
    const wanted = sha256.toString('hex')
    if ((await hashOf(join(to, key)).catch(ignoreMissing)) === wanted) continue
    const draft = join(to, `${key}.part`)
    const copy = await copyFile(from, to, key, owner, `${key}.part`)
    // The copy may have made them, as root.
    for (let folder = dirname(draft); folder.length >= to.length; folder = dirname(folder)) await changeOwner(folder, owner)
    if (copy?.sha256 === wanted) {
      await rename(draft, join(to, key))
      copied += 1
    } else {
      await rm(draft, { force: true })
      missing.add(documentId)
    }
  }
  const folderId = await findFolder(db)
  if (folderId !== undefined) {
    await mkdir(to, { recursive: true, mode: 0o700 })
    await rm(join(to, folderIdFile), { force: true })
    const file = await writeFolderId(to, folderId)
    for (const made of [to, file]) await changeOwner(made, owner)
  }
  return { copied, missing: [...missing] }
}
