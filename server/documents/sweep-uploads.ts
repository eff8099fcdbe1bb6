/** Removes files of uploads that a killed process left behind. */
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../platform/clock.ts'

/** Files that nothing has written to for `olderThanMs`: an upload never takes so long. */
export async function sweepUploads(deps: { clock: Clock }, folder: string, olderThanMs: number): Promise<void> {
  const names = await readdir(folder).catch((): string[] => [])
  for (const name of names) {
    const file = join(folder, name)
    const { mtimeMs } = (await stat(file).catch(() => undefined)) ?? {}
    if (mtimeMs !== undefined && mtimeMs < deps.clock.now() - olderThanMs) await rm(file, { force: true })
  }
}
