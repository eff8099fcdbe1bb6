/**
 * Documents in a folder of this machine. Invariant: a key's name has a complete file or none: bytes are written to a temporary
 * file, synced and renamed into place, and the rename is synced too. A folder that is not the one of the database is not used: a file that is
 * missing there may be on another machine.
 */
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { assert } from '../../platform/refusal.ts'
import { assertKey, OtherFolder, StoreUnavailable, type DocumentStore, type StoredFacts } from './document-store.ts'
import { folderIdFile, readFolderId, writeFolderId } from './folder-id.ts'

// A folder with a key's name contains other keys; no document has that name.
const absentCodes = new Set(['ENOENT', 'ENOTDIR', 'EISDIR'])

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
}

function unavailable(error: unknown): StoreUnavailable {
  return new StoreUnavailable(`The folder of the documents cannot be used: ${codeOf(error)}.`, error)
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Makes a folder below the root, and makes every new name on the path durable. */
async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let parent = dirname(folder); parent.length >= dirname(first).length; parent = dirname(parent)) await syncFolder(parent)
}

/** Copies and syncs; verifies that the bytes on disk have the hash and size that the caller recorded. */
async function copyDurably(from: string, to: string, facts: StoredFacts): Promise<void> {
  const hash = createHash('sha256')
  let sizeBytes = 0
  await pipeline(
    createReadStream(from),
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk)
        sizeBytes += chunk.length
        yield chunk
      }
    },
    createWriteStream(to, { flags: 'wx', mode: 0o600, flush: true }),
  )
  assert(
    sizeBytes === facts.sizeBytes && hash.digest().equals(facts.sha256),
    'a file that is stored is the one that was measured',
  )
}

/** Where the id of the folder is recorded: its database. */
export type FolderRecord = {
  find(): Promise<string | undefined>
  /** Keeps an earlier one. */
  insert(id: string): Promise<void>
  /** The objects that the database names. */
  stored(): AsyncIterable<{ key: string }>
}

export function createDiskStore(root: string, maxBytes: number, folders: FolderRecord): DocumentStore {
  let folderId: string | undefined

  /** Whether this is no folder of another machine, nor one on a disk that is not mounted yet: it has a document of the database, if that has any. */
  async function mayBeFirst(): Promise<boolean> {
    let isEmpty = true
    for await (const { key } of folders.stored()) {
      if (await stat(join(root, key)).catch(() => undefined)) return true
      isEmpty = false
    }
    return isEmpty
  }

  /** Without a record this folder is the first one: a new installation, one from before folders had an id, or one to which an operator gave an id. */
  async function claimRoot(): Promise<string> {
    await makeFolder(root)
    let recorded = await folders.find()
    if (recorded === undefined) {
      if ((await readFolderId(root)) === undefined && !(await mayBeFirst()))
        throw new OtherFolder(join(root, folderIdFile), randomUUID())
      await writeFolderId(root, randomUUID())
      await syncFolder(root)
      await folders.insert((await readFolderId(root))!)
      recorded = (await folders.find())!
    }
    await requireId(recorded)
    return recorded
  }

  async function requireId(id: string): Promise<void> {
    if ((await readFolderId(root)) !== id) throw new OtherFolder(join(root, folderIdFile), id)
  }

  /** The root is made once. If it disappears later (a lost mount), a new empty one would look like a store without documents. */
  async function useRoot(): Promise<void> {
    if (folderId === undefined) folderId = await claimRoot()
    else await requireId(folderId)
  }

  /** Runs one operation; a missing file is `undefined`, and any other file system error means that the store is unavailable. */
  async function attempt<T>(operation: () => Promise<T>): Promise<T | undefined> {
    try {
      await useRoot()
    } catch (error) {
      throw error instanceof StoreUnavailable ? error : unavailable(error)
    }
    try {
      return await operation()
    } catch (error) {
      if (absentCodes.has(codeOf(error))) return undefined
      if (error instanceof StoreUnavailable) throw error
      throw unavailable(error)
    }
  }

  return {
    async put(key, file, facts) {
      assertKey(key)
      const target = join(root, key)
      const part = `${target}.${randomUUID()}.part`
      try {
        await useRoot()
        await makeFolder(dirname(target))
        await copyDurably(file, part, facts)
        await rename(part, target)
        await syncFolder(dirname(target))
      } catch (error) {
        await rm(part, { force: true }).catch(() => undefined)
        throw codeOf(error) === 'unknown' ? error : unavailable(error)
      }
    },
    async read(key) {
      assertKey(key)
      return attempt(async () => {
        const handle = await open(join(root, key), 'r')
        try {
          const { size } = await handle.stat()
          if (size > maxBytes) throw new StoreUnavailable('A stored document is larger than any that was taken in.')
          return await handle.readFile()
        } finally {
          await handle.close()
        }
      })
    },
    async sizeOf(key) {
      assertKey(key)
      return attempt(async () => {
        const facts = await stat(join(root, key))
        return facts.isFile() ? facts.size : undefined
      })
    },
    async remove(key) {
      assertKey(key)
      const folder = dirname(join(root, key))
      await attempt(async () => {
        // A put that was killed leaves its temporary file, with or without the file itself.
        const isOfKey = (name: string) =>
          name === basename(key) || (name.startsWith(`${basename(key)}.`) && name.endsWith('.part'))
        const names = (await readdir(folder)).filter(isOfKey)
        for (const name of names) await rm(join(folder, name), { force: true })
        // An erased file must not reappear after a power failure.
        await syncFolder(folder)
      })
    },
  }
}
