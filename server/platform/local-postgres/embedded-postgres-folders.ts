/**
 * Where the files of an embedded PostgreSQL are and which user runs it. Invariant: only that user (and root) can enter its folder
 * and its socket, and nothing that another user could have put there first is trusted.
 *
 * Under the data folder: `cluster/` the database, `run/` socket and watchdog, `postgres.log` the log of the newest start. When
 * the server's user cannot use the data folder, all of it is in the state folder instead, and `where.txt` in the data folder
 * names that folder:
 *   root         /var/lib/malipo/embedded-postgres   (or /tmp/malipo-embedded-postgres-0 when /var/lib cannot be written)
 *   other users  ~/.local/share/malipo/embedded-postgres   (or /tmp/malipo-embedded-postgres-<uid>)
 * or the folder that the caller names, with the binaries in `postgres-<version>-<platform>/` and the data in `data-<hash of the
 * data folder's path>/`.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readlink,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

export class EmbeddedPostgresError extends Error {}

export const elsewhere = 'or set DATABASE_URL to a PostgreSQL of your own'

/** The user that runs the server when it is not the current user: PostgreSQL refuses to run as root. */
export type ServerUser = { uid: number; gid: number } | undefined

export type Folders = {
  user: ServerUser
  /** The parent folder of the next three. */
  folder: string
  cluster: string
  socketDir: string
  logFile: string
}

/** The user "nobody": the only unprivileged user id that exists, or is free, on every Linux. */
const unprivileged = { uid: 65_534, gid: 65_534 }

/** The port is part of the socket's name only. Nothing listens on TCP, so the number never collides. */
export const port = 5432

/** Bytes of `sun_path` before its final zero (unix(7); 104 bytes in the headers of macOS). */
const maxSocketPathBytes = process.platform === 'darwin' ? 103 : 107

const ownNames = /^(cluster|cluster\.new-\w+|run|socket|socket\.new-\w+|postgres\.log(\.new-[\w-]+)?|where\.txt)$/

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/**
 * The environment of every program that is started here. It is not our own environment, which has secrets that the server's user
 * must not see, and PG* and LD_* variables that would change what the programs do. The last folder is where NixOS keeps the
 * common tools.
 */
export const cleanEnvironment = {
  PATH: '/usr/local/bin:/usr/bin:/bin:/run/current-system/sw/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
}

/** Runs a program to its end as the server's user; `output` contains both output streams together. */
export function runAs(user: ServerUser, file: string, args: string[]): Promise<{ exitCode: number; output: string }> {
  return new Promise((done, fail) => {
    // Every user can enter the root folder.
    const child = spawn(file, args, { ...user, cwd: '/', env: cleanEnvironment, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const collect = (chunk: Buffer) => void (output += chunk.toString())
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.on('error', (error) => {
      if (user && (errorCode(error) === 'EINVAL' || errorCode(error) === 'EPERM')) {
        const reason = `PostgreSQL refuses to run as root, and this machine does not let root become user ${user.uid}`
        fail(new EmbeddedPostgresError(`${reason}: start as a user other than root, ${elsewhere}.`, { cause: error }))
      } else fail(error)
    })
    child.on('close', (code) => done({ exitCode: code ?? 1, output }))
  })
}

async function ownerOf(path: string): Promise<{ uid: number; gid: number } | undefined> {
  try {
    const { uid, gid } = await lstat(path)
    return { uid, gid }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Makes a folder, or accepts an existing one that belongs to us: another user may have taken a name in /tmp first. */
async function makeTrustedFolder(path: string, mode: number): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o755 })
  const found = await lstat(path)
  if (!found.isDirectory() || found.uid !== process.getuid!() || (found.mode & 0o022) !== 0) {
    throw new EmbeddedPostgresError(
      `${path} is not a folder that only this user can write: remove it and start again, ${elsewhere}.`,
    )
  }
  // mkdir applies the umask, and the server's user must be able to enter.
  if ((found.mode & 0o777) !== mode) await chmod(path, mode)
}

/** The folder outside the checkout for files that the server's user cannot reach inside it; the header of this file says where. */
export async function stateFolder(chosen: string | undefined): Promise<string> {
  const isRoot = process.getuid!() === 0
  const mode = isRoot ? 0o755 : 0o700
  if (chosen !== undefined) {
    await makeTrustedFolder(chosen, mode)
    return realpath(chosen)
  }
  const home = isRoot ? '/var/lib/malipo' : join(homedir(), '.local/share/malipo')
  try {
    await makeTrustedFolder(home, mode)
    await makeTrustedFolder(join(home, 'embedded-postgres'), mode)
    return join(home, 'embedded-postgres')
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) throw error
    const fallback = `/tmp/malipo-embedded-postgres-${process.getuid!()}`
    await makeTrustedFolder(fallback, mode)
    return fallback
  }
}

async function chooseUser(dataDir: string): Promise<ServerUser> {
  if (process.getuid!() !== 0) return undefined
  // `sudo npm start` after `npm start`: the database keeps its owner.
  const owner = await ownerOf(join(dataDir, 'cluster'))
  return owner && owner.uid !== 0 ? owner : unprivileged
}

async function makeDataDir(path: string): Promise<string> {
  try {
    await mkdir(path, { recursive: true })
    const foreign = (await readdir(path)).find((name) => !ownNames.test(name))
    if (foreign !== undefined) {
      throw new EmbeddedPostgresError(
        `${path} holds something that is not PostgreSQL's (${foreign}): choose an empty folder, ${elsewhere}.`,
      )
    }
    return await realpath(path)
  } catch (error) {
    if (error instanceof EmbeddedPostgresError || !(error instanceof Error)) throw error
    const advice = 'start as the user it belongs to, or choose another DATA_DIR'
    throw new EmbeddedPostgresError(`The data folder ${path} cannot be used (${error.message}): ${advice}, ${elsewhere}.`, {
      cause: error,
    })
  }
}

/** Makes a folder private to the server's user. Returns false when the file system cannot do that (a Windows disk under WSL). */
async function makePrivate(path: string, user: ServerUser): Promise<boolean> {
  try {
    if (user) await chown(path, user.uid, user.gid)
    await chmod(path, 0o700)
  } catch (error) {
    if (errorCode(error) === 'EPERM' || errorCode(error) === 'ENOTSUP') return false
    throw error
  }
  const found = await lstat(path)
  return (found.mode & 0o777) === 0o700 && found.uid === (user?.uid ?? process.getuid!())
}

async function canEnter(user: ServerUser, path: string): Promise<boolean> {
  if (!user) return true
  return (await runAs(user, '/bin/sh', ['-c', 'cd "$1"', 'sh', path])).exitCode === 0
}

async function usableFolder(
  dataDir: string,
  user: ServerUser,
  stateDir: string | undefined,
  log: (line: string) => void,
): Promise<string> {
  if (!user && (await lstat(dataDir)).uid !== process.getuid!()) {
    const advice = 'start as that user (or as root), or choose another DATA_DIR'
    throw new EmbeddedPostgresError(`The data folder ${dataDir} belongs to another user: ${advice}, ${elsewhere}.`)
  }
  if ((await canEnter(user, dirname(dataDir))) && (await makePrivate(dataDir, user))) return dataDir

  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
  const folder = join(await stateFolder(stateDir), `data-${hash}`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if (!(await makePrivate(folder, user))) {
    throw new EmbeddedPostgresError(`${folder} cannot be made private to the database: choose another DATA_DIR, ${elsewhere}.`)
  }
  await writeFile(join(dataDir, 'where.txt'), `The user that runs PostgreSQL cannot use this folder; the data is in\n${folder}\n`)
  log(`PostgreSQL's user cannot use ${dataDir}: the data is in ${folder}.`)
  return folder
}

async function isPrivateFolder(path: string, user: ServerUser): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined)
  return (
    found !== undefined && found.isDirectory() && found.uid === (user?.uid ?? process.getuid!()) && (found.mode & 0o077) === 0
  )
}

/** The folder of the socket: `run` in the data folder, or a short folder that the link `socket` in the data folder points to. */
async function socketFolder(folder: string, user: ServerUser): Promise<string> {
  const run = join(folder, 'run')
  if (Buffer.byteLength(join(run, `.s.PGSQL.${port}`)) <= maxSocketPathBytes) return run

  const link = join(folder, 'socket')
  for (;;) {
    const known = await readlink(link).catch(() => undefined)
    if (known !== undefined && (await isPrivateFolder(known, user))) return known
    // A random name, so that no other user can make it first; the next process finds it through the link.
    const short = await mkdtemp('/tmp/malipo-pg-')
    await makePrivate(short, user)
    try {
      if (known === undefined) await symlink(short, link)
      else {
        const replacement = `${link}.new-${short.slice('/tmp/malipo-pg-'.length)}`
        await symlink(short, replacement)
        await rename(replacement, link)
      }
    } catch (error) {
      await rm(short, { recursive: true, force: true })
      if (errorCode(error) !== 'EEXIST') throw error
    }
  }
}

/** Makes the data folder and returns all paths. The server's user makes the folders in it, never root. */
export async function prepareFolders(path: string, stateDir: string | undefined, log: (line: string) => void): Promise<Folders> {
  const dataDir = await makeDataDir(resolve(path))
  const user = await chooseUser(dataDir)
  const folder = await usableFolder(dataDir, user, stateDir, log)
  return {
    user,
    folder,
    cluster: join(folder, 'cluster'),
    socketDir: await socketFolder(folder, user),
    logFile: join(folder, 'postgres.log'),
  }
}
