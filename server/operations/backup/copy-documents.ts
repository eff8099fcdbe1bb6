/**
 * Copies the documents that a folder does not have yet. A document never changes under its name, so an existing name means that it
 * is already copied.
 */
import { rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { folderIdFile } from '../../merchants/documents/folder-id.ts'
import { copyFile, changeOwner, ignoreMissing, listTree, ownerOf } from './copy-files.ts'

/** Incomplete: the store renames the file when it is complete. */
const unfinished = /\.part$/

/**
 * Returns how many were copied: none from a missing folder, because the store makes it with the first document. A document that was
 * erased from `from` stays in `to` until it is erased there.
 */
export async function copyDocuments(from: string, to: string): Promise<number> {
  const owner = await ownerOf(from).catch(ignoreMissing)
  if (!owner) return 0
  let count = 0
  for (const { path, isFolder } of await listTree(from)) {
    // The id names the folder of the service, not a copy of it.
    if (isFolder || unfinished.test(path) || path === folderIdFile) continue
    if (await stat(join(to, path)).catch(ignoreMissing)) continue
    const draft = `${path}.part`
    const copied = await copyFile(from, to, path, undefined, draft)
    if (!copied) continue
    await changeOwner(join(to, draft), owner)
    await rename(join(to, draft), join(to, path))
    count += 1
  }
  return count
}
