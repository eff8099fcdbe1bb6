/** Lets a command that root has started run with the rights of the service alone. */
import { statSync } from 'node:fs'
import { CommandError } from './commands.ts'

/**
 * Takes the rights of the user that owns the folder, for good. Does nothing for another user than root, and for a folder of root.
 * The database and the providers feed a command with data of others: with the rights of root, one fault could reach the machine.
 */
export function becomeOwnerOf(folder: string): void {
  if (process.getuid?.() !== 0) return
  const owner = statSync(folder, { throwIfNoEntry: false })
  if (!owner) {
    throw new CommandError(
      `${folder} (DATA_DIR) does not exist: create it for the user of the service, for example: install -d -m 0700 -o malipo -g malipo ${folder}`,
    )
  }
  if (owner.uid === 0) return
  process.setgroups!([owner.gid])
  process.setgid!(owner.gid)
  process.setuid!(owner.uid)
}
