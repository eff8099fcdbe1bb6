/** The id of a folder of documents, in a file of its own. Invariant: the first complete id of a folder stays. */
import { randomUUID } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export const folderIdFile = '.store'

/** Undefined in a folder that has none, or that does not exist. */
export async function readFolderId(root: string): Promise<string | undefined> {
  try {
    return (await readFile(join(root, folderIdFile), 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Gives the folder this id, unless another process was first. Returns the path of the file. */
export async function writeFolderId(root: string, id: string): Promise<string> {
  const path = join(root, folderIdFile)
  const draft = `${path}.${randomUUID()}.part`
  try {
    await writeFile(draft, `${id}\n`, { flag: 'wx', mode: 0o600, flush: true })
    await link(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(draft, { force: true })
  }
  return path
}
