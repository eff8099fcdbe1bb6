/** Where the year's data is: in memory where there is room, because a backup and the simulator wait for the disk at every turn. */
import { rmSync } from 'node:fs'
import { chmod, mkdtemp, readdir, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const memory = '/dev/shm'
const prefix = 'malipo-year-'
/** Of 400 days: a backup, and the log of commits from it on. */
const neededBytes = 4 * 2 ** 30

async function hasRoom(): Promise<boolean> {
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

/** What a run has left in memory that was ended with SIGKILL: its folder names its process. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(memory).catch(() => [])) {
    const id = Number(new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1])
    if (id > 0 && !isRunning(id)) await rm(join(memory, name), { recursive: true, force: true })
  }
}

/** Makes the folder, which the database's user can enter. It is gone with this process, unless that is killed with SIGKILL. */
export async function makeFastFolder(): Promise<string> {
  await removeLeftovers()
  const folder = await mkdtemp(join((await hasRoom()) ? memory : tmpdir(), `${prefix}${process.pid}-`))
  await chmod(folder, 0o755)
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  return folder
}
