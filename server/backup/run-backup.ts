/** `npm run ops -- backup …`: the input and output of the backup commands. */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Config } from '../config.ts'
import type { Db } from '../platform/db/db.ts'
import { copyDocuments } from './copy-documents.ts'
import { findDamage, readManifest, restoreBackup } from './restore-backup.ts'
import { BackupProblem, takeBackup } from './take-backup.ts'

export const backupUsage = `  backup take <folder>     copy the running database and the documents into a new folder; on the database's machine, as its user
  backup documents <folder>
                           copy the documents that are not there yet
  backup check <folder>    are all files of a backup as they were?
  backup restore <folder> --into <data directory> --archive <folder> [--until <time>] [--documents <folder>]
                           lay a backup where a PostgreSQL can start on it and recover up to a time`

export type BackupCommand =
  | { kind: 'take' | 'documents' | 'check'; folder: string }
  | { kind: 'restore'; folder: string; into: string; archive: string; until?: string; documents?: string }

/** The command; undefined when it is not a backup command. */
export function readBackupCommand(words: string[]): BackupCommand | undefined {
  const option = { type: 'string' } as const
  try {
    const { values, positionals } = parseArgs({
      args: words,
      allowPositionals: true,
      options: { into: option, archive: option, until: option, documents: option },
    })
    const [kind, folder, ...others] = positionals
    if (folder === undefined || others.length > 0) return undefined
    if (kind === 'take' || kind === 'documents' || kind === 'check')
      return Object.keys(values).length === 0 ? { kind, folder } : undefined
    const { into, archive } = values
    return kind === 'restore' && into && archive ? { kind, folder, ...values, into, archive } : undefined
  } catch {
    // Unknown option.
    return undefined
  }
}

/** Whether a command uses files only, so that no database needs to run. */
export function needsNoDatabase({ kind }: BackupCommand): boolean {
  return kind === 'check' || kind === 'restore'
}

export async function runOnFiles(command: BackupCommand): Promise<string[]> {
  if (command.kind === 'check') {
    const damaged = await findDamage(command.folder)
    if (damaged.length > 0)
      throw new BackupProblem(`${damaged.length} files are damaged or missing: ${damaged.slice(0, 20).join(', ')}`)
    const { files, startedAt, endedAt } = await readManifest(command.folder)
    return [`All ${files.length} files are as they were. Taken from ${startedAt} to ${endedAt}.`]
  }
  if (command.kind !== 'restore') return []
  const { folder, into, archive, until, documents } = command
  const { files, schema } = await restoreBackup({ backup: folder, into, archive, until })
  const copied = documents === undefined ? undefined : await copyDocuments(join(folder, 'documents'), documents)
  return [
    `${files.length} files are in ${into}; the schema was at ${schema}.`,
    ...(copied === undefined ? [] : [`${copied} documents are in ${documents}.`]),
    `Start PostgreSQL on it: it recovers from ${archive}${until === undefined ? ' to its end' : ` up to ${until}`}, then takes writes.`,
    'Then: npm run ops -- verify, npm run ops -- keys status. It archives nothing until you set archive_mode again.',
    'Checkouts and payouts are off until the time that was lost has been compared with the providers: npm run ops -- restored.',
  ]
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

async function copyOwnDocuments(config: Pick<Config, 'documents'>, folder: string): Promise<string> {
  const { store } = config.documents
  if (store.kind === 's3')
    return 'The documents are in a bucket: it is kept by its own means (versions, a copy in another place).'
  const count = await copyDocuments(store.folder, folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return 0
    throw error
  })
  return `${count} documents were copied to ${folder}.`
}

/** `db` must have no role, and its statements may take long. */
export async function runOnDatabase(
  command: BackupCommand,
  { config, db }: { config: Pick<Config, 'documents'>; db: Db },
): Promise<string[]> {
  const { folder } = command
  if (command.kind === 'documents') return [await copyOwnDocuments(config, folder)]
  const { files, startedAt, endedAt, startLsn } = await takeBackup(db, folder, 'malipo')
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  return [
    `${files.length} files, ${megabytes(bytes)}, from ${startedAt} to ${endedAt}; it needs the archive from ${startLsn} on.`,
    // After the database, so that every document in its rows already exists.
    await copyOwnDocuments(config, join(folder, 'documents')),
    'The keys are not in it: npm run ops -- keys export, kept in another place.',
  ]
}
