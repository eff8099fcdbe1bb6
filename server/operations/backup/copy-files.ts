/** Copies folders and hashes their files. Invariant: a listed file is complete, synced to disk, and identical to the bytes that were read. */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { access, chown, constants, lstat, mkdir, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** One file: its path below the folder, its size and hash. */
export type CopiedFile = { path: string; bytes: number; sha256: string }

export type Owner = { uid: number; gid: number }

/** Every file and folder below a folder, folders first; skips files that disappear meanwhile. */
export async function listTree(folder: string, within = ''): Promise<{ path: string; isFolder: boolean }[]> {
  const entries = await readdir(join(folder, within), { withFileTypes: true }).catch(ignoreMissing)
  const found: { path: string; isFolder: boolean }[] = []
  for (const entry of (entries ?? []).toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = join(within, entry.name)
    if (entry.isDirectory()) found.push({ path, isFolder: true }, ...(await listTree(folder, path)))
    else if (entry.isFile()) found.push({ path, isFolder: false })
  }
  return found
}

export function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

/** Why this process cannot list the files of a folder, as a code; undefined if it can. */
export async function problemOf(folder: string): Promise<string | undefined> {
  return access(folder, constants.R_OK | constants.X_OK).then(
    () => undefined,
    ({ code }: NodeJS.ErrnoException) => code,
  )
}

/** Sets the owner of a file or folder, if this process may. */
export async function changeOwner(path: string, owner: Owner | undefined): Promise<void> {
  if (owner && process.getuid?.() === 0) await chown(path, owner.uid, owner.gid)
}

export async function ownerOf(path: string): Promise<Owner> {
  const { uid, gid } = await lstat(path)
  return { uid, gid }
}

/** Copies one file durably, under the same name or as `as`; undefined when it no longer exists. */
export async function copyFile(
  from: string,
  to: string,
  path: string,
  owner?: Owner,
  as: string = path,
): Promise<CopiedFile | undefined> {
  await mkdir(dirname(join(to, as)), { recursive: true, mode: 0o700 })
  const hash = createHash('sha256')
  let bytes = 0
  try {
    await pipeline(
      createReadStream(join(from, path)),
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          hash.update(chunk)
          bytes += chunk.length
          yield chunk
        }
      },
      createWriteStream(join(to, as), { mode: 0o600, flush: true }),
    )
  } catch (error) {
    return ignoreMissing(error as NodeJS.ErrnoException)
  }
  await changeOwner(join(to, as), owner)
  return { path, bytes, sha256: hash.digest('hex') }
}

export async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}
