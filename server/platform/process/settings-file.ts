/** The settings file of an operator: `NAME=value` lines, in the format of systemd and Docker. */
import { readFileSync, statSync } from 'node:fs'
import { parseEnv } from 'node:util'

const othersMayRead = 0o004

/**
 * The settings of the file, and whether every user of the machine may read it. Returns no settings for a file that this process
 * may not read, such as the file of a unit, which systemd reads before it drops its rights. Throws when the file does not exist.
 */
export function readSettingsFile(path: string): { settings: NodeJS.Dict<string>; isOpenToAll: boolean } {
  try {
    const isOpenToAll = (statSync(path).mode & othersMayRead) !== 0
    return { settings: parseEnv(readFileSync(path, 'utf8')), isOpenToAll }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error
    return { settings: {}, isOpenToAll: false }
  }
}
