/**
 * A folder for temporary data of a run: in memory if there is enough space, because databases, backups and the simulator wait for the
 * disk.
 */
import { rmSync } from 'node:fs'
import { chmod, mkdtemp, readdir, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const memory = '/dev/shm'
const gigabyte = 2 ** 30

async function hasSpace(neededBytes: number): Promise<boolean> {
  return statfs(memory).then(
    ({ bavail, bsize }) => bavail * bsize >= neededBytes,
    () => false,
  )
}

function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0)
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM'
  }
}

/** Data in memory from a run that ended with SIGKILL: its folder names its process. */
async function removeLeftovers(prefix: string): Promise<void> {
  for (const name of await readdir(memory).catch(() => [])) {
    const id = Number(new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1])
    if (id > 0 && !isRunning(id)) await rm(join(memory, name), { recursive: true, force: true })
  }
}

async function makeFolder(prefix: string, neededBytes: number): Promise<string> {
  await removeLeftovers(prefix)
  const folder = await mkdtemp(join((await hasSpace(neededBytes)) ? memory : tmpdir(), `${prefix}${process.pid}-`))
  // The database's user must be able to enter it.
  await chmod(folder, 0o755)
  return folder
}

/** For the databases of a test run: about fifty exist at once, of twelve megabytes each. The caller removes the folder. */
export async function makeTestFolder(): Promise<string> {
  return makeFolder('malipo-test-', 3 * gigabyte)
}

/**
 * For a simulated year: a backup, and the log of commits since then. It is removed with this process, unless the process gets
 * SIGKILL.
 */
export async function makeYearFolder(): Promise<string> {
  const folder = await makeFolder('malipo-year-', 4 * gigabyte)
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  return folder
}
