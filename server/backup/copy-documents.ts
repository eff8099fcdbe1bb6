/** Copies the documents that are not there yet, in either direction. A document never changes under its name, so its name says that it is there. */
import { rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { copyFile, giveTo, ignoreMissing, listTree, ownerOf } from './copy-files.ts'

/** Not whole yet: the store renames it when it is. */
const unfinished = /\.part$/

/** Answers with how many were copied. What was erased from `from` stays in `to`, until it is erased there. */
export async function copyDocuments(from: string, to: string): Promise<number> {
  const owner = await ownerOf(from)
  let count = 0
  for (const { path, isFolder } of await listTree(from)) {
    if (isFolder || unfinished.test(path)) continue
    if (await stat(join(to, path)).catch(ignoreMissing)) continue
    const draft = `${path}.part`
    const copied = await copyFile(from, to, path, undefined, draft)
    if (!copied) continue
    await giveTo(join(to, draft), owner)
    await rename(join(to, draft), join(to, path))
    count += 1
  }
  return count
}
