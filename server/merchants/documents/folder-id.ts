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

/** What a file system without hard links answers, such as one of Windows or in user space. */
const withoutLinks = new Set<string | undefined>(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

/** Gives the folder this id, unless another process was first. Returns the path of the file. */
export async function writeFolderId(root: string, id: string): Promise<string> {
  const path = join(root, folderIdFile)
  const draft = `${path}.${randomUUID()}.part`
  try {
    await writeFile(draft, `${id}\n`, { flag: 'wx', mode: 0o600, flush: true })
    await link(draft, path).catch(async (error: unknown) => {
      if (!withoutLinks.has((error as NodeJS.ErrnoException).code)) throw error
      await writeFile(path, `${id}\n`, { flag: 'wx', mode: 0o600, flush: true })
    })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(draft, { force: true })
  }
  return path
}
