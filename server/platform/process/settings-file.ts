/** The file that an operator keeps the settings in: `NAME=value` lines, as systemd and Docker read them. */
import { readFileSync, statSync } from 'node:fs'
import { parseEnv } from 'node:util'

const othersMayRead = 0o004

/**
 * Its settings, and whether every user of the machine may read them. A file that only its owner may read, such as the one of a unit, which
 * systemd reads before it gives up its rights, has none for this process. Throws where there is no file.
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
